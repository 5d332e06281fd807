# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of tools/compile_times.py."""

import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import compile_times  # noqa: E402

LOG = "# ninja log v5\n0\t1500\t7\ta.o\tff\n100\t4100\t7\tb.o\tfe\n0\t2000\t7\ta.o\tfd\n4100\t5000\t7\tapp\tfc\n"


class CompileTimes(unittest.TestCase):
    def run_on(self, text, *options):
        out = io.StringIO()
        with tempfile.NamedTemporaryFile("w", suffix=".ninja_log") as log:
            log.write(text)
            log.flush()
            return compile_times.main([log.name, *options], out), out.getvalue()

    def test_lists_the_slowest_first_and_the_total(self):
        code, text = self.run_on(LOG, "--show", "2")
        self.assertEqual(code, 0)
        self.assertEqual([line.split() for line in text.splitlines()], [
            ["4.0", "s", "b.o"], ["2.0", "s", "a.o"], ["5.0", "s", "from", "first", "to", "last,", "3", "steps"]])

    def test_fails_when_a_file_or_the_whole_is_too_slow(self):
        code, text = self.run_on(LOG, "--max-file", "3", "--max-total", "4")
        self.assertEqual(code, 1)
        self.assertIn("error: b.o took 4.0 s, limit 3 s\n", text)
        self.assertIn("error: the build took 5.0 s, limit 4 s\n", text)

    def test_an_empty_log_is_an_error(self):
        self.assertEqual(self.run_on("# ninja log v5\n")[0], 1)


if __name__ == "__main__":
    unittest.main()
