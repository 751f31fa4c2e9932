# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the recorder share: how a program is started under an MPI, with the recorder or
without, and how a run is asked about."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path


class Skipped(Exception):
    """Something is missing; the text says what."""


class Failed(Exception):
    """The text says what is wrong."""


def environment():
    """That of the caller, without settings for a recorder, as the MPIs want it on a small machine."""
    result = {k: v for k, v in os.environ.items() if not k.startswith("PATHLINE_")}
    result.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                  OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1",
                  OMP_NUM_THREADS="1", LC_ALL="C.UTF-8")
    return result


def need(program):
    """program: something in the PATH, or a path."""
    if not (Path(program).exists() if "/" in str(program) else shutil.which(program)):
        raise Skipped(f"there is no {program}")


def mpiexec(mpi, ranks, command, settings=None):
    """The command line of a parallel run; `settings` are environment variables of the ranks only."""
    ranks_only = ["env", *(f"{k}={v}" for k, v in settings.items())] if settings else []
    return [f"mpiexec.{mpi}", "-n", str(ranks), *ranks_only, *map(str, command)]


def run(command, folder, seconds, more_environment=None, meanwhile=None):
    """(exit status, stdout, stderr) of a parallel run. When it takes too long or this program is
    interrupted, nothing of it stays behind; ranks have sessions of their own with some MPIs, so that
    they are found by their ancestors. meanwhile: called with the process."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen([str(word) for word in command], cwd=folder, stdin=subprocess.DEVNULL,
                                   env={**environment(), **(more_environment or {})},
                                   stdout=out, stderr=err)
        try:
            if meanwhile:
                meanwhile(process)
            status = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired as late:
            raise Failed(f"not done after {seconds} s: {shlex.join(map(str, command))}") from late
        finally:
            if process.poll() is None:
                for pid in [process.pid, *descendants(process.pid)]:
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
                process.wait()
        out.seek(0)
        err.seek(0)
        return (status, out.read().decode(errors="replace"), err.read().decode(errors="replace"))


def descendants(ancestor):
    parents = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(file.parent.name)] = int(file.read_text().rpartition(")")[2].split()[1])
        except OSError:
            pass  # it has ended
    found, wanted = [], {ancestor}
    while wanted:
        wanted = {pid for pid, parent in parents.items() if parent in wanted}
        found += wanted
    return found


class Pathline:
    """The program in a folder `bin` of a build."""

    def __init__(self, folder):
        self.program = Path(folder) / "pathline"
        self.library = Path(folder).parent / "lib" / "libpathline.so"
        commands = subprocess.run([self.program, "--help"], capture_output=True, text=True).stdout
        self.can_record = re.search(r"^ +record\b", commands, re.M) is not None

    def need_recorder(self):
        if not self.library.exists():
            raise Skipped("there is no recorder")

    def record_command(self, run, mpi, ranks, command, by_hand=False):
        """A command that records into the folder `run`. by_hand: without `pathline record`, so that
        the folder is written by nobody but the recorder."""
        self.need_recorder()
        if self.can_record and not by_hand:
            return [str(self.program), "record", "-o", str(run), "--", *mpiexec(mpi, ranks, command)]
        (Path(run) / "raw").mkdir(parents=True, exist_ok=True)
        return mpiexec(mpi, ranks, command, {"LD_PRELOAD": self.library,
                                             "PATHLINE_RUN_DIRECTORY": run})

    def split(self, stdout, run, by_hand=False):
        """(what the program printed, the run directory) from all that record_command printed."""
        if by_hand or not self.can_record:
            return stdout, Path(run)
        output, _, folder = stdout.rstrip("\n").rpartition("\n")
        if not Path(folder).is_dir():
            raise Failed(f"pathline record names no run directory at last, but '{folder}'")
        return output + "\n" if output else "", Path(folder)

    def ask(self, command, run, *options):
        """What a command prints about a run."""
        done = subprocess.run([self.program, *command.split(), run, *options],
                              capture_output=True, text=True)
        if done.returncode:
            raise Failed(f"pathline {command} ended with {done.returncode}: {done.stderr[-2000:]}")
        return done.stdout
