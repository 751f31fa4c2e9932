// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/shallow/fields.hpp"

namespace shallow {

/// A grid without ends, divided among the ranks, and the part of one of them. Rank r is number
/// r mod px in x and r div px in y.
struct Division {
  int whole_m;  ///< Cells of all ranks in x.
  int whole_n;
  int px;  ///< Ranks in x.
  int py;
  int x;  ///< Of this rank, from 0.
  int y;
  int first_i;  ///< Of the whole grid, the cell that is this rank's (0, 0).
  int first_j;
  Grid own;  ///< Parts differ by at most one cell in each direction.

  /// The rank `dx` further in x and `dy` in y, each -1, 0 or 1; this rank itself where it is alone.
  [[nodiscard]] int neighbor(int dx, int dy) const {
    return (y + dy + py) % py * px + (x + dx + px) % px;
  }
};

/// whole_m, whole_n  at least px and py, so that nobody is without cells.
Division divide(int whole_m, int whole_n, int px, int py, int rank);

}  // namespace shallow
