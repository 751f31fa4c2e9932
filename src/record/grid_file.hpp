// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/insitu.hpp"

// A mesh in the program's memory: whether it is one, whether it changed, and as a file. Nothing is
// copied, allocated or written but by system calls.

namespace pathline::record {

/// Whether a grid can be read at all: counts, pointers, and that there is memory where they lead.
/// why   what is wrong, "" if nothing is
/// cost  that of a pass over the arrays
bool is_readable(const Grid& grid, char (&why)[256]);

/// Whether a grid that is_readable() is a mesh: offsets ascend, cells have the number of points of
/// their type, and all of these exist.
/// why   the first cell that is wrong, and what is found there
/// cost  one pass over cells and connectivity
bool is_mesh(const Grid& grid, char (&why)[256]);

/// Of the contents of a grid that is_mesh() may be asked about; not cryptographic.
/// cost  one pass, about as fast as memory
uint64_t hash_of(const Grid& grid);

/// Writes `folder`/rank_R.vtu: an XML file of VTK with raw data behind it, under another name
/// first. Folders are made as needed. A file that cannot be finished is removed. grid     a mesh
/// returns  0, or the errno of what failed
int write_grid_file(const Grid& grid, const char* folder, uint32_t rank);

}  // namespace pathline::record
