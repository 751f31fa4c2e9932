// SPDX-License-Identifier: BSD-3-Clause
#include "examples/poisson/work.hpp"

#ifdef PATHLINE_SMPI
#include <mpi.h>  // SimGrid's has smpi_execute_flops
#endif

namespace poisson {

void Work::add(Part part, double flops) {
  flops_[static_cast<size_t>(part)] += flops;
#ifdef PATHLINE_SMPI
  smpi_execute_flops(flops);
#endif
}

}  // namespace poisson
