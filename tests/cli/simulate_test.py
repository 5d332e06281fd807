# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""trammel simulate as a user meets it."""

import csv
import io
import json
import math
import resource
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from simulate_runs import (LONG, MODELS, PENDULUM, STIFF, TOOL, OnTerminal, check_nothing_but_the_last_second_is_lost, h5py,
                           has_checkpoint, killed_after, last_time, run)

INTEGRATORS = ["erk", "bdf", "rk4", "midpoint", "semi-implicit", "implicit"]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.pendulum = self.write("pendulum.yaml", PENDULUM)
        self.recording = self.folder / "run.h5"

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def answer(self, *words, code=0):
        done = run(*words, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)  # nothing else may stand there

    def refuse(self, words, *parts, code=2):
        done = run(*words)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
        done = run(*words, "--json")
        self.assertEqual(done.returncode, code)
        self.assertEqual(json.loads(done.stdout)["status"], "error")


class Outputs(Case):
    def test_a_full_standard_output_is_told(self):
        for words in (["--json"], ["--csv", "-", "--record-every", "1e-4"], []):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([TOOL, "simulate", str(self.pendulum), "--until", "0.5", *words], stdout=full,
                                      stderr=subprocess.PIPE, text=True, check=False, timeout=300)
            self.assertEqual(done.returncode, 1, words)
            self.assertIn("error: standard output could not be written", done.stderr)
            self.assertIn("[output-lost]", done.stderr)
            self.assertNotIn("internal", done.stderr)

    def test_ctrl_c_ends_a_run_among_rows_without_end(self):
        words = [self.pendulum, "--record-every", "1e-15", "--record", self.recording, "--channels", "coordinates"]
        process = subprocess.Popen([TOOL, "simulate", *map(str, words), "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        for _ in range(600):  # until rows are written
            if self.recording.exists() and self.recording.stat().st_size > 100000:
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        report = json.loads(out)
        self.assertEqual(report["status"], "stopped")
        with h5py.File(self.recording) as file:
            self.assertEqual(len(file["t"]), report["recording"]["rows"])
            self.assertEqual(file["t"][-1], report["t"])


class Cuts(Case):
    FOURBAR = """
trammel: 1
gravity: [0, -9.81, 0]
bodies:
  a: {mass: 1, com: [0, 0.5, 0], inertia: [0.1, 0.1, 0.1]}
  b: {mass: 1, com: [1, 1.2, 0], inertia: [0.1, 0.1, 0.1]}
  c: {mass: 1, com: [2, 0.7, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  A: {revolute: [ground, a], at: [0, 0, 0], axis: z}
  B: {revolute: [a, b], at: [0, 1, 0], axis: z, cut: true}
  C: {revolute: [b, c], at: [2, 1.4, 0], axis: z}
  D: {revolute: [c, ground], at: [2, 0, 0], axis: z}
"""

    def test_of_the_command_line_stand_over_those_of_the_file(self):
        model = self.write("fourbar.yaml", self.FOURBAR)
        for joint in "ABCD":
            done = subprocess.run([TOOL, "check", str(model), "--cut", joint, "--json"], capture_output=True, text=True,
                                  check=True)
            self.assertEqual(done.stderr, "")  # B is not said to be the only way to its body
            self.assertEqual([loop["closed_by"] for loop in json.loads(done.stdout)["loops"]], [joint])
            self.assertEqual(run(model, "--until", "0.1", "--cut", joint).returncode, 0)

    def test_a_speed_of_dry_friction_whose_square_is_lost_is_refused(self):
        text = self.FOURBAR.replace("axis: z}\n  D", "axis: z, friction: {dry: 1, speed: 1e-170}}\n  D")
        self.refuse((self.write("slow.yaml", text), ), "[number-out-of-range]", "dry friction speed of 1e-170", "give a speed of 1e-150 or more")


class Answers(Case):
    def test_json_has_the_end_the_audit_and_the_counts(self):
        report = self.answer(self.pendulum, "--until", "0.5")
        for key in ("status", "t", "q", "v", "a", "points", "energy", "drift", "initial_gap", "steps", "rejected", "evaluations",
                    "events", "samples", "seconds", "real_time_factor", "integrator", "model"):
            self.assertIn(key, report)
        self.assertEqual((report["status"], report["t"], report["integrator"], report["model"]), ("done", 0.5, "erk", "swing"))
        self.assertEqual(report["drift"], {"position": 0, "orientation": 0})
        self.assertEqual((report["events"], report["samples"]), ([], []))
        energy = report["energy"]
        self.assertEqual(set(energy), {"kinetic", "potential", "elastic", "input", "dissipated", "stored", "error", "largest_error"})
        self.assertAlmostEqual(energy["stored"], -9.81 * math.cos(1), delta=1e-7)
        self.assertLess(abs(energy["error"]), 1e-7)
        q = report["q"]["pin"][0]
        self.assertAlmostEqual(report["points"]["tip"][0], math.sin(q), delta=1e-14)
        self.assertAlmostEqual(report["a"]["pin"][0], -9.81 / 1.01 * math.sin(q), delta=1e-12)

    def test_samples_are_at_exactly_the_times_asked_for(self):
        times = [0.1, 0.25, 1 / 3, 0.5]
        for integrator in ("erk", "bdf", "rk4"):
            report = self.answer(self.pendulum, "--until", "0.5", "--integrator", integrator, "--tolerance", "1e-11", "--at",
                                 ",".join(map(repr, times)))
            self.assertEqual([s["t"] for s in report["samples"]], times)
            for sample in report["samples"]:
                self.assertEqual(set(sample), {"t", "q", "v", "points"})
                energy = 0.505 * sample["v"]["pin"][0] ** 2 - 9.81 * math.cos(sample["q"]["pin"][0])
                self.assertAlmostEqual(energy, -9.81 * math.cos(1), delta=1e-8)
            self.assertEqual(report["samples"][-1]["q"], report["q"])

    def test_the_start_and_unsorted_times_can_be_sampled(self):
        report = self.answer(self.pendulum, "--until", "0.2", "--at", "0.1,0")
        self.assertEqual([s["t"] for s in report["samples"]], [0, 0.1])
        self.assertEqual(report["samples"][0]["q"]["pin"], [1])

    def test_every_integrator_moves_a_tree_and_a_loop(self):
        for model, joint, least in ((self.pendulum, "pin", 1e-4), (MODELS / "crank_rocker.yaml", "O2", 1e-3)):
            exact = self.answer(model, "--until", "0.2", "--tolerance", "1e-11")
            for integrator in INTEGRATORS:
                report = self.answer(model, "--until", "0.2", "--integrator", integrator, "--step", "2e-4")
                self.assertEqual((report["status"], report["integrator"], report["t"]), ("done", integrator, 0.2))
                bound = 200 * least if "implicit" in integrator else least  # first order
                self.assertAlmostEqual(report["q"][joint][0], exact["q"][joint][0], delta=bound, msg=integrator)
                self.assertLess(report["drift"]["position"], 1e-12)
                if integrator in ("rk4", "midpoint"):
                    self.assertEqual(report["steps"], 1000)

    def test_in_words(self):
        done = run(MODELS / "crank_rocker.yaml", "--until", "0.1", "--record", self.recording)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for part in ("crank-rocker done after t = 0.1 s, erk:", "times real time", "energy   kinetic", "loops    open by at most",
                     f"rows in {self.recording}", "At the end", "O2     angle"):
            self.assertIn(part, done.stdout)

    def test_options_change_what_they_say(self):
        at_rest = self.answer(self.pendulum, "--gravity", "0,0,0")
        self.assertEqual(at_rest["q"]["pin"], [1])
        rubbed = self.write("rubbed.yaml", PENDULUM.replace("axis: z}", "axis: z, friction: {viscous: 0.5, dry: 0.1}}"))
        self.assertGreater(self.answer(rubbed)["energy"]["dissipated"], 0.1)
        self.assertEqual(self.answer(rubbed, "--no-friction")["energy"]["dissipated"], 0)
        coarse, fine = (self.answer(self.pendulum, "--tolerance", t)["steps"] for t in ("1e-4", "1e-11"))
        self.assertLess(coarse, fine)
        self.assertGreaterEqual(self.answer(self.pendulum, "--step", "0.01")["steps"], 100)  # the largest with error control
        orders = [self.answer(self.pendulum, "--order", order)["steps"] for order in (2, 5, 8)]
        self.assertEqual(orders, sorted(orders, reverse=True))
        loop = (MODELS / "crank_rocker.yaml", "--until", "1", "--integrator", "rk4")
        drift = {}
        for way in ("projection", "baumgarte", "none"):
            drift[way] = self.answer(*loop, "--stabilisation", way)["drift"]["position"]
        self.assertLess(drift["projection"], 1e-14)
        self.assertLess(drift["baumgarte"], drift["none"] / 10)
        self.assertNotEqual(self.answer(*loop, "--stabilisation", "baumgarte", "--baumgarte", "5")["drift"]["position"], drift["baumgarte"])
        ends = [self.answer(*loop, "--solver", solver)["q"]["O2"][0] for solver in ("automatic", "elimination", "dense")]
        self.assertLess(max(ends) - min(ends), 1e-10)
        cut = self.answer(*loop, "--cut", "A")["q"]["O2"][0]
        self.assertAlmostEqual(cut, ends[0], delta=1e-6)  # other coordinates, other errors

    def test_the_section_simulate_of_a_model_holds_unless_told_otherwise(self):
        model = self.write("own.yaml", PENDULUM + "simulate: {until: 0.3, integrator: rk4, step: 0.003}\n")
        report = self.answer(model)
        self.assertEqual((report["t"], report["integrator"], report["steps"]), (0.3, "rk4", 100))
        report = self.answer(model, "--until", "0.6", "--step", "0.006")
        self.assertEqual((report["t"], report["steps"]), (0.6, 100))

    def test_a_state_from_a_file_and_from_standard_input(self):
        state = self.write("state.json", '{"q": {"pin": 0.5}, "v": {"pin": -1}}')
        first = self.answer(self.pendulum, "--state", state, "--at", "0")
        self.assertEqual((first["samples"][0]["q"]["pin"], first["samples"][0]["v"]["pin"]), ([0.5], [-1]))
        second = run(self.pendulum, "--state", "-", "--json", input=state.read_text())
        self.assertEqual(json.loads(second.stdout)["q"], first["q"])


class Refusals(Case):
    def test_of_steps_that_do_not_move_the_clock(self):
        self.refuse((self.pendulum, "--integrator", "rk4", "--step", "1e-300"), "--step: 1e-300 s is too short to count up to", "[option-value]")

    def test_of_numbers(self):
        for option, value in (("--until", "-1"), ("--until", "0"), ("--step", "abc"), ("--tolerance", "nan"), ("--record-every", "1x")):
            self.refuse([self.pendulum, option, value], f"{option}: '{value}' is not a positive number", "fix: give a number", "[option-value]")

    def test_of_times_to_sample(self):
        for value, word in (("0.1,,0.2", "''"), ("x", "'x'"), ("-1", "'-1'"), ("inf", "'inf'")):
            self.refuse([self.pendulum, f"--at={value}"], f"--at: {word} is not a time", "fix: write times such as 0.1,0.2,0.5", "[option-value]")
        self.refuse([self.pendulum, "--at", "0.5,3"], "--at: 3 s is after the end of the run, 1 s", "fix: add --until 3, or leave it out")

    def test_of_orders_that_there_are_not(self):
        self.refuse([self.pendulum, "--order", "6"], "--order: erk has no order 6", "fix: choose 2, 3, 4, 5 or 8")
        self.refuse([self.pendulum, "--order", "8", "--integrator", "bdf"], "--order: bdf has no order 8", "fix: choose 1 to 5")
        self.refuse([self.pendulum, "--order", "4", "--integrator", "rk4"], "--order: rk4 has one order only", "fix: leave --order out")
        self.refuse([self.pendulum, "--order", "9"], "--order")

    def test_of_words(self):
        self.refuse([self.pendulum, "--integrator", "euler"], "--integrator", "euler")
        self.refuse([self.pendulum, "--stabilisation", "glue"], "--stabilisation", "glue")
        self.refuse([self.pendulum, "--solver", "magic"], "--solver", "magic")
        self.refuse([self.pendulum, "--gravity", "down"], "--gravity")
        for rate in ("-1", "nan", "0"):
            self.refuse([self.pendulum, "--baumgarte", rate, "--stabilisation", "baumgarte"], f"--baumgarte: '{rate}' is not a positive number")
        self.refuse([self.pendulum, "--baumgarte", "5"], "--baumgarte is the rate of a stabilisation that is not used",
                    "fix: add --stabilisation baumgarte, or leave it out      [option-value]")
        self.refuse([self.pendulum, "--channels", "cordinates"], "--channels: there is no group 'cordinates'", "fix: did you mean 'coordinates'?")
        self.refuse([self.pendulum, "--resume"], "--resume needs the recording to go on with", "fix: add --record FILE")

    def test_of_what_would_share_standard_output(self):
        done = run(self.pendulum, "--csv", "-", "--json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("only one of --json and --csv - can have standard output", done.stderr)
        self.assertEqual(json.loads(done.stdout)["status"], "error")

    def test_of_files_that_would_be_lost(self):
        text = self.pendulum.read_text()
        for option in ("--record", "--csv"):
            for name in (self.pendulum, self.folder / "." / self.pendulum.name):
                self.refuse([self.pendulum, option, name], f"{option}: '{name}' is the model itself", "fix: give it another name      [option-value]")
            state = self.write("state.json", '{"q": {"pin": 0.5}}')
            self.refuse([self.pendulum, "--state", state, option, state], f"{option}: '{state}' is the initial state")
        self.assertEqual(self.pendulum.read_text(), text)
        out = self.folder / "out"
        self.refuse([self.pendulum, "--record", out, "--csv", out], f"--csv: '{out}' is the recording too")
        self.refuse([self.pendulum, "--record", ""], "needs the name of a file")

    def test_of_a_solver_that_is_not_for_this_mechanism(self):
        self.refuse([MODELS / "geared_arm.yaml", "--solver", "lilly-orin"], "no body held by chains alone: coupling 'reduction' ties joints",
                    "fix: use --solver automatic      [no-star]")

    def test_of_models_and_states(self):
        self.refuse([self.folder / "none.yaml"], "none.yaml")
        self.refuse([self.write("broken.yaml", "trammel: 1\nbodies: {a: {mass: -1}}\n")], "error")
        self.refuse([self.pendulum, "--state", self.write("state.json", '{"q": {"pn": 1}}')], "unknown joint 'pn'", "[state-unknown-name]")


class Verdicts(Case):
    def test_a_stiff_run_under_an_explicit_rule_says_who_and_what_to_do(self):
        stiff = self.write("stiff.yaml", STIFF)
        done = run(stiff, "--integrator", "rk4", "--record", self.recording, "--json")
        self.assertEqual(done.returncode, 1)
        report = json.loads(done.stdout)
        self.assertEqual(report["status"], "diverged")
        for part in ("the motion grows beyond all bounds at t = ", "first at joint 'rail'", "kinetic energy was"):
            self.assertIn(part, report["text"])
            self.assertIn(part, done.stderr)
        for part in ("the system is stiff: it answers within 0.0001 s", "rk4 would need steps below 0.00028 s", "use implicit (fixed steps) or bdf"):
            self.assertIn(part, report["fix"])
            self.assertIn(part, done.stderr)
        self.assertIn("[simulation-diverged]", done.stderr)
        with h5py.File(self.recording) as file:
            self.assertEqual(file.attrs["status"].decode(), "diverged")
            self.assertGreater(len(file["t"]), 2)
            self.assertTrue(all(math.isfinite(x) for x in file["coordinates/rail.q"]))
        for integrator in ("implicit", "bdf"):
            self.assertEqual(self.answer(stiff, "--integrator", integrator, "--until", "0.05")["status"], "done")

    def test_energy_that_does_not_balance_is_told(self):
        self.assertNotIn("notes", self.answer(self.pendulum))
        coarse = self.answer(self.pendulum, "--integrator", "semi-implicit", "--step", "0.2", "--until", "3")
        self.assertRegex(coarse["notes"][0], r"energy does not balance: \S+ J are missing or too many, where \S+ J have moved; use smaller steps")
        loose = self.answer(MODELS / "bricard.yaml", "--integrator", "bdf", "--stabilisation", "baumgarte", "--until", "2")
        self.assertIn("use a smaller tolerance, or projection", loose["notes"][0])
        self.assertIn("note     energy does not balance", run(self.pendulum, "--tolerance", "10").stdout)

    def test_an_open_start_is_closed_or_refused(self):
        state = self.write("open.json", '{"q": {"O2": 0.3, "A": 0, "O4": 0}}')  # no position has all three
        words = (MODELS / "crank_rocker.yaml", "--until", "0.05", "--state", state)
        report = self.answer(*words)
        self.assertGreater(report["initial_gap"]["position"], 1e-3)
        self.assertLess(report["drift"]["position"], 1e-12)
        self.assertIn("closed by projection", run(*words).stdout)
        done = run(*words, "--strict", "--json")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(json.loads(done.stdout)["status"], "cannot-assemble")
        self.assertIn("the initial state leaves loops open by", done.stderr)
        self.assertIn("fix: give coordinates that close them, or allow projection      [simulation-cannot-assemble]", done.stderr)

    def test_what_a_state_names_of_a_linkage_is_kept_and_the_rest_follows(self):
        state = self.write("turning.json", '{"q": {"O2": 0.3}, "v": {"O2": 5}}')
        words = (MODELS / "crank_rocker.yaml", "--until", "0.001", "--at", "0", "--state", state, "--strict")
        for cut in ([], ["--cut", "A"], ["--cut", "O4"]):
            start = self.answer(*words, *cut)["samples"][0]
            self.assertAlmostEqual(start["q"]["O2"][0], 0.3, 12)
            self.assertAlmostEqual(start["v"]["O2"][0], 5, 11)

    def test_a_state_that_names_more_than_there_are_freedoms_is_mended_where_it_nearly_fits(self):
        model = self.write("slider.yaml", """trammel: 1
points: {O: [0, 0, 0], A: [0.043301270189222, 0.025, 0], B: [0.241732618519066, 0, 0]}
bodies:
  crank: {mass: 0.4, shape: {rod: [O, A], radius: 0.003}}
  rod: {mass: 0.6, shape: {rod: [A, B], radius: 0.003}}
  piston: {mass: 0.9, com: B, inertia: [1e-6, 1e-6, 1e-6]}
joints:
  O: {revolute: [ground, crank], at: O, axis: z}
  A: {revolute: [crank, rod], at: A, axis: z}
  B: {revolute: [rod, piston], at: B, axis: z}
  S: {prismatic: [ground, piston], at: B, axis: x}
""")
        exact = self.answer(model, "--until", "1e-9", "--state", self.write("one.json", '{"q": {"O": 0.35}, "v": {"O": 2}}'), "--at", "0")["samples"][0]
        for digits in (5, 9):
            q, v = (round(exact[k]["S"][0], digits) for k in "qv")
            state = self.write("two.json", json.dumps({"q": {"O": 0.35, "S": q}, "v": {"O": 2, "S": v}}))
            done = run(model, "--until", "1e-9", "--state", state, "--at", "0", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            start = json.loads(done.stdout)["samples"][0]
            for joint in "OABS":
                for k in "qv":
                    self.assertAlmostEqual(start[k][joint][0], exact[k][joint][0], delta=2 * 10**-digits)
        self.assertIn("with the other joints it is", run(model, "--until", "1e-9", "--state", self.write("rough.json", json.dumps(
            {"q": {"O": 0.35, "S": round(exact["q"]["S"][0], 5)}}))).stderr)
        self.refuse((model, "--until", "1e-9", "--strict", "--state", self.folder / "rough.json"), "the position of 'S' is", "[start-moved]")

    @unittest.skipIf(h5py is None, "h5py writes the file")
    def test_an_hdf5_file_of_somebody_else_is_not_written_over(self):
        with h5py.File(self.recording, "w") as file:
            file["mine"] = [1, 2, 3]
        before = self.recording.read_bytes()
        self.refuse((self.pendulum, "--until", "0.1", "--record", self.recording), "is there already, and is no recording", "[recording-not-ours]", code=1)
        self.assertEqual(self.recording.read_bytes(), before)

    def test_what_has_no_effect_is_told(self):
        for words, message in ((["--at", "0.1"], "--at has no effect: states at these moments are printed as JSON"),
                               (["--record-every", "0.1"], "--record-every has no effect: nothing is recorded"),
                               (["--channels", "energy"], "--channels has no effect: nothing is recorded"),
                               (["--integrator", "rk4", "--tolerance", "1e-9"], "--tolerance has no effect: this integrator has fixed steps")):
            done = run(self.pendulum, "--until", "0.2", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(message, done.stderr)
        model = self.write("resisting.yaml", PENDULUM + "loads: {grip: {on: bob, at: [0, 0, 0], resisting: force, along: x}}\n")
        self.assertIn("load 'grip' resists: its size is found by analyze, and it does not act here", run(model, "--until", "0.1").stderr)
        late = self.write("late.json", '{"t": 5}')
        self.refuse((self.pendulum, "--until", "4", "--state", late), "the run would end at 4 s, and the state is of 5 s")
        self.assertIn("--at: 2 s is before the beginning, 5 s", run(self.pendulum, "--until", "6", "--state", late, "--at", "2", "--json").stderr)

    def test_a_drive_counts_where_the_initial_state_begins_elsewhere(self):
        model = self.write("driven.yaml", PENDULUM + 'drives: {pin: {position: "1 + t"}}\n')
        state = self.write("elsewhere.json", '{"q": {"pin": 0.3}}')
        done = run(model, "--until", "0.1", "--state", state, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(json.loads(done.stdout)["q"]["pin"][0], 1.1, 12)
        self.assertIn("the position of 'pin' is 0.3 in the initial state, and its drive begins with 1 (SI): the drive counts", done.stderr)
        self.refuse((model, "--until", "0.1", "--state", state, "--strict"), "the position of 'pin' is 0.3", "[drive-start]")

    def test_an_event_stops_the_run_where_it_happens(self):
        model = self.write("event.yaml", PENDULUM + 'events: {bottom: {when: pin, direction: falling, do: stop}, half: {when: "pin - 0.5"}}\n')
        report = self.answer(model, "--until", "5", "--tolerance", "1e-11", "--record", self.recording)
        self.assertEqual(report["status"], "stopped")
        self.assertEqual([(e["name"], e["kind"]) for e in report["events"]], [("half", "expression"), ("bottom", "expression")])
        self.assertLess(abs(report["q"]["pin"][0]), 1e-9)
        for event in report["events"]:
            self.assertEqual(set(event), {"t", "name", "kind", "text", "before", "after"})
        self.assertAlmostEqual(report["events"][0]["before"]["q"]["pin"][0], 0.5, delta=1e-9)
        self.assertIn("event    t = ", run(model, "--until", "5").stdout)
        with h5py.File(self.recording) as file:
            self.assertEqual(file.attrs["status"].decode(), "stopped")
            self.assertEqual(list(file["events/name"].asstr()), ["half", "bottom"])
            self.assertEqual(list(file["events/t"]), [e["t"] for e in report["events"]])


class Tables(Case):
    def test_csv_has_a_row_for_each_recorded_moment(self):
        table = self.folder / "run.csv"
        report = self.answer(self.pendulum, "--until", "1", "--record-every", "0.1", "--csv", table)
        rows = list(csv.DictReader(io.StringIO(table.read_text())))
        self.assertEqual(len(rows), 11)
        for k, row in enumerate(rows):
            self.assertAlmostEqual(float(row["t [s]"]), k / 10, delta=1e-15)
        self.assertEqual(float(rows[-1]["pin.q [rad]"]), report["q"]["pin"][0])
        self.assertEqual(set(rows[0]) & {"pin.v [rad/s]", "tip.x [m]", "energy.kinetic [J]"}, {"pin.v [rad/s]", "tip.x [m]", "energy.kinetic [J]"})

    def test_csv_on_standard_output_stands_alone(self):
        done = run(self.pendulum, "--record-every", "0.5", "--csv", "-", "--channels", "coordinates")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([row[0] for row in csv.reader(io.StringIO(done.stdout))], ["t [s]", "0", "0.5", "1"])
        self.assertFalse(Path("-").exists())

    def test_csv_that_cannot_be_written(self):
        place = self.folder / "no" / "run.csv"
        self.refuse([self.pendulum, "--csv", place], f"{place} cannot be written: No such file or directory", "[file-unwritable]", code=1)

    def test_channels_are_chosen_by_their_groups(self):
        for groups, there, away in (("coordinates", "pin.q", "pin.v"), ("velocities,energy", "energy.kinetic", "pin.q")):
            head = run(self.pendulum, "--csv", "-", "--channels", groups).stdout.splitlines()[0]
            self.assertIn(there + " [", head)
            self.assertNotIn(away + " [", head)
        everything = run(self.pendulum, "--csv", "-", "--channels", "all").stdout.splitlines()[0]
        for name in ("pin.q", "pin.a", "tip.x", "energy.error", "bob.x"):
            self.assertIn(name + " [", everything)


@unittest.skipIf(h5py is None, "python3-h5py is not there")
class Recordings(Case):
    def test_hold_what_the_run_was(self):
        report = self.answer(self.pendulum, "--record-every", "0.01", "--record", self.recording)
        self.assertEqual(report["recording"], {"file": str(self.recording), "rows": 101})
        with h5py.File(self.recording) as file:
            self.assertEqual(file.attrs["status"].decode(), "done")
            self.assertEqual(file.attrs["model_name"].decode(), "swing")
            self.assertIn("name: swing", file["model_text"].asstr()[0])
            self.assertEqual(json.loads(file.attrs["options"].decode())["record_every"], 0.01)
            self.assertEqual(len(file["t"]), 101)
            self.assertEqual(file["coordinates/pin.q"][0], 1)
            self.assertEqual(file["coordinates/pin.q"][-1], report["q"]["pin"][0])
            self.assertEqual(file["coordinates/pin.q"].attrs["unit"].decode(), "rad")

    def test_of_the_same_run_have_the_same_bytes(self):
        for name in ("a.h5", "b.h5"):
            self.answer(self.pendulum, "--integrator", "rk4", "--record", self.folder / name)
        self.assertEqual((self.folder / "a.h5").read_bytes(), (self.folder / "b.h5").read_bytes())

    def test_a_place_that_cannot_be_written(self):
        place = self.folder / "no" / "run.h5"
        self.refuse([self.pendulum, "--record", place], f"{place} cannot be written: No such file or directory",
                    "fix: check the path and its permissions      [recording-unwritable]", code=1)

    def test_a_full_disk_ends_the_run_and_keeps_what_is_there(self):
        limit = 5_000_000
        done = subprocess.run([TOOL, "simulate", self.pendulum, *LONG[:4], "--record", self.recording, "--until", "1e5", "--json"],
                              capture_output=True, text=True, timeout=300,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"{self.recording} cannot be written any further: ", done.stderr)
        self.assertIn("[recording-lost]", done.stderr)
        self.assertEqual(json.loads(done.stdout)["status"], "error")
        self.assertGreater(last_time(self.recording), 0.01)

    def test_ctrl_c_and_terminate_end_a_run_in_order(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            one = OnTerminal(self.pendulum, *LONG, "--record", self.recording, "--json").watch_for(1.5)
            code, output = one.end(number)
            self.assertEqual(code, 0, one.text)
            report = json.loads(output)
            self.assertEqual(report["status"], "stopped")
            self.assertIn("stopped at t = ", report["text"])
            with h5py.File(self.recording) as file:
                self.assertEqual(file.attrs["status"].decode(), "stopped")
                self.assertEqual(len(file["t"]), report["recording"]["rows"])
                self.assertGreaterEqual(file["t"][-1], report["t"] - 0.0101)

    def test_the_bar_shows_simulated_time_and_how_fast_it_passes(self):
        one = OnTerminal(self.pendulum, *LONG).watch_for(2)
        one.end(signal.SIGINT)
        self.assertRegex(one.text, r"simulate \[ +\]   0 %, t = \d[\d.]* s, \d[\d.e+]* x real time")
        self.assertEqual([t for _, t in one.shown], sorted(t for _, t in one.shown))

    def test_kill_9_leaves_all_but_the_last_second(self):
        for seconds in (1.7, 2.9):
            one = killed_after(self.pendulum, self.recording, seconds)
            check_nothing_but_the_last_second_is_lost(self, one, self.recording)
            with h5py.File(self.recording) as file:
                self.assertEqual(file.attrs["status"].decode(), "")

    def test_resumed_after_kill_9_it_ends_as_an_unbroken_run(self):
        rubbed = self.write("rubbed.yaml", PENDULUM.replace("axis: z}", "axis: z, friction: {viscous: 1e-3, dry: 0.01}}"))
        broken, whole = self.folder / "broken.h5", self.folder / "whole.h5"
        one = OnTerminal(rubbed, *LONG, "--record", broken)
        one.watch(lambda: has_checkpoint(broken))
        one.watch_for(0.5)
        one.end(9)
        until = math.ceil(last_time(broken)) + 2
        words = [rubbed, *LONG[:-1], until]
        resumed = self.answer(*words, "--record", broken, "--resume")
        unbroken = self.answer(*words, "--record", whole)
        for key in ("t", "q", "v", "energy", "drift", "steps"):
            self.assertEqual(resumed[key], unbroken[key], key)
        with h5py.File(broken) as a, h5py.File(whole) as b:
            for name in a["channels"].asstr()[:]:
                self.assertEqual(a[name][:].tobytes(), b[name][:].tobytes(), name)
            for name in ("t", "name", "kind", "q_before", "v_after"):
                self.assertEqual(list(a["events/" + name][:].ravel()), list(b["events/" + name][:].ravel()))
        self.assertEqual(broken.read_bytes(), whole.read_bytes())

    def test_a_finished_run_can_go_on(self):
        for until in ("0.5", "1"):
            self.answer(self.pendulum, "--integrator", "rk4", "--until", until, "--record", self.recording, *(["--resume"] if until == "1" else []))
        whole = self.answer(self.pendulum, "--integrator", "rk4", "--until", "1")
        with h5py.File(self.recording) as file:
            self.assertEqual(len(file["t"]), 1001)
            self.assertEqual(file["coordinates/pin.q"][-1], whole["q"]["pin"][0])

    def test_going_on_with_other_options_is_told(self):
        self.answer(self.pendulum, "--integrator", "rk4", "--step", "0.001", "--until", "0.5", "--record", self.recording)
        words = (self.pendulum, "--until", "0.6", "--record", self.recording, "--resume")
        done = run(*words, "--integrator", "midpoint", "--step", "0.002")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f'{self.recording} goes on with other options: integrator "midpoint" instead of "rk4", step 0.002 instead of 0.001', done.stderr)
        self.assertIn("[resume-other-options]", done.stderr)
        wet = self.folder / "wet.h5"
        buoy = MODELS / "buoy.yaml"
        self.answer(buoy, "--until", "0.1", "--record", wet)
        done = run(buoy, "--until", "0.2", "--record", wet, "--resume", "--no-fluid", "--record-every", "0.02")
        self.assertIn("goes on with other options: record_every 0.02 instead of 0.05, fluid false instead of true", done.stderr)
        done = run(buoy, "--until", "0.3", "--record", wet, "--resume", "--no-fluid", "--record-every", "0.02", "--integrator", "erk")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = run(self.pendulum, "--until", "0.7", "--record", self.recording, "--resume", "--integrator", "midpoint", "--step", "0.002")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_end_is_recorded_and_gone_on_from(self):
        parts, whole = self.folder / "parts.h5", self.folder / "whole.h5"
        words = (self.pendulum, "--integrator", "rk4", "--record-every", "0.3")
        first = self.answer(*words, "--until", "0.5", "--record", parts)
        self.assertEqual(first["recording"]["rows"], 3)
        with h5py.File(parts) as file:
            self.assertEqual((file["t"][-1], file["coordinates/pin.q"][-1]), (0.5, first["q"]["pin"][0]))
        again = self.answer(*words, "--until", "0.5", "--record", parts, "--resume")
        self.assertEqual(again["recording"]["rows"], 3)
        resumed = self.answer(*words, "--until", "1", "--record", parts, "--resume")
        unbroken = self.answer(*words, "--until", "1", "--record", whole)
        self.assertEqual((resumed["recording"]["rows"], unbroken["recording"]["rows"]), (5, 5))
        self.assertEqual(parts.read_bytes(), whole.read_bytes())

    def test_with_error_control_a_resumed_run_ends_as_an_unbroken_one_too(self):
        broken, whole = self.folder / "broken.h5", self.folder / "whole.h5"
        words = (self.pendulum, "--record-every", "0.1")
        one = OnTerminal(*words, "--until", "1e6", "--record", broken)
        one.watch(lambda: has_checkpoint(broken))
        one.end(9)
        until = math.ceil(last_time(broken)) + 2
        resumed = self.answer(*words, "--until", until, "--record", broken, "--resume")
        unbroken = self.answer(*words, "--until", until, "--record", whole)
        for key in ("t", "q", "v", "energy", "steps"):
            self.assertEqual(resumed[key], unbroken[key], key)
        self.assertEqual(broken.read_bytes(), whole.read_bytes())

    def test_a_run_that_began_with_other_options_is_not_gone_on_with(self):
        rubbed = self.write("rubbed.yaml", PENDULUM.replace("axis: z}", "axis: z, friction: {dry: 0.01}}"))
        self.answer(rubbed, "--record", self.recording)
        before = self.recording.read_bytes()
        self.refuse([rubbed, "--record", self.recording, "--resume", "--until", "2", "--no-friction"],
                    f"{self.recording} cannot be gone on with: the checkpoint is of a simulation with other parts or options",
                    "fix: give the options with which the run began      [recording-other-run]", code=1)
        self.assertEqual(self.recording.read_bytes(), before)

    def test_what_cannot_be_resumed(self):
        self.refuse([self.pendulum, "--record", self.recording, "--resume"], "cannot be read: No such file", "[recording-unreadable]", code=1)
        self.answer(self.pendulum, "--record", self.recording)
        before = self.recording.read_bytes()
        self.refuse([self.pendulum, "--record", self.recording, "--resume", "--until", "0.5"],
                    f"--until 0.5: {self.recording} has been simulated up to 1 s already", "fix: give a later time      [option-value]")
        self.assertEqual(self.recording.read_bytes(), before)
        other = self.write("other.yaml", PENDULUM.replace("mass: 1", "mass: 2"))
        self.refuse([other, "--record", self.recording, "--resume"], "cannot be gone on with: the model has changed", "[recording-other-run]", code=1)
        damaged = bytearray(self.recording.read_bytes())
        for k in range(1000, len(damaged) - 8, 97):
            damaged[k] ^= 0x55
        self.recording.write_bytes(damaged)
        done = run(self.pendulum, "--record", self.recording, "--resume")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)  # the message and its remedy, and nothing of HDF5's


if __name__ == "__main__":
    unittest.main()
