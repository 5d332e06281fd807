# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Prints the reaction at one joint out of `trammel eval --compute ...,reactions --json` on standard input."""

import json
import sys

found = json.load(sys.stdin)["reactions"][sys.argv[1]]
print(f"on {found['on']}, at ({', '.join(f'{x:.4f}' for x in found['at'])}) m, {found['frame']} axes")
print(f"force  ({', '.join(f'{x:.4f}' for x in found['force'])}) N")
print(f"moment ({', '.join(f'{x:.4f}' for x in found['moment'])}) N m")
