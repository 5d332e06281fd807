# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies that are meshes: drawn, fitted, lit, and judged where they are broken."""

from pathlib import Path

from node import run_tests

run_tests(Path(__file__).with_name("meshes.test.mjs"))
