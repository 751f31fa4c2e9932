// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/topology_script.hpp"

namespace pathline::insitu {

std::string topology_script() {
  return R"py(# Written by Pathline. In ParaView: File > Load State. Or: pvpython topology.py PICTURES
#
# Ranks are coloured by what they computed in the step, messages by their bytes; messages without
# any byte are red. The ranges are those of all steps.
import os
import sys

from paraview.simple import *

paraview.simple._DisableFirstRenderCameraReset()
here = os.path.dirname(os.path.abspath(__file__)) if "__file__" in globals() else os.getcwd()
run = PVDReader(registrationName="run", FileName=os.path.join(here, "topology.pvd"))
times = list(run.TimestepValues) if hasattr(run.TimestepValues, "__len__") else [run.TimestepValues]


def block(name):
    part = ExtractBlock(registrationName=name, Input=run, Selectors=["/Root/" + name])
    return part


def range_of(source, array):
    """Least and most of a cell array over all steps."""
    low, high = float("inf"), float("-inf")
    for time in times:
        source.UpdatePipeline(time)
        found = source.CellData.GetArray(array) if source.CellData else None
        if found:
            low, high = min(low, found.GetRange()[0]), max(high, found.GetRange()[1])
    return (low, high) if low <= high else None


view = GetActiveViewOrCreate("RenderView")
view.OrientationAxesVisibility = 0
view.UseColorPaletteForBackground = 0
view.Background = [0.11, 0.12, 0.15]

hardware = Show(block("hardware"), view)
hardware.Representation = "Surface With Edges"
hardware.ColorArrayName = [None, ""]
hardware.AmbientColor = hardware.DiffuseColor = [0.38, 0.41, 0.46]
hardware.EdgeColor = [0.62, 0.65, 0.70]

network = Show(block("network"), view)
network.ColorArrayName = [None, ""]
network.AmbientColor = network.DiffuseColor = [0.62, 0.58, 0.45]


def coloured(source, array, title, preset):
    display = Show(source, view)
    limits = range_of(source, array)
    if limits is None:
        return display
    ColorBy(display, ("CELLS", array))
    table = GetColorTransferFunction(array)
    table.ApplyPreset(preset, True)
    if limits[0] == limits[1]:
        limits = (min(limits[0], 0), limits[1] or 1)
    table.RescaleTransferFunction(*limits)
    display.SetScalarBarVisibility(view, True)
    bar = GetScalarBar(table, view)
    bar.Title, bar.ComponentTitle = title, ""
    bar.TitleColor = bar.LabelColor = [0.92, 0.92, 0.92]
    bar.ScalarBarLength, bar.RangeLabelFormat = 0.3, "%.3g"
    return display


ranks = coloured(block("ranks"), "computation : time", "computation, s", "Viridis (matplotlib)")
ranks.Representation = "Surface With Edges"
messages = block("messages")
lines = coloured(messages, "total : bytes", "message bytes", "Inferno (matplotlib)")
lines.LineWidth = 2
empty = Threshold(registrationName="empty messages", Input=messages)
empty.Scalars = ["CELLS", "total : bytes"]
empty.LowerThreshold = empty.UpperThreshold = 0
empty.ThresholdMethod = "Between"
shown = Show(empty, view)
shown.ColorArrayName = [None, ""]
shown.AmbientColor = shown.DiffuseColor = [1.0, 0.2, 0.2]
shown.LineWidth = 3

animation = GetAnimationScene()
animation.UpdateAnimationUsingDataTimeSteps()
view.ViewTime = times[0]
animation.AnimationTime = times[0]
view.ResetCamera()
camera = GetActiveCamera()
bounds = run.GetDataInformation().GetBounds()
if bounds[5] > bounds[4]:  # Several planes: from the side.
    camera.Azimuth(40)
    camera.Elevation(15)
for display in (hardware, network, ranks, lines, shown):  # Flat colours: planes have no light side.
    display.Ambient, display.Diffuse, display.Specular = 1.0, 0.0, 0.0
if len(sys.argv) > 1:
    view.ViewSize = [1600, 1000]
view.ResetCamera()
if bounds[5] > bounds[4]:
    camera.Dolly(1.1)
else:  # A ball around the machine fills the view now; one plane may come nearer, until it does.
    width, height = bounds[1] - bounds[0], bounds[3] - bounds[2]
    aspect = view.ViewSize[0] / view.ViewSize[1]
    ball = (width**2 + height**2) ** 0.5
    camera.Dolly(max(1.0, min(0.9 * ball / height, 0.8 * ball * aspect / width) if width and height else 1.0))
Render()

if len(sys.argv) > 1:
    os.makedirs(sys.argv[1], exist_ok=True)
    for i, time in enumerate(times):
        animation.AnimationTime = time
        view.ViewTime = time
        SaveScreenshot(os.path.join(sys.argv[1], "step_%06d.png" % i), view)
)py";
}

}  // namespace pathline::insitu
