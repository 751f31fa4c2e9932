// SPDX-License-Identifier: BSD-3-Clause
#include "otf2/anchor.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "otf2/bytes.hpp"

namespace pathline::otf2 {
namespace {

constexpr uint8_t kNewestTraceFormat = 2;

constexpr std::array<uint8_t, 5> kMagic = {'O', 'T', 'F', '2', 0};

base::Error corrupt(size_t offset, const std::string& fact) {
  return {base::ErrorCode::kCorrupt, fmt::format("offset {}: {}", offset, fact)};
}

base::Status check_chunk_size(size_t offset, const char* what, uint64_t size) {
  if (size >= kMinChunkBytes && size <= kMaxChunkBytes) return {};
  return corrupt(offset, fmt::format("{} chunk size {}, expected {} to {}", what, size,
                                     kMinChunkBytes, kMaxChunkBytes));
}

}  // namespace

bool looks_like_anchor(std::span<const uint8_t> bytes) {
  return bytes.size() >= 2 + kMagic.size() && bytes[0] == kBlockHeader &&
         std::equal(kMagic.begin(), kMagic.end(), bytes.begin() + 2);
}

base::Result<Anchor> parse_anchor(std::span<const uint8_t> bytes) {
  if (!looks_like_anchor(bytes)) {
    return corrupt(0, "this is no OTF2 anchor file (expected the mark 'OTF2' at offset 2)");
  }
  if (bytes[1] != kLittleEndian && bytes[1] != kBigEndian) {
    return corrupt(
        1, fmt::format("byte order {:#04x}, expected 0x42 (little) or 0x23 (big)", bytes[1]));
  }
  ByteCursor in(bytes, 2 + kMagic.size());
  in.set_big_endian(bytes[1] == kBigEndian);
  Anchor anchor;
  const uint8_t anchor_format = in.u8();
  if (anchor_format == 0) return corrupt(7, "anchor format 0, expected 1 or more");
  const uint8_t trace_format = in.u8();
  if (trace_format > kNewestTraceFormat) {
    return base::Error{base::ErrorCode::kUnsupported,
                       fmt::format("offset 8: trace format {}, but OTF2 3.0 knows none above {}",
                                   trace_format, kNewestTraceFormat)};
  }
  for (uint8_t& part : anchor.version) part = in.u8();

  size_t at = in.position();
  anchor.event_chunk_bytes = in.u64();
  if (auto status = check_chunk_size(at, "event", anchor.event_chunk_bytes); !status) {
    return status.error();
  }
  at = in.position();
  anchor.definition_chunk_bytes = in.u64();
  if (auto status = check_chunk_size(at, "definition", anchor.definition_chunk_bytes); !status) {
    return status.error();
  }
  at = in.position();
  const uint8_t substrate = in.u8();
  if (substrate == 2) {
    return base::Error{base::ErrorCode::kUnsupported,
                       "the archive is packed in SION containers, which Pathline cannot read",
                       "Unpack it with 'sionsplit', or record with "
                       "SCOREP_TRACING_USE_SION=false."};
  }
  if (substrate != 1) {
    return corrupt(at, fmt::format("file substrate {}, expected 1 (separate files)", substrate));
  }
  const uint8_t compression = in.u8();
  if (compression == 2) {
    return base::Error{base::ErrorCode::kUnsupported,
                       "the archive is compressed with zlib, which OTF2 3.0 no longer reads"};
  }
  if (compression != 1) {
    return corrupt(at + 1, fmt::format("compression {}, expected 1 (none)", compression));
  }
  anchor.location_count = in.u64();
  anchor.definition_count = in.u64();
  for (int i = 0; i < 3; ++i) in.skip_text();  // Machine, creator, description.
  if (anchor_format >= 2) {
    at = in.position();
    const uint32_t property_count = in.u32();
    // A property takes at least its two terminators.
    if (!in.failed() && property_count > in.left() / 2) {
      return corrupt(
          at, fmt::format("{} properties, but only {} bytes follow", property_count, in.left()));
    }
    for (uint32_t i = 0; i < 2 * property_count && !in.failed(); ++i) in.skip_text();
    anchor.trace_id_offset = in.position();
    in.u64();
  }
  uint32_t thumbnails = 0;
  if (anchor_format >= 3) {
    in.u32();  // Snapshots.
    at = in.position();
    thumbnails = in.u32();
    if (thumbnails > 1'000'000) return corrupt(at, fmt::format("{} thumbnails", thumbnails));
  }
  at = in.position();
  const uint8_t end_mark = in.u8();
  if (in.failed()) {
    return corrupt(bytes.size(), fmt::format("the file ends after {} bytes, in the middle of the "
                                             "archive's properties (truncated)",
                                             bytes.size()));
  }
  if (anchor_format == 3 && end_mark != 2) {
    return corrupt(at, fmt::format("mark {:#04x}, expected the end of the file (0x02)", end_mark));
  }
  return anchor;
}

std::filesystem::path definitions_path(const std::filesystem::path& anchor) {
  return std::filesystem::path(anchor).replace_extension(".def");
}

std::filesystem::path events_path(const std::filesystem::path& anchor, uint64_t location) {
  return std::filesystem::path(anchor).replace_extension() / fmt::format("{}.evt", location);
}

std::filesystem::path local_definitions_path(const std::filesystem::path& anchor,
                                             uint64_t location) {
  return std::filesystem::path(anchor).replace_extension() / fmt::format("{}.def", location);
}

std::filesystem::path markers_path(const std::filesystem::path& anchor) {
  return std::filesystem::path(anchor).replace_extension(".marker");
}

}  // namespace pathline::otf2
