# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""trammel virtual-mass: the paper's figures, files, and what it refuses."""

import json
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = os.environ["TRAMMEL_TOOL"]
MODELS = Path(os.environ["TRAMMEL_SOURCE_DIR"]) / "models"
RODS = MODELS / "three_rods.yaml"


def run(*words):
    return subprocess.run([TOOL, "virtual-mass", *map(str, words)], capture_output=True, text=True, timeout=120)


def answer(*words):
    done = run(*words, "--json")
    return json.loads(done.stdout), done.returncode


class VirtualMass(unittest.TestCase):
    def test_peaks_are_those_of_the_paper(self):
        report, code = answer(RODS, "--at", "hand:tip", "--resistance", "0,0.5,1")
        self.assertEqual(code, 0)
        peaks = [(c["resistance"], c["peak"]["direction_deg"], c["peak"]["mass"]) for c in report["curves"]]
        for found, expected in zip(peaks, [(0, 90, 9 / 7), (0.5, 82.13399760744635, 1.488829879290916), (1, 51.340191745909905, 3)]):
            for a, b in zip(found, expected):
                self.assertAlmostEqual(a, b, delta=1e-10)
        free = report["curves"][0]
        self.assertEqual(free["directions_deg"], list(range(361)))
        self.assertAlmostEqual(free["m_p"][90], 9 / 7, delta=1e-12)
        self.assertAlmostEqual(free["m_a"][0], 9 / 28, delta=1e-12)
        self.assertIsNone(free["ellipsoid"][0]["mass"])  # out of the plane nothing moves
        self.assertEqual([abs(x) for x in free["ellipsoid"][0]["axis"]], [0, 0, 1])

    def test_a_locked_joint_is_one_that_a_damper_locks(self):
        locked, _ = answer(RODS, "--at", "hand:tip", "--resistance", "1")
        damped, _ = answer(RODS, "--at", "hand", "--resistance", "0", "--damper", "wrist=inf", "--damper", "elbow=1e12")
        for a, b in zip(locked["curves"][0]["m_p"], damped["curves"][0]["m_p"]):
            self.assertAlmostEqual(a, b, delta=1e-9)

    def test_shares_of_each_joint_are_told_to_be_unphysical(self):
        done = run(RODS, "--at", "hand:tip", "--share", "elbow=1")
        self.assertEqual(done.returncode, 0)
        self.assertIn("can create energy", done.stderr)
        self.assertIn("[resistance-unphysical]", done.stderr)

    def test_loops_stay_closed(self):
        """Along its rod a rocker's tip cannot be pushed, across it the whole linkage moves."""
        report, code = answer(MODELS / "crank_rocker.yaml", "--at", "coupler", "--resistance", "0", "--step", "90")
        self.assertEqual(code, 0)
        self.assertTrue(all(m is None or m > 0 for m in report["curves"][0]["m_p"]))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            svg, polar, csv = Path(folder) / "a.svg", Path(folder) / "b.svg", Path(folder) / "c.csv"
            self.assertEqual(run(RODS, "--at", "hand:tip", "--svg", svg, "--polar", polar, "--csv", csv).returncode, 0)
            self.assertIn("Virtual mass of three rods", svg.read_text())
            self.assertIn("</svg>", polar.read_text())
            lines = csv.read_text().splitlines()
            self.assertEqual(len(lines), 362)
            self.assertTrue(lines[0].startswith("direction [deg],m_p at μ = 0 [kg]"))
            done = run(RODS, "--at", "hand:tip", "--svg", Path(folder) / "none" / "a.svg")
            self.assertEqual(done.returncode, 2)
            self.assertIn("[file-unwritable]", done.stderr)

    def test_standard_output_takes_one_of_them(self):
        with tempfile.TemporaryDirectory() as folder:
            csv, svg = Path(folder) / "c.csv", Path(folder) / "a.svg"
            run(RODS, "--at", "hand:tip", "--csv", csv, "--svg", svg)
            done = run(RODS, "--at", "hand:tip", "--csv", "-")
            self.assertEqual(done.returncode, 0)
            self.assertEqual(done.stdout, csv.read_text())
            self.assertEqual(run(RODS, "--at", "hand:tip", "--svg", "-").stdout, svg.read_text())
        for words in [["--csv", "-", "--json"], ["--csv", "-", "--svg", "-"], ["--polar", "-", "--svg", "-"]]:
            done = run(RODS, "--at", "hand:tip", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn("only one of --json, --csv -, --svg - and --polar - can have standard output\n  fix: give the others a file",
                          done.stderr)

    def test_extremes_do_not_depend_on_the_directions_listed(self):
        fine, _ = answer(RODS, "--at", "hand:tip", "--step", "0.05")
        coarse, _ = answer(RODS, "--at", "hand:tip", "--step", "7")
        for a, b in zip(fine["curves"], coarse["curves"]):
            self.assertAlmostEqual(a["lightest"]["mass"], b["lightest"]["mass"], delta=1e-12)
            self.assertAlmostEqual(a["largest_deviation"]["psi_deg"], b["largest_deviation"]["psi_deg"], delta=1e-9)
            self.assertLessEqual(a["lightest"]["mass"], min(a["m_a"]))
            self.assertAlmostEqual(a["lightest"]["mass"], min(a["m_a"]), delta=1e-6)
            self.assertGreaterEqual(a["largest_deviation"]["psi_deg"], max(map(abs, a["psi_deg"])) - 1e-12)
            self.assertAlmostEqual(a["largest_deviation"]["psi_deg"], max(map(abs, a["psi_deg"])), delta=1e-4)

    def test_the_sphere(self):
        """Kantorovich: of a symmetric G with ends λ₁ and λ₃, no force answers by more than cos ψ = 2 √(λ₁λ₃)/(λ₁ + λ₃)."""
        report, code = answer(MODELS / "puma560.yaml", "--at", "link6", "--sphere", "--resistance", "0", "--damper", "shoulder=0.5",
                              "--state", self.bent())
        self.assertEqual(code, 0)
        curve, south = report["curves"][0], report["latitudes_deg"]
        self.assertEqual((len(south), len(report["longitudes_deg"])), (36, 72))
        self.assertEqual([len(row) for row in curve["m_p"]], [72] * 36)
        heavy, _, light = (axis["mass"] for axis in curve["ellipsoid"])
        self.assertAlmostEqual(curve["peak"]["mass"], heavy, delta=1e-9 * heavy)
        self.assertAlmostEqual(curve["lightest"]["mass"], light, delta=1e-9 * light)
        steepest = math.degrees(math.acos(2 * math.sqrt(heavy * light) / (heavy + light)))
        self.assertAlmostEqual(curve["largest_deviation"]["psi_deg"], steepest, delta=1e-6)
        for row, latitude in enumerate(south):
            for column, longitude in enumerate(report["longitudes_deg"]):
                lat, lon = math.radians(latitude), math.radians(longitude)
                n = [math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat)]
                Gn = [sum(curve["G"][3 + i][3 + k] * n[k] for k in range(3)) for i in range(3)]
                along = sum(a * b for a, b in zip(n, Gn))
                whole = math.sqrt(sum(a * a for a in Gn))
                self.assertAlmostEqual(curve["m_p"][row][column] * along, 1, delta=1e-12)
                self.assertAlmostEqual(curve["m_a"][row][column] * whole, 1, delta=1e-12)
                self.assertAlmostEqual(math.cos(math.radians(curve["psi_deg"][row][column])), along / whole, delta=1e-12)

    def bent(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        state = Path(folder.name) / "state.json"
        joints = [j for j in json.loads(subprocess.run([TOOL, "check", MODELS / "puma560.yaml", "--json"], capture_output=True).stdout)["joints"]]
        state.write_text(json.dumps({"q": {name: [0.3 + 0.4 * i] for i, name in enumerate(joints)}}))
        return state

    def test_files_of_the_sphere(self):
        with tempfile.TemporaryDirectory() as folder:
            svg, csv = Path(folder) / "a.svg", Path(folder) / "c.csv"
            self.assertEqual(run(RODS, "--at", "hand:tip", "--sphere", "--step", "10", "--svg", svg, "--csv", csv).returncode, 0)
            self.assertIn("over all directions of space", svg.read_text())
            lines = csv.read_text().splitlines()
            self.assertEqual(len(lines), 1 + 36 * 18)
            self.assertTrue(lines[0].startswith("longitude [deg],latitude [deg],m_p at μ = 0 [kg]"))

    def test_what_is_refused(self):
        for words, message in [
            (["--at", "hnad"], "--at: there is no body 'hnad'\n  fix: did you mean 'hand'?"),
            (["--at", "ground"], "--at: body 'ground' does not move"),
            (["--at", "hand:tap"], "--at: the model has no output 'tap'\n  fix: did you mean 'tip'?"),
            (["--at", "far:tip"], "--at: point 'tip' is on body 'hand', not on 'far'\n  fix: write --at hand:tip"),
            (["--at", "hand:1,2"], "--at: "),
            (["--at", "hand", "--plane", "x,x"], "--plane: 'x,x' is no pair of axes"),
            (["--at", "hand", "--resistance", "1.5"], "--resistance: '1.5' is no share between 0 and 1"),
            (["--at", "hand", "--resistance", "-0.1"], "--resistance: '-0.1' is no share between 0 and 1"),
            (["--at", "hand", "--damper", "elbow=-1"], "--damper: the resistance of 'elbow' is negative: -1"),
            (["--at", "hand", "--damper", "elbw=1"], "--damper: there is no joint 'elbw'\n  fix: did you mean 'elbow'?"),
            (["--at", "hand", "--damper", "elbow"], "--damper: 'elbow' names no number"),
            (["--at", "hand", "--damper", "elbow.bend=1"], "--damper: joint 'elbow' has no freedom 'bend'\n  fix: write elbow or one of: elbow.angle"),
            (["--at", "hand", "--damper", "elbow=1", "--damper", "elbow=2"], "--damper: 'elbow.angle' is given twice"),
            (["--at", "hand", "--damper", "base=1"], "--damper: joint 'base' is a base that floats"),
            (["--at", "hand", "--share", "elbow=1", "--resistance", "1"], "--resistance is the share of all joints, --share that of each"),
            (["--at", "hand", "--sphere", "--polar", "a.svg"], "--polar draws directions of a plane"),
            (["--at", "hand", "--sphere", "--step", "0.1"], "on the sphere give 0.5 degrees at least"),
            (["--at", "hand", "--share", "elbow=2"], "--share: the share of 'elbow' is 2, more than 1"),
            (["--at", "hand", "--step", "0"], "give 0.001 to 360 degrees"),
            ([], "--at"),
        ]:
            done = run(RODS, *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(message, done.stderr, words)


class OfALinkage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = Path(folder.name) / "state.json"

    def masses(self, state, *words):
        self.state.write_text(json.dumps(state))
        report, code = answer(MODELS / "crank_rocker.yaml", "--at", "coupler", "--state", self.state, *words)
        self.assertEqual(code, 0)
        return report["curves"]

    def test_joints_that_are_not_named_follow(self):
        some = {"q": {"O2": [0.3]}}
        self.state.write_text(json.dumps(some))
        done = subprocess.run([TOOL, "eval", MODELS / "crank_rocker.yaml", "--state", self.state, "--compute", "poses", "--json"],
                              capture_output=True, text=True, check=True)
        whole = {"q": json.loads(done.stdout)["q"]}
        self.assertNotEqual(whole["q"]["A"], [0])
        for a, b in zip(self.masses(some)[0]["m_a"], self.masses(whole)[0]["m_a"]):
            self.assertAlmostEqual(a, b, delta=1e-9 * a)

    def test_what_does_not_move_has_no_mass_of_round_off(self):
        locked = self.masses({"q": {"O2": [0.3]}}, "--resistance", "1")[0]
        self.assertEqual(set(locked["m_p"]), {None})
        self.assertEqual(set(locked["m_a"]), {None})
        self.assertIsNone(locked["peak"]["mass"])
        report, _ = answer(RODS, "--at", "hand:tip", "--plane", "x,z")
        self.assertIsNone(report["curves"][0]["m_p"][90])  # along z
        self.assertIsNone(report["curves"][0]["peak"]["mass"])

    def test_loops_that_hold_fast_move_nowhere(self):
        """A triangle of two rods and the ground; what round-off leaves has neither mass nor angle, on the sphere it was climbed for ever."""
        model = self.state.with_name("truss.yaml")
        model.write_text("""
trammel: 1
gravity: [0, 0, 0]
points: {O: [0, 0, 0], P: [1.1, 0.1, 0], Q: [0.43, 0.77, 0]}
bodies: {b1: {mass: 1, shape: {rod: [O, Q], radius: 0.02}}, b2: {mass: 1, shape: {rod: [Q, P], radius: 0.02}}}
joints:
  o: {revolute: [ground, b1], at: O, axis: z}
  q: {revolute: [b1, b2], at: Q, axis: z}
  p: {revolute: [b2, ground], at: P, axis: z}
outputs: {m: {point: [0.7, 0.4, 0], on: b2}}
""")
        for words in ([], ["--sphere"]):
            report, code = answer(model, "--at", "b2:m", "--resistance", "0,0.3,0.7,1", *words)
            self.assertEqual(code, 0)
            for curve in report["curves"]:
                self.assertIsNone(curve["lightest"]["mass"])
                self.assertIsNone(curve["peak"]["mass"])
                self.assertEqual(curve["largest_deviation"]["psi_deg"], 0)


if __name__ == "__main__":
    unittest.main()
