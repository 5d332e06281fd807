# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""trammel plot as a user meets it, on recordings that h5py wrote after docs/formats/recording.md."""

import csv
import io
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from debian_python import require  # noqa: E402

h5py = __import__("h5py") if require("h5py") else None

TOOL = os.environ["TRAMMEL_TOOL"]
SVG = "{http://www.w3.org/2000/svg}"

# name, unit, group, value at time t
CHANNELS = [("t", "s", "", lambda t: t), ("elbow.q", "rad", "coordinates", math.sin), ("wrist.q", "rad", "coordinates", math.cos),
            ("elbow.v", "rad/s", "velocities", math.cos), ("tip.x", "m", "points", lambda t: t / 2),
            ("energy.total", "J", "energy", lambda t: 3.0)]


def fixed(texts):
    """Texts of one length in UTF-8, as the page asks for."""
    longest = max([1, *(len(text.encode()) for text in texts)])
    numpy = __import__("numpy")
    return numpy.array([text.encode() for text in texts], dtype=h5py.string_dtype("utf-8", longest))


def describe(thing, **texts):
    for name, text in texts.items():
        thing.attrs.create(name, text.encode(), dtype=h5py.string_dtype("utf-8", max(1, len(text.encode()))))


def record(path, rows=101, step=0.1, status="done", channels=None, events=((2.5, "stop"), (7.5, "start"))):
    with h5py.File(path, "w") as file:
        describe(file, format="trammel recording", status=status, model_name="arm")
        file.attrs["version"] = 1
        paths = []
        for name, unit, group, value in channels or CHANNELS:
            paths.append(f"{group}/{name}" if group else name)
            data = file.create_dataset(paths[-1], data=[value(i * step) for i in range(rows)], dtype="f8")
            describe(data, name=name, group=group, unit=unit, frame="")
        file["channels"] = fixed(paths)
        file["model_text"] = fixed(["trammel: 1"])
        file["q_names"] = fixed(["elbow"])
        file["v_names"] = fixed([])
        group = file.create_group("events")
        group["t"] = [t for t, _ in events]
        for key, values in (("name", [n for _, n in events]), ("kind", ["user"] * len(events)), ("text", ["it is so"] * len(events))):
            group[key] = fixed(values)
        group["q_before"] = group["q_after"] = [[0.5]] * len(events)


def run(*words, cwd=None):
    return subprocess.run([TOOL, "plot", *map(str, words)], capture_output=True, text=True, timeout=120, cwd=cwd)


@unittest.skipIf(h5py is None, "python3-h5py is not there")
class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.run_h5 = self.folder / "run.h5"
        record(self.run_h5)

    def plot(self, *words):
        """The texts of the plot on standard output, and it."""
        done = run(self.run_h5, *words, "--svg", "-")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        root = ElementTree.fromstring(done.stdout)
        return [t.text for t in root.iter(SVG + "text")], root

    def refuse(self, code, words, *parts):
        done = run(*words)
        self.assertEqual((done.returncode, done.stdout), (code, ""))
        for part in parts:
            self.assertIn(part, done.stderr)
        done = run(*words, "--json")
        self.assertEqual(done.returncode, code)
        self.assertEqual(json.loads(done.stdout)["status"], "error")


class Plots(Case):
    def test_without_channels_all_coordinates_beside_the_recording(self):
        done = run("run.h5", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.endswith("wrote run.svg\n"), done.stdout)
        texts = [t.text for t in ElementTree.parse(self.folder / "run.svg").getroot().iter(SVG + "text")]
        for text in ("arm", "[rad]", "elbow.q", "wrist.q", "t [s]", "stop", "start"):
            self.assertIn(text, texts)
        self.assertNotIn("tip.x", texts)

    def test_one_panel_for_each_unit(self):
        texts, _ = self.plot("elbow.*", "wrist.q", "tip.x")
        self.assertEqual([t for t in texts if t and "[" in t], ["[rad]", "elbow.v [rad/s]", "tip.x [m]", "t [s]"])

    def test_eight_lines_to_a_panel(self):
        record(self.run_h5, channels=CHANNELS[:1] + [(f"q{i}", "rad", "coordinates", math.sin) for i in range(20)])
        texts, _ = self.plot()
        self.assertEqual(texts.count("[rad]"), 3)

    def test_title_time_units_and_another_axis(self):
        texts, _ = self.plot("elbow.v", "--over", "elbow.q", "--title", "phases", "--units", "deg")
        for text in ("phases", "elbow.v [deg/s]", "elbow.q [deg]"):
            self.assertIn(text, texts)
        self.assertNotIn("stop", texts)  # marks are times
        texts, _ = self.plot("elbow.q", "--from", "5", "--to", "9", "--units", "ms")
        self.assertIn("t [ms]", texts)
        self.assertIn("start", texts)
        self.assertNotIn("stop", texts)

    def test_says_how_a_run_ended(self):
        record(self.run_h5, status="diverged")
        self.assertIn("diverged at t = 10 s", self.plot()[0])
        record(self.run_h5, status="")
        self.assertIn("broken off at t = 10 s", self.plot()[0])

    def test_many_events_do_not_hide_the_lines(self):
        record(self.run_h5, events=[(i / 100, "slip") for i in range(500)])
        texts, _ = self.plot()
        self.assertIn("500 events, too many to be marked", texts)
        self.assertNotIn("slip", texts)

    def test_a_long_recording_is_quick_and_small(self):
        numpy = __import__("numpy")
        with h5py.File(self.run_h5, "r+") as file:
            for name in file["channels"].asstr()[:]:
                texts = {key: value.decode() for key, value in file[name].attrs.items()}
                del file[name]
                t = numpy.arange(1_000_000) * 1e-3
                describe(file.create_dataset(name, data=t if name == "t" else numpy.sin(30 * t)), **texts)
        started = time.monotonic()
        done = run(self.run_h5, "elbow.q", "wrist.q", "--svg", "-")
        self.assertLess(time.monotonic() - started, 20)  # about 1 s on a machine of its own
        self.assertLess(len(done.stdout), 300_000)
        self.assertGreater(len(done.stdout), 20_000)


class Numbers(Case):
    def test_list(self):
        done = run(self.run_h5, "--list")
        self.assertEqual(done.returncode, 0)
        self.assertIn("101 rows, 2 events, done", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^\s*energy\.total +J +energy\s*$")
        report = json.loads(run(self.run_h5, "--list", "--json").stdout)
        self.assertEqual(report["channels"]["tip.x"], {"unit": "m", "group": "points", "frame": ""})

    def test_csv(self):
        done = run(self.run_h5, "tip.x", "--from", "1", "--to", "1.25", "--units", "mm", "--csv", "-")
        rows = list(csv.reader(io.StringIO(done.stdout)))
        self.assertEqual(rows[0], ["t [s]", "tip.x [mm]"])
        self.assertEqual([round(float(r[1]), 9) for r in rows[1:]], [500, 550, 600])
        self.assertEqual(list(self.folder.glob("*.svg")), [])

    def test_ranges(self):
        report = json.loads(run(self.run_h5, "elbow.q", "energy.total", "--json").stdout)
        self.assertEqual((report["status"], report["run"], report["rows"], report["from"], report["to"]), ("ok", "done", 101, 0, 10))
        self.assertEqual(report["channels"]["energy.total"],
                         {"unit": "J", "group": "energy", "frame": "", "min": 3, "max": 3, "final": 3})
        self.assertEqual(report["channels"]["elbow.q"]["final"], math.sin(10))
        self.assertEqual(report["events"][0], {"t": 2.5, "name": "stop", "kind": "user", "text": "it is so"})
        self.assertEqual(list(self.folder.glob("*.svg")), [])


class Refusals(Case):
    def test_channels_that_are_not_there(self):
        self.refuse(2, (self.run_h5, "elbow.w"), "error: there is no channel 'elbow.w' in the recording", "did you mean 'elbow.",
                    "[channel-unknown]")
        self.refuse(2, (self.run_h5, "knee*"), "`trammel plot RECORDING --list` lists them")
        self.refuse(2, (self.run_h5, "elbow.q", "--over", "elbow*"), "--over: 'elbow*' is not one channel", "[option-value]")

    def test_options_that_contradict_each_other(self):
        self.refuse(2, (self.run_h5, "--from", "3", "--to", "2"), "--from 3 is later than --to 2")
        self.refuse(2, (self.run_h5, "--units", "degr"), "did you mean 'deg'?")
        self.refuse(2, (self.run_h5, "*.q", "--units", "mm", "deg"), "'deg' is a unit, and stands where channels do",
                    "write units with commas: --units mm,deg")
        self.refuse(2, (self.run_h5, "--units", "deg,mm,rev"), "--units: deg and rev are units of the same", "choose one of them")
        self.refuse(2, (self.run_h5, "--from", "nan"), "nan is no time")
        self.refuse(2, (self.run_h5, "--to", "nan"), "nan is no time")
        self.refuse(2, (self.run_h5, "--svg", "a.png"), "[output-format]")
        self.refuse(2, (self.run_h5, "--svg", "-", "--csv", "-"), "only one of --json, --csv - and --svg -")
        self.refuse(2, (self.run_h5, "--svg", self.folder / "no/where.svg"), "[file-unwritable]")

    def test_the_recording_is_not_overwritten(self):
        (self.folder / "sub").mkdir()
        before = self.run_h5.read_bytes()
        for out in (self.run_h5, self.folder / "sub/../run.h5"):
            self.refuse(2, (self.run_h5, "elbow.v", "--csv", out), "is the recording itself", "[output-format]")
        self.assertEqual(self.run_h5.read_bytes(), before)
        plain = self.folder / "plain"
        plain.write_bytes(before)
        self.refuse(2, (plain, "--svg", plain), "is the recording itself")
        self.refuse(2, (self.run_h5, "--svg", self.folder / "a.svg", "--csv", self.folder / "a.svg"), "would both write")

    def test_nothing_to_plot_is_a_negative_answer(self):
        self.refuse(1, (self.run_h5, "--from", "20"), "choose other times by --from and --to", "[plot-empty]")
        record(self.run_h5, rows=0)
        self.refuse(1, (self.run_h5,), "simulate for longer")

    def test_files_that_are_no_recordings(self):
        text = self.folder / "a.yaml"
        text.write_text("trammel: 1\n")
        self.refuse(2, (text,), f"error: {text} is not an HDF5 file", "[recording-not-hdf5]")
        self.refuse(2, (self.folder / "b.h5",), "No such file or directory", "[recording-unreadable]")
        with h5py.File(self.folder / "c.h5", "w") as file:
            file["x"] = [1, 2, 3]
        self.refuse(2, (self.folder / "c.h5",), "c.h5 is an HDF5 file, but no recording of trammel", "[recording-foreign]")
        with h5py.File(self.run_h5, "r+") as file:
            file.attrs["version"] = 2
        self.refuse(2, (self.run_h5,), "is in version 2 of the format; this trammel reads version 1", "[recording-version]")

    def test_recordings_that_are_damaged(self):
        def spoil(act):
            record(self.run_h5)
            with h5py.File(self.run_h5, "r+") as file:
                act(file)
            self.refuse(2, (self.run_h5,), "run.h5 is damaged: ", "[recording-damaged]")

        def replace(file, name, data):
            texts = {key: value.decode() for key, value in file[name].attrs.items()}
            del file[name]
            file[name] = data
            describe(file[name], **texts)

        spoil(lambda file: file.__delitem__("coordinates/elbow.q"))
        spoil(lambda file: file.__delitem__("channels"))
        spoil(lambda file: file.__delitem__("events"))
        spoil(lambda file: file.attrs.__delitem__("version"))
        spoil(lambda file: replace(file, "coordinates/elbow.q", [[1.0, 2.0]]))
        spoil(lambda file: replace(file, "coordinates/elbow.q", ["no number"] * 101))
        spoil(lambda file: file["coordinates/elbow.q"].attrs.__delitem__("name"))
        spoil(lambda file: replace(file, "channels", [1, 2, 3]))
        spoil(lambda file: replace(file, "channels", ["of any length"]))
        spoil(lambda file: file.__setitem__("checkpoint", 3))

    def test_a_recording_that_claims_to_be_huge_asks_for_no_memory(self):
        with h5py.File(self.run_h5, "r+") as file:
            for name in file["channels"].asstr()[:]:
                texts = {key: value.decode() for key, value in file[name].attrs.items()}
                del file[name]
                describe(file.create_dataset(name, shape=(1 << 40,), chunks=(1024,), dtype="f8"), **texts)
        self.refuse(2, (self.run_h5,), "it claims to have more rows than can be in it")


class Help(Case):
    def test_has_an_example_and_completion_knows_the_verb(self):
        done = run("--help")
        self.assertIn("trammel plot run.h5 'elbow.*' energy.total", done.stdout)
        words = subprocess.run([TOOL, "complete", "plot", ""], capture_output=True, text=True, check=True).stdout.split()
        self.assertTrue({"--list", "--over", "--svg"} <= set(words))
        words = subprocess.run([TOOL, "complete", "plot", "run.h5", "--units", "deg,"], capture_output=True, text=True, check=True).stdout
        self.assertIn("deg,mm", words.split())
        words = subprocess.run([TOOL, "complete", "plot", "run.h5", "--from", ""], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("yaml", re.split(r"\s", words))


if __name__ == "__main__":
    unittest.main()
