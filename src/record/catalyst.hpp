// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "record/insitu.hpp"
#include "record/process.hpp"

// ParaView in the program, by libpathline-catalyst.so: what PATHLINE_CATALYST asks for.

namespace pathline::record {

/// What the part for the MPI that is loaded knows, as libpathline.so does not know MPI.
struct CatalystRanks {
  int32_t world = 0;            ///< MPI_COMM_WORLD, as Fortran has it.
  bool (*all)(bool) = nullptr;  ///< Whether all ranks say so; collective.
};

/// All ranks are recorded and have scripts to run: from now on catalyst_execute() works.
PATHLINE_EXPORT void allow_catalyst(const CatalystRanks& ranks);

/// Whether there is anybody to hand a mesh to; the same on all ranks.
bool shows_catalyst();

/// Hands the mesh and the arrays of this rank to the scripts; does nothing before
/// allow_catalyst(). All ranks have to call it. Loads the library the first time, which takes
/// seconds; what keeps it from working is said once, and the program goes on.
void catalyst_execute(const Grid& grid, int64_t step, double time_s);

/// MPI is about to go down, and ParaView before it. All ranks.
PATHLINE_EXPORT void end_catalyst();

}  // namespace pathline::record
