# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""trammel draw as a user meets it, read by others: pictures by an XML parser, DXF files by a small reader of our own and by ezdxf."""

import json
import math
import os
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

TOOL = os.environ["TRAMMEL_TOOL"]
MODELS = Path(os.environ["TRAMMEL_SOURCE_DIR"]) / "models"
SVG = "{http://www.w3.org/2000/svg}"

PINS = {"O2": (0, 0), "A": (0, 40), "B": (120, 80), "O4": (100, 0)}  # of models/crank_rocker.yaml, mm

LAYERS = {"0", "LINKS", "EDGES", "PAIRS", "GROUND", "HATCH", "AXES", "CONSTRAINTS", "COUPLINGS", "SPRINGS", "PATHS", "TICKS", "POINTS",
          "FAINT", "NAMES", "SHEET"}

NOTHING = """trammel: 1
bodies: {a: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}
joints: {j: {revolute: [ground, a], at: [0, 0, 0], axis: z}}
"""


def run(*words, cwd=None, stdin=None):
    return subprocess.run([TOOL, *map(str, words)], capture_output=True, text=True, timeout=120, cwd=cwd, input=stdin)


class Svg:
    """Groups of a picture by the title that they have."""

    def __init__(self, text):
        self.root = ElementTree.fromstring(text)
        self.texts = [t.text for t in self.root.iter(SVG + "text")]
        self.groups = {}
        for group in self.root.iter(SVG + "g"):
            title = group.find(SVG + "title")
            if title is not None:
                self.groups.setdefault(title.text, []).append(group)

    def circle(self, title):
        """Centre and radius of the one circle of a group."""
        (group,) = self.groups[title]
        (circle,) = group.findall(SVG + "circle")
        return tuple(float(circle.get(k)) for k in ("cx", "cy", "r"))


def groups_of(text):
    """(code, value) of each group of a DXF file. [Release 12: a line with the code, a line with the value]"""
    lines = text.split("\n")
    assert lines.pop() == "" and len(lines) % 2 == 0
    return [(int(lines[k]), lines[k + 1]) for k in range(0, len(lines), 2)]


class Dxf:
    def __init__(self, text):
        self.layers, self.entities, self.header = set(), [], {}
        section, name = None, None
        current = None
        for code, value in groups_of(text):
            if code == 999:
                continue
            if code == 0:
                current = {"type": value}
                if section == "ENTITIES" and value not in ("ENDSEC", "VERTEX", "SEQEND"):
                    self.entities.append(current)
                    current["vertices"] = []
                elif section == "ENTITIES" and value == "VERTEX":
                    self.entities[-1]["vertices"].append(current)
                if value == "ENDSEC":
                    section = None
                elif value == "EOF":
                    section = "END"
                continue
            if code == 2 and current["type"] == "SECTION":
                section = value
            elif code == 2 and current["type"] == "LAYER" and section == "TABLES":
                self.layers.add(value)
            elif section == "HEADER" and code == 9:
                name = value
            elif section == "HEADER":
                self.header.setdefault(name, []).append(value)
            current[code] = value
        assert section == "END"

    def of(self, kind, layer):
        return [e for e in self.entities if e["type"] == kind and e[8] == layer]


def place(entity, code=10):
    return float(entity[code]), float(entity[code + 10])


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def draw(self, model, *words, code=0, name="out.svg"):
        """What was written, and what was said."""
        done = run("draw", model, *words, "-o", self.folder / name)
        self.assertEqual(done.returncode, code, done.stderr)
        return (self.folder / name).read_text() if code == 0 else done

    def refuse(self, done, code, *parts):
        self.assertEqual((done.returncode, done.stdout), (code, ""))
        for part in parts:
            self.assertIn(part, done.stderr)


class Pictures(Case):
    def test_a_four_bar_has_its_pins_where_they_are(self):
        done = run("draw", MODELS / "crank_rocker.yaml", "-o", self.folder / "a.svg", "--json")
        report = json.loads(done.stdout)
        self.assertEqual((report["status"], report["files"][0]["views"], done.stderr), ("ok", ["plane"], ""))
        scale = report["files"][0]["px_per_m"] / 1000
        svg = Svg((self.folder / "a.svg").read_text())
        x0, y0, _ = svg.circle("joint O2")
        for name, (x, y) in PINS.items():
            cx, cy, _ = svg.circle("joint " + name)
            self.assertAlmostEqual(cx - x0, x * scale, delta=0.011)
            self.assertAlmostEqual(y0 - cy, y * scale, delta=0.011)
        for name in ("O2", "A", "B", "O4", "crank", "coupler", "rocker", "coupler point", "crank-rocker"):
            self.assertIn(name, svg.texts)

    def test_the_scale_bar_is_as_long_as_it_says(self):
        done = run("draw", MODELS / "crank_rocker.yaml", "-o", self.folder / "a.svg", "--json")
        scale = json.loads(done.stdout)["files"][0]["px_per_m"]
        svg = Svg((self.folder / "a.svg").read_text())
        (bar,) = svg.groups["scale"]
        line = bar.findall(SVG + "line")[0]
        length = float(line.get("x2")) - float(line.get("x1"))
        (text,) = [t for t in svg.texts if t.endswith(" mm")]
        self.assertAlmostEqual(length, float(text.split()[0]) / 1000 * scale, delta=0.02)

    def test_a_position_is_drawn_where_the_analysis_has_it(self):
        steps = json.loads(run("analyze", MODELS / "crank_rocker.yaml", "--input", "O2=50", "--json").stdout)["steps"]
        p = steps[0]["points"]["coupler point"]["p"]
        done = run("draw", MODELS / "crank_rocker.yaml", "--at", "O2=50", "-o", self.folder / "a.svg", "--json")
        scale = json.loads(done.stdout)["files"][0]["px_per_m"]
        svg = Svg((self.folder / "a.svg").read_text())
        x0, y0, _ = svg.circle("joint O2")
        cx, cy, _ = svg.circle("point coupler point")
        self.assertAlmostEqual(cx - x0, p[0] * scale, delta=0.011)
        self.assertAlmostEqual(y0 - cy, p[1] * scale, delta=0.011)
        cx, cy, _ = svg.circle("joint A")
        self.assertAlmostEqual((cx - x0) / scale, -0.04 * math.sin(math.radians(50)), delta=1e-5)
        self.assertIn("O2 = 50 deg", svg.texts)

    def test_a_position_may_be_given_by_a_coordinate_that_is_no_input_or_by_time(self):
        svg = Svg(self.draw(MODELS / "jansen_leg.yaml", "--at", "B=5", "--no-paths"))
        self.assertIn("B = 5 deg", svg.texts)
        text = (MODELS / "crank_rocker.yaml").read_text() + 'inputs: {O2: {motion: "90*t", from: 0, to: 4, step: 0.05}}\n'
        model = self.folder / "timed.yaml"
        model.write_text(text)
        by_time = Svg(self.draw(model, "--at", "t=0.5", "--no-paths"))
        by_angle = Svg(self.draw(MODELS / "crank_rocker.yaml", "--at", "O2=45"))
        for name in PINS:
            a, b = by_time.circle("joint " + name), by_angle.circle("joint " + name)
            self.assertAlmostEqual(math.dist(a, b), 0, delta=0.011)
        report = json.loads(run("draw", model, "-o", self.folder / "a.svg", "--json").stdout)
        self.assertEqual((report["tick_step"], report["paths"][0]["ticks"]), (0.2, 21))

    def test_positions_are_faint_and_as_many_as_asked_for(self):
        svg = Svg(self.draw(MODELS / "crank_rocker.yaml", "--input", "O2=0:360:5", "--positions", 8))
        self.assertEqual(len(svg.groups["faint body coupler"]), 8)
        self.assertEqual(len(svg.groups["body coupler"]), 1)
        self.assertNotIn("faint joint O2", svg.groups)  # it does not move
        angles = set()
        x0, y0, _ = svg.circle("joint O2")
        for group in svg.groups["faint joint A"]:
            (circle,) = group.findall(SVG + "circle")
            angles.add(round(math.degrees(math.atan2(y0 - float(circle.get("cy")), float(circle.get("cx")) - x0))) % 360)
        self.assertEqual(angles, {0, 45, 90, 135, 180, 225, 270, 315})
        svg = Svg(self.draw(MODELS / "crank_rocker.yaml", "--at", "O2=10", "--at", "O2=40", "--at", "O2=70"))
        self.assertEqual(len(svg.groups["faint body coupler"]), 2)
        self.assertIn("O2 = 10 deg and O2 = 40 deg and O2 = 70 deg", svg.texts)

    def test_paths_have_ticks(self):
        report = json.loads(run("draw", MODELS / "jansen_leg.yaml", "-o", self.folder / "a.svg", "--json").stdout)
        self.assertEqual([(p["name"], p["ticks"]) for p in report["paths"]], [("foot", 37)])
        self.assertAlmostEqual(report["tick_step"], math.radians(10))
        svg = Svg((self.folder / "a.svg").read_text())
        (group,) = svg.groups["path foot"]
        self.assertEqual(len(group.findall(SVG + "path")), 1 + 37)
        for words, count in ((("--ticks", 30), 1 + 13), (("--ticks", 0), 1), (("--no-paths",), None)):
            svg = Svg(self.draw(MODELS / "jansen_leg.yaml", *words))
            if count is None:
                self.assertNotIn("path foot", svg.groups)
            else:
                self.assertEqual(len(svg.groups["path foot"][0].findall(SVG + "path")), count)

    def test_views_names_title_and_width_are_those_asked_for(self):
        svg = Svg(self.draw(MODELS / "rssr.yaml"))
        for title in ("xy, from +z", "xz, from −y", "yz, from +x", "perspective"):
            self.assertIn(title, svg.groups)
        svg = Svg(self.draw(MODELS / "rssr.yaml", "--view", "xz,yz", "--names", "bodies", "--title", "A & <B>", "--width", 700))
        self.assertNotIn("perspective", svg.groups)
        self.assertNotIn("xy, from +z", svg.groups)
        self.assertEqual(svg.root.get("width"), "700")
        self.assertIn("A & <B>", svg.texts)
        self.assertIn("coupler", svg.texts)
        self.assertNotIn("A", svg.texts)
        svg = Svg(self.draw(MODELS / "rssr.yaml", "--view", "all", "--names", "none"))
        self.assertEqual([t for t in svg.texts if t in ("A", "B", "crank", "coupler", "rocker")], [])

    def test_a_perspective_follows_the_pinhole(self):
        # Two pins of equal size: the nearer one looks larger, as the distances say.
        text = """trammel: 1
gravity: [0, 0, 0]
bodies: {far: {mass: 1, shape: {sphere: 0.5, at: [0, 0, -10]}}, near: {mass: 1, shape: {sphere: 0.5, at: [0, 4, 10]}}}
joints: {a: {free: [ground, far]}, b: {free: [ground, near]}}
"""
        model = self.folder / "balls.yaml"
        model.write_text(text)
        svg = Svg(self.draw(model, "--view", "perspective", "--eye", "0,0,40", "--look-at", "0,0,0", "--up", "0,1,0"))

        def extent(title):
            (group,) = svg.groups[title]
            numbers = [float(n) for n in re.findall(r"-?[\d.]+", group.find(SVG + "path").get("d"))]
            return min(numbers[0::2]), max(numbers[0::2]), min(numbers[1::2]), max(numbers[1::2])

        far, near = extent("body far"), extent("body near")
        # A ball of radius r at distance d on the axis is seen under asin(r/d).
        seen = math.tan(math.asin(0.5 / 50))
        scale = (far[1] - far[0]) / 2 / seen
        # The near ball is off the axis: the lines of sight that touch it above and below, at β ± α.
        beta, alpha = math.atan2(4, 30), math.asin(0.5 / math.hypot(4, 30))
        middle = (far[2] + far[3]) / 2
        self.assertAlmostEqual((middle - near[2]) / scale, math.tan(beta + alpha), delta=2e-4)
        self.assertAlmostEqual((middle - near[3]) / scale, math.tan(beta - alpha), delta=2e-4)

    def test_a_tree_stands_where_its_coordinates_say(self):
        # Rods of 1 m that hang down, turned by 0.6 and by 0.6 - 0.2: no input is needed for the other freedom.
        done = run("draw", MODELS / "double_pendulum.yaml", "--at", "shoulder=0.6,elbow=-0.2", "-o", self.folder / "a.svg", "--json")
        scale = json.loads(done.stdout)["files"][0]["px_per_m"]
        svg = Svg((self.folder / "a.svg").read_text())
        x0, y0, _ = svg.circle("joint shoulder")
        x1, y1, _ = svg.circle("joint elbow")
        state = self.folder / "state.json"
        state.write_text('{"q": {"shoulder": 0.6, "elbow": -0.2}}')
        poses = json.loads(run("eval", MODELS / "double_pendulum.yaml", "--state", state, "--compute", "poses", "--json").stdout)
        p = poses["points"]["upper mass"]["p"]
        self.assertAlmostEqual((x1 - x0) / scale, p[0], delta=1e-4)
        self.assertAlmostEqual((y0 - y1) / scale, p[1], delta=1e-4)

    def test_an_analysis_draws_too(self):
        done = run("analyze", MODELS / "jansen_leg.yaml", "--draw", self.folder / "leg.svg", "--positions", 3, "--rows", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("wrote " + str(self.folder / "leg.svg"), done.stdout)
        svg = Svg((self.folder / "leg.svg").read_text())
        self.assertEqual(len(svg.groups["faint body crank"]), 3)
        self.assertIn("path foot", svg.groups)
        done = run("analyze", MODELS / "jansen_leg.yaml", "--draw", self.folder / "leg.dxf", "--json")
        self.assertEqual(json.loads(done.stdout)["status"], "ok")
        self.assertTrue(Dxf((self.folder / "leg.dxf").read_text()).of("POLYLINE", "PATHS"))

    def test_where_it_goes_by_default_and_to_standard_output(self):
        done = run("draw", MODELS / "pendulum.yaml", cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, "wrote pendulum.svg: plane\n"))
        picture = (self.folder / "pendulum.svg").read_text()
        self.assertEqual(run("draw", MODELS / "pendulum.yaml", "-o", "-").stdout, picture)
        done = run("draw", MODELS / "pendulum.yaml", "--output", "-", "--format", "dxf")
        Dxf(done.stdout)
        report = json.loads(run("draw", MODELS / "pendulum.yaml", "-o", "-", "--json").stdout)
        self.assertEqual(report["files"][0]["text"], picture)
        done = run("draw", "-", "--from", "yaml", cwd=self.folder, stdin=(MODELS / "pendulum.yaml").read_text())
        self.assertEqual(done.stdout, "wrote drawing.svg: plane\n")
        done = run("draw", MODELS / "rssr.yaml", "-o", "a.svg", "-o", "b.dxf", cwd=self.folder)
        self.assertEqual(done.stdout, "wrote a.svg: xy, xz, yz, perspective\nwrote b.dxf: xy, xz, yz\n")


class DxfFiles(Case):
    def test_a_four_bar_has_its_pins_at_their_coordinates(self):
        dxf = Dxf(self.draw(MODELS / "crank_rocker.yaml", name="a.dxf"))
        self.assertEqual(dxf.header["$ACADVER"], ["AC1009"])
        self.assertEqual(dxf.layers, LAYERS)
        centres = sorted(place(c) for c in dxf.of("CIRCLE", "PAIRS"))
        for found, pin in zip(centres, sorted(PINS.values()), strict=True):
            self.assertAlmostEqual(found[0], pin[0], delta=1e-6)
            self.assertAlmostEqual(found[1], pin[1], delta=1e-6)
        self.assertEqual({e[1] for e in dxf.of("TEXT", "NAMES")},
                         {"O2", "A", "B", "O4", "crank", "coupler", "rocker", "coupler point"})
        # The crank: a bar of 40 mm between two half circles of 4 mm.
        bars = [e["vertices"] for e in dxf.of("POLYLINE", "LINKS")]
        (crank,) = [v for v in bars if max(place(p)[0] for p in v) < 10]
        self.assertEqual(sorted(float(v.get(42, 0)) for v in crank), [0, 0, 1, 1])
        for v in crank:
            self.assertAlmostEqual(abs(place(v)[0]), 4, delta=1e-6)
            self.assertAlmostEqual(min(abs(place(v)[1]), abs(place(v)[1] - 40)), 0, delta=1e-6)

    def test_entities_are_on_known_layers_and_within_the_extent(self):
        for name in ("rssr", "planetary", "cam_follower", "geared_arm"):
            dxf = Dxf(self.draw(MODELS / f"{name}.yaml", name="a.dxf"))
            left, bottom = map(float, dxf.header["$EXTMIN"][:2])
            right, top = map(float, dxf.header["$EXTMAX"][:2])
            for entity in dxf.entities:
                self.assertIn(entity[8], LAYERS)
                for part in entity["vertices"] if entity["type"] == "POLYLINE" else [entity]:
                    if entity["type"] == "TEXT":
                        continue
                    x, y = place(part)
                    self.assertTrue(left - 1e-6 <= x <= right + 1e-6 and bottom - 1e-6 <= y <= top + 1e-6, (name, entity))

    def test_plan_views_are_in_line(self):
        # Ball B of the RSSR is at (0.5, 1.3465, 2.6338): above itself in xy and xz, beside itself in xz and yz.
        dxf = Dxf(self.draw(MODELS / "rssr.yaml", name="a.dxf"))
        balls = [place(c) for c in dxf.of("CIRCLE", "PAIRS")]
        points = [place(c) for c in dxf.of("CIRCLE", "POINTS")]  # B is a point of interest too
        self.assertEqual(len(points), 3)
        (xy,) = [p for p in points if abs(p[0] - 0.5) < 1e-6 and abs(p[1] - 1.3464714882842428) < 1e-6]
        (xz,) = [p for p in points if p is not xy and abs(p[0] - xy[0]) < 1e-6]
        (yz,) = [p for p in points if p is not xy and p is not xz]
        self.assertAlmostEqual(yz[1], xz[1], delta=1e-6)
        self.assertLess(xz[1], xy[1])
        self.assertGreater(yz[0], xz[0])
        for point in points:
            self.assertTrue(any(math.dist(point, ball) < 1e-6 for ball in balls))

    def test_another_reader_finds_nothing_wrong(self):
        try:
            import ezdxf
        except ImportError:
            self.skipTest("python3-ezdxf is not there")
        for name in ("crank_rocker", "rssr", "planetary", "humanoid", "double_wishbone"):
            self.draw(MODELS / f"{name}.yaml", name="a.dxf")
            document = ezdxf.readfile(self.folder / "a.dxf")
            audit = document.audit()
            self.assertEqual((document.dxfversion, audit.errors, audit.fixes), ("AC1009", [], []))
            ours = Dxf((self.folder / "a.dxf").read_text())
            self.assertEqual(len(document.modelspace()), len(ours.entities))
            theirs = sorted((e.dxf.center.x, e.dxf.center.y, e.dxf.radius) for e in document.modelspace().query("CIRCLE"))
            mine = sorted((*place(e), float(e[40])) for e in ours.entities if e["type"] == "CIRCLE")
            self.assertEqual(theirs, mine)


class AllModels(Case):
    def test_every_model_is_drawn_in_every_way(self):
        for model in sorted(MODELS.glob("*.yaml")):
            with self.subTest(model.stem):
                svg = Svg(self.draw(model))
                self.assertNotIn("nan", ElementTree.tostring(svg.root, encoding="unicode").lower().replace("pantograph", ""))
                Svg(self.draw(model, "--view", "all", "--no-paths"))
                Dxf(self.draw(model, "--view", "all", "--no-paths", name="a.dxf"))


class BadInput(Case):
    def test_a_file_that_cannot_be_written(self):
        done = run("draw", MODELS / "pendulum.yaml", "-o", self.folder / "no" / "a.svg")
        self.refuse(done, 2, "cannot be written: No such file or directory", "[file-unwritable]")
        done = run("draw", MODELS / "pendulum.yaml", "-o", self.folder)
        self.refuse(done, 2, "[output-format]")
        done = run("draw", MODELS / "pendulum.yaml", "-o", self.folder, "--format", "svg")
        self.refuse(done, 2, "Is a directory", "[file-unwritable]")

    def test_an_extension_that_tells_nothing(self):
        done = run("draw", MODELS / "pendulum.yaml", "-o", self.folder / "a.png")
        self.refuse(done, 2, "a.png' has no extension that tells its format\n  fix: give it the extension .svg or .dxf, or say --format")
        done = run("analyze", MODELS / "jansen_leg.yaml", "--draw", self.folder / "a.png")
        self.refuse(done, 2, "[output-format]")

    def test_a_view_that_is_not_there(self):
        done = run("draw", MODELS / "pendulum.yaml", "--view", "xy,perspectiv")
        self.refuse(done, 2, "error: --view: there is no view 'perspectiv'\n  fix: did you mean 'perspective'?      [option-value]\n")
        done = run("draw", MODELS / "pendulum.yaml", "--view", "zenith")
        self.refuse(done, 2, "fix: views are plane, xy, xz, yz, perspective, all")
        self.assertFalse((self.folder / "pendulum.svg").exists())

    def test_a_plane_of_a_spatial_linkage(self):
        done = self.draw(MODELS / "rssr.yaml", "--view", "plane", code=2)
        self.refuse(done, 2, "rssr.yaml: error: this model cannot be drawn so: it has no plane of its own: its axes are not parallel\n"
                             "  fix: choose the views xy, xz, yz or perspective      [not-drawable]\n")

    def test_an_input_at_which_there_is_no_position(self):
        # The rocker of the crank-rocker stops at 27 deg.
        done = self.draw(MODELS / "crank_rocker.yaml", "--at", "O4=60", code=1)
        self.refuse(done, 1, "error: the linkage has no position at O4 = 60 deg\n", "[no-position]")
        done = run("draw", MODELS / "crank_rocker.yaml", "--at", "O4=60", "--json", "-o", self.folder / "a.svg")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(json.loads(done.stdout)["messages"][0]["id"], "no-position")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_model_without_geometry(self):
        model = self.folder / "nothing.yaml"
        model.write_text(NOTHING)
        done = self.draw(model, code=2)
        self.refuse(done, 2, "nothing.yaml: error: this model cannot be drawn so: it has no extent: no shapes, and no two places that differ\n"
                             "  fix: give its bodies shapes, or joints and points of interest at different places      [not-drawable]\n")
        done = run("draw", model, "--json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["status"]), (2, "error"))

    def test_an_eye_that_is_too_near(self):
        done = self.draw(MODELS / "rssr.yaml", "--view", "perspective", "--eye", "0.5,1,1", code=2)
        self.refuse(done, 2, "the eye is too near: some of the linkage is beside or behind it\n  fix: move the eye farther away")

    def test_values_of_options(self):
        for words, what in (
                (("--at", "O2"), "--at: 'O2' is not of the form JOINT=NUMBER"),
                (("--at", "crank pin=4"), "--at: there is no joint 'crank pin' in this linkage"),
                (("--at", "O2=x"), "--at: 'x' is not a number"),
                (("--at", "t=1"), "--at: no input of this linkage moves by time"),
                (("--names", "links"), "--names: there are no names of 'links'"),
                (("--eye", "1,2"), "--eye: '1,2' is not three numbers x,y,z"),
                (("--width", "12"), "--width: 12 px is not between 240 and 10000"),
                (("--positions", "-1"), "--positions: -1 is not between 0 and 1000"),
                (("--path", "Q"), "--path: there is no point of interest 'Q'\n  fix: points of interest (outputs) are coupler point"),
                (("--ticks", "-5"), "--ticks: the step is negative"),
                (("--ticks", "five"), "--ticks: 'five' is not a number"),
                (("--input", "O2=0:360:5", "--ticks", "7"), "--ticks: 7 is no multiple of the input's step"),
                (("--input", "O2=0:360"), "--input: give from:to:step, or one value"),
                (("-o", "-", "-o", "-"), "--output: standard output is named twice"),
        ):
            with self.subTest(words):
                done = run("draw", MODELS / "crank_rocker.yaml", *words, cwd=self.folder)
                self.refuse(done, 2, "error: " + what, "[option-value]")
                self.assertEqual(list(self.folder.iterdir()), [])

    def test_positions_of_inputs_that_do_not_move(self):
        done = run("draw", MODELS / "crank_rocker.yaml", "--positions", 3, cwd=self.folder)
        self.refuse(done, 2, "--positions: no input moves over a range", "[input-missing]")

    def test_inputs_that_do_not_determine_the_motion(self):
        done = run("draw", MODELS / "pantograph.yaml", "--input", "pivot=0:20:5", cwd=self.folder)
        self.refuse(done, 2, "[under-driven]")

    def test_a_dxf_of_nothing_but_a_perspective(self):
        done = self.draw(MODELS / "rssr.yaml", "--view", "perspective", name="a.dxf", code=2)
        self.refuse(done, 2, "a DXF file has plan views only, and none is asked for", "[not-drawable]")

    def test_a_linkage_that_cannot_close_is_drawn_as_it_is(self):
        text = (MODELS / "crank_rocker.yaml").read_text().replace(
            "{revolute: [coupler, rocker], at: B,  axis: z}",
            "{revolute: [coupler, rocker], frames: {first: {at: [60, 40, 0]}, second: {at: [250, 0, 0]}}}").replace(
                "O4: [100, 0, 0]", "O4: [300, 0, 0]")
        model = self.folder / "open.yaml"
        model.write_text(text)
        done = run("draw", model, "-o", self.folder / "a.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: the linkage cannot close: it is drawn as the file has it, with a gap at joint 'B'", done.stderr)
        self.assertIn("[drawn-open]", done.stderr)
        Svg((self.folder / "a.svg").read_text())

    def test_names_that_find_no_room_are_told(self):
        done = run("draw", MODELS / "scissor_lift.yaml", "--width", 240, "-o", self.folder / "a.svg")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"note: no room for the names .*\n.*--width.*\[no-room\]")


if __name__ == "__main__":
    unittest.main()
