# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""trammel view --png, where Chromium is installed: a picture shows what it should, and nothing is left behind."""

import json
import os
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest
import zlib
from pathlib import Path

TOOL = os.environ["TRAMMEL_TOOL"]
MODELS = Path(os.environ["TRAMMEL_SOURCE_DIR"]) / "models"


def run(*words, **more):
    return subprocess.run([TOOL, "view", *map(str, words)], capture_output=True, text=True, timeout=500, **more)


def pixels_of(path):
    """Width, height and rows of (r, g, b) of a PNG with 8 bits a channel."""
    data = Path(path).read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack_from(">IIBB", data, at + 8)
        elif kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += 12 + size
    assert depth == 8 and colour in (2, 6)
    step = 3 if colour == 2 else 4
    raw, rows, before = zlib.decompress(packed), [], bytes(step * width)
    for y in range(height):
        kind, line = raw[y * (step * width + 1)], bytearray(raw[y * (step * width + 1) + 1:(y + 1) * (step * width + 1)])
        for i in range(len(line)):
            left, up, corner = line[i - step] if i >= step else 0, before[i], before[i - step] if i >= step else 0
            nearest = min((left, up, corner), key=lambda c: abs(left + up - corner - c))
            line[i] = (line[i] + (0, left, up, (left + up) // 2, nearest)[kind]) & 255
        rows.append([tuple(line[i:i + 3]) for i in range(0, len(line), step)])
        before = line
    return width, height, rows


def is_coloured(pixel):
    return max(pixel) - min(pixel) > 60


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.scratch = self.folder / "tmp"
        self.scratch.mkdir()
        self.environment = {**os.environ, "TMPDIR": str(self.scratch)}


@unittest.skipUnless(shutil.which("chromium") or shutil.which("google-chrome"), "Chromium is not installed")
class Pictures(Folder):
    def test_a_picture_has_its_size_shows_the_linkage_and_leaves_nothing_behind(self):
        out = self.folder / "p.png"
        done = run(MODELS / "crank_rocker.yaml", "--input", "O2=0:360:10", "--png", out, "--at", "90", "--size", "320x240", "--json",
                   env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["png"], str(out))
        width, height, rows = pixels_of(out)
        self.assertEqual((width, height), (320, 240))
        coloured = sum(is_coloured(pixel) for row in rows for pixel in row)
        self.assertGreater(coloured, 500)
        self.assertEqual(list(self.scratch.iterdir()), [])

    def test_a_signal_ends_all_that_was_started(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            out = self.folder / "p.png"
            tool = subprocess.Popen([TOOL, "view", str(MODELS / "crank_rocker.yaml"), "--png", str(out)], env=self.environment,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            profile = None
            for _ in range(1000):
                profile = next(self.scratch.glob("trammel-*/profile"), None)
                if profile or tool.poll() is not None:
                    break
                time.sleep(0.01)
            self.assertIsNotNone(profile, "Chromium was not seen")
            tool.send_signal(number)
            tool.communicate(timeout=60)
            self.assertEqual(tool.returncode, -number)
            self.assertEqual(list(self.scratch.iterdir()), [])
            with_profile = subprocess.run(["pgrep", "-f", str(profile)], capture_output=True, text=True, check=False)
            self.assertEqual(with_profile.stdout, "")
            self.assertFalse(out.exists())

    def test_words_and_places_that_mean_nothing_are_told(self):
        for words, said in ((["--at", "400"], "--at: 400 is not there, it goes from 0 to 360"),
                            (["--look", "theme=pink"], "there is no theme 'pink'; there are dark, light"),
                            (["--look", "show=ghost"], "there is no layer 'ghost'"),
                            (["--look", "plot=nothing"], "there is no channel 'nothing'"),
                            (["--look", "x=400"], "x: 400 is not there, it goes from 0 to 360"),
                            (["--look", "glow=1"], "'glow' means nothing")):
            out, page = self.folder / "p.png", self.folder / "p.html"
            done = run(MODELS / "crank_rocker.yaml", "--input", "O2=0:360:10", "--png", out, "--html", page, *words, env=self.environment)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)
            self.assertFalse(out.exists())
            self.assertFalse(page.exists())

    def test_the_example_of_the_help_is_understood(self):
        words = run("--help").stdout.split("such as", 1)[1].split()[0]
        done = run(MODELS / "crank_rocker.yaml", "--input", "O2=0:360:10", "--png", self.folder / "p.png", "--look", words, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
