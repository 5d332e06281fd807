# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Runs tool.test.mjs, pages that trammel view made, in Debian's Chromium."""

from pathlib import Path

import node

node.run_tests(Path(__file__).with_name("tool.test.mjs"))
