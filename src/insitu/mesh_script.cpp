// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/mesh_script.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.hpp"
#include "insitu/mesh_write.hpp"
#include "insitu/scene.hpp"

namespace pathline::insitu {
namespace {

std::string python_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : base::printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

struct Limits {
  double least;
  double most;
};

/// Least and most of each array over all ranks and steps: the script need not read them for that.
std::map<std::string, Limits> limits_of(const Figures& figures,
                                        std::span<const uint32_t> destinations) {
  std::map<std::string, Limits> all;
  for (const Step& step : figures.steps) {
    for (const vtk::Array& array : mesh_arrays(figures, step, destinations)) {
      const Statistics of_step = statistics_of(array);
      const Limits now{of_step.min, of_step.max};
      const auto [found, is_new] = all.try_emplace(array.name, now);
      if (is_new) continue;
      found->second = {std::min(found->second.least, now.least),
                       std::max(found->second.most, now.most)};
    }
  }
  return all;
}

}  // namespace

std::string mesh_script(const Figures& figures, std::span<const uint32_t> destinations) {
  std::string limits;
  for (const auto& [name, of_array] : limits_of(figures, destinations)) {
    limits += fmt::format("    {}: ({}, {}),\n", python_text(name), of_array.least, of_array.most);
  }
  return R"py(# Written by Pathline. In ParaView: File > Load State. Or: pvpython mesh.py PICTURES [ARRAY]
#
# The mesh is coloured by what each rank sent in the step, or by another ARRAY of these, with its
# least and most value in all steps:
import os
import sys

from paraview.simple import *

LIMITS = {
)py" + limits +
         R"py(}
ARRAY = sys.argv[2] if len(sys.argv) > 2 else "sent : bytes"

paraview.simple._DisableFirstRenderCameraReset()
here = os.path.dirname(os.path.abspath(__file__)) if "__file__" in globals() else os.getcwd()
run = PVDReader(registrationName="mesh", FileName=os.path.join(here, "mesh.pvd"))
times = list(run.TimestepValues) if hasattr(run.TimestepValues, "__len__") else [run.TimestepValues]

view = GetActiveViewOrCreate("RenderView")
view.OrientationAxesVisibility = 0
view.UseColorPaletteForBackground = 0
view.Background = [1.0, 1.0, 1.0]
animation = GetAnimationScene()
animation.UpdateAnimationUsingDataTimeSteps()
view.ViewTime = animation.AnimationTime = times[0]
run.UpdatePipeline(times[0])

display = Show(run, view)
ColorBy(display, ("CELLS", ARRAY))
low, high = LIMITS.get(ARRAY, (0, 1))
if low == high:
    low, high = min(low, 0), high or 1
table = GetColorTransferFunction(ARRAY)
table.ApplyPreset("Viridis (matplotlib)", True)
table.RescaleTransferFunction(low, high)
display.SetScalarBarVisibility(view, True)
bar = GetScalarBar(table, view)
bar.Title, bar.ComponentTitle = ARRAY, ""
bar.TitleColor = bar.LabelColor = [0.1, 0.1, 0.1]
bar.ScalarBarLength, bar.RangeLabelFormat = 0.4, "%.3g"

# The cells of a rank are all alike, so that only their edges tell them apart; those of a large mesh
# would cover it.
if run.GetDataInformation().GetNumberOfCells() < 20000:
    display.Representation = "Surface With Edges"
    display.EdgeColor = [0.35, 0.35, 0.35]

# What is flat is seen from the front, else from a corner.
bounds = run.GetDataInformation().GetBounds()
sizes = [bounds[2 * i + 1] - bounds[2 * i] for i in range(3)]
middle = [(bounds[2 * i + 1] + bounds[2 * i]) / 2 for i in range(3)]
flat = min(range(3), key=lambda i: sizes[i])
away = [0.0, 0.0, 0.0]
if sizes[flat] < 0.2 * max(sizes):
    away[flat] = -1.0 if flat == 1 else 1.0
else:
    away = [0.8, -1.0, 0.6]
distance = max(max(sizes), 1e-300)
view.CameraFocalPoint = middle
view.CameraPosition = [middle[i] + distance * away[i] for i in range(3)]
view.CameraViewUp = [0.0, 1.0, 0.0] if away[:2] == [0.0, 0.0] else [0.0, 0.0, 1.0]
view.ResetCamera()
Render()

if len(sys.argv) > 1:
    view.ViewSize = [1200, 900]
    view.ResetCamera()
    os.makedirs(sys.argv[1], exist_ok=True)
    for i, time in enumerate(times):
        animation.AnimationTime = time
        view.ViewTime = time
        SaveScreenshot(os.path.join(sys.argv[1], "step_%06d.png" % i), view)
)py";
}

}  // namespace pathline::insitu
