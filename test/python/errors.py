# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong is said in the words of the command, as pathline.Error."""

import os
import shutil
import tempfile

from common import check_error as check
from common import data, error_of, need

need("numpy")
import pathline  # noqa: E402


lulesh = data("otf2/scorep-lulesh8")
assert issubclass(pathline.Error, Exception) and pathline.Error.__module__ == "pathline"
check(lambda: pathline.open("/nowhere/traces.otf2"), "profile", "/nowhere/traces.otf2")
with tempfile.TemporaryDirectory() as folder:
    check(lambda: pathline.open(folder), "matrix", folder)
    text = os.path.join(folder, "a.txt")
    open(text, "w").write("this is no trace\n")
    check(lambda: pathline.open(text), "matrix", text)
    broken = os.path.join(folder, "run")
    shutil.copytree(lulesh, broken)
    for where, _, names in os.walk(broken):
        for name in names:
            if name.endswith(".evt"):
                os.truncate(os.path.join(where, name), os.path.getsize(os.path.join(where, name)) // 2)
    check(lambda: pathline.open(broken), "matrix", broken)
    partial = pathline.open(broken, partial=True)
    assert not partial.complete and partial.warnings and len(partial.messages()) > 0

run = pathline.open(lulesh)
check(lambda: run.profile(ranks="9-12"), "profile", lulesh, "--ranks", "9-12")
check(lambda: run.profile(ranks="x"), "profile", lulesh, "--ranks", "x")
check(lambda: run.messages(begin_s=1e9), "messages", lulesh, "--from", "1e9")
check(lambda: run.matrix(step=10**6), "matrix", lulesh, "--step", str(10**6))
for job in (lambda: run.profile("nothing"), lambda: run.waits("host"), lambda: run.matrix("kind"),
            lambda: run.events(10**9), lambda: run.figure("model"), lambda: run.figure("nothing"),
            lambda: run.figure("timeline", width=-1)):
    assert error_of(job)
assert error_of(lambda: run.waits()["nothing"], KeyError) == "'nothing'"
error_of(lambda: run.waits().codes("rank"), TypeError)
error_of(lambda: run.profile(ranks=[]), ValueError)
for percent in (-1, 200, float("nan")):
    assert "expected 0 to 100" in error_of(lambda: run.findings(min_percent=percent))
# What has no size would be drawn without end.
for kind in ("timeline", "matrix", "chord", "flow", "profile", "steps"):
    for name, value in (("width", float("nan")), ("width", 1e9), ("height", float("inf")), ("height", 0),
                        ("scale", float("nan")), ("scale", -1), ("scale", 20)):
        assert name in error_of(lambda: run.figure(kind, **{name: value})), (kind, name, value)
assert "width times scale" in error_of(lambda: run.figure("timeline", width=10000, scale=2))
assert "expected 0 to 4096" in error_of(lambda: pathline.open(lulesh, threads=5000))
for ranks in ("", [0, 1.7], 1.5, b"01"):
    error_of(lambda: run.profile("rank", ranks=ranks), ValueError if ranks == "" else TypeError)
for ranks in (2, (2,), {2}, range(2, 3), iter([2]), "2"):
    assert list(run.profile("rank", ranks=ranks)["rank"]) == [2]
table = run.waits()
assert list(table) == table.columns
assert "the name of a column, not 0" in error_of(lambda: table[0], TypeError)
# What is not UTF-8 in a damaged archive is shown as such.
with tempfile.TemporaryDirectory() as folder:
    shutil.copytree(data("otf2/ping-pong-otf2"), folder, dirs_exist_ok=True)
    anchor = os.path.join(folder, "traces.otf2")
    os.chmod(anchor, 0o644)
    with open(anchor, "r+b") as file:
        file.seek(64)
        byte = file.read(1)[0]
        file.seek(64)
        file.write(bytes([byte ^ 0x80]))
    assert "\ufffd" in error_of(lambda: pathline.open(folder))
error_of(lambda: run.figure("matrix", format="gif"), ValueError)
error_of(lambda: pathline.open(3), TypeError)
print("ok")
