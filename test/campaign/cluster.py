# SPDX-License-Identifier: BSD-3-Clause
"""A Slurm of four nodes on this machine, of Debian's packages slurm-wlm and munge."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from recording import Skipped, need  # noqa: E402

NODES = ("n1", "n2", "n3", "n4")


class Cluster:
    """Context: started with the configuration of the test data, ended by its pid files."""

    def __init__(self, data, folder):
        self.recipe = Path(data) / "slurm" / "local-cluster"
        self.folder = Path(folder)
        self.configuration = self.folder / "slurm.conf"
        self.environment = {"SLURM_CONF": str(self.configuration)}
        self.munge = None

    def __enter__(self):
        for program in ("sbatch", "slurmctld", "slurmd", "munged"):
            need(program)
        if not (self.recipe / "slurm.conf.in").exists():
            raise Skipped(f"there is no {self.recipe}")
        if os.geteuid() != 0:
            raise Skipped("only root can start a cluster")
        if subprocess.run(["pgrep", "-x", "slurmctld|slurmd"], capture_output=True).returncode == 0:
            raise Skipped("a Slurm runs here already")
        for name in ("run", "state", *(f"spool-{node}" for node in NODES)):
            (self.folder / name).mkdir(parents=True)
        text = (self.recipe / "slurm.conf.in").read_text()
        text = text.replace("@DIR@", str(self.folder)).replace("@HOST@", socket.gethostname().split(".")[0])
        self.configuration.write_text(text)
        shutil.copy(self.recipe / "topology.conf", self.folder)
        try:
            self.start_munge()
            self.start_controller()
            for node in NODES:
                self.run("slurmd", "-N", node, "-f", self.configuration)
            self.wait("four idle nodes", lambda: self.say("sinfo", "-h", "-t", "idle", "-o", "%D").strip() == "4")
        except BaseException:
            self.__exit__()
            raise
        return self

    def start_munge(self):
        if "Success" in self.say("sh", "-c", "munge -n | unmunge"):
            return
        if not Path("/etc/munge/munge.key").exists():
            self.run("mungekey", "-c", "-f")
        shutil.chown("/etc/munge/munge.key", "munge", "munge")
        for place in ("/run/munge", "/var/log/munge", "/var/lib/munge"):
            Path(place).mkdir(exist_ok=True)
            shutil.chown(place, "munge", "munge")
        os.chmod("/run/munge", 0o755)
        self.munge = Path("/run/munge/munged.pid")
        self.run("setpriv", "--reuid", "munge", "--regid", "munge", "--clear-groups", "munged")
        self.wait("munge", lambda: "Success" in self.say("sh", "-c", "munge -n | unmunge"))

    def start_controller(self):
        self.run("slurmctld", "-f", self.configuration)

    def stop_controller(self):
        self.end(self.folder / "run" / "slurmctld.pid")

    def run(self, *words):
        done = subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=60,
                              env={**os.environ, **self.environment}, cwd=self.folder)
        if done.returncode:
            raise Skipped(f"{words[0]} does not start: {done.stdout.strip()[-300:]}")

    def say(self, *words):
        done = subprocess.run(words, capture_output=True, text=True, timeout=60,
                              env={**os.environ, **self.environment})
        return done.stdout

    def wait(self, what, condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise Skipped(f"Slurm does not start here: after {seconds} s not yet {what}")
            time.sleep(0.1)

    def __exit__(self, *_):
        if (self.folder / "run" / "slurmctld.pid").exists():
            self.say("scancel", "--user=root", "--state=PENDING")
            self.say("scancel", "--user=root", "--state=RUNNING")
        for node in NODES:
            self.end(self.folder / "run" / f"slurmd-{node}.pid")
        self.stop_controller()
        if self.munge:
            self.end(self.munge)

    @staticmethod
    def end(file):
        """The process that a pid file names: asked to end, then made to."""
        try:
            process = int(file.read_text())
        except (OSError, ValueError):
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.kill(process, number)
                for _ in range(100):
                    os.kill(process, 0)
                    time.sleep(0.1)
            except ProcessLookupError:
                return
