#!/usr/bin/env python3
# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Fluid at the command line: the wet/dry report of check, eval and simulate with the fluid and without."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("TRAMMEL_SOURCE_DIR", Path(__file__).resolve().parents[2]))
TOOL = os.environ.get("TRAMMEL_TOOL", str(ROOT / "build" / "trammel"))
MODELS = ROOT / "models"

BALL = """trammel: 1
name: ball
bodies:
  ball: {density: 500, shape: {sphere: 0.1}}
  stone: {mass: 1, inertia: [1, 1, 1], fluid: none}
joints:
  free: {free: [ground, ball]}
  weld: {fixed: [ball, stone], at: [0, 0, 0]}
environment:
  fluid: {density: 1000}
"""


def run(*arguments, text=None):
    return subprocess.run([TOOL, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=120)


class Fluid(unittest.TestCase):
    def answer(self, *arguments, text=None):
        result = run(*arguments, "--json", text=text)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_check_reports_who_weighs_what(self):
        report = self.answer("check", "-", "--from", "yaml", text=BALL)["fluid"]
        ball = report["bodies"]["ball"]
        self.assertAlmostEqual(ball["displaced_mass"], 4.1887902047863905, places=12)
        self.assertAlmostEqual(ball["net_weight"], -9.81 * 0.5 * 4.1887902047863905, places=9)
        self.assertAlmostEqual(ball["added_mass_eigenvalues"][5], 2.0943951023931953, places=12)
        self.assertEqual(ball["added_mass_eigenvalues"][0], 0)
        self.assertEqual(report["feel_nothing"], ["stone"])
        self.assertIn("½ (Lamb)", " ".join(ball["sources"]))
        text = run("check", "-", "--from", "yaml", text=BALL).stdout
        self.assertIn("In the fluid\n  water: 1000 kg/m³\n", text)
        self.assertIn("feel nothing of it: stone", text)

    def test_check_warns_of_added_mass_that_is_negative(self):
        wrong = BALL.replace("shape: {sphere: 0.1}}", "shape: {sphere: 0.1}, fluid: {added_mass: [0, 0, 0, 1, 1, -1]}}")
        report = self.answer("check", "-", "--from", "yaml", text=wrong)["fluid"]
        self.assertEqual(report["bodies"]["ball"]["warnings"],
                         ["its added mass is not positive semidefinite: least eigenvalue -1 kg"])
        self.assertIn("warning: body 'ball': its added mass is not positive semidefinite", run("check", "-", "--from", "yaml", text=wrong).stdout)

    def test_eval_lets_the_fluid_act_unless_told_not_to(self):
        ball = BALL.replace("  stone: {mass: 1, inertia: [1, 1, 1], fluid: none}\n", "").replace("  weld: {fixed: [ball, stone], at: [0, 0, 0]}\n", "")
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder) / "ball.yaml"
            model.write_text(ball, encoding="utf-8")
            state = '{"v": {"free": [0, 0, 0, 2, 0, 0]}}'
            wet = self.answer("eval", model, "--state", "-", "--compute", "forward,mass,energy,momentum", text=state)
            dry = self.answer("eval", model, "--state", "-", "--compute", "forward,mass,energy,momentum", "--no-fluid", text=state)
            back = self.answer("eval", model, "--state", "-", "--compute", "inverse", text=json.dumps({"v": {"free": [0, 0, 0, 2, 0, 0]}, "a": wet["a"]}))
        self.assertAlmostEqual(wet["a"]["free"][5], 9.81 / 2, places=12)  # half as dense, half of the water along
        self.assertAlmostEqual(dry["a"]["free"][5], -9.81, places=12)
        self.assertLess(wet["a"]["free"][3], 0)
        self.assertAlmostEqual(wet["mass_matrix"][3][3] / dry["mass_matrix"][3][3], 2, places=12)
        self.assertAlmostEqual(wet["energy"]["kinetic"] / dry["energy"]["kinetic"], 2, places=12)
        self.assertAlmostEqual(wet["energy"]["of_fluid"]["kinetic"], 0.5 * 2.0943951023931953 * 4, places=10)
        self.assertAlmostEqual(wet["momentum"]["linear"][0] / dry["momentum"]["linear"][0], 2, places=12)
        for x in back["tau"]["free"]:
            self.assertAlmostEqual(x, 0, places=9)

    def test_simulate_leaves_the_fluid_out_where_asked(self):
        wet = self.answer("simulate", MODELS / "diving_sphere.yaml", "--until", "1")
        dry = self.answer("simulate", MODELS / "diving_sphere.yaml", "--until", "1", "--no-fluid")
        self.assertGreater(wet["energy"]["dissipated"], 1)
        self.assertEqual(dry["energy"]["dissipated"], 0)

    def test_analyze_says_that_it_leaves_the_fluid_out(self):
        model = (MODELS / "crank_rocker.yaml").read_text(encoding="utf-8") + "environment: {fluid: {density: 1000}}\n"
        result = run("analyze", "-", "--from", "yaml", "--forces", text=model)
        self.assertIn("[not-applied]", result.stderr)


if __name__ == "__main__":
    unittest.main()
