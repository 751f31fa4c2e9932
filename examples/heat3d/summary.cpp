// SPDX-License-Identifier: BSD-3-Clause
#include "examples/heat3d/summary.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace heat3d {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Rotations by 0 to 60: a prime number of them, so that lines of the grid do not fall together.
constexpr int64_t kRotations = 61;

Summary summarize_own(const Grid& grid, int field) {
  Summary own = {kInfinity, -kInfinity, -kInfinity, 0};
  const double* values = grid.field(field);
  const Triple<int>& whole = grid.whole();
  const Triple<int> middle = {whole[0] / 2, whole[1] / 2, whole[2] / 2};
  for (int z = 0; z < grid.size()[2]; ++z) {
    for (int y = 0; y < grid.size()[1]; ++y) {
      for (int x = 0; x < grid.size()[0]; ++x) {
        const double value = values[grid.index(x, y, z)];
        const Triple<int> at = {grid.first()[0] + x, grid.first()[1] + y, grid.first()[2] + z};
        const int64_t place = (static_cast<int64_t>(at[2]) * whole[1] + at[1]) * whole[0] + at[0];
        own.minimum = std::min(own.minimum, value);
        own.maximum = std::max(own.maximum, value);
        if (at == middle) own.centre = value;
        own.checksum ^=
            std::rotl(std::bit_cast<uint64_t>(value), static_cast<int>(place % kRotations));
      }
    }
  }
  return own;
}

}  // namespace

Summary summarize(const Grid& grid, int field, MPI_Comm cartesian) {
  const Summary own = summarize_own(grid, field);
  Summary all = {};
  MPI_Allreduce(&own.minimum, &all.minimum, 1, MPI_DOUBLE, MPI_MIN, cartesian);
  MPI_Allreduce(&own.centre, &all.centre, 1, MPI_DOUBLE, MPI_MAX, cartesian);
  MPI_Allreduce(&own.maximum, &all.maximum, 1, MPI_DOUBLE, MPI_MAX, cartesian);
  MPI_Allreduce(&own.checksum, &all.checksum, 1, MPI_UINT64_T, MPI_BXOR, cartesian);
  return all;
}

int write_field(const Grid& grid, int field, const std::string& file, MPI_Comm cartesian) {
  const Triple<int>& size = grid.size();
  Triple<int> with_halo = size;
  for (int& length : with_halo) length += 2;
  const Triple<int> behind_halo = {1, 1, 1};

  MPI_Datatype in_memory = MPI_DATATYPE_NULL;
  MPI_Datatype in_file = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(3, with_halo.data(), size.data(), behind_halo.data(), MPI_ORDER_FORTRAN,
                           MPI_DOUBLE, &in_memory);
  MPI_Type_create_subarray(3, grid.whole().data(), size.data(), grid.first().data(),
                           MPI_ORDER_FORTRAN, MPI_DOUBLE, &in_file);
  MPI_Type_commit(&in_memory);
  MPI_Type_commit(&in_file);

  MPI_File handle = MPI_FILE_NULL;
  int error = MPI_File_open(cartesian, file.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY,
                            MPI_INFO_NULL, &handle);
  if (error == MPI_SUCCESS) {
    MPI_File_set_size(handle, 0);  // what an earlier run left
    MPI_File_set_view(handle, 0, MPI_DOUBLE, in_file, "native", MPI_INFO_NULL);
    error = MPI_File_write_all(handle, grid.field(field), 1, in_memory, MPI_STATUS_IGNORE);
    const int closing = MPI_File_close(&handle);
    if (error == MPI_SUCCESS) error = closing;
  }
  MPI_Type_free(&in_memory);
  MPI_Type_free(&in_file);
  return error;
}

}  // namespace heat3d
