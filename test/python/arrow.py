# SPDX-License-Identifier: BSD-3-Clause
"""Reads a table through the C stream interface of Arrow, with nothing but its specification."""

import ctypes as c
import gc
import math

from common import data, need

need("numpy")
import pathline  # noqa: E402


class Schema(c.Structure):
    pass


class Array(c.Structure):
    pass


class Stream(c.Structure):
    pass


Schema._fields_ = [("format", c.c_char_p), ("name", c.c_char_p), ("metadata", c.c_void_p),
                   ("flags", c.c_int64), ("n_children", c.c_int64),
                   ("children", c.POINTER(c.POINTER(Schema))), ("dictionary", c.POINTER(Schema)),
                   ("release", c.CFUNCTYPE(None, c.POINTER(Schema))), ("private_data", c.c_void_p)]
Array._fields_ = [("length", c.c_int64), ("null_count", c.c_int64), ("offset", c.c_int64),
                  ("n_buffers", c.c_int64), ("n_children", c.c_int64),
                  ("buffers", c.POINTER(c.c_void_p)), ("children", c.POINTER(c.POINTER(Array))),
                  ("dictionary", c.POINTER(Array)),
                  ("release", c.CFUNCTYPE(None, c.POINTER(Array))), ("private_data", c.c_void_p)]
Stream._fields_ = [("get_schema", c.CFUNCTYPE(c.c_int, c.POINTER(Stream), c.POINTER(Schema))),
                   ("get_next", c.CFUNCTYPE(c.c_int, c.POINTER(Stream), c.POINTER(Array))),
                   ("get_last_error", c.CFUNCTYPE(c.c_char_p, c.POINTER(Stream))),
                   ("release", c.CFUNCTYPE(None, c.POINTER(Stream))), ("private_data", c.c_void_p)]
TYPES = {b"c": c.c_int8, b"i": c.c_int32, b"I": c.c_uint32, b"l": c.c_int64, b"L": c.c_uint64,
         b"g": c.c_double}
pointer_of = c.pythonapi.PyCapsule_GetPointer
pointer_of.restype, pointer_of.argtypes = c.c_void_p, [c.py_object, c.c_char_p]


def values(kind, at, count):
    return list((kind * count).from_address(at)) if count else []


def texts(array):
    assert array.n_buffers == 3
    offsets = values(c.c_int64, array.buffers[1], array.length + 1)
    whole = c.string_at(array.buffers[2], offsets[-1])
    return [whole[a:b].decode() for a, b in zip(offsets, offsets[1:])]


def column(schema, array):
    assert (array.null_count, array.offset, array.n_buffers) == (0, 0, 2)
    assert schema.n_children == array.n_children == 0
    numbers = values(TYPES[schema.format], array.buffers[1], array.length)
    if not schema.dictionary:
        return numbers
    assert schema.dictionary.contents.format == b"U"
    names = texts(array.dictionary.contents)
    return [names[code] for code in numbers]


def read(capsule):
    """The columns by name; everything is released. Also the addresses of their values."""
    stream = Stream.from_address(pointer_of(capsule, b"arrow_array_stream"))
    schema, array = Schema(), Array()
    assert stream.get_schema(stream, schema) == 0 and stream.get_next(stream, array) == 0
    assert schema.format == b"+s" and schema.n_children == array.n_children
    end = Array()
    assert stream.get_next(stream, end) == 0 and not end.release
    stream.release(stream)
    assert not stream.release
    gc.collect()
    result, places = {}, {}
    for i in range(array.n_children):
        one, child = schema.children[i].contents, array.children[i].contents
        assert child.length == array.length
        result[one.name.decode()] = column(one, child)
        places[one.name.decode()] = child.buffers[1]
    # A consumer may take a child for itself before it releases the rest.
    taken = Array()
    c.memmove(c.byref(taken), array.children[0], c.sizeof(Array))
    c.memset(c.byref(array.children[0].contents, Array.release.offset), 0, c.sizeof(c.c_void_p))
    array.release(array)
    schema.release(schema)
    assert not array.release and not schema.release
    first = schema_kind[type(next(iter(result.values()))[0])] if array.length else None
    if first:
        assert values(first, taken.buffers[1], 1)
    taken.release(taken)
    return result, places


schema_kind = {int: c.c_uint8, str: c.c_int8, float: c.c_double}


def same(a, b):
    return a == b or isinstance(a, float) and math.isnan(a) and math.isnan(b)


run = pathline.open(data("otf2/scorep-lulesh8"))
for table in (run.messages(), run.profile(), run.waits(), run.steps(), run.events(), run.findings(),
              run.locations(), run.messages(begin_s=0, end_s=1e-9)):
    result, places = read(table.__arrow_c_stream__())
    assert list(result) == table.columns
    for name in table.columns:
        expected = table[name].tolist()
        assert len(result[name]) == len(expected) == len(table)
        assert all(map(same, result[name], expected)), name
        if table.names(name) is None and len(table):
            assert places[name] == table[name].__array_interface__["data"][0], name  # No copy.
run.messages().__arrow_c_stream__(requested_schema=None)  # Nobody takes it: it releases itself.
kept = run.messages().__arrow_c_stream__()
expected = run.messages()["bytes"].tolist()
del run, table
gc.collect()
assert read(kept)[0]["bytes"] == expected
print("ok")
