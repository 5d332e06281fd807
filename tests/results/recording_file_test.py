# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Recordings read by others, h5py and h5dump: whole ones, and those of processes that were killed."""

import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from debian_python import require  # noqa: E402

h5py = __import__("h5py") if require("h5py") else None

WRITER = Path(os.environ["TRAMMEL_BINARY_DIR"]) / "tests" / "test_results"
CHANNELS = 40
KILLS = int(os.environ.get("TRAMMEL_KILLS", "20"))


def start(path, rows):
    """The sample of recording_test.cpp: row i of channel c is i + c / 1000; an event and a checkpoint each 200 rows."""
    return subprocess.Popen([WRITER, "--gtest_filter=RecordingSample.*"], stdout=subprocess.DEVNULL,
                            env={**os.environ, "TRAMMEL_RECORDING": str(path), "TRAMMEL_RECORDING_ROWS": str(rows)})


@unittest.skipIf(h5py is None, "python3-h5py is not there")
@unittest.skipUnless(WRITER.exists(), "the C++ tests are not built")
class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def look(self, path):
        """Rows of the recording, after all of it has been read and compared; rows of each channel may differ by a flush."""
        with h5py.File(path, "r") as file:
            lengths = []
            for column, name in enumerate(file["channels"].asstr()[:]):
                values = file[name][:]
                lengths.append(len(values))
                self.assertTrue(all(v == i + column / 1000 for i, v in enumerate(values)), name)
            self.assertLessEqual(max(lengths) - min(lengths), 200)
            status = file.attrs["status"].decode()
            events = len(file["events/t"])
            self.assertTrue(all(t == i for i, t in enumerate(file["events/t"])))
            if status:
                self.assertEqual(set(file["events/text"].asstr()[:]), {"it happened"})
            else:  # a stream of bytes while it grows
                texts = bytes(file["events/texts"][:]).decode().split("\0")[:-1]
                events = min(events, len(texts) // 3)
                self.assertEqual(texts[:3 * events], sum((["event %d" % i, "user", "it happened"] for i in range(events)), []))
            self.assertEqual(file["events/q_after"].shape[1], 2)
            if "checkpoint" in file:
                self.assertLessEqual(file["checkpoint"][()]["rows"], min(lengths))
                self.assertEqual(list(file["checkpoint"][()]["numbers"]), [1, 2, 3])
        if shutil.which("h5dump"):
            dump = subprocess.run(["h5dump", "-d", "/t", str(path)], capture_output=True, text=True, timeout=60)
            self.assertEqual((dump.returncode, dump.stderr), (0, ""))
        return min(lengths), status


class Whole(Case):
    def test_is_as_the_page_says(self):
        path = self.folder / "a.h5"
        self.assertEqual(start(path, 5000).wait(timeout=60), 0)
        self.assertEqual(self.look(path), (5000, "done"))
        with h5py.File(path, "r") as file:
            self.assertEqual(sorted(file), ["channels", "checkpoint", "coordinates", "events", "model_text", "q_names", "t", "v_names", "velocities"])
            self.assertEqual((file.attrs["format"], file.attrs["version"]), (b"trammel recording", 1))
            self.assertEqual(file["model_text"].asstr()[0], "trammel: 1\n")
            self.assertEqual(file.attrs["model_hash"].decode(), hashlib.sha256(b"trammel: 1\n").hexdigest())
            self.assertEqual(sorted(file.attrs), ["format", "kernel_level", "model_file", "model_hash", "model_name", "options",
                                                  "status", "trammel_version", "version"])
            q = file["coordinates/joint2.q"]
            self.assertEqual(dict(q.attrs), {"name": b"joint2.q", "group": b"coordinates", "unit": b"rad", "frame": b""})
            self.assertEqual((q.dtype, q.compression, q.shuffle, q.chunks), ("<f8", "gzip", True, (4096,)))
            self.assertEqual(list(file["q_names"].asstr()), ["a", "b"])
            self.assertEqual(file["events/q_before"].shape, (25, 2))

    def test_compresses_what_can_be(self):
        path = self.folder / "a.h5"
        self.assertEqual(start(path, 20000).wait(timeout=60), 0)
        self.assertLess(path.stat().st_size, 0.8 * 20000 * CHANNELS * 8)


class Killed(Case):
    def test_keeps_what_was_flushed(self):
        moments = random.Random(20250117)
        most = 0
        for kill in range(KILLS):
            path = self.folder / f"{kill}.h5"
            process = start(path, 0)
            while not path.exists():
                time.sleep(0.001)
            time.sleep(moments.uniform(0, 0.15))
            while kill == KILLS - 1 and path.stat().st_size < 2000 * CHANNELS * 8:  # on a busy machine others may come early
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.wait()
            with self.subTest(kill=kill):
                rows, status = self.look(path)
                self.assertEqual(status, "")
                most = max(most, rows)
            path.unlink()
        self.assertGreater(most, 1000)


if __name__ == "__main__":
    unittest.main()
