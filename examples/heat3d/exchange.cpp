// SPDX-License-Identifier: BSD-3-Clause
#include "examples/heat3d/exchange.hpp"

#include <algorithm>

namespace heat3d {
namespace {

/// One layer of points across `direction`, at `coordinate` counted from 0 in the halo.
MPI_Datatype layer_type(const Grid& grid, size_t direction, int coordinate) {
  Triple<int> sizes = grid.size();
  Triple<int> subsizes = grid.size();
  Triple<int> starts = {1, 1, 1};
  for (int& size : sizes) size += 2;
  subsizes[direction] = 1;
  starts[direction] = coordinate;

  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(3, sizes.data(), subsizes.data(), starts.data(), MPI_ORDER_FORTRAN,
                           MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

/// `count` values from `begin` on.
MPI_Datatype stretch_type(int begin, int count) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_indexed_block(1, count, &begin, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

}  // namespace

Sides::Sides(const Grid& grid, MPI_Comm cartesian) {
  for (size_t i = 0; i < 3; ++i) {
    MPI_Cart_shift(cartesian, static_cast<int>(i), 1, &neighbor[2 * i], &neighbor[2 * i + 1]);
  }
  if (!grid.has_points()) {
    auto end = static_cast<int>(grid.value_count());
    for (size_t side = 0; side < kCount; ++side) {
      const int count = grid.layer_size(side / 2);
      end -= count;
      edge[side] = stretch_type(0, count);
      halo[side] = stretch_type(end, count);
    }
    return;
  }
  for (size_t i = 0; i < 3; ++i) {
    const int size = grid.size()[i];
    halo[2 * i] = layer_type(grid, i, 0);
    edge[2 * i] = layer_type(grid, i, 1);
    edge[2 * i + 1] = layer_type(grid, i, size);
    halo[2 * i + 1] = layer_type(grid, i, size + 1);
  }
}

Sides::~Sides() {
  for (MPI_Datatype& type : edge) MPI_Type_free(&type);
  for (MPI_Datatype& type : halo) MPI_Type_free(&type);
}

std::unique_ptr<Exchange> make_exchange(const std::string& name, Grid& grid, const Sides& sides,
                                        MPI_Comm cartesian) {
  if (name == "put") return make_put(grid, sides, cartesian);
  if (name == "persistent") return make_persistent(grid, sides, cartesian);
  if (name == "neighbor") return make_neighbor(grid, sides, cartesian);
  return make_isend(grid, sides, cartesian);
}

}  // namespace heat3d
