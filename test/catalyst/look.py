# SPDX-License-Identifier: BSD-3-Clause
"""pvpython look.py FILE.pvd...   what ParaView finds in files, as one line of JSON: for each its times, and for
each time the blocks with their cells and the ranges of their arrays on cells."""

import json
import sys

from paraview import servermanager
from paraview.simple import PVDReader


def blocks(data, name=""):
    if data is None:
        return
    if data.IsA("vtkCompositeDataSet"):
        for i in range(data.GetNumberOfBlocks() if hasattr(data, "GetNumberOfBlocks")
                       else data.GetNumberOfPartitions()):
            info = data.GetMetaData(i) if data.HasMetaData(i) else None
            key = info.Get(data.NAME()) if info and info.Has(data.NAME()) else f"{name}/{i}"
            part = data.GetBlock(i) if hasattr(data, "GetBlock") else data.GetPartition(i)
            yield from blocks(part, key)
        return
    cells = data.GetCellData()
    arrays = {}
    for i in range(cells.GetNumberOfArrays()):
        array = cells.GetArray(i)
        if array is not None:
            arrays[array.GetName()] = [*array.GetRange(), array.GetDataTypeAsString()]
    field = data.GetFieldData()
    statistics = {}
    for i in range(field.GetNumberOfArrays()):
        array = field.GetArray(i)
        if array is not None:
            statistics[array.GetName()] = [array.GetComponent(0, c) for c in range(array.GetNumberOfComponents())]
    yield name, {"cells": data.GetNumberOfCells(), "points": data.GetNumberOfPoints(),
                 "bounds": list(data.GetBounds()), "arrays": arrays, "field": statistics}


found = {}
for path in sys.argv[1:]:
    reader = PVDReader(FileName=path)
    reader.UpdatePipelineInformation()
    times = reader.TimestepValues
    times = list(times) if hasattr(times, "__len__") else [times]
    steps = []
    for time in times:
        reader.UpdatePipeline(time)
        steps.append(dict(blocks(servermanager.Fetch(reader))))
    found[path] = {"times": times, "steps": steps}
print(json.dumps(found))
