# SPDX-License-Identifier: BSD-3-Clause
"""Runs the code of a notebook of examples/notebooks as a notebook does: cell by cell, with the value
of the last expression shown. Arguments: folder of the programs, notebook, with --show to print."""

import ast
import json
import os
import subprocess
import sys
import tempfile

from common import need, skip

need("numpy", "pandas")
SHOWN = "--show" in sys.argv


def make_data(cells, folder):
    """What the first text of the notebook says makes its data."""
    program = os.path.join(sys.argv[1], "pathline-synth")
    if not os.path.exists(program):
        skip("pathline-synth is not built")
    lines = [line.split() for line in cells[0]["source"] if line.startswith("    pathline-synth ")]
    assert lines
    for line in lines:
        subprocess.run([program, *line[1:]], cwd=folder, check=True, capture_output=True)


def show(value):
    if SHOWN:
        print(value)
    for name in ("_repr_png_", "_repr_html_"):
        if hasattr(value, name):
            assert getattr(value, name)()
            return
    assert repr(value)


def run(cells):
    names = {}
    for number, cell in enumerate(cells):
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == [] and cell["execution_count"] is None, "outputs are not kept"
        tree = ast.parse("".join(cell["source"]), f"cell {number}")
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"cell {number}", "exec"), names)
        if last:
            show(eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names))


with open(sys.argv[2], encoding="utf-8") as file:
    notebook = json.load(file)
with tempfile.TemporaryDirectory() as folder:
    make_data(notebook["cells"], folder)
    os.chdir(folder)
    run(notebook["cells"])
    os.chdir("/")
print("ok")
