// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "base/result.hpp"

namespace pathline::otf2 {

/// What the anchor file of an archive says, as far as Pathline looks at it before the library does.
struct Anchor {
  uint8_t version[3] = {0, 0, 0};  ///< Of the library that wrote the archive.
  uint64_t event_chunk_bytes = 0;
  uint64_t definition_chunk_bytes = 0;
  uint64_t location_count = 0;
  uint64_t definition_count = 0;
  size_t trace_id_offset = 0;  ///< Where the 8 bytes of the trace id stand; 0 when there is none.
};

/// Reads the bytes of an anchor file. The library refuses some bad anchors without a reason and
/// trusts others; this names the fact and its offset.
/// errors  kCorrupt, or kUnsupported for SION containers and compressed archives.
base::Result<Anchor> parse_anchor(std::span<const uint8_t> bytes);

/// True if the bytes begin as an anchor file does.
bool looks_like_anchor(std::span<const uint8_t> bytes);

/// The other files of the archive that `anchor` ("run/traces.otf2") belongs to.
std::filesystem::path definitions_path(const std::filesystem::path& anchor);
std::filesystem::path events_path(const std::filesystem::path& anchor, uint64_t location);
std::filesystem::path local_definitions_path(const std::filesystem::path& anchor,
                                             uint64_t location);
std::filesystem::path markers_path(const std::filesystem::path& anchor);

}  // namespace pathline::otf2
