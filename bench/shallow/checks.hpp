// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <mpi.h>

#include "bench/shallow/division.hpp"
#include "bench/shallow/fields.hpp"

namespace shallow {

/// What the equations conserve, over the whole grid. The sums are exact and rounded once, so they
/// are equal, to the last bit, for every division among ranks. Not a number once the flow is.
struct Invariants {
  double mass;                 ///< Sum of p, times the area of a cell, m^4/s^2.
  double energy;               ///< Half of p^2 and of p times velocity squared, m^6/s^4.
  double potential_enstrophy;  ///< Half of depth times z squared, m^2 (per unit of gravity).
};

/// From u, v and p with their halos. Collective; rank 0 gets the result.
Invariants invariants(const Fields& fields, double dx_m, double dy_m, MPI_Comm communicator);

/// All bits of u, v, p, uold, vold and pold, each value rotated by its place in the whole grid.
/// Collective; rank 0 gets the result.
uint64_t checksum(const Division& division, const Fields& fields, MPI_Comm communicator);

}  // namespace shallow
