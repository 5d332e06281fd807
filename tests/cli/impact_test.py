# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""trammel impact, eval --compute floating, and impacts and captures in simulate and check: answers, and what is refused."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = os.environ["TRAMMEL_TOOL"]
MODELS = Path(os.environ["TRAMMEL_SOURCE_DIR"]) / "models"

ROD_AND_BALL = """
trammel: 1
gravity: [0, 0, 0]
points: {H: [0, 0, 0], A: [0, 1, 0]}
bodies:
  hand: {mass: 1, shape: {rod: [H, A], radius: 0.02}}
  ball: {mass: 1, shape: {sphere: 0.1, at: [0, -0.1, 0]}}
joints: {base: {free: [ground, hand]}, ball: {free: [ground, ball]}}
outputs: {tip: {point: H, on: hand}}
"""
BALL = """
trammel: 1
gravity: [0, 0, -9.81]
bodies: {ball: {mass: 2, shape: {sphere: 0.1, at: [0, 0, 1.1]}}}
joints: {ball: {free: [ground, ball]}}
environment: {terrain: {plane: z}}
contacts: {ball: {sphere: 0.1, on: ball, at: [0, 0, 1.1]}}
impacts: {bounce: {contact: ball, restitution: 0.5}}
"""


class Scene(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def run_tool(self, *words):
        return subprocess.run([TOOL, *map(str, words)], capture_output=True, text=True, timeout=120, check=False)

    def answer(self, *words):
        done = self.run_tool(*words, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)


class CaptureByJoints(Scene):
    def after(self, joint):
        model = self.file("model.yaml", ROD_AND_BALL)
        scenario = self.file("scenario.yaml", "impact: 1\ninitial: {ball: {v: [0.3, -0.5, 0.7, 0.2, 1, -0.4]}}\n"
                             "contacts: {grasp: {capture: [hand, ball], at: tip, joint: %s}}\n" % joint)
        report = self.answer("impact", model, scenario)
        self.assertLess(report["audit"]["linear"]["error"] + report["audit"]["angular"]["error"], 1e-12)
        grasp = report["impulse"]["grasp"]
        power = sum(a * b for k, m in (("force", "linear"), ("moment", "angular")) for a, b in zip(grasp[k], grasp["after"][m]))
        self.assertAlmostEqual(power, 0, delta=1e-12)  # what holds does no work on the motion that it allows
        return grasp["after"]["angular"], grasp["after"]["linear"]

    def test_a_screw_advances_as_it_turns(self):
        w, v = self.after("helical, axis: y, pitch: 0.628318530717958647692")
        self.assertGreater(abs(w[1]), 1e-3)
        for a, b in zip([*w, *v], [0, w[1], 0, 0, 0.1 * w[1], 0]):
            self.assertAlmostEqual(a, b, delta=1e-12)

    def test_a_cross_turns_about_both_its_axes(self):
        w, v = self.after("universal, axes: [z, x]")
        self.assertGreater(min(abs(w[0]), abs(w[2])), 1e-3)
        for a, b in zip([*w, *v], [w[0], 0, w[2], 0, 0, 0]):
            self.assertAlmostEqual(a, b, delta=1e-12)


class Impact(Scene):
    def impact(self, contact, more="initial: {ball: {v: [0, 0, 0, 0, 1, 0]}}\n"):
        model = self.file("model.yaml", ROD_AND_BALL)
        scenario = self.file("scenario.yaml", "impact: 1\n" + more + "contacts: {blow: {%s}}\n" % contact)
        return self.run_tool("impact", model, scenario)

    def test_what_hits_is_thrown_back(self):
        done = self.impact("point: [hand, ball], at: tip, normal: y, restitution: 1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")

    def test_bad_input_is_told(self):
        for contact, message in [
            ("point: [hand, ball], at: tip, normal: y, restitution: 1.5",
             "error: restitution of contact 'blow' is 1.5, which is not between 0 and 1\n  fix: 0 is plastic, 1 is elastic      [share-range]"),
            ("point: [hand, ball], at: tip, normal: y, restitution: -0.1", "is -0.1, which is not between 0 and 1"),
            ("point: [hand, ball], at: tip, normal: [0, 0, 0]", "error: normal of contact 'blow'"),
            ("point: [hand, ball], at: tip", "normal"),
            ("point: [hand, ball], at: tip, normal: y, friction: -1", "friction of contact 'blow'"),
        ]:
            done = self.impact(contact)
            self.assertEqual(done.returncode, 2, contact)
            self.assertIn(message, done.stderr)

    def test_negative_resistance_is_told(self):
        for resistance in ["-0.5", "{dampers: {base: -1}}", "{share: 2}"]:
            done = self.impact("point: [hand, ball], at: tip, normal: y",
                               "initial: {ball: {v: [0, 0, 0, 0, 1, 0]}}\nresistance: %s\n" % resistance)
            self.assertEqual(done.returncode, 2, resistance)
            self.assertIn("fix:", done.stderr)

    def test_a_base_that_floats_resists_nothing(self):
        for resistance in ["{dampers: {base.vy: 5}}", "{shares: {base.vy: 0.5}}", "{dampers: {ball.wx: 5}}"]:
            done = self.impact("point: [hand, ball], at: tip, normal: y",
                               "initial: {ball: {v: [0, 0, 0, 0, 1, 0]}}\nresistance: %s\n" % resistance)
            self.assertEqual(done.returncode, 2, resistance)
            self.assertIn("is a base that floats: nothing is there that could resist", done.stderr)

    def test_two_kinds_of_shares_are_told(self):
        done = self.impact("point: [hand, ball], at: tip, normal: y",
                           "initial: {ball: {v: [0, 0, 0, 0, 1, 0]}}\nresistance: {share: 0.5, shares: {wrist: 0.2}}\n")
        self.assertEqual(done.returncode, 2)
        self.assertIn("error: resistance has 'share', which is that of all joints, and 'shares', one of each\n"
                      "  fix: keep one of them      [key-conflict]", done.stderr)

    def test_bodies_that_part_are_a_negative_answer(self):
        done = self.impact("point: [hand, ball], at: tip, normal: -y")
        self.assertEqual(done.returncode, 1)
        self.assertIn("error: the bodies do not approach each other\n  fix: give velocities", done.stderr)

    def test_a_point_off_a_body_is_a_warning_with_the_distance(self):
        done = self.impact("point: [hand, ball], at: [0.27, 0, 0], normal: y")
        self.assertEqual(done.returncode, 0)
        self.assertIn("warning: contact 'blow' is 0.25 m off body 'hand': none of its shapes reaches there\n"
                      "  fix: give a point on both bodies, or draw the part that is hit; it is taken as given      [impact-off-body]",
                      done.stderr)
        self.assertIn("off body 'ball'", done.stderr)


class Constraints(Scene):
    def test_their_impulses_are_told_and_audited(self):
        model = self.file("model.yaml", """
trammel: 1
gravity: [0, 0, 0]
bodies:
  bar: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  ball: {mass: 1, com: [0.5, -1, 0], inertia: [0.1, 0.1, 0.1]}
joints: {bar: {planar: [ground, bar], at: [0, 0, 0], axis: z}, ball: {free: [ground, ball]}}
constraints: {rod: {distance: [ground, bar], at: [[0, 2, 0], [0, 0, 0]]}}
""")
        scenario = self.file("scenario.yaml", "impact: 1\ninitial: {ball: {v: [0, 0, 0, 0, 2, 0]}}\n"
                             "contacts: {blow: {point: [bar, ball], at: [0.5, 0, 0], normal: y, restitution: 1}}\n")
        report = self.answer("impact", model, scenario)
        rod = report["constraint_impulses"]["rod"]
        self.assertEqual(rod["on"], "bar")
        self.assertAlmostEqual(rod["force"][1], -2 / 3, delta=1e-12)
        self.assertAlmostEqual(report["audit"]["linear"]["external"][1], -2 / 3, delta=1e-12)
        self.assertAlmostEqual(report["audit"]["linear"]["error"], 0, delta=1e-12)
        text = self.run_tool("impact", model, scenario).stdout
        self.assertRegex(text, r"Impulses in the constraints, on the second body\n.*\n +rod +\(0, -0.666667, 0\) +\(0, 0, 0\) +bar\n")


class Rotors(Scene):
    def test_those_that_turn_give_energy_and_no_warning(self):
        model = self.file("model.yaml", """
trammel: 1
gravity: [0, 0, 0]
bodies: {cart: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1]}, ball: {mass: 1, com: [1, 0, 0], inertia: [1, 1, 1]}}
joints: {cart: {prismatic: [ground, cart], at: [0, 0, 0], axis: x}, ball: {prismatic: [ground, ball], at: [1, 0, 0], axis: x}}
""")
        for damper, after in [("1", 4.5), ("inf", 6), (".inf", 6)]:
            scenario = self.file("scenario.yaml", "impact: 1\ninitial: {cart: {v: 3}}\nresistance: {dampers: {cart: %s}}\n"
                                 "contacts: {blow: {point: [cart, ball], at: [0.5, 0, 0], normal: -x, restitution: 1}}\n" % damper)
            done = self.run_tool("impact", model, scenario, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr, "")
            report = json.loads(done.stdout)
            self.assertAlmostEqual(report["after"]["ball"][0], after, delta=1e-12)
            self.assertAlmostEqual(report["audit"]["energy"]["error"], 0, delta=1e-12)


class Floating(Scene):
    def test_three_rods_are_the_papers(self):
        floating = self.answer("eval", MODELS / "three_rods.yaml", "--compute", "floating")["floating"]
        tree, point = floating["trees"]["hand"], floating["points"]["hand:tip"]
        self.assertTrue(tree["floats"])
        self.assertEqual(tree["mass"], 3)
        for found, expected in zip(tree["com"], [2 / 3, 5 / 6, 0]):
            self.assertAlmostEqual(found, expected, delta=1e-12)
        self.assertAlmostEqual(tree["locked_inertia"][2], 19 / 12, delta=1e-12)
        self.assertAlmostEqual(point["G_star"][3][3], 28 / 9, delta=1e-12)
        self.assertAlmostEqual(point["G_star"][4][4], 7 / 9, delta=1e-12)
        self.assertAlmostEqual(point["G_locked"][3][3], 44 / 57, delta=1e-12)
        self.assertAlmostEqual(point["G_locked"][3][4], -20 / 57, delta=1e-12)
        self.assertEqual(len(tree["H_star"]), 2)
        self.assertEqual(len(point["J_star"]), 6)
        self.assertEqual(tree["reaction_null_space"], [])

    def test_joint_rates_of_the_null_space_leave_the_base_alone(self):
        tree = self.answer("eval", MODELS / "chaser.yaml", "--compute", "floating")["floating"]["trees"]["satellite"]
        self.assertEqual(len(tree["dofs"]), 9)
        self.assertEqual(len(tree["reaction_null_space"]), 3)
        for rates in tree["reaction_null_space"]:
            for row in tree["coupling"]:
                self.assertAlmostEqual(sum(h * q for h, q in zip(row, rates)), 0, delta=1e-10)

    def test_points_may_be_named_and_arms_are_many(self):
        model = self.file("arms.yaml", """
trammel: 1
gravity: [0, 0, 0]
bodies: {base: {mass: 10, inertia: [1, 1, 1]}, left: {mass: 1, com: [0, 1, 0], inertia: [1, 1, 1]}, right: {mass: 1, com: [0, -1, 0], inertia: [1, 1, 1]}}
joints: {base: {free: [ground, base]}, l: {revolute: [base, left], at: [0, 0.5, 0], axis: z}, r: {revolute: [base, right], at: [0, -0.5, 0], axis: z}}
""")
        both = self.answer("eval", model, "--compute", "floating")["floating"]
        self.assertEqual(list(both["points"]), ["left", "right"])
        self.assertEqual(list(both["trees"]), ["base"])
        one = self.answer("eval", model, "--compute", "floating", "--at", "left:0,1.5,0")["floating"]
        self.assertEqual(list(one["points"]), ["left:0,1.5,0"])

    def test_on_the_ground_it_is_the_conventional_tensor(self):
        report = self.answer("eval", MODELS / "pendulum.yaml", "--compute", "floating,mass,jacobians")
        tree = next(iter(report["floating"]["trees"].values()))
        self.assertFalse(tree["floats"])
        self.assertEqual(tree["H_star"], report["mass_matrix"])
        self.assertTrue(all(x == 0 for row in next(iter(report["floating"]["points"].values()))["G_locked"] for x in row))
        text = self.run_tool("eval", MODELS / "pendulum.yaml", "--compute", "floating").stdout
        self.assertIn("it stands on the ground: G* is the conventional inertia tensor there", text)

    def test_with_loops_the_mobility_obeys_them(self):
        floating = self.answer("eval", MODELS / "crank_rocker.yaml", "--compute", "floating")["floating"]
        point = next(iter(floating["points"].values()))
        self.assertNotIn("J_star", point)
        self.assertEqual(len(point["G_star"]), 6)

    def test_what_is_refused(self):
        for words, message in [
            (["--compute", "floating", "--at", "hnad"], "--at: there is no body 'hnad'\n  fix: did you mean 'hand'?"),
            (["--at", "hand"], "--at is a point for 'floating', which is not asked for\n  fix: add --compute floating"),
        ]:
            done = self.run_tool("eval", MODELS / "three_rods.yaml", *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)


class Simulate(Scene):
    def test_a_ball_bounces_and_comes_to_rest(self):
        model = self.file("ball.yaml", BALL)
        report = self.answer("simulate", model, "--until", "3")
        self.assertEqual(report["status"], "done")
        bounces = [e for e in report["events"] if e["kind"] == "impact"]
        first = bounces[0]
        self.assertAlmostEqual(first["t"], (2 / 9.81) ** 0.5, delta=1e-8)
        self.assertAlmostEqual(first["after"]["v"]["ball"][5], -0.5 * first["before"]["v"]["ball"][5], delta=1e-10)
        self.assertAlmostEqual(first["impulse"]["force"][2], -3 * first["before"]["v"]["ball"][5], delta=1e-9)
        self.assertAlmostEqual(first["lost"], 0.75 * first["before"]["v"]["ball"][5] ** 2, delta=1e-9)
        self.assertEqual(report["contacts"]["ball"]["state"], "sticks")
        self.assertLess(abs(report["energy"]["error"]), 1e-6)

    def test_events_are_recorded_with_their_impulses(self):
        model, record = self.file("ball.yaml", BALL), self.folder / "run.h5"
        self.assertEqual(self.run_tool("simulate", model, "--until", "1", "--record", record).returncode, 0)
        self.assertEqual(self.run_tool("simulate", model, "--until", "2", "--record", record, "--resume").returncode, 0)

    def test_check_lists_what_is_hard(self):
        model = self.file("ball.yaml", BALL)
        self.assertRegex(self.run_tool("check", model).stdout, "bounce +contact ball +0.5 +of the materials +stronge +0.001 m/s")
        self.assertEqual(self.answer("check", model)["impacts"]["bounce"],
                         {"contact": "ball", "restitution": 0.5, "law": "stronge", "rest": 0.001})

    def test_check_counts_a_joint_that_captures_as_open(self):
        # Drawn so that it could not even close.
        model = self.file("grip.yaml", """
trammel: 1
bodies: {arm: {mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0.2, 0.2]}, post: {mass: 0.5, com: [3, 0, 0], inertia: [0.1, 0.1, 0.1]}}
joints:
  arm:  {revolute: [ground, arm], at: [0, 0, 0]}
  post: {revolute: [ground, post], at: [3, 0, 0]}
  grip: {revolute: [arm, post], frames: {first: {at: [1, 0, 0]}, second: {at: [3, 0.5, 0]}}}
events: {catch: {when: "t - 1", do: {capture: grip}}}
""")
        done = self.run_tool("check", model)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("loop closed by grip, once it has captured: through arm, post", done.stdout)
        self.assertIn("Grübler, spatial: 2 freedoms in joints − 6 · 0 loops − 0 couplings = 2, unconstrained", done.stdout)
        self.assertIn("this is before grip has captured", done.stdout)
        self.assertIn("articulated bodies, O(n), for all 2 links", done.stdout)
        report = self.answer("check", model)
        self.assertEqual(report["grubler"], {"freedoms": 2, "spatial": 2})
        self.assertEqual(report["loops"], [{"closed_by": "grip", "joints": ["arm", "post"], "starts_open": True}])

    def test_implicit_steps_are_refused(self):
        done = self.run_tool("simulate", self.file("ball.yaml", BALL), "--integrator", "implicit")
        self.assertEqual(done.returncode, 2)
        self.assertIn("error: impact 'bounce' happens at an event, and the implicit step finds none\n"
                      "  fix: use another integrator, or delete the section 'impacts'      [impact-integrator]", done.stderr)


FOURBAR = """
trammel: 1
gravity: [0, 0, 0]
points: {O2: [0, 0, 0], A: [0, 0.4, 0], B: [1.2, 0.8, 0], O4: [1.0, 0, 0]}
bodies:
  crank:   {mass: 0.2, shape: {rod: [O2, A], radius: 0.04}}
  coupler: {mass: 0.5, com: [0.6, 0.7, 0], inertia: [0.09, 0.09, 0.15]}
  rocker:  {mass: 0.3, shape: {rod: [O4, B], radius: 0.04}}
joints:
  O2: {revolute: [ground, crank], at: O2, axis: z, limits: {lower: -1, upper: 0.5}}
  A:  {revolute: [crank, coupler], at: A, axis: z}
  B:  {revolute: [coupler, rocker], at: B, axis: z}
  O4: {revolute: [rocker, ground], at: O4, axis: z}
"""


class Linkage(Scene):
    """One freedom: all velocities turn round by the restitution, and a quarter of the energy is left at one half."""

    def setUp(self):
        super().setUp()
        self.model = self.file("fourbar.yaml", FOURBAR)

    def stop(self, initial):
        return self.file("stop.yaml", f"impact: 1\ninitial: {initial}\ncontacts: {{c: {{limit: O2, side: upper, restitution: 0.5}}}}\n")

    def test_joints_that_are_not_named_follow(self):
        for initial in ("{O2: {v: 3}}", "{O2: {q: 0.3, v: 3}}"):
            report = self.answer("impact", self.model, self.stop(initial))
            for joint in ("O2", "A", "B", "O4"):  # one of them closes the loop
                before, after = report["before"][joint][0], report["after"][joint][0]
                self.assertGreater(abs(before), 0.5)
                self.assertAlmostEqual(after, -0.5 * before, delta=1e-12)
            audit = report["audit"]["energy"]
            self.assertAlmostEqual(audit["after"], 0.25 * audit["before"], delta=1e-12)
            self.assertAlmostEqual(audit["error"], 0, delta=1e-12)

    def test_the_rate_of_the_coupler_is_that_of_the_drawn_position(self):
        # By the triangle of velocities: w3 = -w2 (a x c)/(b x c), with a, b, c along crank, coupler, rocker.
        a, b, c = (0, 0.4), (1.2, 0.4), (0.2, 0.8)
        def cross(u, v):
            return u[0] * v[1] - u[1] * v[0]
        coupler = -3 * cross(a, c) / cross(b, c)
        report = self.answer("impact", self.model, self.stop("{O2: {v: 3}}"))
        rocker = 3 * cross(a, b) / cross(c, b)
        self.assertAlmostEqual(report["before"]["A"][0], coupler - 3, delta=1e-12)
        self.assertAlmostEqual(report["before"]["B"][0], rocker - coupler, delta=1e-12)
        self.assertAlmostEqual(report["after"]["B"][0], -0.5 * (rocker - coupler), delta=1e-12)
        text = self.run_tool("impact", self.model, self.stop("{O2: {v: 3}}")).stdout
        table = text[text.index("Velocities of the joints"):text.index("Impulses in the joints")]
        self.assertRegex(table, r"\n *B +[-0-9.]+ +[-0-9.]+\n")

    def test_states_that_tear_the_loop_apart_are_refused(self):
        done = self.run_tool("impact", self.model, self.stop("{O2: {v: 3}, A: {v: 0}, O4: {v: 0}}"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("error: the velocities of this state tear the loops apart: ", done.stderr)
        self.assertIn("[open-velocity]", done.stderr)


if __name__ == "__main__":
    unittest.main()
