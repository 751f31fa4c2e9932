// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace pathline::app {

/// The runs with campaigns replaced by the run directories that they recorded and that are done.
///
/// errors  kInvalidArgument for a campaign whose recorded runs have different parameters: 'pathline
///         campaign compare' is for those; kNotFound for one without recorded runs; those of
///         reading.
base::Result<std::vector<std::string>> runs_of_campaigns(const std::vector<std::string>& runs);

}  // namespace pathline::app
