# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Runs large.test.mjs in Debian's Chromium."""

from pathlib import Path

import node

node.run_tests(Path(__file__).with_name("large.test.mjs"))
