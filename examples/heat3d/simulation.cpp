// SPDX-License-Identifier: BSD-3-Clause
#include "examples/heat3d/simulation.hpp"

#include <cstdlib>

#include <mpi.h>  // SimGrid's has smpi_execute_flops

namespace heat3d {

#ifdef PATHLINE_SMPI
void execute_flops(double flops) { smpi_execute_flops(flops); }
#else
void execute_flops(double /*flops*/) { std::abort(); }
#endif

}  // namespace heat3d
