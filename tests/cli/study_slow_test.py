# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Large studies, killed with kill -9 at random moments and resumed: 10 000 impacts and 2 000 linkages, for 1, 2, 3 and 6 shards."""

import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
TOOL = os.environ.get("TRAMMEL_TOOL", str(SOURCE / "build" / "trammel"))

BALL = """\
trammel: 1
name: three rods and a ball
gravity: [0, 0, 0]
points: {H: [0, 0, 0], A: [0, 1, 0], B: [1, 1, 0]}
bodies:
  hand:   {mass: 1, com: [0, 0.5, 0], inertia: [0.0833333333333333, 0, 0.0833333333333333]}
  middle: {mass: 1, com: [0.5, 1, 0], inertia: [0, 0.0833333333333333, 0.0833333333333333]}
  far:    {mass: 1, com: [1.5, 1, 0], inertia: [0, 0.0833333333333333, 0.0833333333333333]}
  ball:   {mass: 1, com: [0, -0.1, 0], inertia: [0.004, 0.004, 0.004]}
joints:
  base:  {planar: [ground, hand], at: H, axis: z}
  wrist: {revolute: [hand, middle], at: A, axis: z}
  elbow: {revolute: [middle, far], at: B, axis: z}
  ball:  {free: [ground, ball]}
outputs: {tip: {point: H, on: hand}}
"""
BLOW = """\
impact: 1
initial: {elbow: {q: 0}, wrist: {q: 0}, ball: {v: [0, 0, 0, 0, 1, 0]}}
contacts: {blow: {point: [hand, ball], at: tip, normal: y, restitution: 0.5, friction: 0.1}}
"""
IMPACTS = """\
trammel-study: 1
name: 10 000 blows
model: ball.yaml
run: {impact: blow.yaml}
seed: 11
samples: {random: 10000}
parameters:
  mass: {lognormal: [1, 0.2], at: bodies.ball.mass}
  vx: {normal: [0, 0.3], at: "scenario.initial.ball.v[3]"}
  vy: {uniform: [-0.2, 2], at: "scenario.initial.ball.v[4]"}
  elbow: {uniform: [-1, 1], at: scenario.initial.elbow.q}
  e: {triangular: [0, 0.5, 1], at: scenario.contacts.blow.restitution}
  mu: {choice: [0, 0.1, 0.3], at: scenario.contacts.blow.friction}
keep: {impulse: blow.impulse, lost: energy.lost, error: error.energy}
"""
LINKAGES = """\
trammel-study: 1
name: 2 000 crank-rockers
model: rocker.yaml
run: {analyze: {forces: true}}
samples: {latin-hypercube: 2000}
parameters:
  Ay: {normal: [40, 1], at: "points.A[1]"}
  Bx: {normal: [120, 3], at: "points.B[0]"}
  By: {normal: [80, 3], at: "points.B[1]"}
  O4x: {uniform: [60, 140], at: "points.O4[0]"}
  mass: {log-uniform: [0.1, 10], at: bodies.coupler.mass}
keep:
  swing: {span: O4.q}
  drive: {peak: drive O2}
  pin: {most: A.force}
  height: {most: coupler point.y}
"""


class LargeStudies(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="trammel_study_"))
        self.addCleanup(shutil.rmtree, self.folder)
        rocker = (SOURCE / "models" / "crank_rocker.yaml").read_text() + "inputs: {O2: {from: 0, to: 360, step: 5, speed: 60}}\n"
        files = {"ball.yaml": BALL, "blow.yaml": BLOW, "impacts.yaml": IMPACTS, "rocker.yaml": rocker, "linkages.yaml": LINKAGES}
        for name, text in files.items():
            (self.folder / name).write_text(text)

    def run_tool(self, *words):
        result = subprocess.run([TOOL, "study", *map(str, words)], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def broken_runs(self, plan, tasks):
        self.run_tool("plan", plan, "-o", "serial")
        begin = time.monotonic()
        self.run_tool("run", "serial", "--jobs", 1)
        seconds = time.monotonic() - begin
        said = self.run_tool("merge", "serial")
        table = (self.folder / "serial" / "table.csv").read_bytes()
        self.assertEqual(table.count(b"\n"), tasks + 1)
        print(f"{plan}: {tasks} tasks in {seconds:.1f} s with one job; {said.splitlines()[1].strip()}", flush=True)
        chance = random.Random(7)
        for shards in (1, 2, 3, 6):
            kills = self.run_with_kills(plan, shards, seconds, chance)
            self.assertEqual((self.folder / f"s{shards}" / "table.csv").read_bytes(), table, f"{shards} shards")
            print(f"  {shards} shards, killed {kills} times: the same {len(table)} bytes", flush=True)
            self.assertGreater(kills, 2)
        return table.decode()

    def run_with_kills(self, plan, shards, seconds, chance):
        folder, kills = f"s{shards}", 0
        self.run_tool("plan", plan, "-o", folder)
        for shard in range(1, shards + 1):
            for attempt in range(100):
                words = [TOOL, "study", "run", folder, "--shard", f"{shard}/{shards}", "--jobs", "2"]
                process = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                try:
                    process.wait(timeout=chance.uniform(0.05, 0.3) * seconds / shards if attempt < 5 else 600)
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                    process.wait()
                    kills += 1
                    continue
                self.assertEqual(process.returncode, 0)
                break
        self.run_tool("merge", folder)
        return kills

    def test_10000_impacts(self):
        table = self.broken_runs("impacts.yaml", 10000)
        rows = [line.split(",") for line in table.splitlines()[1:]]
        done = [row for row in rows if row[8] == "done"]
        self.assertGreater(len(done), 8000)
        self.assertLess(max(abs(float(row[11])) for row in done), 1e-12)  # what the energy audit leaves over, J

    def test_2000_linkages(self):
        self.broken_runs("linkages.yaml", 2000)


if __name__ == "__main__":
    unittest.main(verbosity=2)
