// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace pathline::otf2 {

enum class FileKind : uint8_t { kEvents, kDefinitions };

/// A place in a chunked file and what is wrong there.
struct Damage {
  uint64_t offset = 0;
  uint64_t records_before = 0;  ///< Whole records (events or definitions) in front of it.
  std::string fact;
};

/// Walks the records of an `.evt` or `.def` file without looking inside them and tells the first
/// place where the framing breaks: a chunk header that is none, a length that runs past the chunk,
/// a file that ends before its end mark. nullopt if the framing is whole. Used after the library
/// gave up, for it names no offset, and before it reads, where it trusts too much.
///
/// cost  O(records), a few ns each.
std::optional<Damage> find_damage(std::span<const uint8_t> file, FileKind kind,
                                  uint64_t chunk_bytes);

/// A definition as it stands in a file.
struct RawDefinition {
  uint64_t offset;
  uint8_t type;
  std::span<const uint8_t> payload;
  bool big_endian;
};

/// Calls `visit` for each definition of a `.def` file, in order, until it returns what is wrong
/// with one.
/// returns  the first damage of the framing or of what `visit` said.
std::optional<Damage> for_each_definition(
    std::span<const uint8_t> file, uint64_t chunk_bytes,
    const std::function<std::optional<std::string>(const RawDefinition&)>& visit);

/// The offset of record number `index` (0 is the first) of a file, or the file's size if it has
/// fewer whole ones.
uint64_t record_offset(std::span<const uint8_t> file, FileKind kind, uint64_t chunk_bytes,
                       uint64_t index);

}  // namespace pathline::otf2
