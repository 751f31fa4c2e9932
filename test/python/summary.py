# SPDX-License-Identifier: BSD-3-Clause
"""A summary and a Cube profile have the tables of their commands; what they do not know is read, or said."""

import concurrent.futures
import os
import resource
import subprocess
import sys
import tempfile

from common import check_error, check_same, command, error_of, need, synth

need("numpy", "pandas")
import numpy  # noqa: E402

import pathline  # noqa: E402


def check_equal(ours, theirs, what, but=()):
    """To the last bit."""
    assert ours.columns == theirs.columns and len(ours) == len(theirs), what
    for name in ours.columns:
        a, b = ours[name], theirs[name]
        if name in but:
            assert numpy.isnan(a.astype("f8")).all(), (what, name)
        elif a.dtype == object:
            assert (a == b).all(), (what, name)
        else:
            assert numpy.array_equal(a, b, equal_nan=True), (what, name)


def check_tables(path, archive):
    """Those of the command, and of the archive."""
    tables, run = pathline.open(path), pathline.open(archive)
    assert tables.source == "summary" and run.source == "trace"
    assert "summary" in repr(tables) and "summary" not in repr(run)
    for fact in ("ranks", "event_count", "duration_s", "start_ticks", "ticks_per_second", "format",
                 "complete"):
        assert getattr(tables, fact) == getattr(run, fact), fact
    for ranks in (None, [1, 3]):
        words = [] if ranks is None else ["--ranks", "1,3"]
        for kind, bys in {"profile": ("region", "callpath", "rank", "host"),
                          "matrix": ("rank", "host"), "waits": ("rank",)}.items():
            for by in bys:
                ours = getattr(tables, kind)(by, ranks=ranks)
                csv = command(kind, path, "--by", by, "--format", "csv", *words)
                check_same(ours, csv, (kind, by, ranks))
                check_equal(ours, getattr(run, kind)(by, ranks=ranks), (kind, by, ranks))
        window = ["--from", "0.5", "--until", "1.5"]
        check_same(tables.steps(begin_s=0.5, end_s=1.5, ranks=ranks),
                   command("steps", path, "--format", "csv", *window, *words), "steps")
    check_equal(tables.steps(), run.steps(), "steps")
    check_equal(tables.locations(), run.locations(), "locations")
    check_equal(tables.regions(), run.regions(), "regions")


QUESTIONS = (lambda run: run.waits("cause"), lambda run: run.waits("callpath"), lambda run: run.findings(),
             lambda run: run.messages(), lambda run: run.events(), lambda run: run.matrix(step=1),
             lambda run: run.matrix("callpath"), lambda run: run.profile(begin_s=1), lambda run: run.steps(),
             lambda run: run.efficiency(), lambda run: run.efficiency("step"), lambda run: run.critical(),
             lambda run: run.findings("step"))
# Of a part of the time no more is read than that, if nothing was read before.
OF_PARTS = (lambda run: run.waits(begin_s=0.6, end_s=0.9), lambda run: run.waits("cause", begin_s=0.6, end_s=0.9),
            lambda run: run.findings(begin_s=0.6, end_s=0.9), lambda run: run.messages(begin_s=0.7, end_s=0.8),
            lambda run: run.matrix(begin_s=0.7, end_s=0.8, ranks=[1, 2]), lambda run: run.findings(begin_s=0.6),
            lambda run: run.efficiency("region", begin_s=0.6, end_s=0.9),
            lambda run: run.critical(begin_s=0.6, end_s=0.9),
            lambda run: run.profile("callpath", begin_s=0.7, end_s=0.8),
            lambda run: run.profile("rank", begin_s=0.7, end_s=0.8, ranks=[1, 2]),
            lambda run: run.profile("host", begin_s=0.7, end_s=0.8))
EVENTS = (lambda run: run.events(0), lambda run: run.events(3, begin_s=0.7), lambda run: run.events(5, end_s=0.1),
          lambda run: run.events(7, begin_s=0.7, end_s=0.70001), lambda run: run.events(begin_s=0.7, end_s=0.75),
          lambda run: run.events(begin_s=0.1))
PICTURES_OF_PARTS = ("matrix", "chord", "flow", "profile")


def check_events(path, archive):
    """What the tables do not tell is read from the archive, which has to be there."""
    tables, run = pathline.open(path), pathline.open(archive)
    for i, question in enumerate(QUESTIONS):
        check_equal(question(tables), question(run), i)
    for i, question in enumerate(OF_PARTS):
        check_equal(question(pathline.open(path)), question(run), ("part", i))
    for i, question in enumerate(EVENTS):
        check_equal(question(pathline.open(path)), question(run), ("events", i))
    # Where events stand is read once, also by who asks at the same time.
    asked, questions = pathline.open(path), OF_PARTS + EVENTS[:-1]
    expected = [question(run) for question in questions]
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        for i, found in enumerate(threads.map(lambda question: question(asked), 2 * questions)):
            check_equal(found, expected[i % len(questions)], ("asked before", i))
    whole, part = run.events(3).to_pandas(), run.events(3, begin_s=0.25, end_s=0.5).to_pandas()
    is_in = (whole.time_s >= 0.25) & (whole.time_s < 0.5)
    assert len(part) > 10 and whole[is_in].reset_index(drop=True).equals(part)
    for kind in PICTURES_OF_PARTS:
        of_part = pathline.open(path).figure(kind, begin_s=0.7, end_s=0.8, format="svg")._repr_svg_()
        of_run = run.figure(kind, begin_s=0.7, end_s=0.8, format="svg")._repr_svg_()
        assert of_part.split("</title>")[1].replace(".plsum", "") == of_run.split("</title>")[1], kind
    check_error(lambda: tables.profile(ranks=99), "profile", path, "--ranks", "99")
    check_error(lambda: tables.steps(begin_s=99), "steps", path, "--from", "99")
    os.rename(archive, archive + "-gone")
    check_error(pathline.open(path).messages, "messages", path)
    check_error(lambda: pathline.open(path).profile(begin_s=1), "profile", path, "--from", "1")
    # Findings can be kept.
    judged = path.replace("run", "judged")
    command("reduce", archive + "-gone", "-o", judged, "--findings")
    kept = [lambda run: run.findings(), lambda run: run.findings(min_percent=4), lambda run: run.critical(),
            lambda run: run.efficiency(), lambda run: run.efficiency("step"), lambda run: run.efficiency("region"),
            lambda run: run.findings("step"), lambda run: run.waits("cause"), lambda run: run.waits("callpath")]
    found = [question(pathline.open(judged)) for question in kept]
    os.rename(archive + "-gone", archive)
    for i, question in enumerate(kept):
        check_equal(found[i], question(run), ("kept", i))


def check_pieces(archive, path):
    """What a time adds up to that is larger than memory."""
    questions = (lambda run: run.profile(begin_s=3), lambda run: run.profile("callpath", end_s=28, ranks=[1, 5]))
    run = pathline.open(archive, threads=1)
    expected = [question(run) for question in questions]
    svg = run.figure("profile", begin_s=3, format="svg")._repr_svg_()
    del run
    with open("/proc/self/statm") as file:
        most = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE") + (90 << 20)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    run = pathline.open(path, threads=1)
    refused = str(error_of(lambda: run.messages(begin_s=3)))
    assert "events and needs" in refused, refused
    for i, question in enumerate(questions):
        check_equal(question(run), expected[i], ("pieces", i))
    assert run.figure("profile", begin_s=3, format="svg")._repr_svg_().replace("long.plsum", "long") == svg


def check_figures(path):
    run = pathline.open(path)
    for kind in ("timeline", "matrix", "chord", "flow", "profile", "steps", "efficiency"):
        svg = run.figure(kind, format="svg")._repr_svg_()
        assert svg.startswith("<svg") or "<svg" in svg, kind
    assert run.figure("timeline", begin_s=1, end_s=1.01)._repr_png_().startswith(b"\x89PNG")
    assert error_of(lambda: run.figure("timeline", begin_s=99))


def pixels(table, run, width):
    """Shares by location, part of the time and region."""
    regions = {name: i for i, name in enumerate(sorted(set(run.regions()["name"])))}
    column = numpy.round((table["begin_s"] - table["begin_s"].min())
                         / (table["end_s"][0] - table["begin_s"][0])).astype(int)
    cube = numpy.zeros((int(table["row"].max()) + 1, width + 1, len(regions)))
    numpy.add.at(cube, (table["row"], column, [regions[name] for name in table["region"]]),
                 table["share"])
    return cube


def check_timeline(path, archive):
    tables, run = pathline.open(path), pathline.open(archive)
    # The whole: what the profile has of time.
    whole = run.timeline(width=100)
    assert whole.columns == ["row", "location", "rank", "begin_s", "end_s", "region", "share"]
    assert whole.bin_s == 0 and (whole["share"] > 0).all()
    frame = whole.to_pandas()
    frame["s"] = frame["share"] * (frame["end_s"] - frame["begin_s"])
    sums = frame.groupby("region", observed=True)["s"].sum()
    profile = run.profile().to_pandas().set_index("region")["exclusive_s"]
    for name in sums.index:
        assert abs(sums[name] - profile[name]) < 1e-6, name
    per_pixel = frame.groupby(["row", "begin_s"])["share"].sum()
    assert per_pixel.max() <= 1 + 1e-9
    assert abs(frame["end_s"].max() - run.duration_s) < 1e-9 and frame["begin_s"].min() == 0
    # A summary: of bins close to it, of what it reads back the same.
    ours = tables.timeline(width=100)
    error = numpy.abs(pixels(ours, run, 100) - pixels(whole, run, 100)).sum(axis=2) / 2
    assert error.mean() <= 0.005, error.mean()
    part = tables.timeline(1, 1.02, 64, ranks="2-3")
    assert part.bin_s == 0
    check_equal(part, run.timeline(1, 1.02, 64, ranks="2-3"), "part")
    assert set(part["rank"]) == {2, 3} and (part["begin_s"] >= 1 - 1e-9).all()
    for width in (0, 10**6):
        assert error_of(lambda: run.timeline(width=width))
    error_of(lambda: run.timeline(width=-1), TypeError)
    assert error_of(lambda: run.timeline(5, 4))


def check_replaced(folder):
    """Time steps and pairs are read when they are asked for: of the file that was opened, or not at all."""
    path = os.path.join(folder, "replaced.plsum")
    run = None
    for number, words in enumerate((["--ranks", 4], ["--ranks", 4, "--seed", 7], ["--ranks", 6])):
        archive = os.path.join(folder, f"replaced{number}")
        synth("fd4", archive, "--messages", 20000, "--seconds", 2, *words)
        new = os.path.join(folder, "new.plsum")
        command("reduce", archive, "-o", new)
        os.rename(new, path)
        if run is None:
            run = pathline.open(path)
            assert 1000 < len(run.events(begin_s=0.5, end_s=0.6)) < 100000
        else:
            for late in (run.steps, run.matrix, lambda: run.figure("matrix")):
                assert "another file than the one that was opened" in error_of(late)
            # Places in another archive.
            assert ("is another archive", "do not fit the run")[number - 1] in error_of(
                lambda: run.events(begin_s=0.5, end_s=0.6))
    assert run.figure("profile") and len(pathline.open(path).steps())
    here = os.getcwd()
    os.chdir(folder)
    run = pathline.open("replaced.plsum")
    os.chdir(here)
    assert len(run.matrix()) and len(run.steps()) and len(run.timeline())
    assert len(run.messages(begin_s=0.5, end_s=0.6)) and run.figure("chord")


def check_messages_alone(folder):
    """Of a file of messages: ranks, but no locations, so no rows of a timeline."""
    messages, path = os.path.join(folder, "m.csv"), os.path.join(folder, "m.plsum")
    with open(messages, "w", encoding="utf-8") as file:
        file.write("sender,receiver,send_s,recv_s,bytes,tag\n0,1,0.5,0.75,8,3\n1,0,0.25,1e-3,4096,0\n")
    command("reduce", messages, "-o", path)
    run = pathline.open(path)
    assert run.ranks == 2 and len(run.matrix()) == 2 and len(run.messages()) == 2
    assert len(run.timeline()) == 0


def check_bins_alone(path, archive):
    """Without the archive there are bins, and the tables."""
    os.rename(archive, archive + "-gone")
    run = pathline.open(path)
    assert len(run.profile()) and run.timeline(width=1000).bin_s > 0
    assert "no events of its own" in error_of(lambda: run.timeline(1, 1.0001, 1000))
    os.rename(archive + "-gone", archive)


def check_profile(path):
    profile = pathline.open(path)
    assert profile.source == "profile" and profile.event_count is None and profile.duration_s is None
    assert repr(profile)
    for by in ("region", "callpath", "rank", "host"):
        for words, ranks in (([], None), (["--ranks", "0"], 0)):
            csv = command("profile", path, "--by", by, "--format", "csv", *words)
            check_same(profile.profile(by, ranks=ranks), csv, by)
    check_error(lambda: profile.profile(begin_s=0), "profile", path, "--from", "0")
    check_error(profile.matrix, "matrix", path)
    check_error(profile.waits, "waits", path)
    check_error(lambda: profile.figure("timeline"), "figure", "timeline", path, "-o", "no.png")
    check_error(profile.steps, "steps", path)
    check_error(lambda: profile.timeline(), "messages", path)


if "pieces" in sys.argv:
    check_pieces(*sys.argv[-2:])
    sys.exit()
with tempfile.TemporaryDirectory() as folder:
    archive, path = os.path.join(folder, "long"), os.path.join(folder, "long.plsum")
    synth("fd4", archive, "--ranks", 64, "--messages", 330000, "--seconds", 30)
    command("reduce", archive, "-o", path)
    subprocess.run([sys.executable, *sys.argv, "pieces", archive, path], check=True)  # Its memory is limited.
    archive, path = os.path.join(folder, "run"), os.path.join(folder, "run.plsum")
    synth("fd4", archive, "--ranks", 8, "--messages", 4000, "--seconds", 4)
    command("reduce", archive, "-o", path)
    check_tables(path, archive)
    check_events(path, archive)
    check_figures(path)
    check_timeline(path, archive)
    check_bins_alone(path, archive)
    check_messages_alone(folder)
    check_replaced(folder)
    with open(path, "r+b") as file:
        file.truncate(os.path.getsize(path) // 2)
    check_error(lambda: pathline.open(path), "matrix", path)
profiles = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/cube-scorep/scaling")
for name in ("lulesh.p8.r1", "lulesh.p27.r1"):
    check_profile(os.path.join(profiles, name, "profile.cubex"))
print("ok")
