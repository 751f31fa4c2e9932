// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "examples/poisson/array.hpp"
#include "examples/poisson/rank_grid.hpp"

namespace poisson {

/// Fills the frame of cell values with those of the four neighbours. At walls it stays as it is.
class Halo {
 public:
  Halo(const RankGrid& ranks, int nx, int ny);
  ~Halo();
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;

  /// values  cell_values(nx, ny).
  void exchange(Array& values) const;

 private:
  RankGrid ranks_;
  int nx_;
  int ny_;
  MPI_Datatype column_ = MPI_DATATYPE_NULL;
};

}  // namespace poisson
