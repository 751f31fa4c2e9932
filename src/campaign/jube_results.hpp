// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "campaign/jube_files.hpp"
#include "campaign/jube_steps.hpp"
#include "campaign/study.hpp"

namespace pathline::campaign {

/// Study::columns and Study::shown from the table of a benchmark and what it uses.
/// errors  kUnsupported, kInvalidArgument naming file and line.
base::Status jube_results(const JubeBenchmark& benchmark, const JubeSteps& steps, Study& study);

}  // namespace pathline::campaign
