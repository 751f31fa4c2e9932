// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "otf2/library.hpp"
#include "trace/trace.hpp"

namespace pathline::otf2 {

/// Reads the global definitions into `definitions` (without finishing them), the first `limit` ones
/// if there is a limit.
/// errors  kCorrupt with the library's reason; what was read up to there stays.
base::Status read_global_definitions(OTF2_Reader* reader, std::optional<uint64_t> limit,
                                     trace::Definitions& definitions,
                                     uint64_t& unknown_definitions);

/// What the local definitions of a location say.
struct LocalDefinitions {
  std::vector<trace::ClockOffset> clock_offsets;
  bool has_mappings = false;  ///< Ids of its events are local: the library has to read them.
};

/// Decodes a file of local definitions. Our own code, because the library clears a whole chunk,
/// usually 4 MiB, for a file of some 60 bytes.
///
/// errors  kCorrupt with offset and fact.
base::Result<LocalDefinitions> decode_local_definitions(std::span<const uint8_t> file,
                                                        uint64_t chunk_bytes);

/// Lets the library read the local definitions of a location, so that it maps the ids of its
/// events. Needed only for locations with mappings.
/// errors  kCorrupt with the library's reason.
base::Status load_mappings(OTF2_Reader* reader, uint64_t location);

}  // namespace pathline::otf2
