# SPDX-License-Identifier: BSD-3-Clause
#
# What default.py does, as a script of the first version, as simulations of before ParaView 5.9 have them.
from paraview import coprocessing
from paraview.simple import *

import pathline_insitu

ARRAY = "sent : bytes"  # What the pictures show.
EVERY = 1  # time step
DATA, PICTURE = "grid/step_%t.pvtu", "pictures/step_%t.png"

shown = {}


def make_pipeline():
    class Pipeline(coprocessing.CoProcessor):
        def CreatePipeline(self, description):
            grid = self.CreateProducer(description, "grid")
            writer = servermanager.writers.XMLPUnstructuredGridWriter(Input=grid)
            writer.CompressorType = "LZ4"
            self.RegisterWriter(writer, filename=DATA, freq=EVERY, paddingamount=6)
            view = self.CreateView(CreateRenderView, PICTURE, EVERY, 0, 1, 1200, 900)
            shown.update(grid=grid, view=view, display=Show(grid, view))

    return Pipeline()


pipeline = make_pipeline()
pipeline.SetUpdateFrequencies({"grid": [EVERY]})


def RequestDataDescription(description):
    pipeline.LoadRequestedData(description)


def DoCoProcessing(description):
    pipeline.UpdateProducers(description)
    grid, view, display = shown["grid"], shown["view"], shown["display"]
    if not pathline_insitu.color_by(grid, display, view, ARRAY):
        pathline_insitu.color_by(grid, display, view, "rank")
    pathline_insitu.look_at(grid, view)
    pipeline.WriteData(description)
    pipeline.WriteImages(description, padding_amount=6)
    file = DATA.replace("%t", "%06d" % description.GetTimeStep())
    pathline_insitu.collect("grid.pvd", file, description.GetTime())
