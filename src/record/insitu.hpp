// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

// The mesh that a program hands over in memory (pathline_insitu_* of pathline.h). Any thread may
// call these; one waits for the other.

namespace pathline::record {

/// The part of the mesh that this process has, in the program's memory: VTK's cell types, points as
/// x y z, connectivity from 0 on, offsets where the points of each cell end. All zero: none.
struct Grid {
  const double* points = nullptr;
  int64_t n_points = 0;
  const int64_t* connectivity = nullptr;
  const int64_t* offsets = nullptr;
  const uint8_t* types = nullptr;
  int64_t n_cells = 0;
};

/// From now on this is the mesh. Nothing is read of it yet.
void insitu_grid(const Grid& handed_over);

/// The mesh as it is now belongs to the open time step; begins one where the program marks its
/// steps by this alone.
/// With PATHLINE_CATALYST the step is shown by ParaView: the open one as it is now, or the one that
/// ends here.
///
/// cost  with --insitu geometry, of a mesh that was handed over since: one pass, and if it changed
///       another and a file; in a step that is not recorded nothing
void insitu_execute(int64_t number, double time_s);

}  // namespace pathline::record
