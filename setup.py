# SPDX-License-Identifier: BSD-3-Clause
"""The Python module as a wheel: `pip wheel --no-build-isolation --no-deps .` (doc/python.md).

CMake compiles it, in build/wheel. With PATHLINE_BUILD_DIR=build/release the one is taken that was
built there.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "build" / "wheel"


class ByCMake(build_ext):
    def build_extension(self, ext):
        build = os.environ.get("PATHLINE_BUILD_DIR")
        if not build:
            build = FOLDER / "cmake"
            jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count())
            for words in (["-S", HERE, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                           "-DPATHLINE_TESTS=OFF", f"-DPython_EXECUTABLE={sys.executable}"],
                          ["--build", build, "--target", "pathline_python", "--parallel", jobs]):
                subprocess.run(["cmake", *map(str, words)], check=True)
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        module = pathlib.Path(build, "python", "pathline", target.name)
        if not module.exists():
            raise SystemExit(f"{module} was not built: are python3-dev and pybind11-dev installed, "
                             f"and is {sys.executable} the Python it is built for?")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(module, target)
        strip = shutil.which("strip")
        if strip:
            subprocess.run([strip, "--strip-unneeded", target], check=True)


FOLDER.mkdir(parents=True, exist_ok=True)
version = re.search(r"^project\(pathline\s+VERSION\s+([0-9.]+)",
                    (HERE / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE | re.I)
setup(
    version=version.group(1),
    packages=["pathline"],
    package_dir={"": "src/python"},
    ext_modules=[Extension("pathline._pathline", sources=[])],
    cmdclass={"build_ext": ByCMake},
    options={"build": {"build_base": str(FOLDER / "lib")}, "egg_info": {"egg_base": str(FOLDER)},
             "bdist_wheel": {"bdist_dir": str(FOLDER / "bdist")}},
)
