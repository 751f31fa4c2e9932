// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/definitions.hpp"

namespace pathline::app {

/// The regions that `list` leaves out: "solve*,io_*,!MPI_Test" keeps calls of regions whose name
/// matches one of the patterns, '*' standing for any characters; without one that begins with '!'
/// all match. Regions of MPI and "time step" are always kept, except what '!' names.
/// returns  by Region; empty if `list` is.
/// errors   kInvalidArgument for an empty pattern; kNotFound for one that matches no region.
base::Result<std::vector<bool>> regions_left_out(const trace::Definitions& definitions,
                                                 std::string_view list);

}  // namespace pathline::app
