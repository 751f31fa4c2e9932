// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/result.hpp"
#include "otf2/library.hpp"
#include "trace/trace.hpp"

namespace pathline::otf2 {

/// Reads the global definitions into `definitions` (without finishing them).
/// errors  kCorrupt with the library's reason; what was read up to there stays.
base::Status read_global_definitions(OTF2_Reader* reader, trace::Definitions& definitions,
                                     uint64_t& unknown_definitions);

/// Reads the local definitions of a location: its id mappings, which the library keeps to itself,
/// and its clock offsets. A location without such a file has none.
///
/// has_mappings  set to true if there is a mapping.
base::Status read_local_definitions(OTF2_Reader* reader, uint64_t location,
                                    std::vector<trace::ClockOffset>& offsets, bool& has_mappings);

}  // namespace pathline::otf2
