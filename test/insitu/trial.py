# SPDX-License-Identifier: BSD-3-Clause
"""What run_topology and run_geometry share."""

import argparse
import csv
import io as text_io
import os
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import vtk  # noqa: E402
from recording import Failed, Pathline, Skipped, mpiexec, need, run  # noqa: E402

RANKS = 4


def same(what, found, expected):
    if found != expected:
        raise Failed(f"{what}: {found} instead of {expected}")


class Trial:
    def __init__(self, options, scratch):
        self.options, self.scratch = options, scratch
        self.pathline = Pathline(options.bin)

    def go(self, command):
        status, out, err = run(command, self.scratch, 300)
        if status:
            raise Failed(f"exit status {status}\n{out}\n{err[-2000:]}")
        return out

    def record(self, name, ranks, program, *arguments, options=()):
        folder = self.scratch / name
        self.go([self.pathline.program, "record", "--quiet", *options, "-o", folder, "--",
                 *mpiexec(self.options.mpi, ranks, [program, *arguments])])
        return folder

    def topology(self, folder, *options):
        out = self.scratch / (folder.name + ".vtk")
        self.pathline.ask("topology", folder, "--quiet", "-o", out, *options)
        return vtk.Collection(out / "topology.pvd")

    def mesh(self, folder, *options):
        out = self.scratch / (folder.name + ".vtk")
        self.pathline.ask("mesh", folder, "--quiet", "-o", out, *options)
        return vtk.Collection(out / "mesh.pvd")

    def rows(self, command, folder, *options):
        text = self.pathline.ask(command, folder, "--quiet", "--format", "csv", *options)
        return list(csv.DictReader(text_io.StringIO(text)))


def main(description, groups):
    """Runs the groups that the command line names; returns the exit status."""
    build = HERE.parent.parent / "build" / "dev"
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=build / "bin", type=Path, help="folder of the program pathline")
    parser.add_argument("--programs", default=build / "apps", type=Path, help="folder of the test programs")
    parser.add_argument("--mpi", choices=["openmpi", "mpich"], default="openmpi")
    parser.add_argument("--keep", metavar="DIR", help="keep the runs in this folder")
    parser.add_argument("group", nargs="+", choices=groups)
    options = parser.parse_args()
    options.bin, options.programs = options.bin.resolve(), options.programs.resolve()
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    failed, skipped = 0, 0
    for group in options.group:
        scratch = Path(tempfile.mkdtemp(prefix="insitu-", dir=options.keep)).resolve()
        try:
            Pathline(options.bin).need_recorder()
            need("mpiexec." + options.mpi)
            result, text = "ok", groups[group](Trial(options, scratch))
        except Skipped as reason:
            result, text = "skipped", reason
            skipped += 1
        except Failed as reason:
            result, text = "FAILED", reason
            failed += 1
        print(f"{options.mpi} {group}: {result}: {text}", flush=True)
        if not options.keep:
            shutil.rmtree(scratch, ignore_errors=True)
    return 1 if failed else 77 if skipped == len(options.group) else 0
