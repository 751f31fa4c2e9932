// SPDX-License-Identifier: BSD-3-Clause
#include "otf2/scan.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "otf2/bytes.hpp"

namespace pathline::otf2 {
namespace {

constexpr uint8_t kEndOfChunk = 0;
constexpr uint8_t kEndOfFile = 2;
constexpr uint8_t kTimestamp = 5;
constexpr uint8_t kAttributeList = 6;

/// Event kinds of OTF2 1.0 with a single compressed number and no length byte.
constexpr bool is_bare(uint8_t type) {
  constexpr std::array<uint8_t, 10> kBare = {12, 13, 16, 17, 20, 21, 24, 28, 29, 30};
  return std::find(kBare.begin(), kBare.end(), type) != kBare.end();
}

struct Walk {
  std::optional<Damage> damage;
  std::optional<uint64_t> found;  // Offset of the record asked for.
};

using Visit = std::function<std::optional<std::string>(const RawDefinition&)>;

Walk walk(std::span<const uint8_t> file, FileKind kind, uint64_t chunk_bytes,
          std::optional<uint64_t> wanted, const Visit* visit = nullptr) {
  uint64_t records = 0;
  const auto broken = [&](uint64_t offset, std::string fact) {
    return Walk{Damage{offset, records, std::move(fact)}, {}};
  };
  if (file.empty()) return broken(0, "the file is empty");

  for (uint64_t chunk = 0; chunk < file.size(); chunk += chunk_bytes) {
    const uint64_t chunk_end = std::min<uint64_t>(file.size(), chunk + chunk_bytes);
    ByteCursor in(file.first(chunk_end), chunk);
    if (in.u8() != kBlockHeader) {
      return broken(
          chunk, fmt::format("byte {:#04x}, expected the header of a chunk (0x03)", file[chunk]));
    }
    const uint8_t order = in.u8();
    in.set_big_endian(order == kBigEndian);
    in.skip(16);
    if (in.failed()) return broken(file.size(), "the file ends inside the header of a chunk");
    if (order != kLittleEndian && order != kBigEndian) {
      return broken(chunk + 1, fmt::format("byte order {:#04x}, expected 0x42 or 0x23", order));
    }
    bool chunk_done = false;
    uint64_t next_start = 0;  // Where the time stamp or attribute list of the next event begins.
    while (!chunk_done) {
      const uint64_t start = in.position();
      const uint8_t type = in.u8();
      if (in.failed()) {
        return chunk_end == file.size()
                   ? broken(start, "the file ends without its end mark (truncated)")
                   : broken(start, "the chunk ends without its end mark");
      }
      if (type == kEndOfFile) return {};
      if (type == kEndOfChunk) {
        chunk_done = true;
        continue;
      }
      const bool prefix =
          kind == FileKind::kEvents && (type == kTimestamp || type == kAttributeList);
      if (kind == FileKind::kEvents && type == kTimestamp) {
        in.skip(8);
      } else if (kind == FileKind::kEvents && is_bare(type)) {
        in.compressed(8);
      } else if (type < kTimestamp) {
        return broken(start, fmt::format("mark {:#04x} where a record was expected", type));
      } else {
        uint64_t length = in.u8();
        if (length == 0xff) length = in.u64();
        if (!in.failed() && length > in.left()) {
          return broken(start, fmt::format("a record of type {} and {} bytes, but {} bytes are "
                                           "left in the {}",
                                           type, length, in.left(),
                                           chunk_end == file.size() ? "file" : "chunk"));
        }
        const size_t payload = in.position();
        in.skip(length);
        if (visit != nullptr && !in.failed()) {
          auto fault = (*visit)({.offset = start,
                                 .type = type,
                                 .payload = file.subspan(payload, length),
                                 .big_endian = order == kBigEndian});
          if (fault) return broken(start, std::move(*fault));
        }
      }
      if (in.failed()) {
        return broken(start, fmt::format("a record of type {} that does not fit into the {}", type,
                                         chunk_end == file.size() ? "file" : "chunk"));
      }
      if (prefix) {
        if (next_start == 0) next_start = start;
        continue;
      }
      if (wanted && records == *wanted) return {{}, next_start == 0 ? start : next_start};
      next_start = 0;
      ++records;
    }
  }
  return broken(file.size(), "the file ends without its end mark (truncated)");
}

}  // namespace

std::optional<Damage> find_damage(std::span<const uint8_t> file, FileKind kind,
                                  uint64_t chunk_bytes) {
  return walk(file, kind, chunk_bytes, {}).damage;
}

std::optional<Damage> for_each_definition(std::span<const uint8_t> file, uint64_t chunk_bytes,
                                          const Visit& visit) {
  return walk(file, FileKind::kDefinitions, chunk_bytes, {}, &visit).damage;
}

uint64_t record_offset(std::span<const uint8_t> file, FileKind kind, uint64_t chunk_bytes,
                       uint64_t index) {
  const Walk result = walk(file, kind, chunk_bytes, index);
  if (result.found) return *result.found;
  return result.damage ? result.damage->offset : file.size();
}

}  // namespace pathline::otf2
