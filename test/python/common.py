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


def error_of(job, kind=None):
    """What `job` raises, a pathline.Error unless said otherwise, as text."""
    import pathline

    kind = kind or pathline.Error
    try:
        job()
    except kind as error:
        return str(error)
    raise AssertionError("no error")


def check_error(job, *words):
    """The command says "pathline: MESSAGE" and the advice, as pathline.Error does."""
    said = command(*words, status=2)
    assert "pathline: " + error_of(job) + "\n" == said[said.rindex("pathline: "):], (
        error_of(job), said)


DIGITS = {"imbalance": ".4f", "recoverable_pct": ".4f", "load_balance": ".6f", "communication": ".6f"}


def printed(name, value, digits):
    """As the command prints it."""
    if isinstance(value, str):
        return value
    if value != value:
        return ""
    if name in digits:
        return format(value, digits[name])
    return format(value, ".9f") if name.endswith("_s") else str(int(value))


def check_same(table, text, what, more=(), digits=DIGITS):
    """A table has the rows of the CSV, and columns `more` behind those of it. Their number."""
    names, lines = rows(text)
    assert table.columns == names + list(more), (what, table.columns, names)
    assert len(table) == len(lines), (what, len(table), len(lines))
    for i, name in enumerate(names):
        ours = [printed(name, value, digits) for value in table[name].tolist()]
        theirs = [line[i] for line in lines]
        assert ours == theirs, (what, name, next(p for p in zip(ours, theirs) if p[0] != p[1]))
    return len(lines)


def synth(kind, path, *words):
    """Makes an archive."""
    program = os.path.join(sys.argv[1], "pathline-synth")
    if not os.path.exists(program):
        skip("pathline-synth is not built")
    subprocess.run([program, kind, "-o", path, *map(str, words)], check=True, capture_output=True)
