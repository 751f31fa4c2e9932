// SPDX-License-Identifier: BSD-3-Clause
#include "bench/shallow/simulation.hpp"

#include <cstdlib>

#include <mpi.h>  // SimGrid's has smpi_execute_flops

namespace shallow {

#ifdef PATHLINE_SMPI
void execute_flops(double flops) { smpi_execute_flops(flops); }
#else
void execute_flops(double /*flops*/) { std::abort(); }
#endif

}  // namespace shallow
