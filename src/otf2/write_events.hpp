// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "otf2/library.hpp"
#include "trace/trace.hpp"

namespace pathline::otf2 {

/// Writes all events of one location.
///
/// with_offsets  the location's clock offsets are written too: times must be its local ones.
base::Status write_location_events(OTF2_EvtWriter* writer, const trace::Definitions& definitions,
                                   const trace::Location& location, bool with_offsets);

}  // namespace pathline::otf2
