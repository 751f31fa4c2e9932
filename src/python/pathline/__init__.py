# SPDX-License-Identifier: BSD-3-Clause
"""Traces of parallel programs, for numpy and pandas.

    import pathline
    run = pathline.open("run")            # a run directory, traces.otf2, or a CSV of messages
    waits = run.waits().to_pandas()
    run.figure("timeline")                # shown inline in a notebook

Every result is a Table whose columns are those of the command of the same name with
`--format csv`, and whose numbers are the ones it prints. Columns that end in "_s" are seconds; times
begin at 0 with the run. Nothing that is read from a run can be written to.
"""

import operator as _operator
import os as _os
import warnings as _warnings

import numpy as _np

from . import _pathline

__version__ = _pathline.__version__
__all__ = ["Error", "Figure", "Run", "Table", "open"]

Error = _pathline.Error
Error.__module__ = "pathline"
Error.__doc__ = "What is wrong with a file or a request, in the words of the command line."


def open(path, *, partial=False, threads=0):
    """Reads a run and returns it as a Run.

    path     a run directory, an OTF2 anchor file, a folder that holds one, a CSV of messages, a
             summary that `pathline reduce` wrote (*.plsum), or a Cube profile (*.cubex)
    partial  read a damaged trace as far as it goes; run.complete is False then
    threads  to read and to calculate with; 0 takes one per core

    A summary has profile(), matrix(), waits(), steps(), locations(), regions() and figures of the
    whole run, with the numbers of the run to the last bit; for what needs events it reads these
    once, from the archive that it was made of. A profile has profile(); what it does not know
    raises Error, in the words of the command. Ctrl-C ends a long call.

    Raises Error when it is not there, is damaged, or takes more memory than there is.
    """
    return Run(_pathline.Run(_os.fspath(path), partial, threads))


def _part(begin_s, end_s, ranks):
    if ranks is None:
        text = ""
    elif isinstance(ranks, str):
        text = ranks
    else:
        if isinstance(ranks, (bytes, bytearray)):
            raise TypeError("ranks: a number, several, or a text like '0-7,12', not bytes")
        try:
            numbers = [_operator.index(ranks)]
        except TypeError:
            numbers = [_operator.index(number) for number in ranks]
        text = ",".join(map(str, numbers))
    if ranks is not None and not text:
        raise ValueError("ranks: an empty list chooses nothing; None chooses all")
    return _pathline.Part(begin_s, end_s, text)


class Table:
    """Columns of the same length, read only.

    len(table) is the number of rows, table.columns the names, table["wait_s"] one column.
    table.bin_s is not 0 for timeline() of a summary that was made of bins of time: their length.
    """

    __slots__ = ("_data", "bin_s")

    def __init__(self, data, bin_s=0.0):
        self._data = data
        self.bin_s = bin_s

    def __len__(self):
        return len(self._data)

    @property
    def columns(self):
        """Names of the columns, in order."""
        return self._data.columns()

    def __contains__(self, name):
        return name in self._data.columns()

    def __iter__(self):
        """Over the names of the columns, as `in` asks for them."""
        return iter(self.columns)

    def __getitem__(self, name):
        """The column as an array of shape (rows,).

        Numbers are a view that cannot be written to and keeps the memory of the table, or of the
        run, alive. Texts are an array of str, made anew from codes() and names().
        """
        if not isinstance(name, str):
            raise TypeError(f"a table is indexed by the name of a column, not {name!r}")
        values = self._data.values(name)
        names = self._data.names(name)
        if names is None:
            return values
        return _np.array(names, dtype=object)[values] if names else _np.empty(0, dtype=object)

    def codes(self, name):
        """Of a column of text: a view of int8 or int32, shape (rows,), indices into names()."""
        if self._data.names(name) is None:
            raise TypeError(f"{name} is a column of numbers")
        return self._data.values(name)

    def names(self, name):
        """Of a column of text: what the codes stand for, each once; of numbers: None."""
        return self._data.names(name)

    def to_pandas(self):
        """A DataFrame. Numbers are not copied, texts are of type category.

        The values are read only: call .copy() on the DataFrame to change them.
        """
        import pandas

        columns = {}
        for name in self.columns:
            values, names = self._data.values(name), self._data.names(name)
            columns[name] = values if names is None else pandas.Categorical.from_codes(values, names)
        return pandas.DataFrame(columns, index=pandas.RangeIndex(len(self)), copy=False)

    def __arrow_c_stream__(self, requested_schema=None):
        """A PyCapsule "arrow_array_stream": one batch, numbers not copied, texts as dictionaries.

        For pyarrow.table(t), polars.from_arrow(t), duckdb and all others that take one. The schema
        is always the table's own.
        """
        return self._data.arrow_stream()

    def _cells(self, count):
        """The first rows as text: by column, the name in front."""
        cells = []
        for name in self.columns:
            values, names = self._data.values(name)[:count], self._data.names(name)
            if names is not None:
                texts = [names[code] for code in values]
            elif values.dtype.kind == "f":
                texts = ["" if v != v else f"{v:.9f}" if name.endswith("_s") else f"{v:.6g}" for v in values]
            else:
                texts = [str(v) for v in values]
            cells.append([name] + texts)
        return cells

    def _is_text(self):
        return [self._data.names(name) is not None for name in self.columns]

    def __repr__(self):
        def short(text):
            return text if len(text) <= 36 else text[:35] + "…"

        cells = [[short(text) for text in column] for column in self._cells(10)]
        lines = []
        if cells:
            widths = [max(map(len, column)) for column in cells]
            for row in zip(*cells):
                lines.append("  ".join(
                    cell.ljust(width) if is_text else cell.rjust(width)
                    for cell, width, is_text in zip(row, widths, self._is_text())).rstrip())
        if len(self) > 10:
            lines.append("...")
        lines.append(f"{len(self)} rows, {len(self.columns)} columns")
        return "\n".join(lines)

    def _repr_html_(self):
        from html import escape

        rows = list(zip(*self._cells(20)))
        align = ["left" if is_text else "right" for is_text in self._is_text()]

        def line(row, tag):
            return "<tr>" + "".join(
                f'<{tag} style="text-align:{side}">{escape(cell)}</{tag}>'
                for cell, side in zip(row, align)) + "</tr>"

        body = "".join(line(row, "td") for row in rows[1:])
        head = line(rows[0], "th") if rows else ""
        more = ", of which 20 are shown" if len(self) > 20 else ""
        return (f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"
                f"<p>{len(self)} rows{more}</p>")


def _judged(answer):
    """Of a table and of what is to be known of it, for the one who called a method of Run."""
    data, notes = answer
    for note in notes:
        _warnings.warn(note, stacklevel=3)
    return Table(data)


class Figure:
    """A picture of a run; a notebook shows it inline."""

    def __init__(self, draw, form):
        self._draw = draw
        self._form = form
        self._bytes = {form: draw(form == "svg")}

    def _get(self, form):
        if form not in self._bytes:
            self._bytes[form] = self._draw(form == "svg")
        return self._bytes[form]

    def png(self):
        """The picture as bytes of PNG."""
        return self._get("png")

    def svg(self):
        """The picture as text of SVG."""
        return self._get("svg").decode()

    def save(self, path):
        """Writes the picture to `path`, SVG or PNG by the end of its name."""
        form = _os.path.splitext(_os.fspath(path))[1].lower()
        if form not in (".png", ".svg"):
            raise ValueError(f"{path}: the name of a picture ends in .png or .svg")
        import pathlib

        pathlib.Path(path).write_bytes(self._get(form[1:]))

    def _repr_png_(self):
        return self.png() if self._form == "png" else None

    def _repr_svg_(self):
        return self.svg() if self._form == "svg" else None


class Run:
    """A run that was read: its facts, and its results as tables.

    Of every method, begin_s and end_s choose a part of the time in seconds since the start of the
    run, and ranks a list of ranks, or text as in "0-31,64"; None is all. What they mean for a result
    is what --from, --until and --ranks mean for the command. May be used by several threads; while
    it calculates, other threads of Python run.
    """

    def __init__(self, core):
        self._core = core

    def __repr__(self):
        facts = [f"{self.ranks} ranks"]
        if self.event_count is not None:
            facts.append(f"{self.event_count} events")
        if self.duration_s is not None:
            facts.append(f"{self.duration_s:.6f} s")
        if self.source == "summary":
            facts.append("summary")
        return f"<pathline.Run {self.path}: {', '.join(facts + [self.format])}>"

    path = property(lambda self: self._core.path, doc="What was opened.")
    source = property(lambda self: self._core.source,
                      doc='"trace", or "summary" or "profile", which know the whole run only.')
    format = property(lambda self: self._core.format, doc='What it is: "OTF2 2.3.0", "CSV".')
    ranks = property(lambda self: self._core.ranks, doc="Number of ranks.")
    event_count = property(lambda self: self._core.event_count,
                           doc="Number of events; None of a profile.")
    duration_s = property(lambda self: self._core.duration_s,
                          doc="Length of the run in seconds; None of a profile.")
    complete = property(lambda self: self._core.complete,
                        doc="False: the trace was damaged, and this is what could be read.")
    warnings = property(lambda self: self._core.warnings,
                        doc="What to know before believing the rest: a list of str.")
    ticks_per_second = property(lambda self: self._core.ticks_per_second,
                                doc="Unit of the columns of ticks.")
    start_ticks = property(lambda self: self._core.start_ticks, doc="The tick that is 0 s.")

    def profile(self, by="region", *, begin_s=None, end_s=None, ranks=None):
        """Where the time goes: a row for each region, "callpath", "rank" or "host".

        region    visits, inclusive_s, exclusive_s: sums over ranks and their threads;
                  exclusive_min_s, exclusive_max_s, imbalance (maximum over mean): over ranks;
                  max_rank: the first with the maximum. imbalance and max_rank are NaN where no time
                  passed.
        rank      these, and compute_s, mpi_s, wait_s, io_s, host.
        host      ranks, compute_s, mpi_s, wait_s, io_s.
        """
        return Table(self._core.profile(by, _part(begin_s, end_s, ranks)))

    def matrix(self, by="rank", *, step=None, begin_s=None, end_s=None, ranks=None):
        """Who sent how much to whom: a row for each pair that did.

        sender, receiver, messages, bytes; min_s, mean_s, max_s from send to receive. by="host" has
        sender_host and receiver_host, by="callpath" the calls that send.
        step  only the messages sent in this time step
        """
        return Table(self._core.matrix(by, step, _part(begin_s, end_s, ranks)))

    def steps(self, *, detect=False, begin_s=None, end_s=None, ranks=None):
        """The time steps that the program marks: a row for each step and rank.

        step, rank, begin_s, end_s, mpi_s, io_s, sent_messages, sent_bytes, received_messages,
        received_bytes, read_bytes, written_bytes. Steps that were not recorded have NaN from mpi_s
        on.
        detect  where none are marked, look for a period in the calls; the first column is "period"
        """
        return Table(self._core.steps(detect, _part(begin_s, end_s, ranks)))

    def waits(self, by="rank", *, begin_s=None, end_s=None, ranks=None):
        """Who waits in MPI because others are late: a row for each kind and rank.

        kind, rank, count (calls), wait_s. by="callpath": where in the program; by="cause": for whom,
        with waiting_rank_s, short_term_rank_s and long_term_rank_s of all that wait.
        """
        return _judged(self._core.waits(by, _part(begin_s, end_s, ranks)))

    def timeline(self, begin_s=None, end_s=None, width=1024, *, ranks=None):
        """The rows of a timeline: what each location did in each of `width` parts of the time.

        row (from the top of the picture), location (its number), rank, begin_s, end_s of the part,
        region, share: how much of the part the region was the innermost call. Without a call there
        is no row. Nothing is averaged or trimmed as a figure is.
        Of a summary these are the numbers of the run where it reads them from the archive; where it
        takes bins of time, as for the figure, table.bin_s is their length, and the shares are close
        to those of the run as long as that is shorter than a part.
        """
        return Table(*self._core.timeline(width, _part(begin_s, end_s, ranks)))

    def findings(self, by="run", *, min_percent=2.0, begin_s=None, end_s=None):
        """What makes the program slow, what most could be gained by first: a row for each finding.
        by="step": what made each time step as long as it was, a row for each.

        kind, confidence, recoverable_s, recoverable_pct, after_above_s, cost_rank_s, ranks, callpath,
        steps, from_s, until_s, text, advice, place. Of steps: step, length_s, excess_s (beyond the
        median), wait_rank_s, waits, rank (NaN: nobody's), callpath, cause_s.
        min_percent     of the time that a finding must gain
        begin_s, end_s  the time that is judged; without, the time steps. Of a summary whose run does
                        not fit into memory that is a part in the middle, of which a warning tells.
        """
        return _judged(self._core.findings(by, min_percent, _part(begin_s, end_s, None)))

    def efficiency(self, by="run", *, begin_s=None, end_s=None):
        """How well the ranks are used, and what takes the rest: the factors of the POP project.

        run     one row: parallel, parallel_low, parallel_high, load_balance, communication,
                serialisation, migration, dependency, transfer, openmp (NaN without threads), from 0
                to 1; ideal_s, measured_s, replay_error_pct.
        step, region, host  a row for each: step, callpath or host; useful_mean_s, useful_max_s,
                max_rank, load_balance; of steps communication (NaN where it is not known), length_s.
        begin_s, end_s  the time that is judged, as of findings()
        """
        return _judged(self._core.efficiency(by, _part(begin_s, end_s, None)))

    def critical(self, *, begin_s=None, end_s=None):
        """The critical path, which the length of the run is made of: a row for each call path on it.

        callpath, rank (that has most of it), on_path_s, imbalance_s: what balance would gain at most.
        begin_s, end_s  the time that is judged, as of findings()
        """
        return _judged(self._core.critical(_part(begin_s, end_s, None)))

    def messages(self, *, begin_s=None, end_s=None, ranks=None):
        """Every message, by the time it was sent.

        sender, receiver, send_s, recv_s, bytes, tag; and send_ticks, recv_ticks as they were
        recorded. Of the whole run all but the seconds are views of the run's own memory.
        """
        return Table(self._core.messages(_part(begin_s, end_s, ranks)))

    def locations(self):
        """Threads and GPU streams: location (its number), name, type, rank, events."""
        return Table(self._core.locations())

    def regions(self):
        """Functions and other regions: region (its number), name, file, line (0: not known)."""
        return Table(self._core.regions())

    def events(self, location=None, *, begin_s=None, end_s=None):
        """Every event of a location, in the order recorded; without one, of all, with a column
        location in front.

        time_s, event ("Enter", "MpiSend" ...), region ("" where the event is no call), ticks. Of one
        location of a trace ticks is a view of the run's own memory; ticks_per_second is their unit.
        A summary reads no more than was asked for from its archive, where it can.
        location        its number, see locations()
        begin_s, end_s  those from begin_s on and before end_s
        """
        return Table(self._core.events(location, _part(begin_s, end_s, None)))

    def figure(self, kind, *, begin_s=None, end_s=None, ranks=None, width=1280, height=720, scale=1,
               format="png"):
        """A Figure: "timeline", "matrix", "chord", "flow", "profile", "steps" or "efficiency".

        width, height  in pixels, before `scale`
        format         "png" or "svg": what a notebook shows
        """
        if format not in ("png", "svg"):
            raise ValueError(f"format {format!r}: there are png and svg")
        part = _part(begin_s, end_s, ranks)
        said = []

        def draw(svg):
            picture, notes = self._core.figure(kind, part, _pathline.Look(width, height, scale, svg))
            said[:] = notes
            return picture

        figure = Figure(draw, format)
        for note in said:
            _warnings.warn(note, stacklevel=2)
        return figure
