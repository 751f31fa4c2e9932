// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "scaling/experiment.hpp"

namespace pathline::scaling {

/// Reads the keyword text of Extra-P: lines of PARAMETER, POINTS, METRIC, REGION and DATA. A region
/// without a METRIC has the metric "", data without a REGION belong to the call path "<root>".
/// Points that are there twice, and regions with their metric, are repetitions.
base::Result<Experiment> read_keywords(std::string_view text, const std::string& name);

}  // namespace pathline::scaling
