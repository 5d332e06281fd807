# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""trammel view --png, where Chromium is installed: a picture shows what it should, and nothing is left behind."""

import json
import os
import shutil
import struct
import subprocess
import tempfile
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


if __name__ == "__main__":
    unittest.main()
