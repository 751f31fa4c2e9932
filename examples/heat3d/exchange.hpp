// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <string>

#include <mpi.h>

#include "examples/heat3d/grid.hpp"

namespace heat3d {

/// What lies at the six sides of a rank's points, in the order -x +x -y +y -z +z. The side opposite
/// to `i` is `i ^ 1`. MPI picks the values out of a field itself: the types describe a layer of
/// points relative to the start of a field, and all ranks have fields of the same shape. In a grid
/// without points they are as large, but in one piece.
class Sides {
 public:
  static constexpr int kCount = 6;

  Sides(const Grid& grid, MPI_Comm cartesian);
  ~Sides();
  Sides(const Sides&) = delete;
  Sides& operator=(const Sides&) = delete;

  std::array<int, kCount> neighbor;       ///< Rank, or MPI_PROC_NULL at a wall.
  std::array<MPI_Datatype, kCount> edge;  ///< The outermost points of this rank.
  std::array<MPI_Datatype, kCount> halo;  ///< The layer beyond them.
};

/// A way to bring the edges of the neighbours into this rank's halo.
class Exchange {
 public:
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Fills the halo of a field, 0 or 1, except at walls. All ranks call it for the same field.
  virtual void fill_halo(int field) = 0;

 protected:
  Exchange() = default;
};

// The four ways. `grid`, `sides` and `cartesian` must outlive what is returned.
std::unique_ptr<Exchange> make_isend(Grid& grid, const Sides& sides, MPI_Comm cartesian);
std::unique_ptr<Exchange> make_put(Grid& grid, const Sides& sides, MPI_Comm cartesian);
std::unique_ptr<Exchange> make_persistent(Grid& grid, const Sides& sides, MPI_Comm cartesian);
std::unique_ptr<Exchange> make_neighbor(Grid& grid, const Sides& sides, MPI_Comm cartesian);

/// name   as in Parameters::exchange.
std::unique_ptr<Exchange> make_exchange(const std::string& name, Grid& grid, const Sides& sides,
                                        MPI_Comm cartesian);

}  // namespace heat3d
