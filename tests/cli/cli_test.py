# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""The command line as a user meets it: exit codes, JSON on standard output and nothing else, messages on standard error."""

import json
import math
import os
import resource
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = os.environ["TRAMMEL_TOOL"]
MODELS = Path(os.environ["TRAMMEL_SOURCE_DIR"]) / "models"
ROOT = Path(os.environ["TRAMMEL_SOURCE_DIR"])

PENDULUM = """trammel: 1
gravity: [0, -10, 0]
bodies: {bob: {mass: 2, com: [0.5, 0, 0], inertia: [0, 0, 0]}}
joints: {pin: {revolute: [ground, bob], at: [0, 0, 0], axis: z, friction: {viscous: 0.5}}}
outputs: {tip: {point: [1, 0, 0], on: bob}}
"""


def run(*words, text=None):
    return subprocess.run([TOOL, *map(str, words)], input=text, capture_output=True, text=True, timeout=60)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, text):
        path = Path(self.folder.name) / name
        path.write_text(text)
        return path

    def evaluate(self, model, state, *options):
        done = run("eval", model, "--state", "-", "--json", *options, text=json.dumps(state))
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)


class Usage(Case):
    def test_help_of_every_verb_has_an_example(self):
        self.assertIn("Examples:", run("--help").stdout)
        for verb in ("check", "eval", "bench", "convert", "doctor"):
            with self.subTest(verb):
                done = run(verb, "--help")
                self.assertEqual(done.returncode, 0)
                self.assertIn("Example", done.stdout)

    def test_version_is_printed(self):
        self.assertRegex(run("--version").stdout, r"^trammel \d+\.\d+\.\d+\n$")

    def test_bad_usage_exits_with_2_and_speaks_on_standard_error(self):
        for words in ([], ["chek"], ["check"], ["eval", "x.yaml", "--compute", "colour"], ["check", "x.yaml", "--nonsense"]):
            with self.subTest(words):
                done = run(*words)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(done.stdout, "")
                self.assertNotEqual(done.stderr, "")

    def test_bad_usage_is_one_json_object_where_json_is_asked_for(self):
        pendulum = MODELS / "pendulum.yaml"
        for words, id_, what in (
                (["--json"], "bad-usage", "no verb is given"),
                (["chek", "--json"], "verb-unknown", "there is no verb 'chek'"),
                (["check", "--json"], "bad-usage", "model is required"),
                (["analyze", "--json"], "bad-usage", "model is required"),
                (["eval", "--json"], "bad-usage", "model is required"),
                (["bench", "--json"], "bad-usage", "model is required"),
                (["convert", "--json"], "bad-usage", "model is required"),
                (["doctor", "--json", "--nonsense"], "bad-usage", "--nonsense"),
                (["check", pendulum, "--json", "--nonsense"], "bad-usage", "--nonsense"),
                (["check", "--json", pendulum, "another.yaml"], "bad-usage", "another.yaml"),
                (["check", pendulum, "--json", "--cut"], "bad-usage", "--cut"),
                (["eval", pendulum, "--compute", "colour", "--json"], "bad-usage", "colour"),
                (["bench", pendulum, "--time", "nan", "--json"], "bad-usage", "nan"),
                (["convert", pendulum, "--to", "stl", "--json"], "bad-usage", "stl"),
                (["check", pendulum, "--base", "floating", "--json"], "bad-usage", "floating"),
                (["check", "nowhere.yaml", "--json"], "file-not-found", "")):
            with self.subTest(words):
                done = run(*words)
                self.assertEqual(done.returncode, 2)
                report = json.loads(done.stdout)
                self.assertEqual(report["status"], "error")
                self.assertEqual(set(report), {"status", "messages"})
                message = report["messages"][0]
                self.assertEqual(set(message), {"severity", "id", "file", "line", "column", "what", "fix"})
                if id_ != "file-not-found":
                    self.assertEqual(message["id"], id_)
                self.assertIn(what, message["what"])
                self.assertNotEqual(message["fix"], "")
                self.assertIn(f"error: {message['what']}\n  fix: {message['fix']}", done.stderr)

    def test_bad_usage_names_the_remedy(self):
        self.assertEqual(run().stderr, "error: no verb is given\n  fix: trammel --help lists the verbs      [bad-usage]\n")
        self.assertEqual(run("check").stderr, "error: model is required\n  fix: see trammel check --help      [bad-usage]\n")

    def test_a_mistyped_verb_is_recognised(self):
        done = run("chek", "model.yaml")
        self.assertIn("there is no verb 'chek'\n  fix: did you mean 'check'?", done.stderr)

    def test_a_missing_file_exits_with_2(self):
        done = run("check", "nowhere.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nowhere.yaml", done.stderr)
        self.assertIn("fix:", done.stderr)

    def test_doctor_is_well(self):
        done = run("doctor", "--json")
        self.assertEqual(done.returncode, 0)
        self.assertTrue(json.loads(done.stdout)["self_test"]["ok"])
        self.assertIn("self-test", run("doctor").stdout)

    def test_doctor_names_the_kernels_in_use(self):
        report = json.loads(run("doctor", "--json").stdout)
        self.assertIn(report["kernel_level"], ("x86-64", "x86-64-v3", "x86-64-v4", "generic"))
        self.assertGreaterEqual(report["lanes"], 1)
        self.assertIn(f"kernels    {report['kernel_level']}, {report['lanes']} states side by side", run("doctor").stdout)

    def test_completion_offers_verbs_options_and_quantities(self):
        self.assertEqual({"bench", "check", "doctor", "eval"} - set(run("complete", "").stdout.split()), set())
        self.assertIn("--compute", run("complete", "eval", "--c").stdout.split())
        self.assertIn("reactions", run("complete", "eval", "m.yaml", "--compute", "").stdout.split())

    def completed(self, *words):
        """What bash offers for the last word, in a folder with one file."""
        self.file("model.yaml", PENDULUM)
        script = (f"source {ROOT}/apps/trammel/completion/trammel.bash; COMP_WORDS=({TOOL} \"$@\"); COMP_CWORD=$#; "
                  "_trammel; echo ${COMPREPLY[@]}")
        done = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, text=True, cwd=self.folder.name, check=False)
        return done.stdout.split()

    def test_bash_completes_a_verb(self):
        self.assertEqual(self.completed("ch"), ["check"])

    def test_bash_completes_values_of_options_and_nothing_else_there(self):
        self.assertEqual(self.completed("eval", "model.yaml", "--solver", ""), ["automatic", "lilly-orin", "elimination", "dense"])
        self.assertEqual(self.completed("eval", "model.yaml", "--compute", "forward,ma"), ["forward,mass"])
        self.assertIn("mass,energy", self.completed("eval", "model.yaml", "--compute", "mass,"))
        self.assertEqual(self.completed("draw", "model.yaml", "--view", "xy,pe"), ["xy,perspective"])
        self.assertEqual(self.completed("check", "--from", ""), ["yaml", "urdf", "mjcf", "kam", "dm"])
        self.assertEqual(self.completed("convert", "model.yaml", "--to", ""), ["yaml", "urdf", "mjcf"])
        self.assertEqual(self.completed("check", "mo"), ["model.yaml"])
        self.assertEqual(self.completed("eval", "--state", "mo"), ["model.yaml"])


class Check(Case):
    def test_every_shipped_model_is_explained(self):
        for model in sorted(MODELS.glob("*.yaml")):
            with self.subTest(model.name):
                done = run("check", model)
                self.assertEqual(done.returncode, 0, done.stderr)
                for part in ("Bodies (", "Joints (", "Tree and loops", "Mobility", "Solver"):
                    self.assertIn(part, done.stdout)
                report = json.loads(run("check", model, "--json").stdout)
                self.assertEqual(report["nv"], sum(j["nv"] for j in report["joints"].values() if j["role"] == "tree"))

    def test_names_that_look_like_numbers_stand_where_names_stand(self):
        text = """trammel: 1
bodies: {e: {mass: 1}, 12: {mass: 1}, longer: {mass: 1}}
joints:
  e: {revolute: [ground, e], at: [0, 0, 0], axis: z}
  "7": {free: [ground, "12"], at: [0, 0, 0]}
  hinge of e: {revolute: [e, longer], at: [1, 0, 0], axis: z}
"""
        lines = run("check", self.file("e.yaml", text)).stdout.splitlines()
        for begin in ("  e       ", "  12      ", "  e           revolute", "  7           free"):
            self.assertTrue(any(line.startswith(begin) for line in lines), (begin, lines))
        table = [line for line in lines if line.startswith("  ")]
        row = next(line for line in table if line.startswith("  7   "))
        self.assertIn("tree  2..8  2..7", row)
        one = next(line for line in table if line.startswith("  hinge of e"))
        self.assertRegex(one, r"tree     \d     \d  q: angle")  # numbers still stand flush right
        carried = next(line for line in table if line.startswith("  e      ") and "(0, 0, 0)" in line)
        self.assertTrue(carried.rstrip().endswith(" e"), carried)

    def test_a_four_bar_is_a_loop_of_one_planar_freedom(self):
        report = json.loads(run("check", MODELS / "crank_rocker.yaml", "--json").stdout)
        self.assertEqual([loop["closed_by"] for loop in report["loops"]], ["B"])
        self.assertEqual(report["grubler"], {"freedoms": 4, "spatial": -2, "planar": 1})

    def test_what_linkages_have_is_listed(self):
        page = (ROOT / "docs/formats/native.md").read_text(encoding="utf-8")
        start = page.index("```yaml\n", page.index("## A linkage with all that follows")) + 8
        model = self.file("press.yaml", page[start:page.index("```", start)])
        done = run("check", model)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for line in ("Planar", "Constraints (3)", "link        distance         coupler → rocker  1 in m", "Inputs (2)",
                     "0 to 6.28319 by 0.0872665 rad, speed 1.0472 rad/s", "Springs (2)",
                     "stiffness 2000 N/m, at rest at 0.05 m", "Loads (4)", '(10, "5*sin(2*pi*t)", 0) N',
                     "resisting, 0.0001 · grip + 0 N m, along (0, 0, 1)", "Measures (3)", "stroke/2 + tip.x"):
            self.assertIn(line, done.stdout)
        report = json.loads(run("check", model, "--json").stdout)
        self.assertEqual(report["constraints"]["lift"],
                         {"kind": "point_on_curve", "first": "cam", "second": "follower", "conditions": 1})
        self.assertAlmostEqual(report["inputs"]["O2"]["speed"], math.radians(60))
        self.assertEqual(report["springs"]["twist"]["joint"], "O4")
        self.assertEqual(report["loads"]["push"]["components"][1],
                         {"expression": "5*sin(2*pi*t)", "unit": 1, "time_unit": 1})
        self.assertEqual(report["loads"]["drag"]["bound"]["to"], "grip")
        self.assertEqual(report["measures"]["swing"], {"kind": "angle", "unit": "rad"})
        self.assertEqual(report["planar"]["normal"], [0, 0, 1])

    def test_what_acts_over_time_is_listed(self):
        page = (ROOT / "docs/formats/native.md").read_text(encoding="utf-8")
        start = page.index("```yaml\n", page.index("## A machine that moves by itself")) + 8
        model = self.file("feeder.yaml", page[start:page.index("```", start)])
        done = run("check", model)
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in ("Drives (1)", 'velocity    "360*ramp(t, 0, 0.5)"', "Actuators (3)", "a table of 3 points from 0 to 3 s",
                     '(0, "10*sin(t)", 0)', "servo, 0.05 N m/A, 1.2 Ω, gear 50", "gain 0.5 N along (0, 1, 0)", "Bushings (1)",
                     "gas of 10 N over 0.06 m", "a table of 3 points", "Events (3)", "falling", "open feed",
                     '"-1e-6*feed.rate*abs(feed.rate)"'):
            self.assertIn(line, done.stdout)
        report = json.loads(run("check", model, "--json").stdout)
        self.assertEqual(report["drives"]["O"]["kind"], "velocity")
        self.assertEqual(report["actuators"]["look"]["kind"], "position")
        self.assertEqual(len(report["actuators"]["look"]["target"]), 3)
        self.assertEqual(report["actuators"]["fan"]["body"], "engine")
        self.assertEqual(len(report["actuators"]["lift"]["target"][0]["table"]), 3)
        self.assertAlmostEqual(report["bushings"]["mount"]["stiffness"][28], 40e3)
        self.assertEqual(report["events"]["jam"]["target"], "feed")
        self.assertEqual(report["loads"]["drag"]["size"],
                         {"expression": "-1e-6*feed.rate*abs(feed.rate)", "unit": 1, "time_unit": 1, "uses": {"feed.rate": 0.001}})
        self.assertEqual(report["simulate"]["until"], 10)

    def test_the_cut_can_be_chosen(self):
        report = json.loads(run("check", MODELS / "crank_rocker.yaml", "--json", "--cut", "A").stdout)
        self.assertEqual([loop["closed_by"] for loop in report["loops"]], ["A"])
        done = run("check", MODELS / "crank_rocker.yaml", "--cut", "Z")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no joint 'Z' to cut", done.stderr)

    def test_an_option_takes_one_word_so_that_the_model_may_follow(self):
        report = json.loads(run("check", "--cut", "A", MODELS / "crank_rocker.yaml", "--json").stdout)
        self.assertEqual([loop["closed_by"] for loop in report["loops"]], ["A"])
        done = run("eval", "--compute", "poses,com", MODELS / "pendulum.yaml", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({"poses", "com"} - set(json.loads(done.stdout)), set())

    def test_errors_name_file_line_and_column(self):
        model = self.file("bad.yaml", PENDULUM.replace("mass: 2", "mass: -2"))
        done = run("check", model)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "")
        self.assertIn(f"{model}:3:", done.stderr)
        self.assertIn("[mass-negative]", done.stderr)


class Eval(Case):
    def setUp(self):
        super().setUp()
        self.model = self.file("pendulum.yaml", PENDULUM)

    def test_forward_gives_the_acceleration_of_a_pendulum(self):
        # 2 kg at 0.5 m: moment of inertia 0.5, weight moment −10, friction −0.5·2.
        report = self.evaluate(self.model, {"v": {"pin": [2]}}, "--compute", "forward")
        self.assertAlmostEqual(report["a"]["pin"][0], (-10 - 1) / 0.5, delta=1e-12)
        report = self.evaluate(self.model, {"v": {"pin": [2]}}, "--compute", "forward", "--no-friction")
        self.assertAlmostEqual(report["a"]["pin"][0], -20, delta=1e-12)

    def test_inverse_undoes_forward(self):
        report = self.evaluate(self.model, {"q": {"pin": 0.3}, "v": {"pin": -1}, "a": {"pin": 4}}, "--compute", "inverse")
        expected = 0.5 * 4 + 10 * math.cos(0.3) - 0.5
        self.assertAlmostEqual(report["tau"]["pin"][0], expected, delta=1e-12)
        back = self.evaluate(self.model, {"q": {"pin": 0.3}, "v": {"pin": -1}, "tau": report["tau"]})
        self.assertAlmostEqual(back["a"]["pin"][0], 4, delta=1e-12)

    def test_every_key_is_printed_with_its_form(self):
        quantities = "forward,mass,poses,jacobians,energy,momentum,com,reactions"
        report = self.evaluate(self.model, {"q": {"pin": [math.pi / 2]}, "v": {"pin": [2]}}, "--compute", quantities)
        self.assertEqual(report["dofs"], ["pin.0"])
        self.assertAlmostEqual(report["mass_matrix"][0][0], 0.5, delta=1e-15)
        self.assertEqual(report["poses"]["bob"]["position"], [0, 0, 0])
        self.assertAlmostEqual(report["poses"]["bob"]["quaternion"][3], math.sqrt(0.5), delta=1e-15)
        self.assertAlmostEqual(report["energy"]["kinetic"], 1, delta=1e-15)
        self.assertAlmostEqual(report["energy"]["potential"], 10, delta=1e-14)
        self.assertAlmostEqual(report["momentum"]["linear"][0], -2, delta=1e-14)
        self.assertAlmostEqual(report["com"][1], 0.5, delta=1e-15)
        self.assertEqual([row[0] for row in report["jacobians"]["bob"]["J"]], [0, 0, 1, 0, 0, 0])
        self.assertAlmostEqual(report["points"]["tip"]["v"][0], -2, delta=1e-14)
        # Upright, ω = 2: the pin carries the weight less the centripetal force.
        reaction = report["reactions"]["pin"]
        self.assertAlmostEqual(reaction["force"][1], 20 - 2 * 0.5 * 4, delta=1e-12)
        self.assertEqual(reaction["on"], "bob")
        self.assertEqual(reaction["at"], [0, 0, 0])

    def test_derivatives_are_those_of_the_closed_form(self):
        # tau = 0.5 a + 10 cos q + 0.5 v
        state = {"q": {"pin": 0.3}, "v": {"pin": -1}, "a": {"pin": 4}}
        report = self.evaluate(self.model, state, "--compute", "inverse,derivatives")
        self.assertEqual(report["dofs"], ["pin.0"])
        self.assertEqual(list(report["derivatives"]), ["tau_by_q", "tau_by_v", "tau_by_a"])
        for found, expected in zip(report["derivatives"].values(), (-10 * math.sin(0.3), 0.5, 0.5)):
            self.assertAlmostEqual(found[0][0], expected, delta=1e-13)
        report = self.evaluate(self.model, {"q": {"pin": 0.3}}, "--compute", "derivatives")
        self.assertEqual(list(report["derivatives"]), ["a_by_q", "a_by_v", "a_by_tau"])
        for found, expected in zip(report["derivatives"].values(), (20 * math.sin(0.3), -1, 2)):
            self.assertAlmostEqual(found[0][0], expected, delta=1e-13)
        self.assertIn("Derivatives of a by tau: a row for each freedom of a", run("eval", self.model, "--compute", "derivatives").stdout)

    def test_derivatives_of_loops(self):
        """Along what the loop allows: accelerations of states beside, as eval itself closes them."""
        model, angle, rate, h = MODELS / "crank_rocker.yaml", 0.4, 2, 1e-4
        state = lambda q, v: {"q": {"O2": q}, "v": {"O2": v}, "tau": {"O2": [3]}}
        report = self.evaluate(model, state(angle, rate), "--compute", "forward,derivatives")
        self.assertEqual(list(report["derivatives"]), ["a_by_q", "a_by_v", "a_by_tau"])
        at = report["dofs"].index("O2.0")
        changes = {name: [row[0] for row in rows] for name, rows in report["allowed_changes"].items()}
        by = {name: lambda x, m=matrix: [sum(a * b for a, b in zip(row, x)) for row in m] for name, matrix in report["derivatives"].items()}
        scale = 1 / changes["q"][at]
        dq = [x * scale for x in changes["q"]]
        dv = [x * scale for x in changes["v_with_q"]]
        dv = [x - dv[at] * y for x, y in zip(dv, dq)]  # the crank keeps its rate
        with_angle = by["a_by_q"](dq)[at] + by["a_by_v"](dv)[at]
        with_rate = by["a_by_v"](dq)[at]
        found = lambda q, v: self.evaluate(model, state(q, v), "--compute", "forward")["a"]["O2"][0]
        slope = lambda f: (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)
        for mine, expected in ((with_angle, slope(lambda s: found(angle + s, rate))), (with_rate, slope(lambda s: found(angle, rate + s)))):
            self.assertAlmostEqual(mine, expected, delta=1e-6 * (1 + abs(expected)))

    def test_derivatives_of_inverse_dynamics_of_loops(self):
        """Of the torque of the crank: of states beside, as eval itself closes them; shared by two joints of which one closes the loop."""
        model, angle, rate, h = MODELS / "crank_rocker.yaml", 0.4, 2, 1e-4
        for actuated in (["O2"], ["O2", "O4"]):
            state = lambda q, v, a: {"q": {"O2": q}, "v": {"O2": v}, "a": {"O2": a}, "actuated": actuated}
            report = self.evaluate(model, state(angle, rate, 1), "--compute", "inverse,derivatives")
            self.assertEqual(list(report["derivatives"]), ["tau_by_q", "tau_by_v", "tau_by_a"])
            self.assertEqual(report["actuated_dofs"], [joint + ".0" for joint in actuated])
            slope = lambda f: (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)
            found = lambda q, v, a: self.evaluate(model, state(q, v, a), "--compute", "inverse")
            along = lambda key: [slope(lambda s, j=dof.split(".")[0]: found(angle + s, rate, 1)[key][j][0]) for dof in report["dofs"]]
            dq, dv, da = along("q"), along("v"), along("a")
            torque = lambda r, joint: (r["tau"] if joint in r["tau"] else r["closing_tau"])[joint][0]
            for row, joint in enumerate(actuated):
                product = lambda name, x: sum(a * b for a, b in zip(report["derivatives"][name][row], x))
                mine = product("tau_by_q", dq) + product("tau_by_v", dv) + product("tau_by_a", da)
                expected = slope(lambda s: torque(found(angle + s, rate, 1), joint))
                self.assertAlmostEqual(mine, expected, delta=1e-6 * (1 + abs(expected)))
        text = run("eval", model, "--compute", "inverse,derivatives").stdout
        self.assertIn("Derivatives of tau by a: a row for each freedom of tau", text)

    def test_gravity_can_be_overridden(self):
        report = self.evaluate(self.model, {}, "--compute", "forward", "--gravity", "0, 0, 0")
        self.assertEqual(report["a"]["pin"], [0])
        done = run("eval", self.model, "--gravity", "1,2")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--gravity: '1,2' is not three numbers x,y,z", done.stderr)

    def test_prescribed_joints_keep_their_acceleration_and_get_their_force(self):
        report = self.evaluate(self.model, {"a": {"pin": [3]}, "prescribed": ["pin"]}, "--compute", "forward")
        self.assertEqual(report["a"]["pin"], [3])
        self.assertAlmostEqual(report["tau"]["pin"][0], 0.5 * 3 + 10, delta=1e-12)

    def test_wrenches_act_at_a_point_of_the_body(self):
        wrenches = {"bob": {"force": [0, 20, 0], "at": [0.5, 0, 0], "moment": [0, 0, 1]}}
        report = self.evaluate(self.model, {"wrenches": wrenches}, "--compute", "forward")
        self.assertAlmostEqual(report["a"]["pin"][0], 1 / 0.5, delta=1e-12)

    def test_reactions_alone_belong_to_the_motion_of_the_state(self):
        state = {"q": {"pin": [0.4]}, "v": {"pin": [2]}, "tau": {"pin": [5]}}
        alone = self.evaluate(self.model, state, "--compute", "reactions")
        both = self.evaluate(self.model, state, "--compute", "forward,reactions")
        self.assertEqual(alone, both)
        self.assertAlmostEqual(alone["reactions"]["pin"]["moment"][2], 5 - 1, delta=1e-12)
        given = self.evaluate(self.model, {"a": {"pin": [3]}}, "--compute", "reactions")
        self.assertEqual(given["a"]["pin"], [3])
        self.assertAlmostEqual(given["tau"]["pin"][0], 0.5 * 3 + 10, delta=1e-12)

    def test_what_a_state_gives_in_vain_is_a_warning(self):
        for state, compute, message in (({"a": {"pin": 1}}, "forward", "'a' of the state is not used"),
                                        ({"tau": {"pin": 1}}, "inverse", "standard input:1:2: warning: 'tau' of the state is not used"),
                                        ({"prescribed": ["pin"]}, "poses", "'prescribed' of the state is not used"),
                                        ({"actuated": ["pin"]}, "inverse", "'actuated' of the state is not used"),
                                        ({"prescribed": ["pin"], "tau": {"pin": 1}}, "forward", "tau of 'pin.0'")):
            with self.subTest(message):
                done = run("eval", self.model, "--state", "-", "--compute", compute, text=json.dumps(state))
                self.assertEqual(done.returncode, 0)
                self.assertIn(message, done.stderr)

    def test_what_a_state_gives_is_used_in_silence(self):
        for state, compute in (({"tau": {"pin": 1}, "wrenches": {"bob": {"force": [1, 0, 0]}}}, "derivatives"),
                               ({"a": {"pin": 1}, "wrenches": {"bob": {"force": [1, 0, 0]}}}, "reactions"),
                               ({"a": {"pin": 1}, "prescribed": ["pin"]}, "reactions,forward"), ({"a": {}, "tau": {}}, "poses"),
                               ({"a": {"pin": 1}, "tau": {"pin": 1}}, "energy,mass")):
            with self.subTest(compute):
                self.assertEqual(run("eval", self.model, "--state", "-", "--compute", compute, text=json.dumps(state)).stderr, "")

    def test_a_solver_for_loops_is_told_to_be_unused_on_a_tree(self):
        self.assertIn("[option-no-effect]", run("eval", self.model, "--solver", "dense").stderr)
        self.assertEqual(run("eval", self.model, "--solver", "automatic").stderr, "")

    def test_springs_and_loads_that_are_not_applied_are_a_warning(self):
        model = self.file("p.yaml", PENDULUM + "springs: {back: {joint: pin, stiffness: 1}}\n"
                                               "loads: {push: {on: bob, torque: [0, 0, 1]}}\n")
        done = run("eval", model)
        self.assertEqual(done.returncode, 0)
        self.assertIn("p.yaml:6:11: warning: springs of the model are not applied by eval: 'back'\n", done.stderr)
        self.assertIn("p.yaml:7:9: warning: loads of the model are not applied by eval: 'push'\n", done.stderr)
        self.assertEqual(run("eval", model, "--compute", "poses").stderr, "")

    def test_servos_that_are_not_applied_are_a_warning_where_forces_make_the_motion(self):
        motor = "actuators:\n  m: {torque: pin}\n"
        servos = motor + "  p: {position: pin, stiffness: 100}\n  v: {velocity: pin, damping: 10}\n"
        self.assertEqual(run("eval", self.file("motor.yaml", PENDULUM + motor)).stderr, "")
        model = self.file("servos.yaml", PENDULUM + servos)
        warning = "servos.yaml:8:3: warning: actuators of the model are not applied by eval: 'p' and 1 more\n"
        for compute, told in (("forward", True), ("reactions", True), ("inverse", False), ("energy", False)):
            with self.subTest(compute):
                done = run("eval", model, "--compute", compute)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(warning in done.stderr, told, done.stderr)
        biased = self.file("biased.yaml", PENDULUM + "actuators: {m: {torque: pin, control: [1, 2]}}\n")
        self.assertIn("not applied by eval: 'm'\n", run("eval", biased).stderr)
        followed = self.file("followed.yaml", PENDULUM + "actuators: {m: {torque: pin, target: 3}}\n")
        self.assertIn("not applied by eval: 'm'\n", run("eval", followed).stderr)

    def test_kinematics_needs_no_masses_and_dynamics_says_which(self):
        model = self.file("drawing.yaml", PENDULUM.replace("mass: 2, com: [0.5, 0, 0], inertia: [0, 0, 0]", ""))
        self.assertEqual(run("check", model).returncode, 0)
        done = run("eval", model, "--compute", "poses,com,energy", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("kinematics can be computed, and forces of a motion that is given", done.stderr)
        self.assertNotIn("com", json.loads(done.stdout))
        done = run("eval", model, "--compute", "forward", "--json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("[mass-missing]", done.stderr)
        self.assertEqual(json.loads(done.stdout)["messages"][0]["id"], "mass-missing")

    def test_matrices_too_large_to_print_are_refused(self):
        links = [f"  b{i}: {{mass: 1, inertia: [1, 1, 1]}}" for i in range(1500)]
        joints = [f"  j{i}: {{revolute: [{f'b{i - 1}' if i else 'ground'}, b{i}], at: [{i}, 0, 0]}}" for i in range(1500)]
        model = self.file("long.yaml", "trammel: 1\nbodies:\n" + "\n".join(links) + "\njoints:\n" + "\n".join(joints) + "\n")
        done = run("eval", model, "--compute", "jacobians", "--json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("[output-too-large]", done.stderr)

    def test_output_that_cannot_be_written_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([TOOL, "eval", str(self.model)], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)  # 2 is bad input, which this is not; recordings that cannot be written give 1 too
        self.assertIn("[output-lost]", done.stderr)

    def test_control_characters_of_a_name_do_not_reach_the_terminal(self):
        done = run("eval", self.model, "--state", "-", text='{"q": {"p\\u001b[31m": 1}}')
        self.assertIn("unknown joint 'p\\x1B[31m'", done.stderr)

    def test_numbers_read_back_to_the_same_double(self):
        report = self.evaluate(self.model, {"q": {"pin": [0.1 + 0.2]}}, "--compute", "energy")
        self.assertEqual(report["q"]["pin"], [0.1 + 0.2])

    def test_text_form_shows_the_same_state(self):
        done = run("eval", self.model, "--compute", "forward,mass,poses,jacobians,energy,momentum,com,reactions")
        self.assertEqual(done.returncode, 0, done.stderr)
        for part in ("Joints", "Poses", "Energy", "Centre of mass", "Momentum", "Reactions", "Mass matrix", "Jacobian"):
            self.assertIn(part, done.stdout)

    def test_bad_states_are_named(self):
        cases = {
            '{"q": {"pinn": [1]}}': "input:1:8: error: the state has an unknown joint 'pinn'\n  fix: did you mean 'pin'?",
            '{"q":\n  {"pin": [1, 2]}}': "input:2:11: error: q of joint 'pin' has 2 numbers, it needs 1",
            '{"v": {}, "q": {"pin": [ "x"]}}': "input:1:26: error: q of joint 'pin' has an entry that is not a finite number",
            '{"q": [1]}': "input:1:7: error: 'q' is not an object",
            '{"é": 1,  "x": {}}': "input:1:11: error: the state has an unknown key 'x'",
            '\ufeff{"q": {"pin": 1, "pim": 2}}': "input:1:18: error: the state has an unknown joint 'pim'",
            '{"q": {"pin": [1]},\r\n "q": {"pin": [2]}}': "input:2:2: error: 'q' is given twice",
            '{"q": {': "standard input:1:8: error: this is not JSON",
            '{"q": {"pin": 1]}': "standard input:1:16: error: this is not JSON",
            '{"a": {"pin": true}}': "input:1:15: error: a of joint 'pin' has an entry that is not a finite number",
            '{"t": "now"}': "input:1:7: error: t has an entry that is not a finite number",
            '{"actuated": "pin"}': "input:1:14: error: 'actuated' is not a list",
            '{"actuated": [null]}': "input:1:15: error: 'actuated' has an entry that is not a name",
            '{"prescribed": ["pin", 3]}': "input:1:24: error: 'prescribed' has an entry that is not a name",
            '{"wrenches": {"bob": {"force": [1, 2]}}}': "input:1:32: error: force of the wrench on 'bob' has 2 numbers",
            "[]": "input:1:1: error: the state is not an object",
            "": "the state file is empty",
            '{"q": {"pin": [1e999]}}': "standard input:1:16: error: the number 1e999 is beyond what a double holds\n",
            '{"1e999": 0,\n "q": {"pin": -2E+400}}': "standard input:2:15: error: the number -2E+400 is beyond",
            '{"prescribed": ["pn"]}': "unknown joint 'pn'",
            '{"wrenches": {"bb": {}}}': "unknown body 'bb'",
            '{"wrenches": {"bob": {"fource": [1, 2, 3]}}}': "unknown key of a wrench 'fource'",
            "[" * 100000: "[json",
        }
        for text, message in cases.items():
            with self.subTest(text[:40]):
                done = run("eval", self.model, "--state", "-", "--json", text=text)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(json.loads(done.stdout)["status"], "error")
                self.assertIn(message, done.stderr)
        self.assertEqual(run("eval", self.model, "--state", "/nonexistent").returncode, 2)
        self.assertIn("cannot be read", run("eval", self.model, "--state", self.model.parent).stderr)

    def test_hostile_states_take_little_memory(self):
        cases = {"[" * 20_000_000: "1:9: error: this is nested too deeply",
                 '{"q": {"pin": [' + "0," * 5_000_000 + "0]}}": "there are more than 500000 values",
                 '{"q": {' + ", ".join(f'"j{i}": 0' for i in range(300_000)) + "}}": "299950 more messages are not shown",
                 '{"q": 0' + ", ".join(['"q": 0'] * 1000) + "}": "[json-syntax]",
                 " " * (33 << 20) + "{}": "larger than 32 MB"}
        for text, message in cases.items():
            with self.subTest(message):
                done = run("eval", self.model, "--state", self.file("hostile.json", text))
                self.assertEqual(done.returncode, 2)
                self.assertIn(message, done.stderr)
        if "asan" not in TOOL:  # sanitizers take memory of their own
            self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 250_000)  # kB

    def test_a_quaternion_of_wrong_length_is_refused_and_a_nearly_right_one_normalised(self):
        state = {"q": {"pivot": [1, 1, 0, 0]}}
        top = MODELS / "heavy_top.yaml"
        joint = next(iter(json.loads(run("check", top, "--json").stdout)["joints"]))
        state = {"q": {joint: [1, 1, 0, 0]}}
        done = run("eval", top, "--state", "-", text=json.dumps(state))
        self.assertEqual(done.returncode, 2)
        self.assertIn("has length 1.41421, not 1", done.stderr)
        report = self.evaluate(top, {"q": {joint: [1.0001, 0, 0, 0]}}, "--compute", "poses")
        self.assertEqual(report["q"][joint], [1, 0, 0, 0])

    def test_a_state_beyond_limits_is_a_warning(self):
        model = self.file("limited.yaml", PENDULUM.replace("axis: z,", "axis: z, limits: {lower: -1, upper: 1},"))
        done = run("eval", model, "--state", "-", "--json", text='{"q": {"pin": 2}}')
        self.assertEqual(done.returncode, 0)
        self.assertIn("joint 'pin' is at 2, outside its limits -1 to 1", done.stderr)

    def test_the_initial_section_is_used_when_asked_for(self):
        model = self.file("started.yaml", PENDULUM + "initial: {pin: {q: 0.25, v: 3}}\n")
        self.assertEqual(json.loads(run("eval", model, "--json", "--initial").stdout)["v"]["pin"], [3])
        self.assertEqual(json.loads(run("eval", model, "--json").stdout)["q"]["pin"], [0])

    def test_a_singular_posture_is_a_verdict_with_exit_code_1(self):
        text = """trammel: 1
bodies: {cross: {}, arm: {mass: 1, com: [1, 0.5, 0], inertia: [1, 1, 1]}}
joints:
  inner: {revolute: [ground, cross], at: [0, 0, 0], axis: z}
  outer: {revolute: [cross, arm], at: [0, 0, 0], axis: z}
"""
        done = run("eval", self.file("twice.yaml", text), "--json")
        self.assertEqual(done.returncode, 1, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["status"], "singular")
        self.assertEqual(report["joint"], "inner")

    def test_results_that_overflow_are_a_verdict_with_exit_code_1(self):
        done = run("eval", self.model, "--state", "-", "--json", text='{"v": {"pin": 1e200}}')
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual(json.loads(done.stdout)["status"], "diverged")


class Bench(Case):
    """What is printed, not how large the numbers are: those belong to the machine."""

    ALGORITHMS = ["forward", "inverse", "mass", "forward_derivatives", "inverse_derivatives", "jacobian", "positions"]

    def test_every_algorithm_is_timed_for_one_state_and_in_lanes(self):
        done = run("bench", MODELS / "arm7.yaml", "--time", "0.001", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual((report["links"], report["nv"]), (7, 7))
        doctor = json.loads(run("doctor", "--json").stdout)
        self.assertEqual((report["kernel_level"], report["lanes"]), (doctor["kernel_level"], doctor["lanes"]))
        self.assertEqual(report["states"] % report["lanes"], 0)
        self.assertEqual(list(report["algorithms"]), self.ALGORITHMS)
        for ways in report["algorithms"].values():
            self.assertEqual(list(ways), ["one_state", "lanes"])
            for timing in ways.values():
                self.assertGreater(timing["ns"], 0)
                self.assertGreaterEqual(timing["median_ns"], timing["ns"])
                self.assertAlmostEqual(timing["ns_per_link"], timing["ns"] / 7, delta=1e-9 * timing["ns"])

    def test_the_text_is_a_table_with_a_line_for_each(self):
        done = run("bench", MODELS / "arm7.yaml", "--time", "0.001")
        self.assertEqual(done.returncode, 0, done.stderr)
        for part in ("7 moving links", "one state, ns", "in lanes", "forward dynamics", "inverse dynamics", "mass matrix",
                     "Jacobian", "positions"):
            self.assertIn(part, done.stdout)
        self.assertNotIn("spanning tree", done.stdout)

    def test_free_and_ball_joints_and_loops_are_timed_too(self):
        self.assertEqual(run("bench", MODELS / "aquarobot.yaml", "--time", "0.001").returncode, 0)
        self.assertIn("times of the spanning tree", run("bench", MODELS / "stewart.yaml", "--time", "0.001").stdout)
        closed = json.loads(run("bench", MODELS / "stewart.yaml", "--time", "0.001", "--json").stdout)
        self.assertTrue(closed["spanning_tree"])
        self.assertGreater(closed["algorithms"]["forward_with_loops"]["one_state"]["ns"], 0)
        self.assertFalse(closed["without_fluid"])
        self.assertIn("dry mechanism", run("bench", MODELS / "aquarobot_underwater.yaml", "--time", "0.001").stdout)

    def test_a_model_that_cannot_move_is_refused(self):
        model = self.file("still.yaml", "trammel: 1\nbodies: {a: {mass: 1}}\njoints: {j: {fixed: [ground, a]}}\n")
        done = run("bench", model, "--json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nothing moves in this model", done.stderr)
        self.assertEqual(json.loads(done.stdout)["messages"][-1]["id"], "nothing-to-time")

    def test_bad_models_and_times_are_refused(self):
        self.assertEqual(run("bench", "nowhere.yaml").returncode, 2)
        for seconds in ("0", "-1", "soon", "nan"):
            with self.subTest(seconds):
                done = run("bench", MODELS / "arm7.yaml", "--time", seconds)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
