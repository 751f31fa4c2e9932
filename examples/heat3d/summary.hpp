// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include <mpi.h>

#include "examples/heat3d/grid.hpp"

namespace heat3d {

/// What a field holds, in few numbers. They do not depend on how the points are divided among the
/// ranks: nothing in them is rounded.
struct Summary {
  double minimum;
  double centre;  ///< The middle point; of two, that with the larger coordinate.
  double maximum;
  uint64_t checksum;  ///< All bits of all values, each value rotated by its place in the grid.
};

/// Collective; all ranks get the result.
Summary summarize(const Grid& grid, int field, MPI_Comm cartesian);

/// Writes the values of the whole field as float64 in the machine's byte order, x varying fastest,
/// without a header. Collective. Returns an MPI error code.
int write_field(const Grid& grid, int field, const std::string& file, MPI_Comm cartesian);

}  // namespace heat3d
