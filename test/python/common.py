# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the Python module share. Each is called with the folder of the programs."""

import csv
import io
import os
import subprocess
import sys

SKIPPED = 77


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def data(name):
    root = os.environ.get("PATHLINE_TEST_DATA", "")
    path = os.path.join(root, name)
    if not root or not os.path.exists(path):
        skip(f"PATHLINE_TEST_DATA has no {name}")
    return path


def need(*modules):
    for name in modules:
        try:
            __import__(name)
        except ImportError:
            skip(f"python3-{name} is not installed")


def command(*words, status=0):
    """What `pathline ...` prints on stdout, or with another status on stderr."""
    done = subprocess.run([os.path.join(sys.argv[1], "pathline"), *map(str, words)],
                          capture_output=True, text=True)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done.stdout if status == 0 else done.stderr


def rows(text):
    """Names of the columns, and the rows below, of CSV."""
    lines = list(csv.reader(io.StringIO(text)))
    return lines[0], lines[1:]
