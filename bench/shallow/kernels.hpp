// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "bench/shallow/fields.hpp"

namespace shallow {

// The loops of a time step (Sadourny, J. Atmos. Sci. 32, 1975, 680: the scheme that conserves
// potential enstrophy), without any MPI: a benchmark can time them alone. bench/shallow/README.md
// has the equations. Each value is computed by the same operations in the same order whatever the
// size of the grid, so that a division among ranks changes no bit.

/// A block of loops, in the order of a step. After kPhase1 the halos of cu, cv, z, h have to be
/// filled, after kPhase2 those of unew, vnew, pnew.
enum class Kernel { kPhase1, kPhase2, kFilter, kCopies };

struct KernelCost {
  const char* name;
  int loops;
  int flop_per_cell;  ///< What a simulated machine is charged, times m n.
};

/// Indexed by Kernel. A copy has no floating point operations; it counts as two for each value, one
/// for the load and one for the store.
inline constexpr std::array<KernelCost, 4> kKernelCosts = {{
    {"phase1", 4, 3 + 3 + 9 + 9},  // cu, cv, z, h
    {"phase2", 3, 10 + 10 + 6},    // unew, vnew, pnew
    {"filter", 3, 5 + 5 + 5},      // uold, vold, pold
    {"copies", 3, 2 + 2 + 2},      // u, v, p
}};

constexpr const KernelCost& cost_of(Kernel kernel) {
  return kKernelCosts[static_cast<size_t>(kernel)];
}

/// cu, cv, z and h of all cells, from u, v and p with their halos.
void phase1(double dx_m, double dy_m, Fields& fields);

/// unew, vnew and pnew of all cells: `dt_s` further than uold, vold and pold, along what cu, cv, z
/// and h with their halos say. That is twice the time step, since the old values are one step back.
void phase2(double dt_s, double dx_m, double dy_m, Fields& fields);

/// uold, vold and pold of all cells become u, v and p, moved by `alpha` times the second difference
/// in time (Robert 1966, Asselin 1972). 0 moves nothing, as the first step wants it.
void filter(double alpha, Fields& fields);

/// u, v and p become unew, vnew and pnew, with their halos.
void copies(Fields& fields);

}  // namespace shallow
