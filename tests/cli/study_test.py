# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""trammel study, as a user runs it: plan, run, kill, resume, merge, plot, optimize, submit."""

import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

TOOL = os.environ.get("TRAMMEL_TOOL", str(Path(__file__).resolve().parents[2] / "build" / "trammel"))

MODEL = """\
trammel: 1
gravity: [0, 0, 0]
bodies: {ball: {mass: 2, com: [0, 0, 0], inertia: [0.01, 0.01, 0.01]}}
joints: {slide: {prismatic: [ground, ball], at: [0, 0, 0], axis: x}}
"""
SCENARIO = """\
impact: 1
initial: {slide: {v: -1}}
contacts: {wall: {point: [ball, ground], at: [0, 0, 0], normal: x, restitution: 0.5}}
"""
PLAN = """\
trammel-study: 1
name: a ball against a wall
model: ball.yaml
run: {impact: wall.yaml}
samples: {sobol: 300}
parameters:
  mass: {uniform: [1, 3], at: bodies.ball.mass}
  e: {uniform: [0, 1], at: scenario.contacts.wall.restitution}
keep: {after: slide.v, lost: energy.lost}
objective: {minimize: "(after - 0.25)^2 + (lost - 0.9375)^2"}
"""
PENDULUM = """\
trammel: 1
gravity: [0, -9.81, 0]
bodies: {rod: {mass: 1, com: [1, 0, 0], inertia: [0.1, 0.1, 0.1]}}
joints: {pin: {revolute: [ground, rod], at: [0, 0, 0], axis: z}}
simulate: {until: 1, integrator: rk4, step: 0.001}
"""


class StudyTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="trammel_study_"))
        self.addCleanup(shutil.rmtree, self.folder)
        for name, text in (("ball.yaml", MODEL), ("wall.yaml", SCENARIO), ("plan.yaml", PLAN), ("pendulum.yaml", PENDULUM)):
            (self.folder / name).write_text(text)

    def run_tool(self, *words, code=0, env=None):
        result = subprocess.run([TOOL, "study", *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=120,
                                env={**os.environ, **(env or {})})
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def serial(self):
        self.run_tool("plan", "plan.yaml", "-o", "serial")
        self.run_tool("run", "serial", "--jobs", 1)
        self.run_tool("merge", "serial")
        return (self.folder / "serial" / "table.csv").read_bytes()

    def test_goes_from_plan_to_table_and_picture(self):
        said = self.run_tool("plan", "plan.yaml").stdout
        self.assertIn("a ball against a wall  300 tasks, plan ", said)
        self.assertIn("Written to plan.study. Next: trammel study run plan.study", said)
        self.assertIn("0 of 300 tasks done", self.run_tool("status", "plan.study").stdout)
        self.assertIn("300 tasks are not done yet", self.run_tool("merge", "plan.study", code=1).stderr)
        self.assertIn("300 tasks of shard 1/1: 0 done before, 300 now", self.run_tool("run", "plan.study").stdout)
        self.assertIn("300 tasks of shard 1/1: 300 done before, 0 now", self.run_tool("run", "plan.study").stdout)
        self.assertIn("300 tasks in plan.study/table.csv\n  done 300", self.run_tool("merge", "plan.study").stdout)
        lines = (self.folder / "plan.study" / "table.csv").read_text().splitlines()
        self.assertEqual(lines[0], "task,seed,mass,e,status,after,lost,reason")
        for line in lines[1:]:
            _, _, mass, e, status, after, lost, _ = line.split(",")
            self.assertEqual(status, "done")
            self.assertAlmostEqual(float(after), float(e), places=12)
            self.assertAlmostEqual(float(lost), float(mass) * (1 - float(e) ** 2) / 2, places=12)
        rows = json.loads(self.run_tool("merge", "plan.study", "--json").stdout)["rows"]
        self.assertEqual(len(rows), 300)
        self.assertEqual(rows[7]["kept"]["after"], float(lines[8].split(",")[5]))
        self.run_tool("plot", "plan.study", "--over", "e", "--svg", "a.svg")
        self.assertEqual((self.folder / "a.svg").read_text().count("h0"), 600)
        self.run_tool("plot", "plan.study", "--histogram", "lost", "--svg", "b.svg")
        self.assertIn("median", (self.folder / "b.svg").read_text())
        said = self.run_tool("plot", "plan.study", "--show", "lot", code=2).stderr
        self.assertIn("error: --show: the study has no 'lot'\n  fix: did you mean 'lost'?      [study-column]", said)

    def killed_after(self, shard, shards, name, bytes_more):
        """Runs a shard and kills it once its journal has grown by so many bytes; False where it ended before."""
        journals = self.folder / name / "journals"

        def written():
            return sum(path.stat().st_size for path in journals.glob("*.journal")) if journals.is_dir() else 0

        enough = written() + bytes_more
        words = [TOOL, "study", "run", name, "--shard", f"{shard}/{shards}", "--jobs", "2"]
        process = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None:
            if written() >= enough:
                process.send_signal(signal.SIGKILL)
                process.wait()
                return process.returncode == -signal.SIGKILL
            time.sleep(0.001)
        self.assertEqual(process.returncode, 0)
        return False

    def test_killed_at_random_moments_and_resumed_the_table_is_the_same(self):
        (self.folder / "plan.yaml").write_text(PLAN.replace("sobol: 300", "sobol: 2000"))
        table = self.serial()
        journal = sum(path.stat().st_size for path in (self.folder / "serial" / "journals").iterdir())
        chance = random.Random(20250117)
        for shards in (1, 2, 3, 6):
            name = f"shards{shards}"
            self.run_tool("plan", "plan.yaml", "-o", name)
            kills = 0
            for shard in range(1, shards + 1):
                # By what is written and not by the clock: how fast the machine is must not matter.
                while kills < 4 * shard and self.killed_after(shard, shards, name, int(chance.uniform(0, 0.2) * journal / shards)):
                    kills += 1
                self.run_tool("run", name, "--shard", f"{shard}/{shards}", "--jobs", 2)
            self.run_tool("merge", name)
            self.assertEqual((self.folder / name / "table.csv").read_bytes(), table, f"{shards} shards, {kills} kills")
            self.assertGreater(kills, 0)

    def test_a_task_that_is_killed_is_a_status(self):
        (self.folder / "long.yaml").write_text(
            "trammel-study: 1\nmodel: pendulum.yaml\nrun: simulate\nparameters: {until: {values: [0.01, 1e7, 0.02], at: simulate.until}}\n"
            "keep: {q: pin.q}\n")
        self.run_tool("plan", "long.yaml")
        process = subprocess.Popen([TOOL, "study", "run", "long.study", "--jobs", "1"], cwd=self.folder, stdout=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        worker = []
        while time.monotonic() < deadline:
            status = json.loads(self.run_tool("status", "long.study", "--json").stdout)
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            if status["done"] >= 1 and children:
                worker = children
                break
        self.assertEqual(len(worker), 1)
        time.sleep(0.3)
        os.kill(int(worker[0]), signal.SIGKILL)
        said, _ = process.communicate(timeout=60)
        self.assertIn("done 2, killed 1", said)
        self.run_tool("merge", "long.study")
        lines = (self.folder / "long.study" / "table.csv").read_text().splitlines()
        self.assertTrue(lines[2].endswith(",killed,,its process was ended by SIGKILL"), lines[2])
        self.assertIn("3 done before, 0 now", self.run_tool("run", "long.study").stdout)

    def test_control_c_stops_and_the_same_command_goes_on(self):
        (self.folder / "many.yaml").write_text(PLAN.replace("sobol: 300", "sobol: 200000"))
        self.run_tool("plan", "many.yaml")
        process = subprocess.Popen([TOOL, "study", "run", "many.study"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, start_new_session=True)
        while not list((self.folder / "many.study" / "journals").glob("*.journal")):
            time.sleep(0.05)
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 1)
        self.assertIn("stopped; the same command goes on from here", said)
        statuses = json.loads(self.run_tool("status", "many.study", "--json").stdout)["statuses"]
        self.assertEqual(list(statuses), ["done"])

    def test_another_instruction_set_level_is_refused(self):
        self.run_tool("plan", "plan.yaml", "-o", "mixed")
        self.run_tool("run", "mixed", "--shard", "1/2")
        levels = {j["level"] for j in json.loads(self.run_tool("status", "mixed", "--json").stdout)["journals"]}
        if levels == {"x86-64"}:
            self.skipTest("this CPU has one level only")
        said = self.run_tool("run", "mixed", "--shard", "2/2", code=2, env={"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2"}).stderr
        self.assertIn("their last digits differ", said)
        self.assertIn("[study-mixture]", said)

    def test_optimizes(self):
        answer = json.loads(self.run_tool("optimize", "plan.yaml", "--method", "sbplx", "--starts", 2, "--json", "-o", "best.yaml").stdout)
        self.assertAlmostEqual(answer["parameters"]["e"], 0.25, places=4)
        self.assertAlmostEqual(answer["parameters"]["mass"], 2, places=3)
        self.assertIn(f"mass: {answer['parameters']['mass']}", (self.folder / "best.yaml").read_text())

    def test_writes_the_script_of_a_job_array(self):
        self.run_tool("plan", "plan.yaml", "-o", "it's a study")
        self.run_tool("run", "it's a study", "--shard", "2/4")
        said = self.run_tool("submit", "it's a study", "--slurm", "--shards", 4, "--time", "1:00:00", "--option=--partition=short", "--dry-run").stdout
        self.assertIn("3 of 4 shards have tasks that are not done", said)
        script = (self.folder / "it's a study" / "slurm" / "array.sh").read_text()
        self.assertIn("#SBATCH --array=1,3,4\n", script)
        self.assertIn("#SBATCH --time=1:00:00\n#SBATCH --partition=short\n", script)
        environment = {**os.environ, "SLURM_ARRAY_TASK_ID": "3"}
        subprocess.run(["sh", self.folder / "it's a study" / "slurm" / "array.sh"], env=environment, check=True, capture_output=True)
        self.assertEqual(json.loads(self.run_tool("status", "it's a study", "--json").stdout)["done"], 150)
        self.assertIn("submit must be told to whom", self.run_tool("submit", "it's a study", code=2).stderr)

    def test_the_shell_completes_its_verbs_and_options(self):
        def words(*typed):
            return subprocess.run([TOOL, "complete", *typed], capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual(words("study", ""), ["plan", "run", "status", "merge", "plot", "optimize", "submit"])
        self.assertIn("--shard", words("study", "run", "--s"))

    def test_mistakes_are_told(self):
        (self.folder / "wrong.yaml").write_text(PLAN.replace("bodies.ball.mass", "bodies.bal.mass"))
        said = self.run_tool("plan", "wrong.yaml", code=2).stderr
        self.assertIn("wrong.yaml:7:31: error: 'bodies' of the model has no 'bal'\n  fix: did you mean 'ball'?      [study-place]", said)
        (self.folder / "wrong.yaml").write_text(PLAN.replace("wall.yaml", "none.yaml"))
        self.assertIn("none.yaml", self.run_tool("plan", "wrong.yaml", code=2).stderr)
        (self.folder / "wrong.yaml").write_text(PLAN.replace("ball.yaml", "ball.urdf"))
        (self.folder / "ball.urdf").write_text("<robot/>")
        said = self.run_tool("plan", "wrong.yaml", code=2).stderr
        self.assertIn("the model 'ball.urdf' is not a native file\n  fix: write one with: trammel convert ball.urdf -o model.yaml", said)
        said = self.run_tool("run", "nowhere", code=2).stderr
        self.assertIn("nowhere is no folder of a study\n  fix: make one with: trammel study plan PLAN -o FOLDER      [study-folder]", said)
        self.assertIn("must be I/N", self.run_tool("run", "x", "--shard", "3/2", code=2).stderr)

    def test_files_that_the_model_names_go_along(self):
        (self.folder / "sub").mkdir()
        (self.folder / "ground.dat").write_text("2 2\n10.0\n0 0\n0 0\n")
        root = Path(__file__).resolve().parents[2] / "models"
        shutil.copy(root / "aquarobot_sea_floor.yaml", self.folder / "robot.yaml")
        shutil.copy(root / "sea_floor.dat", self.folder)
        (self.folder / "robot_plan.yaml").write_text(
            "trammel-study: 1\nmodel: robot.yaml\nrun: simulate\nkeep: {z: {last: energy.kinetic}}\n")
        self.run_tool("plan", "robot_plan.yaml", "-o", "robot")
        self.assertTrue((self.folder / "robot" / "sea_floor.dat").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
