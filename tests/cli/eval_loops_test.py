#!/usr/bin/env python3
# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""trammel eval of mechanisms with loops, couplings and constraints."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = os.environ["TRAMMEL_TOOL"]
MODELS = Path(os.environ["TRAMMEL_SOURCE_DIR"]) / "models"
CRANK_ROCKER = MODELS / "crank_rocker.yaml"

# Two massless cranks of 1 m, 0.6 and 0.8 from upright, carry a coupler of 3 kg.
PARALLELOGRAM = """trammel: 1
gravity: [0, -9.81, 0]
bodies: {left: {}, right: {}, coupler: {mass: 3, com: [1.6, 0.8, 0], inertia: [0.1, 0.1, 0.1]}}
joints:
  O: {revolute: [ground, left], at: [0, 0, 0], axis: z}
  A: {revolute: [left, coupler], at: [0.6, 0.8, 0], axis: z}
  P: {revolute: [ground, right], at: [2, 0, 0], axis: z}
  B: {revolute: [right, coupler], at: [2.6, 0.8, 0], axis: z}
"""


def run(*words, text=None):
    return subprocess.run([TOOL, *map(str, words)], input=text, capture_output=True, text=True, timeout=120)


def answer(model, compute, state=None, *words):
    done = run("eval", model, "--compute", compute, "--json", "--state", "-", *words, text=json.dumps(state or {}))
    return json.loads(done.stdout), done


class EvalLoops(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, text):
        path = Path(self.folder.name) / name
        path.write_text(text)
        return path

    def assertClose(self, found, expected, within=1e-9):
        self.assertEqual(len(found), len(expected))
        for x, y in zip(found, expected):
            self.assertAlmostEqual(x, y, delta=within)

    def test_a_parallelogram_falls_as_a_pendulum(self):
        report, done = answer(self.file("p.yaml", PARALLELOGRAM), "forward,reactions,mass")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertClose(report["a"]["O"], [-9.81 * 0.6])
        loops = report["loops"]
        self.assertEqual((loops["rows"], loops["rank"], loops["freedoms"]), (5, 2, 1))
        self.assertEqual(len(loops["redundant"]), 3)
        self.assertEqual(loops["state"], "given")
        self.assertClose(report["independent_mass"]["mass_matrix"][0], [3], 1e-13)
        self.assertEqual(sorted(report["reactions"]), ["A", "B", "O", "P"])

    def test_every_solver_gives_the_same(self):
        state = {"q": {"O2": 0.4}, "v": {"O2": 3}}
        solvers = ["dense", "elimination", "lilly-orin"]
        reports = [answer(CRANK_ROCKER, "forward,reactions", state, "--solver", s)[0] for s in solvers]
        self.assertEqual([r["loops"]["solver"] for r in reports], solvers)
        for report in reports[1:]:
            for joint in report["a"]:
                self.assertClose(report["a"][joint], reports[0]["a"][joint], 1e-9)
            for joint in report["reactions"]:
                self.assertClose(report["reactions"][joint]["force"], reports[0]["reactions"][joint]["force"], 1e-8)

    def test_the_solver_that_is_asked_for_serves_prescribed_motion_too(self):
        state = {"q": {"O2": 0.4}, "v": {"O2": 3}, "a": {"O2": 2}, "prescribed": ["O2"]}
        for solver in ("dense", "elimination"):
            report, done = answer(CRANK_ROCKER, "forward", state, "--solver", solver)
            self.assertEqual((done.returncode, report["loops"]["solver"]), (0, solver), done.stderr)
            self.assertClose(report["a"]["O2"], [2], 1e-9)
        report, done = answer(CRANK_ROCKER, "forward", state, "--solver", "lilly-orin")
        self.assertEqual((done.returncode, report["status"]), (1, "no-star"))
        self.assertIn("prescribes some", report["reason"])

    def test_a_star_shows_the_body_that_is_held(self):
        report, done = answer(MODELS / "stewart.yaml", "forward,reactions")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(report["loops"]["solver"], "lilly-orin")
        held = report["reference_member"]
        self.assertEqual((held["body"], len(held["tip_forces"])), ("platform", 6))
        for joint, force in held["tip_forces"].items():
            reaction = report["reactions"][joint]
            sign = 1 if reaction["on"] == "platform" else -1
            self.assertClose(force, [sign * x for x in reaction["moment"] + reaction["force"]], 1e-7)
        self.assertEqual((len(held["effective_inertia"]), len(held["acceleration"])), (6, 6))
        # Arms of a Delta robot hold by two tips each; all together they move the platform, 0.3 kg.
        report, _ = answer(MODELS / "delta.yaml", "forward", {"tau": {"motor1": 0.5}})
        held = report["reference_member"]
        self.assertEqual(sorted(held["tip_forces"]), [f"ball{k}{rod}" for k in "123" for rod in "ab"])
        # The platform does not turn, so that its centre of mass moves as its origin.
        self.assertClose(held["acceleration"][:3], [0, 0, 0], 1e-9)
        for i, weight in ((3, 0), (4, 0), (5, -0.3 * 9.81)):
            force = sum(f[i] for f in held["tip_forces"].values()) + weight
            self.assertClose([force], [0.3 * held["acceleration"][i]], 1e-7)
        # What is no star is refused by that method alone, with the reason.
        report, done = answer(MODELS / "geared_arm.yaml", "forward", None, "--solver", "lilly-orin")
        self.assertEqual((done.returncode, report["status"]), (1, "no-star"))
        self.assertIn("ties joints", report["reason"])

    def test_joints_that_a_state_leaves_out_follow(self):
        report, _ = answer(CRANK_ROCKER, "forward", {"q": {"O2": 0.4}, "v": {"O2": 3}})
        self.assertEqual(report["loops"]["state"], "completed")
        self.assertClose(report["q"]["O2"], [0.4])
        self.assertClose(report["v"]["O2"], [3])
        self.assertLess(report["loops"]["residual"]["m"], 1e-12)
        # Rounded to six digits the same state is mended, and gives nearly the same.
        rounded = {key: {j: [round(x, 6) for x in report[key][j]] for j in report[key]} for key in ("q", "v")}
        again, _ = answer(CRANK_ROCKER, "forward", rounded)
        self.assertEqual(again["loops"]["state"], "projected")
        for joint in report["a"]:
            self.assertClose(report["a"][joint], again["a"][joint], 1e-2)

    def test_inverse_undoes_forward(self):
        state = {"q": {"O2": 0.4}, "v": {"O2": 3}, "tau": {"O2": 0.25}}
        forward, _ = answer(CRANK_ROCKER, "forward,reactions", state)
        given = {"q": {"O2": 0.4}, "v": {"O2": 3}, "a": {"O2": forward["a"]["O2"]}, "actuated": ["O2"]}
        inverse, done = answer(CRANK_ROCKER, "inverse,reactions", given)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertClose(inverse["tau"]["O2"], [0.25])
        self.assertEqual(inverse["loops"]["actuation"], "unique")
        for joint in forward["reactions"]:
            self.assertClose(forward["reactions"][joint]["force"], inverse["reactions"][joint]["force"], 1e-8)

    def test_a_joint_that_closes_the_loop_can_be_actuated(self):
        closing = json.loads(run("check", CRANK_ROCKER, "--json").stdout)["loops"][0]["closed_by"]
        there, done = answer(CRANK_ROCKER, "inverse", {"actuated": [closing]})
        self.assertEqual(done.returncode, 0, done.stderr)
        elsewhere, _ = answer(CRANK_ROCKER, "inverse", {"actuated": [closing]}, "--cut", "A")
        self.assertClose(there["tau"][closing], elsewhere["tau"][closing])

    def test_reactions_do_not_depend_on_the_cut(self):
        state = {"q": {"O2": 0.4}, "v": {"O2": 3}}
        one, _ = answer(CRANK_ROCKER, "forward,reactions,energy", state)
        other, done = answer(CRANK_ROCKER, "forward,reactions,energy", state, "--cut", "A")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(one["energy"]["kinetic"], other["energy"]["kinetic"], delta=1e-10)
        for joint in ("O2", "A", "B", "O4"):
            self.assertClose(one["reactions"][joint]["force"][:2], other["reactions"][joint]["force"][:2], 1e-7)

    def test_couplings_act(self):
        report, done = answer(MODELS / "geared_arm.yaml", "forward", {"tau": {"motor": 0.5}})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(report["a"]["arm"][0], -report["a"]["motor"][0] / 4, delta=1e-7)
        self.assertEqual(report["loops"]["rank"], 4)

    def test_velocities_and_accelerations_of_a_free_joint_are_kept(self):
        """The hexapod's body goes up or turns, and its legs follow."""
        for speed in ([0, 0, 0, 0, 0, 0.03], [0, 0, 0.2, 0.01, -0.02, 0]):
            report, done = answer(MODELS / "hexapod.yaml", "forward,energy", {"v": {"base": speed}})
            self.assertEqual(done.returncode, 0, done.stderr)
            for given, found in zip(speed, report["v"]["base"], strict=True):
                self.assertAlmostEqual(given, found, delta=1e-12)
            self.assertGreater(report["energy"]["kinetic"], 1e-4)
        for a in (0, 1):
            report, done = answer(MODELS / "hexapod.yaml", "inverse", {"a": {"base": [0, 0, 0, 0, 0, a]}})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertAlmostEqual(report["a"]["base"][5], a, delta=1e-9)

    def test_a_free_joint_that_cannot_be_where_it_is_named_is_refused(self):
        done = run("eval", MODELS / "hexapod.yaml", "--state", "-", text='{"q": {"base": [1, 0, 0, 0, 0, 0, 0.01]}}')
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("the loops do not close at this state with joint 'base' as it is given", done.stderr)

    def test_states_that_do_not_close_are_refused(self):
        report, done = answer(CRANK_ROCKER, "forward", {"q": {"O2": 0.4, "A": 2, "O4": 1}})
        self.assertEqual((done.returncode, report["status"]), (1, "open"))
        self.assertIn("do not close", report["reason"])
        report, done = answer(CRANK_ROCKER, "forward", {"v": {"O2": 1, "A": 5, "O4": 1}})
        self.assertEqual((done.returncode, report["status"]), (1, "open-velocity"))
        report, done = answer(CRANK_ROCKER, "inverse", {"a": {"O2": 1, "A": 5, "O4": 1}})
        self.assertEqual((done.returncode, report["status"]), (1, "open-acceleration"))
        done = run("eval", CRANK_ROCKER, "--compute", "poses", "--state", "-", text='{"q": {"B": [1]}}')
        self.assertIn("joint 'B' closes a loop", done.stderr)

    def with_pendulum(self, text):
        more = text + "  S: {revolute: [ground, swing], at: [0, 5, 0], axis: z}\n"
        return self.file("two.yaml", more.replace("bodies: {", "bodies: {swing: {mass: 1, com: [1, 5, 0]}, "))

    def test_actuators_that_cannot_are_named(self):
        report, done = answer(self.with_pendulum(PARALLELOGRAM), "inverse", {"actuated": ["O"]})
        self.assertEqual((done.returncode, report["status"]), (1, "not-actuated"))
        self.assertIn("'S'", report["reason"])

    def test_a_free_motion_without_inertia_is_a_verdict(self):
        light = PARALLELOGRAM.replace("mass: 3, com: [1.6, 0.8, 0], inertia: [0.1, 0.1, 0.1]", "")
        report, done = answer(self.with_pendulum(light), "forward")
        self.assertEqual((done.returncode, report["status"]), (1, "singular"), done.stderr)
        # Without any mass nothing can be asked.
        self.assertEqual(run("eval", self.file("light.yaml", light), "--compute", "forward").returncode, 2)

    def test_an_unknown_actuator_is_an_error(self):
        done = run("eval", CRANK_ROCKER, "--state", "-", text='{"actuated": ["O22"]}')
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'O2'", done.stderr)


if __name__ == "__main__":
    unittest.main()
