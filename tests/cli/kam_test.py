# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""KAM listings as a user of the tool meets them: every verb takes them, their data come from where they are said to be."""

import json
import math
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = os.environ["TRAMMEL_TOOL"]
PROGRAMS = Path(os.environ["TRAMMEL_SOURCE_DIR"]) / "models" / "kam"


def run(*words, text=None, folder=None):
    return subprocess.run([TOOL, *map(str, words)], capture_output=True, text=True, timeout=60, input=text, cwd=folder)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def answer(self, *words, text=None):
        done = run(*words, "--json", text=text)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)

    def refused(self, message, *words, text=None):
        done = run(*words, text=text)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr, message)


class Verbs(Case):
    def test_check_explains_the_listing(self):
        report = self.answer("check", PROGRAMS / "frbar.kam")
        self.assertEqual(list(report["bodies"]), ["BODY1", "DRIVE", "OUTL"])
        self.assertEqual([joint["type"] for joint in report["joints"].values()], ["revolute"] + 3 * ["cylindrical"])

    def test_analyze_runs_every_program(self):
        for program in sorted(PROGRAMS.glob("*.kam")):
            with self.subTest(program.stem):
                report = self.answer("analyze", program, "--forces")
                self.assertEqual(report["status"], "ok")
                for step in report["steps"]:
                    self.assertEqual(step["status"], "ok")
                    self.assertTrue(step["balanced"])
                svg = self.folder / "plot.svg"
                self.assertEqual(run("analyze", program, "--svg", svg).returncode, 0)
                self.assertIn("<svg", svg.read_text(encoding="utf-8"))

    def test_a_torque_at_the_input_becomes_the_loads_at_the_output(self):
        report = self.answer("analyze", PROGRAMS / "frbar.kam", "--forces")
        self.assertIn("resisting loads are found from the loads given; the inputs supply nothing themselves (--drive)",
                      report["notes"])
        inch, pound = 0.0254, 4.4482216152605
        for step in report["steps"]:
            turn, slide = step["joints"]["CYL3"]["v"]  # the ground relative to OUTL
            loads = step["loads"]
            self.assertAlmostEqual(loads["T14"], 1.5 * inch * loads["F14"] + 10 * inch * pound, delta=1e-9)
            put_in = 100 * inch * pound * math.radians(60)
            taken_out = -loads["F14"] * slide - loads["T14"] * turn
            self.assertLess(abs(put_in - taken_out), 1e-9 * abs(put_in))
            self.assertEqual(step["drive"]["REV1"], 0)

    def test_drive_adds_to_what_the_loads_give(self):
        report = self.answer("analyze", PROGRAMS / "toggle.kam", "--input", "ANCHOR=0", "--drive", "ANCHOR=-20000")
        # 20 N m at the lower link act as 100 N more, of which the knee is 200 cos 10° away.
        push = 100 + 20 / (0.2 * math.cos(math.radians(10)))
        self.assertAlmostEqual(report["steps"][0]["loads"]["PRESS"], push / (2 * math.tan(math.radians(10))), delta=1e-9)

    def test_convert_gives_a_native_file_that_analyzes_the_same(self):
        for program in sorted(PROGRAMS.glob("*.kam")):
            with self.subTest(program.stem):
                native = self.folder / (program.stem + ".yaml")
                self.assertEqual(run("convert", program, "-o", native).returncode, 0)
                done = run("analyze", native, "--forces", "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                ours, theirs = self.answer("analyze", program, "--forces"), json.loads(done.stdout)
                self.assertEqual(len(ours["steps"]), len(theirs["steps"]))
                for a, b in zip(ours["steps"], theirs["steps"]):
                    for name, point in a["points"].items():
                        for quantity in ("p", "v", "a"):
                            for x, y in zip(point[quantity], b["points"][name][quantity]):
                                self.assertLess(abs(x - y), 1e-10 * (1 + abs(x)))
                    for name, size in a["loads"].items():
                        self.assertLess(abs(size - b["loads"][name]), 1e-9 * (1 + abs(size)))

    def test_a_listing_without_masses_is_no_reason_for_warnings(self):
        done = run("analyze", PROGRAMS / "frbar.kam")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = run("eval", PROGRAMS / "frbar.kam", "--compute", "mass")
        self.assertEqual(done.returncode, 2)  # a mass matrix needs them
        self.assertIn("[mass-missing]", done.stderr)


class Data(Case):
    def rocker(self, *words):
        return self.answer("analyze", PROGRAMS / "fourbar.kam", "--input", "REV1=0", *words)["steps"][0]["points"]["B"]["p"]

    def test_data_says_where_the_numbers_are(self):
        self.assertAlmostEqual(self.rocker()[1], 0.0254 * 7.998558591530878, delta=1e-12)
        crossed = self.rocker("--data", PROGRAMS / "fourbar_crossed.dat")
        self.assertAlmostEqual(crossed[1], -0.0254 * 5.333226819179468, delta=1e-12)

    def test_standard_input_has_them_after_END_or_by_data(self):
        listing = (PROGRAMS / "fourbar.kam").read_text(encoding="utf-8")
        data = (PROGRAMS / "fourbar.dat").read_text(encoding="utf-8")
        whole = self.answer("check", "-", "--from", "kam", text=listing + data)
        apart = self.answer("check", "-", "--from", "kam", "--data", PROGRAMS / "fourbar.dat", text=listing)
        self.assertEqual(whole["joints"], apart["joints"])
        self.refused("stdin:22:3: error: there are no data for this listing\n"
                     "  fix: write them after END, or say --data FILE      [kam-data-missing]\n",
                     "check", "-", "--from", "kam", text=listing)

    def test_data_of_another_format_have_no_effect(self):
        done = run("check", PROGRAMS.parent / "rccc.yaml", "--data", PROGRAMS / "frbar.dat")
        self.assertEqual(done.returncode, 0)
        self.assertIn("warning: --data has no effect: only a KAM listing has its data in another file", done.stderr)

    def test_mistakes_in_them_have_their_places(self):
        shutil.copy(PROGRAMS / "fourbar.kam", self.folder)
        data = (PROGRAMS / "fourbar.dat").read_text(encoding="utf-8").replace("PT(4) =", "PT(44) =")
        (self.folder / "fourbar.dat").write_text(data, encoding="utf-8")
        done = run("check", "fourbar.kam", folder=self.folder)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr,
                         "fourbar.dat:6:3: error: there is no PT(44): DIMENSION declares PT(9)\n"
                         "  fix: raise the number in DIMENSION, or correct this one      [kam-subscript]\n"
                         "fourbar.kam:6:30: error: the data do not give PT(4)\n"
                         "  fix: add PT(4) = x, y, z to the data      [kam-data-missing]\n")


class Convert(Case):
    def test_kam_is_not_written(self):
        target = self.folder / "a.kam"
        self.refused("error: KAM is read, not written\n"
                     "  fix: write native YAML: give the file the extension .yaml      [output-format]\n",
                     "convert", PROGRAMS / "frbar.kam", "-o", target)
        self.assertNotEqual(run("convert", PROGRAMS / "frbar.kam", "--to", "kam").returncode, 0)
        words = run("complete", "convert", "--to", "").stdout.split()
        self.assertEqual(words, ["yaml", "urdf", "mjcf"])
        self.assertIn("kam", run("complete", "convert", "--from", "").stdout.split())

    def test_the_data_are_not_written_over(self):
        for file in ("fourbar.kam", "fourbar.dat"):
            shutil.copy(PROGRAMS / file, self.folder)
        done = run("convert", "fourbar.kam", "--to", "yaml", "-o", "fourbar.dat", folder=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("fourbar.dat: error: the model to be converted includes this file\n", done.stderr)
        self.assertEqual((self.folder / "fourbar.dat").read_bytes(), (PROGRAMS / "fourbar.dat").read_bytes())


if __name__ == "__main__":
    unittest.main()
