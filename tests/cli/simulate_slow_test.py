# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""trammel simulate, killed at twenty random moments: every recording opens and holds all but the last second."""

import random
import tempfile
import unittest
from pathlib import Path

from simulate_runs import MODELS, PENDULUM, check_nothing_but_the_last_second_is_lost, h5py, killed_after


@unittest.skipIf(h5py is None, "python3-h5py is not there")
class Kills(unittest.TestCase):
    def test_at_twenty_random_moments(self):
        moments = random.Random(8)
        with tempfile.TemporaryDirectory() as folder:
            recording = Path(folder) / "run.h5"
            pendulum = Path(folder) / "pendulum.yaml"
            pendulum.write_text(PENDULUM, encoding="utf-8")
            for k in range(20):
                model = pendulum if k % 2 == 0 else MODELS / "crank_rocker.yaml"
                seconds = moments.uniform(1.5, 5)
                with self.subTest(kill=k, seconds=seconds):
                    one = killed_after(model, recording, seconds)
                    check_nothing_but_the_last_second_is_lost(self, one, recording)


if __name__ == "__main__":
    unittest.main()
