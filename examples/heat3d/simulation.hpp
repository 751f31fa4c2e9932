// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace heat3d {

/// Whether this program was compiled for SimGrid's SMPI (smpicxx -DPATHLINE_SMPI), where the
/// machine is simulated and floating point operations can be charged instead of done.
#ifdef PATHLINE_SMPI
inline constexpr bool kIsSimulated = true;
#else
inline constexpr bool kIsSimulated = false;
#endif

/// Lets the simulated core of this rank be busy; only in a program for SMPI.
void execute_flops(double flops);

}  // namespace heat3d
