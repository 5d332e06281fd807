# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""The kills of recording_file_test.py, ten times as many, at other moments."""

import os
import sys
import unittest
from pathlib import Path

os.environ["TRAMMEL_KILLS"] = "200"
sys.path.insert(0, str(Path(__file__).parent))
from recording_file_test import Killed  # noqa: E402, F401  # pylint: disable=wrong-import-position

if __name__ == "__main__":
    unittest.main()
