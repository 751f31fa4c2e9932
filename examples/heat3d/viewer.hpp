// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <mpi.h>

#include "examples/heat3d/grid.hpp"
#include "examples/heat3d/parameters.hpp"

namespace heat3d {

/// Who looks at the field while the program runs.
class Viewer {
 public:
  Viewer() = default;
  virtual ~Viewer() = default;
  Viewer(const Viewer&) = delete;
  Viewer& operator=(const Viewer&) = delete;

  /// At the end of a step, by all ranks. field  0 or 1, the one of the grid that holds the result.
  virtual void show(int64_t step, double time_s, int field) = 0;
};

/// An adaptor for ParaView Catalyst (catalyst_adapter.cpp), which lives until before MPI_Finalize.
/// In the program without it (no_catalyst.cpp) there is none.
///
/// script  for ParaView
/// errors  throws BadParameters if there is no ParaView
std::unique_ptr<Viewer> make_viewer(const std::string& script, const Parameters& parameters,
                                    const Grid& grid, MPI_Comm cartesian);

}  // namespace heat3d
