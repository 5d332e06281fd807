# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""DynaMechs files as a user of the tool meets them: every verb takes them, and what they name is found from where they lie."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = os.environ["TRAMMEL_TOOL"]
FILES = Path(os.environ["TRAMMEL_SOURCE_DIR"]) / "models" / "dynamechs"


def run(*words, text=None, folder=None):
    return subprocess.run([TOOL, *map(str, words)], capture_output=True, text=True, timeout=60, input=text, cwd=folder)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def answer(self, *words, text=None, folder=None):
        done = run(*words, "--json", text=text, folder=folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)


class Verbs(Case):
    def test_check_explains_a_robot(self):
        report = self.answer("check", FILES / "aquarobot.dm")
        self.assertEqual(len(report["bodies"]), 25)
        self.assertEqual(len(report["joints"]), 25)

    def test_eval_simulate_and_draw_take_a_loop(self):
        crank = FILES / "slider_crank.dm"
        self.assertEqual(self.answer("simulate", crank, "--until", "0.1")["status"], "done")
        self.assertEqual(self.answer("eval", crank, "--compute", "forward")["status"], "ok")
        drawing = self.folder / "crank.svg"
        self.assertEqual(run("draw", crank, "-o", drawing).returncode, 0)
        self.assertTrue(drawing.read_text(encoding="utf-8").startswith("<"))

    def test_a_simulation_finds_its_files_from_anywhere(self):
        for folder in (FILES, self.folder, Path("/")):
            with self.subTest(folder):
                report = self.answer("check", FILES / "aquarobot.cfg", folder=folder)
                self.assertEqual(len(report["bodies"]), 25)
        copy = self.folder / "copy.cfg"
        shutil.copy(FILES / "aquarobot.cfg", copy)
        done = run("check", copy)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"{copy}:5:1: error: the robot file 'aquarobot.dm' cannot be read: there is no such file", done.stderr)

    def test_standard_input_with_from(self):
        text = (FILES / "slider_crank.dm").read_text(encoding="utf-8")
        self.assertEqual(len(self.answer("check", "-", "--from", "dm", text=text)["bodies"]), 3)


class Conversion(Case):
    def test_to_native_and_back_it_is_the_same_motion(self):
        for name in ("aquarobot.cfg", "slider_crank.dm"):
            with self.subTest(name):
                native = self.folder / "native.yaml"
                done = run("convert", FILES / name, "-o", native)
                self.assertEqual(done.returncode, 0, done.stderr)
                one, other = (self.answer("simulate", file, "--until", "0.3") for file in (FILES / name, native))
                self.assertEqual((one["q"], one["v"]), (other["q"], other["v"]))

    def test_it_is_not_written(self):
        done = run("convert", FILES / "slider_crank.dm", "-o", self.folder / "x.dm")
        self.assertEqual(done.returncode, 2)
        self.assertIn("DynaMechs is read, not written", done.stderr)
        self.assertIn("write native YAML", done.stderr)

    def test_pictures_follow_the_file(self):
        native = self.folder / "native.yaml"
        run("convert", FILES / "slider_crank.dm", "-o", native)
        self.assertIn("crank.xan", native.read_text(encoding="utf-8"))
        self.assertNotIn("mesh: crank.xan", native.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
