#!/usr/bin/env python3
# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Fluid at the command line: the wet/dry report of check, eval and simulate with the fluid and without."""

import csv
import json
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("TRAMMEL_SOURCE_DIR", Path(__file__).resolve().parents[2]))
TOOL = os.environ.get("TRAMMEL_TOOL", str(ROOT / "build" / "trammel"))
MODELS = ROOT / "models"

FOUR_BAR = """
trammel: 1
gravity: [0, -9.81, 0]
points: {O: [0, 0, 0], A: [0, 0.4, 0], B: [1.2, 0.9, 0], C: [1.4, 0, 0]}
bodies:
  crank: {density: 2700, shape: {rod: [O, A], radius: 0.03}}
  coupler: {density: 2700, shape: {rod: [A, B], radius: 0.03}}
  rocker: {density: 2700, shape: {rod: [B, C], radius: 0.03}}
joints:
  O: {revolute: [ground, crank], at: O, axis: z}
  A: {revolute: [crank, coupler], at: A, axis: z}
  B: {revolute: [coupler, rocker], at: B, axis: z}
  C: {revolute: [ground, rocker], at: C, axis: z}
drives: {O: {velocity: 3}}
environment: {fluid: {density: 1000, current: [0.3, 0.1, 0]}}
"""

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

    def test_derivatives_say_what_they_leave_out_of_the_fluid(self):
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder) / "ball.yaml"
            model.write_text(BALL, encoding="utf-8")
            wet = run("eval", model, "--compute", "derivatives")
            dry = run("eval", model, "--compute", "derivatives", "--no-fluid")
        self.assertIn("derivatives leave out how the forces of the fluid change with position and velocity", wet.stderr)
        self.assertIn("[not-applied]", wet.stderr)
        self.assertEqual((wet.returncode, dry.returncode, dry.stderr), (0, 0, ""))

    def test_simulate_leaves_the_fluid_out_where_asked(self):
        wet = self.answer("simulate", MODELS / "diving_sphere.yaml", "--until", "1")
        dry = self.answer("simulate", MODELS / "diving_sphere.yaml", "--until", "1", "--no-fluid")
        self.assertGreater(wet["energy"]["dissipated"], 1)
        self.assertEqual(dry["energy"]["dissipated"], 0)

    def test_analyze_lets_the_fluid_act_as_simulate_does(self):
        """What a driven crank of a four-bar takes under water, by the position solver and by the simulation of its closed loop."""
        with tempfile.TemporaryDirectory() as folder:
            model, table = Path(folder) / "four.yaml", Path(folder) / "four.csv"
            model.write_text(FOUR_BAR, encoding="utf-8")
            done = run("simulate", model, "--until", "2", "--record-every", "0.25", "--csv", table, "--channels", "coordinates,forces,reactions")
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
            sweep = [self.answer("analyze", model, "--input", f"O={row['O.q [rad]']}", "--speed", "O=3", "--forces") for row in rows]
            dry = self.answer("analyze", model, "--input", "O=1.5", "--speed", "O=3", "--forces", "--no-fluid")
        self.assertEqual(len(rows), 9)
        for row, found in zip(rows, sweep):
            step = found["steps"][0]
            self.assertAlmostEqual(step["drive"]["O"], float(row["O.drive [N m]"]), delta=1e-6)
            for joint in "AC":
                for axis, value in zip(("fx", "fy"), step["reactions"][joint]["force"]):
                    self.assertAlmostEqual(value, float(row[f"{joint}.{axis} [N]"]), delta=1e-5)
        self.assertGreater(abs(dry["steps"][0]["drive"]["O"] - sweep[2]["steps"][0]["drive"]["O"]), 5)

    def test_analyze_under_water_is_the_closed_form_of_a_rod(self):
        """Drag of strips ½ρ C 2r ω² L⁴/4, its end's disc, weight less buoyancy; added mass on the acceleration."""
        rho, r, L, C, w, angular, density = 1000, 0.03, 0.8, 1.2, 2, 5, 2700
        model = (f"trammel: 1\ngravity: [0, -9.81, 0]\nbodies: {{arm: {{density: {density}, shape: {{rod: [[0, 0, 0], [{L}, 0, 0]], radius: {r}}}, "
                 f"fluid: {{hull: {{drag: {C}, drag_along: 0}}}}}}}}\njoints: {{O: {{revolute: [ground, arm], at: [0, 0, 0], axis: z}}}}\n"
                 f"environment: {{fluid: {{density: {rho}}}}}\n")
        answer = json.loads(run("analyze", "-", "--from", "yaml", "--input", "O=0.4", "--speed", f"O={w}", "--accel", f"O={angular}", "--forces", "--json", text=model).stdout)
        area = math.pi * r * r
        weight = (density - rho) * area * L * 9.81 * L / 2 * math.cos(0.4)
        inertia = density * area * L * (L * L / 3 + r * r / 4) + rho * area * L**3 / 3
        drag = 0.5 * rho * C * 2 * r * w * w * L**4 / 4
        self.assertAlmostEqual(answer["steps"][0]["drive"]["O"], weight + inertia * angular + drag, delta=1e-9)


if __name__ == "__main__":
    unittest.main()
