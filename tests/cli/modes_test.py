# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""trammel modes, analyze --mode, and closed forms beside Newton's method on every shipped linkage."""

import json
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = os.environ["TRAMMEL_TOOL"]
MODELS = Path(os.environ["TRAMMEL_SOURCE_DIR"]) / "models"


def run(*words):
    return subprocess.run([TOOL, *map(str, words)], capture_output=True, text=True, timeout=120)


def answer(*words):
    done = run(*words, "--json")
    return json.loads(done.stdout), done.returncode


class Modes(unittest.TestCase):
    def test_a_four_bar_has_two_and_the_first_is_drawn(self):
        report, code = answer("modes", MODELS / "norton_fourbar.yaml", "--input", "O2=60")
        self.assertEqual(code, 0)
        self.assertTrue(report["complete"])
        self.assertEqual([m["id"] for m in report["modes"]], [1, 2])
        self.assertEqual([m["drawn"] for m in report["modes"]], [True, False])
        self.assertAlmostEqual(report["input"]["O2"], math.radians(60), delta=1e-15)
        self.assertEqual(set(report["modes"][0]["joints"]), {"O2", "A", "B", "O4"})
        self.assertEqual(len(report["modes"][0]["points"]["A"]), 3)

    def test_an_input_beyond_half_a_turn_has_as_many(self):
        for angle in (-359, -180, 180, 190, 361, 725):
            report, _ = answer("modes", MODELS / "norton_fourbar.yaml", "--input", f"O2={angle}")
            self.assertEqual((len(report["modes"]), report["complete"]), (2, True), angle)

    def test_a_search_says_that_it_proves_nothing(self):
        report, code = answer("modes", MODELS / "dietmaier.yaml")
        self.assertEqual((code, report["complete"], len(report["modes"])), (0, False, 40))
        text = run("modes", MODELS / "dietmaier.yaml").stdout
        self.assertIn("40 assembly modes", text)
        self.assertIn("found by search: that there are no others is not proven", text)
        self.assertIn("all of them: the positions have a closed form", run("modes", MODELS / "rssr.yaml").stdout)

    def test_positions_of_a_continuum_are_one(self):
        """Folded flat, the platform of a Sarrus linkage lies on the axis of its base, and the other leg swings freely."""
        report, code = answer("modes", MODELS / "sarrus.yaml")
        self.assertEqual((code, len(report["modes"])), (0, 3))
        self.assertEqual(sorted(m["continuum"] for m in report["modes"]), [False, False, True])
        self.assertGreater(report["in_continuum"], 100)
        text = run("modes", MODELS / "sarrus.yaml").stdout
        self.assertIn("belong to a continuum, in which the linkage moves while the inputs stand still; one is listed", text)
        self.assertEqual(text.count("one of a continuum\n"), 1)

    def test_analyze_follows_a_mode_beyond_half_a_turn(self):
        model = MODELS / "stephenson_sixbar.yaml"
        for angle in (310, -50, 670):
            modes, _ = answer("modes", model, "--input", f"A={angle}")
            self.assertEqual(len(modes["modes"]), 4)
            for mode in modes["modes"]:
                report, code = answer("analyze", model, "--input", f"A={angle}", "--mode", mode["id"])
                self.assertEqual(code, 0)
                for name, q in mode["joints"].items():
                    turns = (report["steps"][0]["joints"][name]["q"][0] - q[0]) / (2 * math.pi)
                    self.assertAlmostEqual(turns, round(turns), delta=1e-10, msg=(angle, name))

    def test_a_range_is_refused(self):
        done = run("modes", MODELS / "norton_fourbar.yaml", "--input", "O2=0:10:5")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "error: --input: 'O2=0:10:5' is a range\n"
                         "  fix: modes are those of one value: write --input JOINT=value      [option-value]\n")

    def test_analyze_follows_a_mode(self):
        modes, _ = answer("modes", MODELS / "norton_fourbar.yaml", "--input", "O2=60")
        for mode in modes["modes"]:
            report, code = answer("analyze", MODELS / "norton_fourbar.yaml", "--input", "O2=60:100:20", "--mode", mode["id"])
            self.assertEqual(code, 0)
            for name, q in mode["joints"].items():
                turns = (report["steps"][0]["joints"][name]["q"][0] - q[0]) / (2 * math.pi)
                self.assertAlmostEqual(turns, round(turns), delta=1e-10)
            self.assertTrue(all(step["status"] == "ok" for step in report["steps"]))
        done = run("analyze", MODELS / "norton_fourbar.yaml", "--input", "O2=60:100:20", "--mode", 3)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "error: --mode: there is no mode 3; where the sweep begins there are 2\n"
                         "  fix: `trammel modes` lists them      [option-value]\n")

    def test_no_mode_and_a_free_motion_are_verdicts(self):
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder) / "rod.yaml"
            model.write_text("trammel: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}\n"
                             "joints:\n  A: {revolute: [ground, a], at: [0, 0, 0], axis: z}\n"
                             "  B: {revolute: [ground, b], at: [10, 0, 0], axis: z}\n"
                             "constraints: {rod: {distance: [a, b], at: [[1, 0, 0], [9, 0, 0]], length: 1}}\n")
            report, code = answer("modes", model, "--input", "A=0", "--starts", "50")
            self.assertEqual((code, report["status"], report["modes"]), (1, "cannot-assemble", []))
            self.assertIn("can be assembled in no way", run("modes", model, "--input", "A=0", "--starts", "50").stderr)
        done = run("modes", MODELS / "stewart.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("[under-driven]", done.stderr)


class ClosedForms(unittest.TestCase):
    """Every shipped linkage that has one, over its own inputs, with forces: as by Newton's method."""

    # Balls, and bodies that may spin between them, are the same only up to that spin.
    SKIPPED = {"reactions", "constraint_forces"}
    # Links that spin idly, and their balls with them.
    IDLE = {"rssr.yaml": ("coupler", ("A", "B")), "rssr.kam": ("COUPLR", ("BALLA", "BALLB")),
            "suspension.kam": ("TIEROD", ("BALLR", "BALLT"))}

    def compare(self, one, other, path):
        if isinstance(one, dict):
            for key in one:
                if key not in self.SKIPPED:
                    self.compare(one[key], other[key], f"{path}/{key}")
        elif isinstance(one, list):
            self.assertEqual(len(one), len(other), path)
            for k, (x, y) in enumerate(zip(one, other)):
                self.compare(x, y, f"{path}/{k}")
        elif isinstance(one, float) and isinstance(other, float):
            self.assertLess(abs(one - other), 1e-10 * max(1, abs(one), abs(other)), path)
        else:
            self.assertEqual(one, other, path)

    def test_agree_with_newtons_method(self):
        count = 0
        for model in sorted(MODELS.glob("*.yaml")) + sorted(MODELS.glob("kam/*.kam")):
            if model.suffix == ".yaml" and "\ninputs:" not in model.read_text(encoding="utf-8"):
                continue
            form, _ = answer("analyze", model, "--forces")
            if form["positions"] != "closed form":
                continue
            count += 1
            newton, _ = answer("analyze", model, "--forces", "--newton")
            self.assertEqual(newton["positions"], "Newton")
            with self.subTest(model.stem):
                for a, b in zip(form["steps"], newton["steps"]):
                    idle, balls = self.IDLE.get(model.name, (None, ()))
                    for step in (a, b):
                        step.get("bodies", {}).pop(idle, None)
                        for ball in balls:
                            del step["joints"][ball]
                    self.compare(a, b, model.stem)
                self.assertEqual(len(form["steps"]), len(newton["steps"]))
        self.assertGreaterEqual(count, 26)

    def test_check_names_the_steps_or_the_obstacle(self):
        text = run("check", MODELS / "quick_return.yaml").stdout
        self.assertIn("positions with O2 as input: in closed form\n    crank is driven\n"
                      "    arm, block between ground and crank: dyad RPR (Chace's case 1, with an offset)\n"
                      "    link, ram between arm and ground: dyad RRP (Chace's case 4)\n", text)
        report, _ = answer("check", MODELS / "bricard.yaml")
        self.assertEqual(report["positions"]["solver"], "Newton")
        self.assertIn("no closed form places", report["positions"]["obstacle"])


if __name__ == "__main__":
    unittest.main()
