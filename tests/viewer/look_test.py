# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""How the picture and the plots look: what is drawn can be seen and told apart."""

from pathlib import Path

from node import run_tests

run_tests(Path(__file__).with_name("look.test.mjs"))
