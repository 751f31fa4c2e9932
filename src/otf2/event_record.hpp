// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <otf2/otf2.h>

#include "trace/event_kind.hpp"

namespace pathline::otf2 {

/// How a field stands in the file.
enum class Coding : uint8_t { kByte, kCompressed32, kCompressed64, kFull64 };

/// The fields of one kind, from its text in PATHLINE_EVENT_KINDS: the names of enumerations that
/// OTF2 writes as one byte are the same in all records.
struct Layout {
  std::array<Coding, 6> fields{};
  std::array<uint8_t, 6> mappings{};  // Types of the ids that they are; kNoMapping for others.
  size_t count = 0;
};

inline constexpr uint8_t kNoMapping = UINT8_MAX;

/// By the name of a field.
constexpr uint8_t mapping_of(std::string_view name) {
  if (name == "comm" || name == "thread_team" || name == "thread_contingent") {
    return OTF2_MAPPING_COMM;
  }
  if (name == "handle" || name == "old_handle" || name == "new_handle") {
    return OTF2_MAPPING_IO_HANDLE;
  }
  if (name == "region") return OTF2_MAPPING_REGION;
  if (name == "metric") return OTF2_MAPPING_METRIC;
  if (name == "parameter") return OTF2_MAPPING_PARAMETER;
  if (name == "string" || name == "program") return OTF2_MAPPING_STRING;
  if (name == "win") return OTF2_MAPPING_RMA_WIN;
  if (name == "group") return OTF2_MAPPING_GROUP;
  if (name == "calling_context") return OTF2_MAPPING_CALLING_CONTEXT;
  if (name == "interrupt_generator") return OTF2_MAPPING_INTERRUPT_GENERATOR;
  if (name == "file") return OTF2_MAPPING_IO_FILE;
  return kNoMapping;
}

constexpr bool is_byte_field(std::string_view name) {
  for (const std::string_view byte :
       {"mode", "operation", "model", "type", "lock_type", "sync_type", "whence", "io_paradigm"}) {
    if (name == byte) return true;
  }
  return false;
}

constexpr Layout layout_of(std::string_view text) {
  Layout layout;
  while (!text.empty()) {
    const size_t space = text.find(' ');
    std::string_view name = text.substr(0, space);
    text = space == std::string_view::npos ? "" : text.substr(space + 1);
    const bool wide = name.ends_with('*') || name.ends_with('-');
    if (name.empty() || name == "...") continue;
    layout.mappings[layout.count] = mapping_of(name);
    layout.fields[layout.count++] = name == "stop_time*"  ? Coding::kFull64
                                    : wide                ? Coding::kCompressed64
                                    : is_byte_field(name) ? Coding::kByte
                                                          : Coding::kCompressed32;
  }
  return layout;
}

inline constexpr auto kLayouts = [] {
  std::array<Layout, trace::kEventKindCount> layouts{};
#define PATHLINE_LAYOUT(name, number, fields) layouts[number] = layout_of(fields);
  PATHLINE_EVENT_KINDS(PATHLINE_LAYOUT)
#undef PATHLINE_LAYOUT
  return layouts;
}();

/// Numbers in the byte order of one chunk. `end` is the end of a record, `limit` that of the chunk:
/// bytes between them may be loaded, but not used. Reading past `end` gives 0 and sets failed.
template <bool kBigEndian>
struct Input {
  const uint8_t* at;
  const uint8_t* end;
  const uint8_t* limit;
  bool failed = false;

  uint64_t fail() {
    failed = true;
    return 0;
  }

  uint64_t number(size_t size) {
    if (static_cast<size_t>(end - at) < size) [[unlikely]] {
      return fail();
    }
    uint64_t value = 0;
    if (limit - at >= 8) [[likely]] {
      std::memcpy(&value, at, 8);
      const auto unused = static_cast<unsigned>(64 - 8 * size);
      value = kBigEndian ? __builtin_bswap64(value) >> unused : value << unused >> unused;
    } else {
      for (size_t i = 0; i < size; ++i) {
        value = kBigEndian ? value << 8U | at[i] : value | uint64_t{at[i]} << (8 * i);
      }
    }
    at += size;
    return value;
  }
  uint8_t u8() { return at < end ? *at++ : static_cast<uint8_t>(fail()); }

  uint64_t compressed(unsigned width) {
    if (at >= end) [[unlikely]] {
      return fail();
    }
    const uint8_t size = *at++;
    if (size == 0) return 0;
    if (size > width) [[unlikely]] {
      if (size == 0xff) return width == 4 ? UINT32_MAX : UINT64_MAX;
      return fail();
    }
    return number(size);
  }

  uint64_t field(Coding coding) {
    switch (coding) {
      case Coding::kByte: return u8();
      case Coding::kCompressed32: return compressed(4);
      case Coding::kCompressed64: return compressed(8);
      default: return number(8);
    }
  }
};
static_assert(std::endian::native == std::endian::little, "Input::number() loads words");

/// The numbers of a record in little-endian order behind which there are bytes enough. None of it
/// is to be used before it is known not to be unusual.
class UsualRecord {
 public:
  static constexpr unsigned kMostSize = 15;  ///< Of a number, as its size is taken.
  /// Of the longest that is read by it: type, length, five numbers, and what is loaded behind.
  static constexpr std::ptrdiff_t kMostBytes = 2 + 5 * (1 + kMostSize) + 1 + sizeof(uint64_t);

  explicit UsualRecord(const uint8_t* at) : at_(at) {}
  /// width  the most bytes that it may have.
  uint64_t compressed(unsigned width) {
    const unsigned size = *at_;
    unusual_ |= size > width;
    uint64_t number = 0;
    std::memcpy(&number, at_ + 1, sizeof(number));
    at_ += 1 + (size & kMostSize);
    return number & kMasks[size & kMostSize];
  }
  /// A number longer than its field, or the one that stands for "undefined".
  [[nodiscard]] bool is_unusual() const { return unusual_; }
  [[nodiscard]] const uint8_t* at() const { return at_; }

 private:
  static constexpr std::array<uint64_t, kMostSize + 1> kMasks = [] {
    std::array<uint64_t, kMostSize + 1> masks{};
    for (unsigned size = 1; size <= sizeof(uint64_t); ++size) {
      masks[size] = UINT64_MAX >> (64 - 8 * size);
    }
    return masks;
  }();

  const uint8_t* at_;
  bool unusual_ = false;
};

}  // namespace pathline::otf2
