# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of tools/check_layers.py, each on a small source tree written for it."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
from check_layers import check  # noqa: E402


class CheckLayers(unittest.TestCase):
    def complaints(self, files):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = Path(root) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return check(root)

    def test_an_empty_tree_is_fine(self):
        self.assertEqual(self.complaints({}), [])

    def test_includes_of_own_and_earlier_layers_are_fine(self):
        self.assertEqual(self.complaints({
            "include/trammel/version.hpp": "#include <string>\n",
            "include/trammel/joints/helical.hpp": "#include <trammel/transform.hpp>\n#include <experimental/simd>\n",
            "include/trammel/transform.hpp": "#include <trammel/version.hpp>\n",
            "src/core/text.hpp": "#include <Eigen/Core>\n",
            "src/dynamics/aba.hpp": '#include "core/text.hpp"\n#include <trammel/joints/helical.hpp>\n',
            "src/dynamics/aba.cpp": '#include "aba.hpp"\n#include "dynamics/aba.hpp"\n',
        }), [])

    def test_a_later_layer_is_reported_with_file_and_line(self):
        self.assertEqual(self.complaints({
            "src/core/a.cpp": '#include <vector>\n\n#include "dynamics/aba.hpp"\n',
            "src/dynamics/aba.hpp": "",
        }), ["src/core/a.cpp:3: layer 'core' includes 'dynamics/aba.hpp' of the later layer 'dynamics'"])

    def test_a_later_layer_through_a_public_header_is_reported(self):
        self.assertEqual(self.complaints({
            "src/spatial/a.cpp": "#include <trammel/state.hpp>\n",
            "include/trammel/state.hpp": "",
        }), ["src/spatial/a.cpp:1: layer 'spatial' includes 'trammel/state.hpp' of the later layer 'mechanism'"])

    def test_layers_hold_between_public_headers(self):
        self.assertEqual(self.complaints({
            "include/trammel/model.hpp": "#include <trammel/mechanism.hpp>\n",
            "include/trammel/mechanism.hpp": "",
        }), ["include/trammel/model.hpp:1: "
             "layer 'model' includes 'trammel/mechanism.hpp' of the later layer 'mechanism'"])

    def test_a_public_header_includes_no_private_one(self):
        self.assertEqual(self.complaints({
            "include/trammel/model.hpp": '#include "core/text.hpp"\n',
            "src/core/text.hpp": "",
        }), ["include/trammel/model.hpp:1: public header includes 'core/text.hpp', which is private"])

    def test_a_public_header_includes_no_third_party(self):
        self.assertEqual(self.complaints({"include/trammel/model.hpp": "#include <Eigen/Core>\n"}), [
            "include/trammel/model.hpp:1: public header includes <Eigen/Core>: "
            "only the standard library and trammel are allowed here"])

    def test_an_unknown_public_header_is_reported(self):
        self.assertEqual(self.complaints({"include/trammel/surprise.hpp": ""}), [
            "include/trammel/surprise.hpp:1: unknown public header: add it to PUBLIC_HEADERS in tools/check_layers.py"])

    def test_a_source_outside_the_layers_is_reported(self):
        found = self.complaints({"src/misc/a.cpp": "", "src/b.cpp": ""})
        self.assertEqual([line.split(": ")[1] for line in found], ["not in a layer"] * 2)

    def test_the_umbrella_includes_all_but_only_users_include_it(self):
        self.assertEqual(self.complaints({
            "include/trammel/trammel.hpp": "#include <trammel/simulation.hpp>\n",
            "include/trammel/simulation.hpp": "",
            "src/simulation/a.cpp": "#include <trammel/trammel.hpp>\n",
            "apps/trammel/main.cpp": "#include <trammel/trammel.hpp>\n",
        }), ["src/simulation/a.cpp:1: includes <trammel/trammel.hpp>, which is for users; "
             "include the header that is needed"])

    def test_the_tool_includes_public_headers_and_its_own_only(self):
        self.assertEqual(self.complaints({
            "apps/trammel/main.cpp": '#include <CLI/CLI.hpp>\n#include "verbs.hpp"\n#include "core/text.hpp"\n',
            "apps/trammel/verbs.hpp": "",
            "src/core/text.hpp": "",
        }), ["apps/trammel/main.cpp:3: the tool includes 'core/text.hpp', which is private; "
             "use the public headers <trammel/...>"])

    def test_a_missing_file_is_reported(self):
        self.assertEqual(self.complaints({
            "src/core/a.cpp": '#include "core/gone.hpp"\n#include <trammel/gone.hpp>\n',
        }), [
            "src/core/a.cpp:1: includes 'core/gone.hpp', which does not exist",
            "src/core/a.cpp:2: includes 'trammel/gone.hpp', which does not exist"])

    def test_a_cycle_is_reported_once_with_its_path(self):
        self.assertEqual(self.complaints({
            "src/core/a.hpp": '#include "core/b.hpp"\n',
            "src/core/b.hpp": '\n#include "core/c.hpp"\n',
            "src/core/c.hpp": '#include "a.hpp"\n',
            "src/core/d.cpp": '#include "core/a.hpp"\n',
        }), ["src/core/c.hpp:1: include cycle: src/core/a.hpp -> src/core/b.hpp -> src/core/c.hpp -> src/core/a.hpp"])

    def test_comments_hide_includes(self):
        self.assertEqual(self.complaints({
            "src/core/a.hpp": '/*\n#include "core/gone.hpp"\n*/\n// #include "core/gone.hpp"\n#include <Eigen/Core>\n',
        }), [])

    def test_the_command_prints_complaints_and_fails(self):
        with tempfile.TemporaryDirectory() as root:
            header = Path(root) / "include/trammel/surprise.hpp"
            header.parent.mkdir(parents=True)
            header.touch()
            run = subprocess.run([sys.executable, TOOLS / "check_layers.py", root], capture_output=True, text=True,
                                 check=False)
        self.assertEqual(run.returncode, 1)
        self.assertTrue(run.stdout.startswith("include/trammel/surprise.hpp:1: unknown public header"))


if __name__ == "__main__":
    unittest.main()
