#!/usr/bin/env python3
# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of the native format on files: it takes those that the reader takes, and refuses the mistakes that a
schema can see. native_schema_test.cpp compares its keys with the reader's."""

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

import jsonschema
import yaml

ROOT = pathlib.Path(os.environ["TRAMMEL_SOURCE_DIR"])
SCHEMA = json.loads((ROOT / "docs/formats/native.schema.json").read_text(encoding="utf-8"))


class Yaml12(yaml.SafeLoader):
    """PyYAML reads YAML 1.1, where `on` is true and 1e-3 is text; editors and trammel read YAML 1.2."""

    yaml_implicit_resolvers = {}

    def construct_mapping(self, node, deep=False):
        """Keys are text, as in JSON."""
        return {key.value: self.construct_object(value, deep=True) for key, value in node.value}


Yaml12.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(~|null|Null|NULL|)$"), None)
Yaml12.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(true|false)$"), None)
Yaml12.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$"), None)
Yaml12.add_constructor("tag:yaml.org,2002:float", lambda _, node: float(node.value))
Yaml12.add_constructor("tag:yaml.org,2002:map", Yaml12.construct_mapping)

# A whole model to make mistakes in: each key of the format at least once would be the broken files' job.
SOUND = """
trammel: 1
units: {length: mm, angle: deg}
gravity: [0, -9810, 0]
points: {O: [0, 0, 0], A: [0, 40, 0]}
bodies:
  crank: {mass: 0.2, shape: {rod: [O, A], radius: 4}}
  slide: {mass: 1, com: O, inertia: [1, 1, 1], visual: {box: [1, 2, 3]}}
joints:
  turn: {revolute: [ground, crank], at: O, axis: z}
  push: {prismatic: [ground, slide], at: A, axis: [1, 0, 0], limits: {lower: none, upper: 5}}
planar: z
constraints:
  rod: {distance: [crank, slide], at: [O, A], length: 40}
  cam: {point_on_curve: [crank, slide], at: A, plane: z, curve: {points: [[0, 0], [1, 1]]}, side: left}
  lock: {hold: slide, components: [x, rz]}
couplings: {rack: {rack: [turn, push], radius: 3}}
inputs: {turn: {from: 0, to: 90, step: 5}}
springs: {back: {joint: turn, stiffness: 7}}
loads: {cut: {on: slide, at: A, force: [1, "sin(t)", 0]}}
measures: {reach: {length: [tip, {point: O, on: ground}]}, half: reach/2}
outputs: {tip: {point: A, on: crank}}
actuators: {motor: {torque: turn, effort: [-1, none]}, servo: {dc_motor: push, resistance: 1, torque_constant: 2, gear: 9, target: {table: [[0, 0], [1, 2]]}}}
drives: {push: {position: "5*t"}}
bushings: {mount: {between: [ground, slide], at: A, stiffness: {turn: 3, travel: [1, 2, 3]}}}
events: {landed: {when: "tip.y - 3", direction: falling, do: stop}}
simulate: {until: 2, integrator: rk4}
initial: {turn: 10, push: {v: 2}}
"""

# A mistake: text to replace, by what, and the place of the error that the schema must report.
MISTAKES = [
    ("trammel: 1", "name: x", []),
    ("trammel: 1", "trammel: 1\nname: null", ["name"]),
    ("trammel: 1", "trammel: 2", ["trammel"]),
    ("gravity: [", "gravty: [", []),
    ("gravity: [0, -9810, 0]", "gravity: [0, -9810]", ["gravity"]),
    ("gravity: [0, -9810, 0]", "gravity: -9810", ["gravity"]),
    ("gravity: [0, -9810, 0]", "limits: {}", []),
    ("length: mm", "length: meter", ["units", "length"]),
    ("length: mm", "lenght: mm", ["units"]),
    ("A: [0, 40, 0]", "A: [0, 40, zero]", ["points", "A", 2]),
    ("mass: 0.2", "mass: -0.2", ["bodies", "crank", "mass"]),
    ("mass: 0.2", 'mass: "0.2"', ["bodies", "crank", "mass"]),
    ("mass: 0.2", "mass: 0.2 kg", ["bodies", "crank", "mass"]),
    ("mass: 0.2", "mass: 0.2, density: 3", ["bodies", "crank"]),
    ("mass: 0.2, shape: {rod: [O, A], radius: 4}", "density: 3", ["bodies", "crank"]),
    ("mass: 0.2", "weight: 0.2", ["bodies", "crank"]),
    ("  crank: {mass", "  ground: {mass", ["bodies"]),
    (", radius: 4", "", ["bodies", "crank", "shape"]),
    ("radius: 4", "radius: 0", ["bodies", "crank", "shape"]),
    ("{rod: [O, A]", "{rod: [O]", ["bodies", "crank", "shape"]),
    ("{rod: [O, A]", "{bar: [O, A]", ["bodies", "crank", "shape"]),
    ("{box: [1, 2, 3]}", "{box: [1, 2, 3], mass: 1}", ["bodies", "slide", "visual"]),
    ("shape: {rod: [O, A], radius: 4}", "shape: {mesh: a.stl}", ["bodies", "crank", "shape"]),
    ("inertia: [1, 1, 1]", "inertia: [1, 1]", ["bodies", "slide", "inertia"]),
    ("com: O", "com: {x: 1}", ["bodies", "slide", "com"]),
    ("com: O", "com: null", ["bodies", "slide", "com"]),
    ("com: O", "com: 3", ["bodies", "slide", "com"]),
    ("{revolute: [", "{hinge: [", ["joints", "turn"]),
    ("revolute: [ground, crank]", "revolute: crank", ["joints", "turn"]),
    ("revolute: [ground, crank], at: O", "revolute: [ground, crank]", ["joints", "turn"]),
    ("axis: z", "axis: w", ["joints", "turn"]),
    ("axis: z", "axis: [0, 0, 0]", ["joints", "turn"]),
    ("revolute: [ground, crank]", "revolute: [ground, null]", ["joints", "turn"]),
    ("axis: z", "friction: {viscous: -1}", ["joints", "turn"]),
    ("axis: z", "friction: {dry: [1, 2]}", ["joints", "turn"]),
    ("axis: z", "armature: -1", ["joints", "turn"]),
    ("axis: z", "armature: [1, 2, 3]", ["joints", "turn"]),
    ("axis: z", "limits: {velocity: -1}", ["joints", "turn"]),
    ("axis: z", "limits: {effort: [1, 2]}", ["joints", "turn"]),
    ("{revolute: [ground, crank], at: O, axis: z}",
     "{spherical: [ground, crank], at: O, limits: {lower: -1}}", ["joints", "turn"]),
    ("{revolute: [ground, crank], at: O, axis: z}",
     "{free: [ground, crank], limits: {upper: [1, 1, 1, 1, 1, 1]}}", ["joints", "turn"]),
    ("{revolute: [ground, crank], at: O, axis: z}", "{free: [ground, crank], limits: {velocity: 1}}", ["joints", "turn"]),
    ("{revolute: [ground, crank], at: O, axis: z}",
     "{cylindrical: [ground, crank], at: O, friction: {viscous: 1}}", ["joints", "turn"]),
    ("{revolute: [ground, crank], at: O, axis: z}",
     "{planar: [ground, crank], at: O, limits: {lower: [1, 2]}}", ["joints", "turn"]),
    ("axis: z", "axes: [x, y]", ["joints", "turn"]),
    ("{revolute:", "{helical:", ["joints", "turn"]),
    ("{revolute:", "{fixed:", ["joints", "turn"]),
    ("{revolute:", "{universal:", ["joints", "turn"]),
    ("axis: z", "friction: {viscous: 1, coulomb: 2}", ["joints", "turn"]),
    ("lower: none", "lower: never", ["joints", "push"]),
    (", radius: 3", "", ["couplings", "rack"]),
    ("radius: 3", "radius: 0", ["couplings", "rack"]),
    ("point: A, on: crank", "point: A", ["outputs", "tip"]),
    ("effort: [-1, none]", "effort: 1", ["actuators", "motor"]),
    ("{torque: turn", "{velocity: turn", ["actuators", "motor"]),
    ("push: {v: 2}", "push: {velocity: 2}", ["initial", "push"]),
    ("resistance: 1", "resistance: 0", ["actuators", "servo"]),
    ("resistance: 1", "resistence: 1", ["actuators", "servo"]),
    ("[[0, 0], [1, 2]]", "[[0, 0]]", ["actuators", "servo"]),
    ("[[0, 0], [1, 2]]", "[[0, 0], [1]]", ["actuators", "servo"]),
    ('{position: "5*t"}', '{postion: "5*t"}', ["drives", "push"]),
    ('{position: "5*t"}', '{position: "5*t", velocity: 2}', ["drives", "push"]),
    ('{position: "5*t"}', '{position: [1, 2]}', ["drives", "push", "position"]),
    ("{between: [ground, slide], at: A, st", "{between: [ground, slide], st", ["bushings", "mount"]),
    ("turn: 3", "turn: -3", ["bushings", "mount", "stiffness", "turn"]),
    ("turn: 3", "rotation: 3", ["bushings", "mount", "stiffness"]),
    ("travel: [1, 2, 3]", "travel: [1, 2]", ["bushings", "mount", "stiffness", "travel"]),
    ("direction: falling", "direction: down", ["events", "landed", "direction"]),
    ('when: "tip.y - 3", ', "", ["events", "landed"]),
    ("do: stop", "do: halt", ["events", "landed", "do"]),
    ("integrator: rk4", "integrator: euler", ["simulate", "integrator"]),
    ("until: 2", "until: -2", ["simulate", "until"]),
    ("until: 2", "end: 2", ["simulate"]),
    ("upper: 5}", "upper: 5, stiffness: -1}", ["joints", "push"]),
    ("limits: {lower: none, upper: 5}", "limits: {stiffness: 1}", ["joints", "push"]),
    ("planar: z", "planar: up", ["planar"]),
    ("length: 40", "length: 0", ["constraints", "rod"]),
    ("at: [O, A], length", "length", ["constraints", "rod"]),
    ("{distance:", "{rod:", ["constraints", "rod"]),
    ("[[0, 0], [1, 1]]", "[[0, 0], [1]]", ["constraints", "cam"]),
    ("side: left", "side: top", ["constraints", "cam"]),
    ("components: [x, rz]", "components: [x, theta]", ["constraints", "lock"]),
    ("step: 5", "stop: 5", ["inputs", "turn"]),
    ("stiffness: 7", "stiffness: -7", ["springs", "back"]),
    ('[1, "sin(t)", 0]', "[1, 0]", ["loads", "cut", "force"]),
    ("{on: slide, at: A, force", "{on: slide, force", ["loads", "cut"]),
    ("{length: [tip,", "{lenght: [tip,", ["measures", "reach"]),
    ("half: reach/2", "half: [reach, 2]", ["measures", "half"]),
]

# What must be taken beside the sound model: text to replace, by what. The reader takes it too.
ALSO_SOUND = [
    ("trammel: 1", "trammel: 1\nname: 3"),
    ("axis: z", "axis: [0, 0, 1], friction: {viscous: [1], dry: 0, speed: 0.1}, armature: [0]"),
    ("axis: z", "limits: {lower: [none], upper: -1, velocity: none, effort: [0]}"),
    ("{revolute: [ground, crank], at: O, axis: z}",
     "{spherical: [ground, crank], at: O, armature: 1, friction: {viscous: [1, 2, 3]}, limits: {velocity: 1, effort: none}}"),
    ("{revolute: [ground, crank], at: O, axis: z}",
     "{cylindrical: [ground, crank], at: O, friction: {viscous: [1, 2], speed: 1}, limits: {lower: [-1, none]}}"),
    ("{revolute: [ground, crank], at: O, axis: z}",
     "{universal: [ground, crank], at: O, axes: [x, y], armature: 1, limits: {lower: [-1, none], upper: 2}}"),
    ("{revolute: [ground, crank], at: O, axis: z}",
     "{planar: [ground, crank], at: O, armature: [1, 2, 3], limits: {upper: [none, none, 3], effort: [1, 1, none]}}"),
    ("{revolute: [ground, crank], at: O, axis: z}",
     "{free: [ground, crank], friction: {viscous: [1, 1, 1, 0, 0, 0]}, limits: {velocity: [none, 1, 1, 1, 1, 1]}}"),
]

ALSO_SOUND += [
    ("upper: 5}", "upper: 5, stiffness: 1, damping: [2]}"),
    ("do: stop", "do: {open: rod}"),
    ("integrator: rk4", "step: 1e-3, tolerance: 1e-9, record_every: 0.1, stabilisation: none"),
    ("{until: 2, integrator: rk4}", "null"),
    ('{position: "5*t"}', "{velocity: {table: [[0, 0], [1, 2], [3, 0]]}}"),
    ("target: {table: [[0, 0], [1, 2]]}", "servo: {stiffness: 5}, brush: {drop: 1}, friction: {dry: 1}, current: 3"),
    ("{torque: turn, effort: [-1, none]}", "{thruster: slide, at: A, along: x, in: slide, gain: 2, lag: 1, target: 3}"),
    ("stiffness: 7", "table: [[0, 0], [1, 2]], gas: {force: 1, column: 2}"),
    ("turn: 3, travel: [1, 2, 3]", "matrix: [" + ", ".join(str([int(i == k) for k in range(6)]) for i in range(6)) + "]"),
]

# Files of tests/readers/broken with mistakes that a schema can see.
REFUSED = [
    "actuators", "actuators_wrong_type", "body_keys", "couplings", "dh", "joint_keys",
    "joint_properties", "joint_types", "list_lengths", "misspelt_everything", "negative_mass", "no_version", "numbers",
    "sections_of_wrong_type", "sections_to_come", "shapes_wrong", "some_other_yaml",
    "belts", "constraint_bodies", "constraint_cams", "constraint_holds", "constraint_kinds",
    "constraint_lines_and_planes", "constraint_rods", "constraint_rolling", "inputs_wrong_type",
    "linkage_sections_of_wrong_type", "loads_kinds", "measures_kinds", "planar_wrong_type", "springs_numbers",
    "actuator_targets", "motors_missing", "motors_numbers", "thrusters", "drives_kinds", "drives_tables",
    "drives_tables_of_wrong_type", "drives_wrong_type", "springs_tables_and_gas", "bushings_places", "bushings_numbers",
    "events_when", "events_actions", "simulate_numbers", "simulate_words", "simulate_wrong_type", "limits_of_stops",
    "units_unknown", "unknown_sections", "version_2", "version_text", "visuals",
]


def read(text):
    return yaml.load(text, Loader=Yaml12)


def read_file(path):
    return read(path.read_text(encoding="utf-8"))


def reader_says(text):
    done = subprocess.run([os.environ["TRAMMEL_TOOL"], "convert", "-", "--from", "yaml", "--to", "yaml"], input=text,
                          capture_output=True, text=True, check=False)
    return re.findall(r": error: .*", done.stderr)


class NativeSchema(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.validator = jsonschema.Draft7Validator(SCHEMA)

    def errors(self, model):
        return [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in self.validator.iter_errors(model)]

    def test_is_a_schema(self):
        jsonschema.Draft7Validator.check_schema(SCHEMA)

    def test_takes_all_shipped_models(self):
        models = sorted(ROOT.glob("models/*.yaml")) + sorted(ROOT.glob("examples/*/*.yaml"))
        models = [m for m in models if m.name != "broken.yaml"]
        self.assertGreater(len(models), 15)
        for model in models:
            self.assertEqual(self.errors(read_file(model)), [], model.name)

    def test_takes_the_models_of_the_documentation(self):
        pages = [ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*/README.md")]
        found = 0
        for page in pages:
            for block in re.findall(r"^```yaml\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S):
                if not block.startswith("trammel: 1"):
                    continue
                found += 1
                self.assertEqual(self.errors(read(block)), [], page)
        self.assertGreater(found, 0)

    def test_takes_what_the_reader_only_warns_of(self):
        found = 0
        for expected in sorted(ROOT.glob("tests/readers/broken/*.expected")):
            text = expected.read_text(encoding="utf-8")
            if ": error: " in text or "[not-yet]" in text:
                continue
            found += 1
            self.assertEqual(self.errors(read_file(expected.with_suffix(".yaml"))), [], expected.stem)
        self.assertGreater(found, 0)

    def test_takes_what_is_converted(self):
        models = sorted(ROOT.glob("tests/readers/mjcf/*.xml")) + sorted(ROOT.glob("models/*.yaml"))
        found = 0
        for model in models:
            written = subprocess.run([os.environ["TRAMMEL_TOOL"], "convert", str(model), "--to", "yaml"],
                                     capture_output=True, text=True, check=False)
            if written.returncode != 0:  # files that are included in others are no models
                continue
            found += 1
            self.assertEqual(self.errors(read(written.stdout)), [], model.name)
        self.assertGreater(found, 30)

    def test_takes_the_sound_model(self):
        self.assertEqual(self.errors(read(SOUND)), [])

    def test_takes_what_the_reader_takes(self):
        for before, after in ALSO_SOUND:
            self.assertEqual(SOUND.count(before), 1, before)
            text = SOUND.replace(before, after)
            if "revolute" not in text:  # what hangs on the hinge's angle
                text = re.sub(r"couplings: .*|inputs: .*|springs: .*|actuators: .*|initial: .*", "", text)
            self.assertEqual(self.errors(read(text)), [], after)
            self.assertEqual(reader_says(text), [], after)

    def test_refuses_each_mistake_at_its_place(self):
        for before, after, place in MISTAKES:
            self.assertEqual(SOUND.count(before), 1, before)
            self.assertNotEqual(reader_says(SOUND.replace(before, after)), [], after)
            errors = list(self.validator.iter_errors(read(SOUND.replace(before, after))))
            self.assertEqual([list(e.absolute_path) for e in errors], [place], f"{before} → {after}")

    def test_refuses_broken_files(self):
        for name in REFUSED:
            self.assertNotEqual(self.errors(read_file(ROOT / f"tests/readers/broken/{name}.yaml")), [], name)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
