# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of trammel simulate share: small models, runs on a terminal, and runs that are killed."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from debian_python import require  # noqa: E402

h5py = __import__("h5py") if require("h5py") else None

TOOL = os.environ["TRAMMEL_TOOL"]
MODELS = Path(os.environ["TRAMMEL_SOURCE_DIR"]) / "models"

PENDULUM = """
trammel: 1
name: swing
gravity: [0, -9.81, 0]
points: {O: [0, 0, 0], A: [0, -1, 0]}
bodies:
  bob: {mass: 1, com: A, inertia: [0.01, 0.01, 0.01]}
joints:
  pin: {revolute: [ground, bob], at: O, axis: z}
outputs: {tip: {point: A, on: bob}}
initial: {pin: 1}
"""

# 10 000 rad/s: far too quick for explicit steps of a millisecond.
STIFF = """
trammel: 1
name: buffer
gravity: [0, 0, 0]
bodies:
  wagon: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  rail: {prismatic: [ground, wagon], at: [0, 0, 0], axis: x}
springs:
  bumper: {joint: rail, stiffness: 1e8}
initial: {rail: 0.01}
"""

# A run that takes some minutes, with a row each millisecond or so of ours.
LONG = ("--integrator", "rk4", "--step", "1e-4", "--record-every", "0.01", "--until", "1e6")


def run(*words, **more):
    return subprocess.run([TOOL, "simulate", *map(str, words)], capture_output=True, text=True, timeout=300, **more)


class OnTerminal:
    """A run whose standard error is a terminal of its own. `shown`: (when, simulated time) as the progress bar has them."""

    def __init__(self, *words):
        self.terminal, end = pty.openpty()
        self.process = subprocess.Popen([TOOL, "simulate", *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=end, text=True)
        os.close(end)
        self.text, self.shown = "", []

    def watch(self, until):
        """Reads what is shown until `until()` is true or the run ends."""
        while self.process.poll() is None and not until():
            if select.select([self.terminal], [], [], 0.02)[0]:
                try:
                    piece = os.read(self.terminal, 4096).decode()
                except OSError:
                    break
                self.text += piece
                times = re.findall(r"t = ([-+.\de]+) s,", piece)
                if times:
                    self.shown.append((time.monotonic(), float(times[-1])))
        return self

    def watch_for(self, seconds):
        end = time.monotonic() + seconds
        return self.watch(lambda: time.monotonic() > end)

    def end(self, signal):
        """Returns (exit code, standard output)."""
        self.process.send_signal(signal)
        output, _ = self.process.communicate(timeout=60)
        os.close(self.terminal)
        return self.process.returncode, output


def last_time(path):
    """Of the last row that all channels have."""
    with h5py.File(path, "r") as file:
        rows = min(len(file[name]) for name in file["channels"].asstr()[:])
        return float(file["t"][rows - 1]) if rows > 0 else None


def has_checkpoint(path):
    try:
        with h5py.File(path, "r") as file:
            return "checkpoint" in file
    except (OSError, RuntimeError):  # it grew while it was read
        return False


def killed_after(model, path, seconds):
    """Kills a long run after so many seconds (kill -9); returns it."""
    one = OnTerminal(model, *LONG, "--record", path).watch_for(seconds)
    one.killed = time.monotonic()
    one.end(9)
    return one


def check_nothing_but_the_last_second_is_lost(test, one, path):
    due = [t for when, t in one.shown if when < one.killed - 1.5]  # a second, and what a busy machine takes to write
    kept = last_time(path)
    test.assertIsNotNone(kept, "no rows")
    if due:
        test.assertGreaterEqual(kept, due[-1] * (1 - 1e-4))
