# SPDX-License-Identifier: BSD-3-Clause
"""`pip wheel` packs the module of the build tree, and what comes out can be imported elsewhere.

Arguments: folder of the programs, root of the sources, build tree."""

import glob
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

from common import data, need, skip

need("numpy")
for name in ("pip", "setuptools", "wheel"):
    if importlib.util.find_spec(name) is None:
        skip(f"python3-{name} is not installed")
source, build = sys.argv[2:4]
with tempfile.TemporaryDirectory() as folder:
    # What it is made of, as it leaves files beside its sources.
    copy = os.path.join(folder, "source")
    os.makedirs(copy)
    for name in ("pyproject.toml", "setup.py", "CMakeLists.txt", "README.md", "LICENSE"):
        shutil.copy(os.path.join(source, name), copy)
    shutil.copytree(os.path.join(source, "src/python/pathline"),
                    os.path.join(copy, "src/python/pathline"))
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-build-isolation",
         "--no-deps", "--no-index", "-w", folder, copy],
        env={**os.environ, "PATHLINE_BUILD_DIR": build}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    wheels = glob.glob(os.path.join(folder, "*.whl"))
    assert len(wheels) == 1, wheels
    site = os.path.join(folder, "site")
    with zipfile.ZipFile(wheels[0]) as archive:
        archive.extractall(site)
        names = archive.namelist()
    assert "pathline/__init__.py" in names and any(n.endswith("/METADATA") for n in names), names
    assert sum(name.endswith(".so") for name in names) == 1, names
    run = data("otf2/mini-little-endian") if os.environ.get("PATHLINE_TEST_DATA") else None
    program = ("import pathline, sys; assert pathline.__file__.startswith(sys.argv[1]);"
               "print(pathline.__version__); sys.argv[2:] and pathline.open(sys.argv[2]).profile()")
    said = subprocess.run([sys.executable, "-c", program, site, *([run] if run else [])], cwd=folder,
                          env={**os.environ, "PYTHONPATH": site}, check=True, capture_output=True,
                          text=True)
    assert os.path.basename(wheels[0]).startswith(f"pathline-{said.stdout.strip()}-"), said.stdout
print("ok")
