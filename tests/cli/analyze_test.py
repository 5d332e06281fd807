# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""trammel analyze as a user meets it: what it answers, and what it says of linkages and inputs that make no sense."""

import json
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = os.environ["TRAMMEL_TOOL"]
MODELS = Path(os.environ["TRAMMEL_SOURCE_DIR"]) / "models"

BODY = "{mass: 1, inertia: [100, 100, 100]}"

FOUR_BAR = f"""trammel: 1
name: four-bar
units: {{length: mm, angle: deg}}
points: {{O2: [0, 0, 0], A: [0, 40, 0], B: [120, 80, 0], O4: [100, 0, 0]}}
bodies: {{crank: {BODY}, coupler: {BODY}, rocker: {BODY}}}
joints:
  O2: {{revolute: [ground, crank], at: O2, axis: z}}
  A:  {{revolute: [crank, coupler], at: A, axis: z}}
  B:  {{revolute: [coupler, rocker], at: B, axis: z}}
  O4: {{revolute: [ground, rocker], at: O4, axis: z}}
"""

FIVE_BAR = f"""trammel: 1
units: {{length: mm, angle: deg}}
points: {{O1: [0, 0, 0], A: [0, 40, 0], B: [50, 90, 0], C: [100, 40, 0], O2: [100, 0, 0]}}
bodies: {{left: {BODY}, left rod: {BODY}, right rod: {BODY}, right: {BODY}}}
joints:
  O1: {{revolute: [ground, left], at: O1, axis: z}}
  A:  {{revolute: [left, left rod], at: A, axis: z}}
  B:  {{revolute: [left rod, right rod], at: B, axis: z}}
  C:  {{revolute: [right rod, right], at: C, axis: z}}
  O2: {{revolute: [ground, right], at: O2, axis: z}}
"""

SLIDER_CRANK = f"""trammel: 1
name: aligned slider-crank
units: {{length: mm, angle: deg}}
gravity: [0, 0, 0]
points: {{O: [0, 0, 0], A: [40, 0, 0], B: [160, 0, 0]}}
bodies: {{crank: {BODY}, rod: {BODY}, slider: {BODY}}}
joints:
  O: {{revolute: [ground, crank], at: O, axis: z}}
  A: {{revolute: [crank, rod], at: A, axis: z}}
  B: {{revolute: [rod, slider], at: B, axis: z}}
  guide: {{prismatic: [ground, slider], at: B, axis: x}}
outputs: {{B: {{point: B, on: slider}}}}
"""

ROD = f"""trammel: 1
units: {{length: mm, angle: deg}}
points: {{O2: [0, 0, 0], A: [0, 40, 0], B: [120, 80, 0], O4: [200, 0, 0]}}
bodies: {{crank: {BODY}, rocker: {BODY}}}
joints:
  O2: {{revolute: [ground, crank], at: O2, axis: z}}
  O4: {{revolute: [ground, rocker], at: O4, axis: z}}
constraints:
  rod: {{distance: [crank, rocker], at: [A, B]}}
inputs: {{O2: {{from: 0, to: 90, step: 10}}}}
"""


# A four-bar with a brace that keeps it from moving.
LOCKED = FOUR_BAR + """constraints:
  brace: {distance: [crank, rocker], at: [A, O4]}
  strut: {distance: [coupler, ground], at: [B, O2]}
"""


def run(*words):
    return subprocess.run([TOOL, "analyze", *map(str, words)], capture_output=True, text=True, timeout=60)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, text, name="linkage.yaml"):
        path = Path(self.folder.name) / name
        path.write_text(text)
        return path

    def expect(self, done, code, message, where=""):
        """The whole of what it says, and nothing on standard output."""
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertEqual(done.stderr, where + message)


class BadLinkages(Case):
    def test_links_that_cannot_meet(self):
        # Crank 40, coupler 60, rocker 50 in line leave 150 of the 300 mm between the pivots.
        text = FOUR_BAR.replace("O4: [100, 0, 0]", "O4: [300, 0, 0]").replace(
            "at: B, axis: z", "frames: {first: {at: [60, 40, 0]}, second: {at: [250, 0, 0]}}")
        model = self.file(text)
        done = run(model, "--input", "O2=0:90:10")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f"{model}: error: the linkage cannot close: the smallest gap found is 150 mm and 0 deg, at joint 'B'\n"
                      "  fix: check the lengths of the links and where their joints are, or choose other input values"
                      "      [cannot-close]\n", done.stderr)

    def test_a_rod_that_is_too_long(self):
        done = run(self.file(ROD.replace("at: [A, B]", "at: [A, B], length: 500")))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("the linkage cannot close", done.stderr)
        self.assertIn("at constraint 'rod'", done.stderr)

    def test_ends_of_a_rod_that_coincide(self):
        model = self.file(ROD.replace("at: [A, B]", "at: [A, A]"))
        self.expect(run(model), 2, ":9:40: error: the two ends of distance 'rod' coincide: it has no direction\n"
                    "  fix: move one of them; points that stay together are a spherical joint      [points-coincide]\n",
                    str(model))

    def test_an_axis_without_length(self):
        model = self.file(FOUR_BAR.replace("at: B, axis: z", "at: B, axis: [0, 0, 0]"))
        self.expect(run(model, "--input", "O2=0"), 2, ":9:50: error: axis of revolute joint 'B' has no length\n"
                    "  fix: give a direction other than [0, 0, 0]      [direction-zero]\n", str(model))

    def test_an_axis_from_a_point_to_itself(self):
        model = self.file(FOUR_BAR.replace("at: B, axis: z", "at: B, axis: {from: B, to: B}"))
        self.expect(run(model, "--input", "O2=0"), 2, ":9:50: error: axis of revolute joint 'B' has no length\n"
                    "  fix: name two different points      [direction-zero]\n", str(model))

    def test_two_joints_of_a_link_at_one_place_leave_it_free(self):
        model = self.file(FOUR_BAR.replace("B: [120, 80, 0]", "B: [0, 40, 0]"))
        self.expect(run(model, "--input", "O2=0:20:10"), 2,
                    ":5:54: warning: body 'coupler' has no length: joints 'A' and 'B' hold it about the same line, so that it "
                    "turns by itself and moves nothing\n"
                    "  fix: place the joints apart, or leave the body out      [link-without-length]\n"
                    f"{model}: error: 1 input does not determine the motion: one is still free, of A\n"
                    "  fix: add an input at one of these joints      [under-driven]\n", str(model))


class BadInputs(Case):
    def setUp(self):
        super().setUp()
        self.model = self.file(FOUR_BAR)

    def test_a_joint_that_is_not_in_the_linkage(self):
        self.expect(run(self.model, "--input", "knee=0:90:10"), 2,
                    "error: --input: there is no joint 'knee' in this linkage\n"
                    "  fix: name one of the joints O2, A, B, O4      [option-value]\n")
        self.expect(run(self.file(SLIDER_CRANK), "--input", "giude=0:10:1"), 2,
                    "error: --input: there is no joint 'giude' in this linkage; did you mean 'guide'?\n"
                    "  fix: name one of the joints O, A, B, guide      [option-value]\n")

    def test_a_joint_in_the_file_that_is_not_in_the_linkage(self):
        model = self.file(FOUR_BAR + "inputs: {O3: {from: 0, to: 90, step: 10}}\n")
        done = run(model)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("O3", done.stderr)
        self.assertIn("fix:", done.stderr)

    def test_ranges_that_are_none(self):
        for words, message in (
                (("--input", "O2=0:90:-10"), "--input: a step of -10 does not lead from 0 to 90"),
                (("--input", "O2=a:90:10"), "--input: 'a' is not a number"),
                (("--input", "O2=0:90"), "--input: give from:to:step, or one value"),
                (("--input", "O2.1=0:90:10"), "--input: joint 'O2' has no freedom 1"),
                (("--input", "O2=0", "--speed", "O4=3"), "--speed: 'O4' is no input"),
                (("--input", "O2=0", "--input", "O2=1"), "--input: 'O2' is driven twice")):
            with self.subTest(words):
                form = "--speed JOINT=number" if message.startswith("--speed") else "--input JOINT=from:to:step"
                self.expect(run(self.model, *words), 2,
                            f"error: {message}\n  fix: write {form}, in the model's units      [option-value]\n")

    def test_no_input_at_all(self):
        self.expect(run(self.model), 2, "error: no input is given, in the file or by --input\n"
                    "  fix: say what moves: --input JOINT=from:to:step, or an inputs section in the file      [input-missing]\n")

    def test_more_inputs_than_freedoms(self):
        self.expect(run(self.model, "--input", "O2=0:90:30", "--input", "O4=0:10:5"), 2,
                    ": error: 2 inputs are more than the freedoms of the linkage\n"
                    "  fix: remove inputs, or constraints      [over-driven]\n", str(self.model))

    def test_fewer_inputs_than_freedoms(self):
        model = self.file(FIVE_BAR)
        self.expect(run(model, "--input", "O1=0:30:10"), 2,
                    ": error: 1 input does not determine the motion: one is still free, of O2, A, C\n"
                    "  fix: add an input at one of these joints      [under-driven]\n", str(model))
        self.assertEqual(run(model, "--input", "O1=0:30:10", "--input", "O2=0").returncode, 0)

    def test_more_positions_than_anybody_wants(self):
        self.expect(run(self.model, "--input", "O2=0:360:0.0001"), 2,
                    "error: --input: more than 1000000 positions in all\n"
                    "  fix: write --input O2=0:360:0.00037, or a larger step      [option-value]\n")

    def test_the_step_that_is_told_to_fit_does(self):
        done = run(self.model, "--input", "O2=0:-7:-0.000001")
        step = done.stderr.split("O2=0:-7:")[1].split(",")[0]
        self.assertLessEqual(1 + math.floor(7 / -float(step)), 1_000_000)

    def test_options_about_files_that_make_no_sense(self):
        self.expect(run(self.model, "--input", "O2=0", "--positions", "3"), 2,
                    "error: --positions: they are part of a drawing, and none is asked for\n"
                    "  fix: add --draw FILE.svg      [option-value]\n")
        self.expect(run(self.model, "--input", "O2=0", "--svg", "a.png"), 2,
                    "error: --svg: 'a.png' has the extension of another format\n"
                    "  fix: give it the extension .svg      [output-format]\n")

    def test_inputs_by_time_that_have_different_times(self):
        text = FIVE_BAR + """inputs:
  O1: {motion: "3*t", from: 0, to: 1, step: 0.25}
  O2: {motion: "2*t", from: 5, to: 9, step: 0.5}
"""
        model = self.file(text)
        self.expect(run(model), 2,
                    ":13:29: error: input 'O2' has another 'from' than the input at joint 'O1', and both move by one time\n"
                    "  fix: give both the same from, to and step, or delete them here      [input-times]\n", str(model))
        model = self.file(text.replace(", from: 5, to: 9, step: 0.5", ""))
        steps = json.loads(run(model, "--json").stdout)["steps"]
        self.assertEqual([s["t"] for s in steps], [0, 0.25, 0.5, 0.75, 1])

    def test_names_that_would_give_columns_one_name(self):
        model = self.file("""trammel: 1
units: {length: mm, angle: deg}
bodies: {P: {mass: 1, inertia: [1, 1, 1]}}
joints: {O: {revolute: [ground, P], at: [0, 0, 0]}}
inputs: {O: {from: 0, to: 20, step: 10}}
outputs: {P: {point: [10, 0, 0], on: P}}
measures: {O: {length: [P, {point: [0, 3, 0], on: ground}]}}
""")
        done = run(model, "--csv", "-")
        names = done.stdout.splitlines()[0].split(",")
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("body P", done.stdout)
        table = run(model).stdout
        self.assertIn("measure O", table)
        self.assertNotIn("O.q", table)
        done = run(model, "--show", "measure O", "--show", "body P.x")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: something else is called 'O' like a measure", done.stdout)
        self.assertIn("note: something else is called 'P' like a body", done.stdout)

    def test_a_linkage_that_is_locked(self):
        model = self.file(LOCKED)
        self.expect(run(model, "--input", "O2=0:10:5"), 2,
                    ": error: the linkage is locked: it has no freedom that the input could move\n"
                    "  fix: remove a constraint or a link, or drive another joint; `trammel check` counts freedoms"
                    "      [over-driven]\n", str(model))

    def test_freedoms_of_an_input_by_name_and_by_number(self):
        model = self.file("trammel: 1\nbodies: {a: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}\n"
                          "joints: {C: {cylindrical: [ground, a], at: [0, 0, 0], axis: z}}\n")
        by_name = run(model, "--input", "C.travel=0:2:1", "--input", "C.angle=0.5", "--json")
        by_number = run(model, "--input", "C.1=0:2:1", "--input", "C.0=0.5", "--json")
        self.assertEqual(by_name.returncode, 0, by_name.stderr)
        self.assertEqual(by_name.stdout, by_number.stdout)
        self.assertEqual([step["joints"]["C"]["q"] for step in json.loads(by_name.stdout)["steps"]],
                         [[0.5, 0], [0.5, 1], [0.5, 2]])
        self.expect(run(model, "--input", "C.turn=0:2:1"), 2,
                    "error: --input: joint 'C' has no freedom 'turn', but angle, travel\n"
                    "  fix: write --input JOINT=from:to:step, in the model's units      [option-value]\n")

    def test_a_plane_that_is_not_the_linkages_own(self):
        model = self.file(FOUR_BAR + "planar: x\n")
        done = run(model, "--input", "O2=0:10:5")
        self.assertEqual(done.returncode, 0)
        self.assertIn("warning: the linkage is to be planar with the normal (1, 0, 0), but O2, A, B, O4 do not move in that plane",
                      done.stderr)

        report = json.loads(run(model, "--input", "O2=0:10:5", "--json").stdout)
        self.assertIn("planar-plane", [w["id"] for w in report["warnings"]])

    def test_a_step_that_does_not_meet_the_end_of_the_range(self):
        note = "input 'O2' ends at 9 deg: the step of 3 deg does not divide the range up to 10 deg"
        self.assertIn(f"  note: {note}\n", run(self.model, "--input", "O2=0:10:3").stdout)
        report = json.loads(run(self.model, "--input", "O2=0:10:3", "--json").stdout)
        self.assertIn(note, report["notes"])
        self.assertNotIn("does not divide", run(self.model, "--input", "O2=0:10:0.1").stdout)

    def test_verdicts_are_one_json_object_with_the_reason(self):
        apart = self.file(FOUR_BAR.replace("O4: [100, 0, 0]", "O4: [300, 0, 0]").replace(
            "at: B, axis: z", "frames: {first: {at: [60, 40, 0]}, second: {at: [250, 0, 0]}}"), "apart.yaml")
        for status, reason, model, inputs in (
                ("over-driven", "2 inputs are more than the freedoms", self.model, ("O2=0:90:30", "O4=0:10:5")),
                ("under-driven", "1 input does not determine the motion: one is still free, of O2, A, C", self.file(FIVE_BAR, "five.yaml"),
                 ("O1=0:30:10",)),
                ("cannot-assemble", "the linkage cannot close: the smallest gap found is 150 mm", apart, ("O2=0:90:10",)),
                ("imaginary", "the linkage has no position at any value of the inputs", self.file(SLIDER_CRANK, "slider.yaml"),
                 ("guide=10:20:5",))):
            with self.subTest(status):
                done = run(model, "--json", *(word for text in inputs for word in ("--input", text)))
                self.assertEqual(done.returncode, 2 if status.endswith("driven") else 1, done.stderr)
                report = json.loads(done.stdout)
                self.assertEqual(report["status"], status)
                self.assertIn(reason, report["reason"])
                self.assertNotEqual(report["fix"], "")
                self.assertIn(report["reason"], done.stderr)
        for words in (["--json"], []):  # check says it of the linkage as it is drawn
            done = subprocess.run([TOOL, "check", str(apart), *words], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            report = json.loads(done.stdout) if words else {"status": "cannot-close", "reason": done.stdout}
            self.assertEqual(report["status"], "cannot-close")
            self.assertIn("cannot close: the smallest gap found is 0.15 m and 0 rad, at joint 'B'", report["reason"])

    def test_results_on_standard_output(self):
        table = Path(self.folder.name) / "table.csv"
        picture = Path(self.folder.name) / "plot.svg"
        words = (self.model, "--input", "O2=0:90:30")
        run(*words, "--csv", table, "--svg", picture)
        for name in ("-", "/dev/stdout"):
            self.assertEqual(run(*words, "--csv", name).stdout, table.read_text(encoding="utf-8"))
            self.assertEqual(run(*words, "--svg", name).stdout, picture.read_text(encoding="utf-8"))
        self.assertFalse((Path.cwd() / "-").exists())
        for both in (("--csv", "-", "--json"), ("--svg", "-", "--csv", "-")):
            done = run(*words, *both)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr, "error: only one of --json, --csv - and --svg - can have standard output\n"
                             "  fix: give the others a file      [option-value]\n")
            if "--json" in both:
                self.assertEqual(json.loads(done.stdout)["messages"][0]["id"], "option-value")

    def test_a_file_that_cannot_be_written_is_told_in_json_too(self):
        done = run(self.model, "--input", "O2=0:90:30", "--csv", "/nowhere/a.csv", "--json")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(json.loads(done.stdout)["messages"][0]["id"], "file-unwritable")

    def test_a_column_that_is_not_there(self):
        done = run(MODELS / "norton_fourbar.yaml", "--show", "rocker angel")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "error: --show: there is no column 'rocker angel'\n"
                         "  fix: did you mean 'rocker angle'?      [option-value]\n")

    def test_a_path_of_no_point(self):
        picture = Path(self.folder.name) / "path.svg"
        done = run(MODELS / "norton_fourbar.yaml", "--svg", picture, "--path", "C")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "error: --path: there is no point of interest 'C'\n"
                         "  fix: points of interest (outputs) are A, B      [option-value]\n")


class AlignedPivots(Case):
    """Linkages drawn with all pivots on one line are no mistake."""

    def test_a_slider_crank(self):
        done = run(self.file(SLIDER_CRANK), "--input", "O=0:360:90", "--speed", "O=90", "--forces", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        steps = json.loads(done.stdout)["steps"]
        self.assertEqual([s["status"] for s in steps], ["ok"] * 5)
        for step, x in zip(steps, (0.16, math.sqrt(0.12**2 - 0.04**2), 0.08, math.sqrt(0.12**2 - 0.04**2), 0.16)):
            self.assertAlmostEqual(step["points"]["B"]["p"][0], x, delta=1e-15)
        # At the dead centres a = −r ω² (1 ± r/l).
        w = math.pi / 2
        self.assertAlmostEqual(steps[0]["points"]["B"]["a"][0], -0.04 * w**2 * (1 + 1 / 3), delta=1e-14)
        self.assertAlmostEqual(steps[2]["points"]["B"]["a"][0], 0.04 * w**2 * (1 - 1 / 3), delta=1e-14)

    def test_a_slider_crank_pushed_at_its_slider_stops_at_the_dead_point(self):
        done = run(self.file(SLIDER_CRANK), "--input", "guide=-10:20:4", "--json")
        self.assertEqual(done.returncode, 0)
        report = json.loads(done.stdout)
        self.assertEqual([s["status"] for s in report["steps"]], ["ok"] * 3 + ["imaginary"] * 5)
        self.assertAlmostEqual(report["dead_points"][0]["value"], 0, delta=1e-9)
        done = run(self.file(SLIDER_CRANK), "--input", "guide=-10:20:5", "--json")  # lands on it
        self.assertEqual([s["status"] for s in json.loads(done.stdout)["steps"]], ["ok"] * 2 + ["singular"] + ["imaginary"] * 4)

    def test_a_parallelogram_goes_on_as_one(self):
        text = FOUR_BAR.replace("A: [0, 40, 0], B: [120, 80, 0]", "A: [40, 0, 0], B: [140, 0, 0]")
        done = run(self.file(text), "--input", "O2=0:90:30", "--speed", "O2=10", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        report = json.loads(done.stdout)
        steps = report["steps"]
        self.assertEqual([s["status"] for s in steps], ["singular"] + ["ok"] * 3)
        self.assertEqual(report["dead_points"],
                         [{"input": "O2", "value": 0, "kind": "branches meet", "inputs": {"O2": 0}}])
        for step, angle in zip(steps, (0, 30, 60, 90)):
            self.assertAlmostEqual(step["joints"]["O4"]["q"][0], math.radians(angle), delta=1e-9)
        done = run(self.file(text), "--input", "O2=20:300:100")
        self.assertIn("  change point (branches cross; ours goes on) at O2 = 180 deg\n", done.stdout)
        self.assertIn("4 positions", run(self.file(text), "--input", "O2=0:90:30").stdout)
        self.assertIn("note: at 1 position the inputs do not determine the motion",
                      run(self.file(text), "--input", "O2=0:90:30").stdout)

    def test_stretches_and_what_follows_do_not_depend_on_the_step(self):
        model = Path(os.environ["TRAMMEL_SOURCE_DIR"]) / "models/stephenson_sixbar.yaml"
        found = []
        for step in (0.5, 5, 45, 90):
            report = json.loads(run(model, "--input", f"A=0:360:{step}", "--json").stdout)
            self.assertTrue(all(r["from_is_exact"] and r["to_is_exact"] for r in report["imaginary"]))
            found.append([r[end] for r in report["imaginary"] for end in ("from", "to")])
            last = report["steps"][-1]
            for name, joint in last["joints"].items():  # a full turn: the drawing again
                self.assertAlmostEqual(math.remainder(joint["q"][0], 2 * math.pi), 0, delta=1e-9, msg=name)
        self.assertEqual(len(found[0]), 4)
        for ends in found[1:]:
            for one, other in zip(found[0], ends, strict=True):
                self.assertAlmostEqual(one, other, delta=1e-10)

    def test_the_gap_of_links_that_cannot_meet_is_one_wherever_the_loop_is_cut(self):
        model = self.file(FOUR_BAR.replace("O4: [100, 0, 0]", "O4: [400, 0, 0]").replace(
            "B:  {revolute: [coupler, rocker], at: B, axis: z}",
            "B:  {revolute: [coupler, rocker], frames: {first: {at: [120, 80, 0]}, second: {at: [300, 0, 0]}}}"))
        least = 400 - 40 - math.hypot(120, 40) - 100  # all links in line
        for cut in ("O2", "A", "B", "O4"):
            done = run(model, "--input", "A=0", "--cut", cut)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"the smallest gap found is {least:.6g} mm", done.stderr)

    def test_forces_of_constraints_say_where_they_act(self):
        report = json.loads(run(self.file(ROD), "--forces", "--json").stdout)
        force = report["steps"][0]["constraint_forces"]["rod"]
        self.assertEqual((force["on"], force["frame"], force["determinate"]), ("rocker", "world", True))
        self.assertEqual([round(x, 12) for x in force["at"]], [0.12, 0.08, 0.0])
        along = [0.12 - 0, 0.08 - 0.04]
        self.assertAlmostEqual(force["force"][0] * along[1] - force["force"][1] * along[0], 0, delta=1e-12)

    def test_nested_inputs_say_where_each_row_ends(self):
        done = run(self.file(FIVE_BAR), "--input", "O1=0:10:10", "--input", "O2=0:-180:-60", "--json")
        self.assertEqual(done.returncode, 0)
        report = json.loads(done.stdout)
        outer = [d["inputs"]["O1"] for d in report["dead_points"]]
        self.assertEqual(sorted(set(outer)), [0, math.radians(10)])
        for d in report["dead_points"]:
            self.assertEqual(d["value"], d["inputs"][d["input"]])

    def test_the_envelope_of_a_measure(self):
        report = json.loads(run(MODELS / "norton_fourbar.yaml", "--json").stdout)
        values = [(s["measures"]["rocker angle"], s["input"]) for s in report["steps"]]
        least, most = min(values, key=lambda v: v[0]), max(values, key=lambda v: v[0])
        self.assertEqual(report["envelope"]["rocker angle"],
                         {"least": least[0], "at_least": least[1], "most": most[0], "at_most": most[1]})


class PlanarMeasures(Case):
    """What a designer measures in the plane, wherever along their axes pivots are drawn and at whatever speed."""

    MEASURES = """
inputs: {O2: {from: 0, to: 0SPEED}}
measures:
  ta: {transmission_angle: B, towards: [A, O4]}
  ma: {mechanical_advantage: [O2, O4]}
  icx: {instant_centre: coupler, component: x}
  icy: {instant_centre: coupler, component: y}
  icz: {instant_centre: coupler, component: z}
"""

    def measures(self, text, speed=", speed: 10", planar=""):
        done = run(self.file(text + planar + self.MEASURES.replace("SPEED", speed)), "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)["steps"][0]["measures"]

    STAGGERED = FOUR_BAR.replace("A: [0, 40, 0], B: [120, 80, 0]", "A: [0, 40, 7], B: [120, 80, 60]")

    def test_the_transmission_angle_is_that_of_the_projection(self):
        flat = self.measures(FOUR_BAR)["ta"]
        self.assertAlmostEqual(math.degrees(flat), 57.5288, delta=1e-4)
        self.assertAlmostEqual(self.measures(self.STAGGERED)["ta"], flat, delta=1e-12)  # the normal is found
        self.assertAlmostEqual(self.measures(self.STAGGERED, planar="planar: z")["ta"], flat, delta=1e-12)

    def test_the_instant_centre_lies_in_the_plane_given(self):
        flat = self.measures(FOUR_BAR)
        raised = self.measures(self.STAGGERED, planar="planar: {normal: z, through: [1, 2, 30]}")
        for key, value in {"icx": flat["icx"], "icy": flat["icy"], "icz": 0.03}.items():
            self.assertAlmostEqual(raised[key], value, delta=1e-12)

    def test_ratios_of_speeds_need_no_speed(self):
        moving, still = self.measures(FOUR_BAR), self.measures(FOUR_BAR, speed="")
        for key, value in moving.items():
            self.assertAlmostEqual(still[key], value, delta=1e-12)

    def test_values_that_are_no_numbers_have_no_part_in_the_envelope(self):
        text = FOUR_BAR + """
outputs: {P: {point: A, on: crank}}
inputs: {O2: {from: 0, to: 90, step: 30}}
measures: {e: "1/P.x"}
"""
        done = run(self.file(text))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotIn("inf", done.stdout)
        report = json.loads(run(self.file(text), "--json").stdout)
        self.assertIsNone(report["steps"][0]["measures"]["e"])
        self.assertAlmostEqual(report["envelope"]["e"]["most"], -1 / 40, delta=1e-9)


class Yoke(Case):
    """A scotch yoke: a constraint that asks more in space than in its plane."""

    MODEL = """trammel: 1
units: {length: mm, angle: deg}
planar: z
bodies: {crank: {mass: 1, inertia: [1, 1, 1]}, yoke: {mass: 1, inertia: [1, 1, 1]}}
joints:
  O: {revolute: [ground, crank], at: [0, 0, 0]}
  Y: {prismatic: [ground, yoke], at: [50, 0, 0], axis: x}
constraints:
  slot: {point_on_line: [yoke, crank], at: [20, 30, 0], line: {through: [20, 0, 0], along: y}}
inputs: {O: {from: 0, to: 90, step: 30}}
"""

    def test_is_counted_in_the_plane(self):
        done = subprocess.run([TOOL, "check", self.file(self.MODEL)], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0)
        self.assertIn("Grübler, planar:  2 − 3 · 0 − 0 − 1 = 1, constrained", done.stdout)

    def test_forces_out_of_the_plane_are_told_apart(self):
        done = run(self.file(self.MODEL), "--forces", "--json")
        slot = json.loads(done.stdout)["steps"][0]["constraint_forces"]["slot"]
        self.assertEqual((slot["determinate"], slot["out_of_plane"]), (True, "indeterminate"))


class Wheel(Case):
    """A wheel that is free to roll travels: a freedom, not an idle spin."""

    def test_that_nothing_drives(self):
        model = self.file("""trammel: 1
units: {length: mm, angle: deg}
planar: z
bodies: {crank: {mass: 1, inertia: [1, 1, 1]}, wheel: {mass: 1, inertia: [10, 10, 10]}}
joints:
  O: {revolute: [ground, crank], at: [0, 0, 0]}
  W: {planar: [ground, wheel], at: [-90, -20, 0]}
constraints:
  road: {rolling_on_line: [ground, wheel], centre: [-90, -20, 0], line: {through: [0, -30, 0], along: x}, radius: 10}
inputs: {O: {from: 0, to: 90, step: 45}}
""")
        done = run(model)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("[under-driven]", done.stderr)
        self.assertEqual(run(model, "--input", "O=0", "--input", "W.x=0:30:10").returncode, 0)


class Shipped(Case):
    """Every linkage among the models that has inputs is analysed with them."""

    def test_the_example_of_the_format_page_runs(self):
        page = (MODELS.parent / "docs" / "formats" / "native.md").read_text(encoding="utf-8")
        example = next(part for part in page.split("```yaml\n") if "name: cam press" in part).split("```")[0]
        done = run(self.file(example), "--forces", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        report = json.loads(done.stdout)
        self.assertEqual((report["dead_points"], {s["status"] for s in report["steps"]}), ([], {"ok"}))

    def test_all_inputs_of_the_models_run(self):
        count = 0
        for model in sorted(MODELS.glob("*.yaml")):
            if "\ninputs:" not in model.read_text(encoding="utf-8"):
                continue
            with self.subTest(model.name):
                picture = Path(self.folder.name) / (model.stem + ".svg")
                done = run(model, "--forces", "--svg", picture, "--json")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                report = json.loads(done.stdout)
                self.assertEqual(report["status"], "ok")
                self.assertTrue(all(s["status"] == "imaginary" or s["balanced"] for s in report["steps"]))
                if model.stem != "stephenson_sixbar":  # its crank cannot go all round
                    self.assertEqual({s["status"] for s in report["steps"]}, {"ok"})
                self.assertIn("</svg>", picture.read_text(encoding="utf-8"))
                count += 1
        self.assertGreaterEqual(count, 22)


if __name__ == "__main__":
    unittest.main()
