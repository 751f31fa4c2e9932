// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "otf2/library.hpp"
#include "trace/trace.hpp"

namespace pathline::otf2 {

/// Writes all definitions in their order. Locations that were read in part state the number of
/// events that they now have.
base::Status write_definitions(OTF2_GlobalDefWriter* writer, const trace::Trace& trace);

}  // namespace pathline::otf2
