# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""What tests of the page need: Node with the packages of viewer/package-lock.json, and Chromium."""

import fcntl
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VIEWER = ROOT / "viewer"


def require(*commands):
    """Ends the test, without failing it, where a command is not installed."""
    missing = [command for command in commands if shutil.which(command) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (./dev test installs them)")
        sys.exit(0)


def install_packages():
    """Installs what the lock file says, once; tests that run side by side wait for each other."""
    modules = VIEWER / "node_modules"
    stamp = modules / ".trammel-lock"
    wanted = hashlib.sha256((VIEWER / "package-lock.json").read_bytes()).hexdigest()
    with open(VIEWER / "package.json", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
            return
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=VIEWER, check=True)
        stamp.write_text(wanted, encoding="utf-8")


def run_tests(script):
    """Runs a file of tests for Node's own test runner."""
    require("node", "npm", "chromium")
    install_packages()
    sys.exit(subprocess.run(["node", "--test", str(script)], cwd=ROOT, check=False).returncode)
