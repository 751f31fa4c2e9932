# script-version: 2.0
# SPDX-License-Identifier: BSD-3-Clause
#
# --catalyst default: the mesh with all arrays as VTK files, and pictures where there is a display.
# A copy of it is a good beginning for scripts of your own.
import os

from paraview import catalyst
from paraview.simple import *

import pathline_insitu

ARRAY = "sent : bytes"  # What the pictures show.
STEP = "step_{timestep:06d}"

options = catalyst.Options()
options.ExtractsOutputDirectory = "."

grid = TrivialProducer(registrationName="grid")

data = CreateExtractor("VTU", grid, registrationName="data")
data.Writer.FileName = "grid/" + STEP + ".pvtu"
data.Writer.CompressorType = "LZ4"  # Most arrays have one value for each rank.

os.makedirs(os.path.join(pathline_insitu.folder, "pictures"), exist_ok=True)
view = CreateView("RenderView")
view.ViewSize = [1200, 900]
display = Show(grid, view)
picture = CreateExtractor("PNG", view, registrationName="picture")
picture.Writer.FileName = "pictures/" + STEP + ".png"
picture.Writer.ImageResolution = [1200, 900]


def catalyst_execute(info):
    if not pathline_insitu.color_by(grid, display, view, ARRAY):
        pathline_insitu.color_by(grid, display, view, "rank")
    pathline_insitu.look_at(grid, view)
    pathline_insitu.collect("grid.pvd", data.Writer.FileName.format(timestep=info.timestep), info.time)
