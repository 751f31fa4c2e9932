// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace poisson {

/// The ranks that share a grid, and the place of this one among them: all of them on fine grids, on
/// coarse ones every second, fourth ... in each direction. Numbers are those of MPI_COMM_WORLD;
/// there are no other communicators, since making one tells every rank of every other.
struct RankGrid {
  int px = 1;  ///< Ranks that share the grid, in x.
  int py = 1;
  int x = 0;
  int y = 0;
  int stride_x = 1;  ///< From one of them to the next, in ranks of the whole program.
  int stride_y = 1;
  int whole_px = 1;  ///< Of the whole program: rank r is number r mod whole_px in x.

  /// MPI_PROC_NULL behind a wall.
  [[nodiscard]] int rank_at(int at_x, int at_y) const {
    if (at_x < 0 || at_x >= px || at_y < 0 || at_y >= py) return MPI_PROC_NULL;
    return at_y * stride_y * whole_px + at_x * stride_x;
  }

  [[nodiscard]] int size() const { return px * py; }
};

inline RankGrid all_ranks(int px, int py, int rank) {
  return {.px = px, .py = py, .x = rank % px, .y = rank / px, .whole_px = px};
}

}  // namespace poisson
