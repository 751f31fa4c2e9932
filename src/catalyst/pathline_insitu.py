# SPDX-License-Identifier: BSD-3-Clause
"""What scripts of ParaView Catalyst find in a program that `pathline record --catalyst` runs.

The mesh is the channel "grid", with the arrays of Pathline on its cells. What only all ranks together
know stands in its field data: "ARRAY : statistics" holds mean, deviation, least, most and imbalance
(the most over the mean, minus 1). Everything here is called by all ranks.
"""

import builtins
import logging
import os
import re
import sys
import traceback

folder = "."
"""Where files should go: catalyst/ of the run directory, the working directory while scripts run."""

pictures = True
"""Whether anything is rendered. If not, views and what is shown in them swallow all that is done to
them."""


def ranges(producer):
    """{array: (least, most)} of this time step, over all ranks."""
    field = _data(producer).GetFieldData()
    found = {}
    for i in range(field.GetNumberOfArrays()):
        array = field.GetArray(i)
        if array is not None and array.GetName().endswith(" : statistics"):
            found[array.GetName()[:-len(" : statistics")]] = (array.GetComponent(0, 2), array.GetComponent(0, 3))
    return found


def bounds(producer):
    """[least x, most x, least y ...] of the mesh of all ranks; zeros if there is none."""
    from paraview.modules.vtkRemotingCore import vtkProcessModule
    from paraview.vtk import vtkDoubleArray

    data = _data(producer)
    here, everywhere = vtkDoubleArray(), vtkDoubleArray()
    own = data.GetBounds()
    for i in range(6):
        empty = data.GetNumberOfPoints() == 0
        here.InsertNextValue(1e300 if empty else own[i] if i % 2 == 0 else -own[i])
    everywhere.SetNumberOfValues(6)
    least = 1  # vtkCommunicator::MIN_OP
    controller = vtkProcessModule.GetProcessModule().GetGlobalController()
    if not controller.AllReduce(here, everywhere, least):
        return list(own)
    values = [everywhere.GetValue(i) for i in range(6)]
    return [value if i % 2 == 0 else -value for i, value in enumerate(values)] if values[0] < 1e300 else [0.0] * 6


def color_by(producer, display, view, array):
    """Colours what is shown by an array on cells, from the least to the most value of all ranks and of all
    steps so far, with a colour bar. returns whether there is such an array."""
    found = ranges(producer).get(array)
    if found is None:
        return False
    if not pictures:
        return True
    from paraview import simple

    low, high = _limits[array] = (min(found[0], _limits.get(array, found)[0]),
                                  max(found[1], _limits.get(array, found)[1]))
    if low == high:
        low, high = min(low, 0), high or 1
    simple.ColorBy(display, ("CELLS", array))
    table = simple.GetColorTransferFunction(array)
    table.ApplyPreset("Viridis (matplotlib)", True)
    table.RescaleTransferFunction(low, high)
    # Colours on the shaded side are to be found in the bar as well.
    display.Ambient, display.Diffuse, display.Specular = 0.6, 0.4, 0.0
    display.SetScalarBarVisibility(view, True)
    bar = simple.GetScalarBar(table, view)
    bar.Title, bar.ComponentTitle = array, ""
    bar.TitleColor = bar.LabelColor = [0.1, 0.1, 0.1]
    bar.Orientation, bar.WindowLocation, bar.ScalarBarLength = "Horizontal", "Lower Center", 0.4
    bar.AutomaticLabelFormat, bar.LabelFormat, bar.RangeLabelFormat = 0, "%g", "%g"
    return True


def look_at(producer, view):
    """From the front at a mesh that is flat, else from a corner; on a white ground."""
    if not pictures:
        return
    view.OrientationAxesVisibility = 0
    view.UseColorPaletteForBackground = 0
    view.Background = [1.0, 1.0, 1.0]
    box = bounds(producer)
    sizes = [box[2 * i + 1] - box[2 * i] for i in range(3)]
    middle = [(box[2 * i + 1] + box[2 * i]) / 2 for i in range(3)]
    flat = min(range(3), key=lambda i: sizes[i])
    away = [0.8, -1.0, 0.6]
    if sizes[flat] < 0.2 * max(sizes):
        away = [0.0, 0.0, 0.0]
        away[flat] = -1.0 if flat == 1 else 1.0
    distance = max(max(sizes), 1e-300)
    view.CameraFocalPoint = middle
    view.CameraPosition = [middle[i] + distance * away[i] for i in range(3)]
    view.CameraViewUp = [0.0, 1.0, 0.0] if away[:2] == [0.0, 0.0] else [0.0, 0.0, 1.0]
    view.ResetCamera(*box)
    # A little further away: the colour bar lies below.
    eye, focus = list(view.CameraPosition), list(view.CameraFocalPoint)
    view.CameraPosition = [focus[i] + 1.2 * (eye[i] - focus[i]) for i in range(3)]


def collect(collection, file, time):
    """Once `file` is there, which is looked for when the script is through with this step, it becomes a time of
    `collection` (.pvd), which ParaView opens as a series. Both are paths below `folder`."""
    _expected.append((collection, file, time))


# What follows is for the library that runs the scripts.

_limits = {}
_expected = []
_collections = {}
_raised = False


def _data(producer):
    # Not UpdatePipeline() of the proxy, which looks at all values of all arrays as well.
    source = producer.GetClientSideObject()
    source.Update()
    return source.GetOutputDataObject(0)


class _Yes(Exception):
    pass


class _Exit(Exception):
    """A script that wants to leave must not take the program along."""


def _leave(*arguments):
    raise _Exit("the script wants to end the program")


def _begin(where):
    global folder
    folder = where
    sys.excepthook = _take_exception
    logging.raiseExceptions = False  # ParaView's log asks for a level of VTK's that is not there.
    sys.exit = builtins.exit = builtins.quit = _leave
    builtins.SystemExit = _Exit


def _answer(value):
    if value:
        raise _Yes


def _complain(text):
    from paraview.vtk.vtkCommonCore import vtkOutputWindow

    vtkOutputWindow.GetInstance().DisplayErrorText(text)


def _take_exception(kind, value, trace):
    global _raised
    if kind is _Yes:
        return
    _raised = True
    text = "".join(traceback.format_exception_only(kind, value)).strip().splitlines()[-1]
    own = [frame for frame in traceback.extract_tb(trace)
           if "/paraview/" not in frame.filename and not frame.filename.startswith("<frozen")
           and frame.filename not in ("<string>", __file__)]
    where = ""
    if isinstance(value, SyntaxError):
        where = f"line {value.lineno}: "
    elif own:
        where = f"line {own[-1].lineno} of {os.path.basename(own[-1].filename)}: "
    _complain(where + text)


def _has_raised():
    global _raised
    _write_collections()
    raised, _raised = _raised, False
    return raised


def _write_collections():
    from paraview.modules.vtkRemotingCore import vtkProcessModule

    expected = list(_expected)
    _expected.clear()
    if vtkProcessModule.GetProcessModule().GetPartitionId() != 0:
        return
    for name, file, time in expected:
        if not os.path.exists(os.path.join(folder, file)):
            _complain(f"the file {file} was not written")
            continue
        times = _collections.setdefault(name, {})
        times[file] = time
        path = os.path.join(folder, name)
        with open(path + ".part", "w", encoding="utf-8") as out:
            out.write('<?xml version="1.0"?>\n<VTKFile type="Collection" version="1.0">\n<Collection>\n')
            for entry, when in times.items():
                out.write(f'<DataSet timestep="{when!r}" file="{entry}"/>\n')
            out.write("</Collection>\n</VTKFile>\n")
        os.replace(path + ".part", path)


def renders(script):
    """Whether a script seems to make pictures."""
    words = r"\bCreate\w*View\b|\bGetActiveViewOrCreate\b|\bSaveScreenshot\b|\bSaveAnimation\b|\bWriteImages?\b"
    words += r"|\bRender\(|\bRenderView\b"
    try:
        with open(script, encoding="utf-8", errors="replace") as text:
            return re.search(words, text.read()) is not None
    except OSError:
        return False


class _Nothing:
    """A view, or what is shown in one, where nothing can be rendered."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __setattr__(self, name, value):
        pass

    def __call__(self, *arguments, **named):
        return self

    def __getitem__(self, key):
        return self

    def __setitem__(self, key, value):
        pass

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    def __bool__(self):
        return False


_nothing = _Nothing()


def _without_pictures():
    """Views are nothing, and so is all that is made of nothing. To create a view is harmless, but to render it
    ends the whole job."""
    global pictures
    pictures = False
    from paraview import coprocessing, servermanager, simple

    def unless_nothing(function):
        def call(*arguments, **named):
            if any(value is _nothing for value in (*arguments, *named.values())):
                return _nothing
            return function(*arguments, **named)
        return call

    makes_views = re.compile(r"^(Create\w*View|GetActiveView\w*|GetRenderViews?|GetViews?|FindView\w*|CreateLayout|"
                             r"GetLayout\w*|Save(Screenshot|Animation|Extracts)\w*|Render|RenderAllViews|WriteImage|Show|"
                             r"ResetCamera\w*|GetScalarBar|GetDisplayProperties|GetRepresentation|GetActiveCamera)$")
    for name, value in list(vars(simple).items()):
        if name.startswith("_") or isinstance(value, type) or not callable(value):
            continue
        setattr(simple, name, _nothing if makes_views.match(name) else unless_nothing(value))
    for name in ("CreateView", "RegisterView", "WriteImages", "RescaleDataRange"):
        setattr(coprocessing.CoProcessor, name, lambda *arguments, **named: _nothing)
    for name in ("CreateRenderView", "GetRenderView", "GetRenderViews"):
        if hasattr(servermanager, name):
            setattr(servermanager, name, _nothing)
