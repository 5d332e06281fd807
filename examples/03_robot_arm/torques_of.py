# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Turns an answer of `trammel eval --compute inverse --json` into a state with the same q, v and tau, but no a."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as answer:
    found = json.load(answer)
json.dump({key: found[key] for key in ("q", "v", "tau")}, sys.stdout, indent=1)
