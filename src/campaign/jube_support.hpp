// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "campaign/jube_tree.hpp"

namespace pathline::campaign {

/// Whether Pathline can take an element of JUBE as it is, with all that is in it.
/// errors  kUnsupported naming file, line, element or attribute, and why; kInvalidArgument for what
///         JUBE does not have either.
base::Status jube_supported(const JubeNode& node);

}  // namespace pathline::campaign
