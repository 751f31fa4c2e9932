# SPDX-License-Identifier: BSD-3-Clause
"""Reads what src/vtk and the recorder write, by VTK's description of its XML files and by nothing of
ours."""

import base64
import struct
import xml.etree.ElementTree as xml
import zlib
from pathlib import Path

CODES = {"Int32": "i", "UInt32": "I", "Int64": "q", "UInt64": "Q", "Float64": "d", "UInt8": "B"}


def blocks_of(sizes, whole, last, data):
    at, text = 0, b""
    for i, size in enumerate(sizes):
        block = zlib.decompress(data[at:at + size])
        if len(block) != (last if last and i == len(sizes) - 1 else whole):
            raise ValueError("a block has another length than its header says")
        text += block
        at += size
    return text


def unpacked(data, offset):
    """An array behind the XML, in a file with a compressor."""
    blocks, whole, last = struct.unpack_from("<3Q", data, offset)
    sizes = struct.unpack_from(f"<{blocks}Q", data, offset + 24)
    return blocks_of(sizes, whole, last, data[offset + 24 + 8 * blocks:])


def raw(data, offset):
    """The same without."""
    size, = struct.unpack_from("<Q", data, offset)
    if len(data) < offset + 8 + size:
        raise ValueError("an array is not there as a whole")
    return data[offset + 8:offset + 8 + size]


def inline(text):
    """An array inside of the XML, in a file with a compressor: base64 of the sizes, then of the rest."""
    text = text.strip()
    blocks, whole, last = struct.unpack("<3Q", base64.b64decode(text[:32]))
    head = (24 + 8 * blocks + 2) // 3 * 4
    sizes = struct.unpack_from(f"<{blocks}Q", base64.b64decode(text[:head]), 24)
    return blocks_of(sizes, whole, last, base64.b64decode(text[head:]))


class Grid:
    """Cells, points and field data of a .vtu, each a dict of name and list."""

    def __init__(self, path):
        content = Path(path).read_bytes()
        head, mark, data = content.partition(b'<AppendedData encoding="raw">\n_')
        root = xml.fromstring(head + mark.replace(b"\n_", b"") + b"</AppendedData></VTKFile>")
        piece = root.find(".//Piece")
        self.unpacked = unpacked if root.get("compressor") else raw
        self.cell_count = int(piece.get("NumberOfCells"))
        self.cells, self.points, self.field, self.topology = ({
            array.get("Name"): self.values(array, data)
            for array in (root.find(f".//{tag}") if root.find(f".//{tag}") is not None else [])}
            for tag in ("CellData", "Points", "FieldData", "Cells"))
        for name, values in self.cells.items():
            if len(values) != self.cell_count:
                raise ValueError(f"{name} has {len(values)} values for {self.cell_count} cells")

    def values(self, array, data):
        if array.get("format") == "appended":
            text = self.unpacked(data, int(array.get("offset")))
        else:
            text = inline(array.text)
        if array.get("type") == "String":
            return text.decode().split("\0")[:-1]
        code = CODES[array.get("type")]
        return list(struct.unpack(f"<{len(text) // struct.calcsize(code)}{code}", text))


class Collection:
    """A .pvd: its times, and the blocks of each by name."""

    def __init__(self, path):
        path = Path(path)
        self.times, self.steps = [], []
        for entry in xml.parse(path).iter("DataSet"):
            self.times.append(float(entry.get("timestep")))
            step = path.parent / entry.get("file")
            self.steps.append({part.get("name"): step.parent / part.get("file")
                               for part in xml.parse(step).iter("DataSet")})

    def grid(self, step, block):
        return Grid(self.steps[step][block])
