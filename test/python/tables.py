# SPDX-License-Identifier: BSD-3-Clause
"""Tables have the columns and the numbers of the CSV, and show memory instead of copying it."""

import gc
import os
import sys
import tempfile
import threading

from common import DIGITS, check_same, command, data, error_of, need, rows

need("numpy", "pandas")
import numpy  # noqa: E402

import pathline  # noqa: E402


def check_csv(path):
    run = pathline.open(path)
    part = {"begin_s": run.duration_s / 4, "end_s": run.duration_s / 2, "ranks": [0, 1]}
    options = ["--from", repr(part["begin_s"]), "--until", repr(part["end_s"]), "--ranks", "0-1"]
    count = 0
    for kind, bys in {"profile": ("region", "callpath", "rank", "host"),
                      "matrix": ("rank", "host", "callpath"),
                      "waits": ("rank", "callpath", "cause")}.items():
        for by in bys:
            words = [kind, path, "--format", "csv", "--by", by]
            get = getattr(run, kind)
            count += check_same(get(by), command(*words), words)
            count += check_same(get(by=by, **part), command(*words, *options), words + options)
    csv = ["--format", "csv"]
    ticks = ("send_ticks", "recv_ticks")
    count += check_same(run.messages(), command("messages", path, *csv), "messages", ticks)
    count += check_same(run.messages(**part), command("messages", path, *csv, *options),
                        "messages of a part", ticks)
    count += check_same(run.steps(), command("steps", path, *csv), "steps")
    count += check_same(run.steps(detect=True), command("steps", path, *csv, "--detect"), "periods")
    begin_s, end_s = 0.95 * run.duration_s, 0.99 * run.duration_s  # Behind MPI_Init.
    focus = ["--focus", f"{begin_s!r}:{end_s!r}"]
    for kind, bys in {"findings": ("run", "step"), "efficiency": ("run", "region", "host", "step"),
                      "critical": (None,)}.items():
        for by in bys:
            words = [kind, path, *csv] + (["--by", by] if by else [])
            choice = {"by": by} if by else {}
            get = getattr(run, kind)
            # The tree of factors has nine digits of all.
            is_tree = (kind, by) == ("efficiency", "run")
            digits = {name: ".9f" for name in get(**choice).columns} if is_tree else DIGITS
            count += check_same(get(**choice), command(*words), words, digits=digits)
            count += check_same(get(begin_s=begin_s, end_s=end_s, **choice), command(*words, *focus), words,
                                digits=digits)
    assert "there is only run, step" in error_of(lambda: run.findings("rank"))
    assert "there is only run, region" in error_of(lambda: run.efficiency("rank"))
    assert count > 100, count


def check_export(path):
    """locations.csv and regions.csv; events are counted, and their times compared."""
    run = pathline.open(path)
    with tempfile.TemporaryDirectory() as folder:
        command("export", path, "--to", "csv", "-o", folder)
        texts = {name: open(os.path.join(folder, name + ".csv")).read()
                 for name in ("locations", "regions", "events")}
    check_same(run.locations(), texts["locations"], "locations")
    check_same(run.regions(), texts["regions"], "regions")
    events = run.events()
    assert events.columns == ["location", "time_s", "event", "region", "ticks"]
    assert len(events) == run.event_count
    inside = numpy.isin(events["event"], ["Enter", "Leave"], invert=True)
    ours = [f"{location},{time:.9f},{event}" for location, time, event in
            zip(events["location"][inside], events["time_s"][inside], events["event"][inside])]
    assert ours == [",".join(line[:3]) for line in rows(texts["events"])[1]]
    assert (events["region"][inside] == "").all()
    assert (events["region"][~inside] != "").all()
    first = 0
    for location, count in zip(run.locations()["location"], run.locations()["events"]):
        one = run.events(location)
        assert len(one) == count
        for name in one.columns:
            assert (one[name] == events[name][first:first + len(one)]).all(), name
        first += len(one)


def address(array):
    return array.__array_interface__["data"][0]


def check_memory(path):
    run = pathline.open(path)
    table = run.messages()
    for name in ("sender", "receiver", "bytes", "tag", "send_ticks", "recv_ticks"):
        # Two tables, one place in memory, as long as one of them is there.
        assert address(table[name]) == address(run.messages()[name]), name
    assert address(table["send_s"]) == address(table["send_s"])
    location = run.locations()["location"][0]
    ticks = run.events(location)["ticks"]
    assert address(ticks) == address(run.events(location)["ticks"])
    seconds = (table["send_ticks"].astype("i8") - run.start_ticks) / run.ticks_per_second
    assert (seconds == table["send_s"]).all()
    for name in table.columns:
        assert not table[name].flags.writeable
        try:
            table[name][0] = 1
        except ValueError:
            continue
        raise AssertionError(f"{name} can be written to")
    try:
        table["bytes"].flags.writeable = True
    except ValueError:
        pass
    else:
        raise AssertionError("a view was made writable")

    # A view outlives all it came from.
    view, kept = table["bytes"], table["bytes"].copy()
    frame, ticks = table.to_pandas(), run.events(location)["ticks"]
    ticks_kept = ticks.copy()
    assert numpy.shares_memory(frame["bytes"].to_numpy(), view)
    del run, table
    gc.collect()
    filler = [numpy.full(len(kept), 0xdeadbeef, dtype="u8") for _ in range(64)]
    assert (view == kept).all() and (ticks == ticks_kept).all() and len(filler) == 64
    assert (frame["bytes"] == kept).all()


def check_pandas(path):
    run = pathline.open(path)
    waits = run.waits()
    frame = waits.to_pandas()
    assert list(frame.columns) == waits.columns and len(frame) == len(waits)
    assert frame["kind"].dtype.name == "category"
    assert frame["kind"].astype(str).tolist() == waits["kind"].tolist()
    assert frame["wait_s"].sum() == waits["wait_s"].sum()
    assert frame["rank"].dtype == "uint32" and frame["wait_s"].dtype == "float64"
    assert frame.groupby("kind", observed=True)["wait_s"].sum().sum() > 0
    empty = run.messages(begin_s=0, end_s=1e-9)
    assert len(empty) == 0 and len(empty.to_pandas()) == 0 and "0 rows" in repr(empty)
    text = repr(waits)
    assert text.splitlines()[0].split() == waits.columns
    assert text.splitlines()[-1] == f"{len(waits)} rows, {len(waits.columns)} columns"
    assert "<table>" in waits._repr_html_() and "&gt;" in run.profile("callpath")._repr_html_()


def check_figures(path):
    run = pathline.open(path)
    for kind in ("timeline", "matrix", "chord", "flow", "profile", "steps"):
        figure = run.figure(kind, width=800, height=600)
        assert figure._repr_png_().startswith(b"\x89PNG\r\n") and figure._repr_svg_() is None
    assert "marks no time steps" in error_of(lambda: run.figure("efficiency"))
    assert "all ranks together" in error_of(lambda: run.figure("efficiency", ranks=0))
    figure = run.figure("profile", ranks=0, format="svg")
    assert "<svg" in figure._repr_svg_() and figure._repr_png_() is None
    with tempfile.TemporaryDirectory() as folder:
        figure.save(os.path.join(folder, "a.png"))
        assert open(os.path.join(folder, "a.png"), "rb").read() == figure.png()


def check_threads(path):
    """Several at once, on one run: the same results."""
    run = pathline.open(path, threads=2)
    expected = run.profile()["exclusive_s"].tolist()
    results = []
    threads = [threading.Thread(target=lambda: results.append(run.profile()["exclusive_s"].tolist()))
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


lulesh = data("otf2/scorep-lulesh8")
check_csv(lulesh)
check_export(data("otf2/scorep-hybrid4"))
check_memory(lulesh)
check_pandas(lulesh)
check_figures(lulesh)
check_threads(lulesh)
sys.stdout.write("ok\n")
