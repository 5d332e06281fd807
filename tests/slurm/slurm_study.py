# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""A study under a real Slurm, on this machine: `./dev test --slurm` (as root, with the packages of the group slurm).

munged, slurmctld and two slurmd are started in a scratch folder, all on the loopback interface. An array runs a study; one of the
nodes is killed in the middle of a task, with all that runs on it; Slurm finds out and runs its shards again on the other one. The merged
table must be that of a serial run, byte for byte. Then a journal is lost, and only its shard is submitted again.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SOURCE = Path(os.environ.get("TRAMMEL_SOURCE_DIR", Path(__file__).resolve().parents[2]))
TOOL = Path(os.environ.get("TRAMMEL_TOOL", SOURCE / "build" / "trammel"))
SHARDS = 6

CONFIGURATION = """\
ClusterName=trammel
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=2,sched_interval=2
SlurmctldPort={ports[0]}
ReturnToService=2
JobRequeue=1
SlurmdTimeout=10
SlurmctldTimeout=30
KillWait=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=1 State=UNKNOWN
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=1 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
"""

# A double pendulum that falls for some seconds, from 48 places: each run takes some tenths of a second.
MODEL = """\
trammel: 1
gravity: [0, -9.81, 0]
points: {O: [0, 0, 0], A: [0, -1, 0], B: [0, -2, 0]}
bodies:
  upper: {mass: 1, shape: {rod: [O, A], radius: 0.01}}
  lower: {mass: 1, shape: {rod: [A, B], radius: 0.01}}
joints:
  shoulder: {revolute: [ground, upper], at: O, axis: z}
  elbow: {revolute: [upper, lower], at: A, axis: z}
initial: {shoulder: {q: 1}}
simulate: {until: 30, integrator: rk4, step: 0.0005, record_every: 1}
"""
PLAN = """\
trammel-study: 1
name: a double pendulum falls
model: pendulum.yaml
run: simulate
samples: {sobol: 48}
parameters: {angle: {uniform: [0.5, 3], at: initial.shoulder.q}}
keep: {elbow: elbow.q, fastest: {peak: elbow.v}}
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def run(*words, check=True):
    result = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    if check and result.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))} ended with {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def say(text):
    print(f"  {text}", flush=True)


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        self.ports = free_ports(3)
        (folder / "state").mkdir()
        key = folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self.configuration = folder / "slurm.conf"
        self.configuration.write_text(CONFIGURATION.format(folder=folder, host=socket.gethostname().split(".")[0], ports=self.ports))
        os.environ["SLURM_CONF"] = str(self.configuration)

    def start(self):
        f = self.folder
        run("munged", "--force", f"--key-file={f}/munge.key", f"--socket={f}/munge.socket", f"--pid-file={f}/munged.pid",
            f"--log-file={f}/munged.log", f"--seed-file={f}/munge.seed")
        run("slurmctld", "-f", self.configuration)
        for node in ("n1", "n2"):
            self.start_node(node)
        self.wait_for("two idle nodes", lambda: run("sinfo", "-h", "-o", "%D %t").split() == ["2", "idle"])

    def start_node(self, node):
        run("slurmd", "-N", node, "-f", self.configuration)

    def wait_for(self, what, holds, patience=120):
        end = time.monotonic() + patience
        while not holds():
            if time.monotonic() > end:
                logs = "\n".join(f"{p}:\n{p.read_text()[-2000:]}" for p in sorted(self.folder.glob("*.log")))
                raise SystemExit(f"waited {patience} s for {what}\n{run('squeue', check=False)}{run('sinfo', check=False)}{logs}")
            time.sleep(0.2)

    def processes_of(self, node):
        """Those that jobs of this cluster run on a node: Slurm tells them where they are."""
        wanted = {f"SLURMD_NODENAME={node}".encode(), f"SLURM_CONF={self.configuration}".encode()}
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and wanted <= set((entry / "environ").read_bytes().split(b"\0")):
                    found.append(int(entry.name))
            except OSError:
                pass
        return found

    def pid(self, name):
        return int((self.folder / f"{name}.pid").read_text())

    def kill_node(self, node):
        """All at once, as when the power fails: first those that could still tell the controller what happened to the others."""
        jobs = self.processes_of(node)
        parents = {int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1]) for pid in jobs}
        steps = [pid for pid in parents if Path(f"/proc/{pid}/comm").read_text().startswith("slurmstepd")]
        assert steps, "no job of this node was found"
        victims = [self.pid(f"slurmd.{node}"), *steps, *jobs]
        for pid in victims:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return len(victims)

    def stop(self):
        pids = []
        for name in ("slurmctld", "slurmd.n1", "slurmd.n2", "munged"):
            try:
                pid = self.pid(name)
                os.kill(pid, signal.SIGTERM)
                pids.append(pid)
            except (OSError, ValueError):
                pass
        end = time.monotonic() + 15
        while time.monotonic() < end and any(Path(f"/proc/{pid}").exists() for pid in pids):
            time.sleep(0.1)


def done_tasks(folder):
    return json.loads(run(TOOL, "study", "status", folder, "--json"))["done"]


def test(scratch):
    (scratch / "pendulum.yaml").write_text(MODEL)
    (scratch / "plan.yaml").write_text(PLAN)
    serial, array = scratch / "serial", scratch / "array"
    for folder in (serial, array):
        run(TOOL, "study", "plan", scratch / "plan.yaml", "-o", folder)
    begin = time.monotonic()
    run(TOOL, "study", "run", serial, "--jobs", 1)
    run(TOOL, "study", "merge", serial)
    say(f"serial: 48 tasks in {time.monotonic() - begin:.1f} s")

    (scratch / "cluster").mkdir()
    cluster = Cluster(scratch / "cluster")
    try:
        cluster.start()
        listening = subprocess.run(["ss", "-Hltn"], capture_output=True, text=True).stdout
        for port in cluster.ports:
            addresses = re.findall(rf"(\S+):{port}\s", listening)
            assert addresses == ["127.0.0.1"], f"port {port} is open on {addresses}"
        say("two nodes are up, on the loopback interface only")

        print(run(TOOL, "study", "submit", array, "--slurm", "--shards", SHARDS), end="")
        cluster.wait_for("some tasks", lambda: done_tasks(array) >= 5 and len(cluster.processes_of("n2")) > 0)
        before = done_tasks(array)
        count = cluster.kill_node("n2")
        say(f"node n2 killed after {before} of 48 tasks, {count} processes of it")
        cluster.wait_for("n2 to be missed", lambda: "down" in run("sinfo", "-h", "-n", "n2", "-o", "%t"))
        say("Slurm has noticed")
        cluster.wait_for("the end of the array", lambda: run("squeue", "-h").strip() == "", 400)
        assert done_tasks(array) == 48, run(TOOL, "study", "status", array)
        run(TOOL, "study", "merge", array)
        assert (array / "table.csv").read_bytes() == (serial / "table.csv").read_bytes(), "the tables differ"
        assert ",killed," not in (array / "table.csv").read_text()
        say("the array's table is that of the serial run, byte for byte")

        cluster.start_node("n2")
        (array / "journals" / f"shard-3-of-{SHARDS}.journal").unlink()
        said = run(TOOL, "study", "submit", array, "--slurm", "--shards", SHARDS)
        assert said.startswith(f"1 of {SHARDS} shards have tasks that are not done"), said
        assert "--array=3\n" in (array / "slurm" / "array.sh").read_text()
        cluster.wait_for("the end of the second array", lambda: run("squeue", "-h").strip() == "", 200)
        run(TOOL, "study", "merge", array)
        assert (array / "table.csv").read_bytes() == (serial / "table.csv").read_bytes(), "the tables differ"
        said = run(TOOL, "study", "submit", array, "--slurm", "--shards", SHARDS)
        assert said == "nothing to submit: all 48 tasks are done\n", said
        say("a lost journal: its shard alone was submitted again, the same table")
    finally:
        cluster.stop()


def main():
    missing = [name for name in ("munged", "slurmctld", "slurmd", "sbatch") if shutil.which(name) is None]
    if missing or os.geteuid() != 0:
        print(f"cannot run here: {'not root' if not missing else 'missing ' + ', '.join(missing)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="trammel_slurm_", ignore_cleanup_errors=True) as scratch:
        Path(scratch).chmod(0o755)
        test(Path(scratch))
    print("studies under Slurm: all well")
    return 0


if __name__ == "__main__":
    sys.exit(main())
