# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""trammel view as a user meets it: pages that it writes, what it refuses, and what it says."""

import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from live_page import TOOL, numbers_of, scene_in, turned  # noqa: E402

SOURCE = Path(os.environ["TRAMMEL_SOURCE_DIR"])
MODELS = SOURCE / "models"


def run(*words, cwd=None, **more):
    return subprocess.run([TOOL, *map(str, words)], capture_output=True, text=True, cwd=cwd, timeout=300, **more)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def page(self, *words):
        out = self.folder / "page.html"
        done = run("view", *words, "--html", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        html = out.read_text(encoding="utf-8")
        return scene_in(html), html, done


class Pages(Folder):
    def test_a_mechanism_at_its_initial_position(self):
        (scene, _), html, done = self.page(MODELS / "humanoid.yaml")
        self.assertEqual(scene["kind"], "mechanism")
        self.assertEqual(scene["mobility"]["text"], "38 degrees of freedom")
        self.assertIn("MB; open it in any browser", done.stdout)
        self.assertNotIn("<!--TRAMMEL-DATA-->", html)

    def test_a_sweep_knows_where_it_cannot_go(self):
        (scene, blocks), _, _ = self.page(MODELS / "crank_rocker.yaml", "--input", "O4=-90:90:5")
        self.assertEqual(scene["kind"], "sweep")
        self.assertEqual(scene["mobility"]["text"], "1 degree of freedom")
        slider = scene["inputs"][0]
        self.assertEqual((slider["name"], slider["unit"], len(slider["values"])), ("O4", "deg", 37))
        self.assertTrue(slider["imaginary"])
        self.assertTrue(slider["dead_points"])
        # In line: O2, A and B, at the dead point's neighbour almost so.
        poses = scene["series"]["poses"]
        values = numbers_of(scene, blocks, poses["values"])
        gaps = sum(math.isnan(x) for x in values[:37])
        self.assertTrue(0 < gaps < 37, gaps)
        # How well its loop is closed, wherever it is.
        drift = scene["series"]["channels"][scene["status"]["loop_drift"]["position"]["channel"]]
        self.assertEqual((drift["name"], drift["unit"]), ("loops.position", "m"))
        open_by = numbers_of(scene, blocks, drift["values"])
        self.assertEqual([math.isnan(x) for x in open_by], [math.isnan(x) for x in values[:37]])
        self.assertLess(max(x for x in open_by if not math.isnan(x)), 1e-12)

    def test_a_tree_has_no_loops_to_watch(self):
        (scene, _), _, _ = self.page(MODELS / "double_pendulum.yaml", "--input", "shoulder=0:90:10", "--input", "elbow=0:10:10")
        self.assertNotIn("status", scene)

    def test_the_files_own_inputs_are_swept(self):
        (scene, _), _, _ = self.page(MODELS / "double_wishbone.yaml")
        self.assertEqual(scene["kind"], "sweep")
        self.assertGreater(len(scene["series"]["channels"]), 5)

    def test_a_recording_moves_as_it_was_recorded(self):
        record = self.folder / "run.h5"
        made = run("simulate", MODELS / "double_pendulum.yaml", "--until", "2", "--record", record, "--record-every", "0.01", "--json")
        self.assertEqual(made.returncode, 0, made.stderr)
        end = json.loads(made.stdout)
        (scene, blocks), _, _ = self.page(record)
        self.assertEqual(scene["kind"], "recording")
        self.assertEqual(scene["status"]["run"], "done")
        axis = numbers_of(scene, blocks, scene["series"]["axis"]["values"])
        self.assertEqual(len(axis), 201)
        self.assertAlmostEqual(axis[-1], 2)
        self.assertIn("energy.total", [c["name"] for c in scene["series"]["channels"]])
        # The ends of the links are where the tool says they are.
        poses = scene["series"]["poses"]
        count = len(numbers_of(scene, blocks, poses["axis"]))
        values = numbers_of(scene, blocks, poses["values"])
        name = scene["bodies"][poses["bodies"][-1]]["name"]
        k = len(poses["bodies"]) - 1
        last = [values[(7 * k + c) * count + count - 1] for c in range(7)]
        told = end["end"]["bodies"][name]["pose"]["position"] if "end" in end and "bodies" in end["end"] else None
        if told:
            for got, want in zip(turned(last, (0, 0, 0)), told):
                self.assertAlmostEqual(got, want, places=6)

    def test_two_recordings_are_compared(self):
        records = [self.folder / f"{k}.h5" for k in range(2)]
        for k, record in enumerate(records):
            made = run("simulate", MODELS / "double_pendulum.yaml", "--until", "1", "--record", record, "--record-every", "0.01",
                       "--gravity", f"0,0,{-9 - k}")
            self.assertEqual(made.returncode, 0, made.stderr)
        (scene, _), _, _ = self.page(records[0], "--compare", records[1])
        self.assertEqual([g["name"] for g in scene["ghosts"]], ["1.h5"])
        self.assertEqual(scene["ghosts"][0]["poses"]["bodies"], scene["series"]["poses"]["bodies"])

    def test_a_model_is_simulated_for_the_page(self):
        (scene, blocks), _, _ = self.page(MODELS / "cart.yaml", "--simulate", "0.5")
        self.assertEqual(scene["kind"], "recording")
        axis = numbers_of(scene, blocks, scene["series"]["axis"]["values"])
        self.assertAlmostEqual(axis[-1], 0.5)
        self.assertIn("contact", {a["kind"] for a in scene["series"]["arrows"]})
        self.assertGreater(scene["status"]["real_time_factor"], 0)

    def test_a_coordinate_that_was_cut_is_followed_all_the_same(self):
        record = self.folder / "run.h5"
        made = run("simulate", MODELS / "crank_rocker.yaml", "--until", "0.2", "--record", record, "--cut", "A")
        self.assertEqual(made.returncode, 0, made.stderr)
        (scene, _), _, _ = self.page(record)
        self.assertEqual([j["name"] for j in scene["joints"] if j["role"] == "closure"], ["A"])

    def test_json_says_what_was_written(self):
        out = self.folder / "page.html"
        done = run("view", MODELS / "pendulum.yaml", "--html", out, "--json")
        said = json.loads(done.stdout)
        self.assertEqual((said["status"], said["html"], said["bytes"]), ("ok", str(out), out.stat().st_size))

    def test_the_page_around_the_scene_is_the_committed_one(self):
        _, html, _ = self.page(MODELS / "pendulum.yaml")
        around = re.sub('<script id="trammel-scene".*?</script>', "<!--TRAMMEL-DATA-->", html, flags=re.DOTALL)
        committed = (SOURCE / "viewer" / "dist" / "index.html").read_text(encoding="utf-8")
        self.assertTrue(around == committed, "the tool was built with another page: build it again")

    def test_standard_output(self):
        done = run("view", MODELS / "pendulum.yaml", "--html", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(scene_in(done.stdout)[0]["name"], "pendulum")

    def test_without_a_browser_the_page_is_kept_and_named(self):
        record = self.folder / "run.h5"
        run("simulate", MODELS / "pendulum.yaml", "--until", "0.2", "--record", record)
        done = run("view", record, "--no-open", env={**os.environ, "XDG_CACHE_HOME": str(self.folder)})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "trammel" / "run.html").exists(), done.stdout)

    def test_the_same_twice_is_the_same_page(self):
        first = self.page(MODELS / "crank_rocker.yaml", "--input", "O2=0:360:5")[1]
        self.assertEqual(first, self.page(MODELS / "crank_rocker.yaml", "--input", "O2=0:360:5")[1])

    def test_a_long_recording_is_thinned_to_fit(self):
        record = self.folder / "run.h5"
        run("simulate", MODELS / "pendulum.yaml", "--until", "60", "--record", record, "--record-every", "0.001")
        out = self.folder / "page.html"
        done = run("view", record, "--html", out, "--max-size", "1.5", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        said = json.loads(done.stdout)
        self.assertLessEqual(out.stat().st_size, 1_500_000)
        self.assertEqual(said["rows_there_are"], 60001)
        self.assertLess(said["rows"], 60001)


class Refusals(Folder):
    def refused(self, *words, code=2, **more):
        done = run("view", *words, **more)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stderr

    def test_what_is_shown_is_not_written_over(self):
        model = self.folder / "m.yaml"
        model.write_text((MODELS / "pendulum.yaml").read_text())
        said = self.refused(model, "--html", self.folder / "." / "m.yaml")
        self.assertIn("is what should be shown", said)
        self.assertIn("fix: give it another name      [option-value]", said)
        self.assertIn("trammel: 1", model.read_text())
        said = self.refused(model, "--html", self.folder / "a", "--png", self.folder / "a")
        self.assertIn("is written by --html too", said)

    def test_too_small_a_page(self):
        said = self.refused(MODELS / "pendulum.yaml", "--html", self.folder / "p.html", "--max-size", "0.1")
        self.assertIn("the page alone takes", said)

    def test_files_that_are_not_there(self):
        self.assertIn("none.yaml", self.refused("none.yaml", "--html", self.folder / "p.html"))
        self.assertIn("none.h5", self.refused("none.h5", "--html", self.folder / "p.html"))
        self.assertIn("cannot be written", self.refused(MODELS / "pendulum.yaml", "--html", self.folder / "no" / "p.html"))

    def test_numbers_that_are_none(self):
        self.assertIn("'wide' is no size in pixels from 64 to 8192", self.refused(MODELS / "pendulum.yaml", "--png", "x.png", "--size", "wide"))
        self.assertIn("--at: 'nan' is not a number", self.refused(MODELS / "pendulum.yaml", "--png", "x.png", "--at", "nan"))
        for option, word in (("--pace", "nan"), ("--pace", "inf"), ("--simulate", "nan"), ("--max-size", "-1")):
            self.assertIn(f"'{word}' is not a number from zero on", self.refused(MODELS / "pendulum.yaml", option, word, "--html", "x.html"))
        self.assertIn("'0' is not a positive number", self.refused(MODELS / "pendulum.yaml", "--mp4", "x.mp4", "--film-speed", "0"))
        self.assertIn("--at: 'soon' is not a number", self.refused(MODELS / "pendulum.yaml", "--png", "x.png", "--at", "soon"))
        self.assertIn("is not of the form JOINT=NUMBER", self.refused(MODELS / "crank_rocker.yaml", "--input", "O2", "--html", "x.html"))

    def test_nothing_that_was_asked_of_pictures_is_ignored(self):
        for option, word, what in (("--at", "1", "pictures"), ("--size", "640x480", "pictures and films"), ("--look", "theme=dark", "pictures and films"),
                                   ("--fps", "25", "films"), ("--film-speed", "2", "films")):
            self.assertIn(f"{option} is one of {what}, and none is made",
                          self.refused(MODELS / "pendulum.yaml", option, word, "--html", self.folder / "p.html"))

    def test_what_a_recording_or_a_page_does_not_have_is_told(self):
        record = self.folder / "run.h5"
        run("simulate", MODELS / "pendulum.yaml", "--until", "0.1", "--record", record)
        for words in (["--simulate", "3"], ["--sweep"], ["--input", "a=0:1:1"], ["--forces"], ["--cut", "a"], ["--as", "linkage"]):
            said = self.refused(record, *words, "--html", self.folder / "p.html")
            self.assertIn(f"{words[0]}: a recording is shown as it went", said)
        for words in (["--port", "8080"], ["--stay"], ["--pace", "2"]):
            self.assertIn(f"{words[0]}: it is one of live views", self.refused(MODELS / "pendulum.yaml", *words, "--html", self.folder / "p.html"))
        self.assertIn("--forces: nothing is swept", self.refused(MODELS / "pendulum.yaml", "--forces", "--simulate", "1", "--html", self.folder / "p.html"))

    def test_a_sweep_needs_an_input(self):
        said = self.refused(MODELS / "double_pendulum.yaml", "--sweep", "--forces", "--html", self.folder / "p.html")
        self.assertIn("no input is given", said)
        self.assertNotIn("--as-drawn", said)  # which view does not have

    def test_a_recording_without_places(self):
        record = self.folder / "run.h5"
        run("simulate", MODELS / "pendulum.yaml", "--until", "0.2", "--record", record, "--channels", "energy")
        said = self.refused(record, "--html", self.folder / "p.html")
        self.assertIn("it does not say where the bodies were", said)
        self.assertIn("[scene-no-poses]", said)

    def test_an_input_that_cannot_be_driven_is_a_negative_answer(self):
        said = self.refused(MODELS / "five_bar.yaml", "--input", f"{self.first_joint('five_bar')}=0:10:1", "--html", self.folder / "p.html", code=1)
        self.assertIn("error:", said)

    def first_joint(self, name):
        done = run("check", MODELS / f"{name}.yaml", "--json")
        return next(iter(json.loads(done.stdout)["joints"]))["name"] if isinstance(json.loads(done.stdout)["joints"], list) \
            else next(iter(json.loads(done.stdout)["joints"]))

    def test_pictures_need_their_programs(self):
        empty = {**os.environ, "PATH": str(self.folder)}
        said = self.refused(MODELS / "pendulum.yaml", "--png", self.folder / "p.png", env=empty)
        self.assertIn("--png: pictures are made by Chromium, which is not installed", said)
        self.assertIn("apt install chromium", said)
        said = self.refused(MODELS / "pendulum.yaml", "--mp4", self.folder / "p.mp4", env=empty)
        self.assertIn("--mp4: films are made by ffmpeg, which is not installed", said)

    def test_comparing_needs_recordings(self):
        self.assertIn("only recordings can be compared",
                      self.refused(MODELS / "pendulum.yaml", "--compare", "x.h5", "--html", self.folder / "p.html"))

    def test_errors_in_json(self):
        done = run("view", MODELS / "pendulum.yaml", "--html", self.folder / "no" / "p.html", "--json")
        self.assertEqual(json.loads(done.stdout)["messages"][0]["id"], "file-unwritable")


class Words(unittest.TestCase):
    def test_completion_knows_the_options(self):
        words = run("complete", "view", "--").stdout.split()
        for word in ("--html", "--png", "--mp4", "--sweep", "--compare", "--port", "--no-open", "--max-size"):
            self.assertIn(word, words)
        self.assertEqual(run("complete", "view", "--as", "").stdout.split(), ["linkage", "simulation"])

    def test_help_has_an_example(self):
        self.assertIn("trammel view models/", run("view", "--help").stdout)


if __name__ == "__main__":
    unittest.main()
