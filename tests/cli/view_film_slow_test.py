# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""trammel view --mp4, where Chromium and ffmpeg are installed."""

import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import view_pictures_test as pictures  # noqa: E402


@unittest.skipUnless(shutil.which("chromium") and shutil.which("ffmpeg") and shutil.which("ffprobe"), "Chromium or ffmpeg is not installed")
class Films(pictures.Folder):
    def test_a_film_has_its_pictures(self):
        out = self.folder / "p.mp4"
        done = pictures.run(pictures.MODELS / "crank_rocker.yaml", "--input", "O2=0:360:10", "--mp4", out, "--size", "161x121", "--fps", "2", "--film-speed", "5",
                   env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "stream=width,height,nb_frames", "-of", "csv=p=0", out],
                              capture_output=True, text=True, check=True).stdout
        self.assertEqual(said.strip(), "162,122,4")
        self.assertEqual(list(self.scratch.iterdir()), [])

    def test_a_film_of_what_does_not_move_is_refused(self):
        done = pictures.run(pictures.MODELS / "humanoid.yaml", "--mp4", self.folder / "p.mp4", "--size", "160x120", env=self.environment)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("--mp4: nothing moves in this scene", done.stderr)
        self.assertEqual(list(self.scratch.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
