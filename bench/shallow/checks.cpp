// SPDX-License-Identifier: BSD-3-Clause
#include "bench/shallow/checks.hpp"

#include <array>
#include <bit>

#include "bench/shallow/exact_sum.hpp"

namespace shallow {
namespace {

constexpr int kRoot = 0;

/// Rotations by 0 to 60: a prime number of them, so that lines of the grid do not fall together.
constexpr int64_t kRotations = 61;

}  // namespace

Invariants invariants(const Fields& fields, double dx_m, double dy_m, MPI_Comm communicator) {
  enum { kMass, kEnergy, kEnstrophy, kCount };
  std::array<ExactSum, kCount> sums;
  const Grid& grid = fields.grid;
  const size_t stride = grid.stride();
  const double* u = fields.u;
  const double* v = fields.v;
  const double* p = fields.p;
  for (int j = 0; j < grid.n; ++j) {
    for (int i = 0; i < grid.m; ++i) {
      const size_t k = grid.index(i, j);
      const double p_at_u = 0.5 * (p[k - 1] + p[k]);
      const double p_at_v = 0.5 * (p[k - stride] + p[k]);
      const double p_at_z = 0.25 * (p[k - stride - 1] + p[k - stride] + p[k - 1] + p[k]);
      const double vorticity = (v[k] - v[k - 1]) / dx_m - (u[k] - u[k - stride]) / dy_m;
      sums[kMass].add(p[k]);
      sums[kEnergy].add(0.5 * (p[k] * p[k] + p_at_u * u[k] * u[k] + p_at_v * v[k] * v[k]));
      sums[kEnstrophy].add(0.5 * vorticity * vorticity / p_at_z);
    }
  }

  std::array<ExactSum::Digits, kCount> own;
  std::array<ExactSum::Digits, kCount> all = {};
  for (size_t i = 0; i < kCount; ++i) own[i] = sums[i].digits();
  MPI_Reduce(own.data(), all.data(), kCount * ExactSum::kDigitCount, MPI_INT64_T, MPI_SUM, kRoot,
             communicator);
  const double area = dx_m * dy_m;
  return {.mass = ExactSum::value(all[kMass]) * area,
          .energy = ExactSum::value(all[kEnergy]) * area,
          .potential_enstrophy = ExactSum::value(all[kEnstrophy]) * area};
}

uint64_t checksum(const Division& division, const Fields& fields, MPI_Comm communicator) {
  uint64_t own = 0;
  int64_t number = 0;
  for (const double* field :
       {fields.u, fields.v, fields.p, fields.uold, fields.vold, fields.pold}) {
    for (int j = 0; j < fields.grid.n; ++j) {
      for (int i = 0; i < fields.grid.m; ++i) {
        const int64_t row = number * division.whole_n + division.first_j + j;
        const int64_t place = row * division.whole_m + division.first_i + i;
        const auto bits = std::bit_cast<uint64_t>(field[fields.grid.index(i, j)]);
        own ^= std::rotl(bits, static_cast<int>(place % kRotations));
      }
    }
    ++number;
  }
  uint64_t all = 0;
  MPI_Reduce(&own, &all, 1, MPI_UINT64_T, MPI_BXOR, kRoot, communicator);
  return all;
}

}  // namespace shallow
