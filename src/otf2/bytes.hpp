// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

namespace pathline::otf2 {

/// A position in the bytes of a file that never runs past their end: reading there gives 0 and sets
/// failed().
class ByteCursor {
 public:
  explicit ByteCursor(std::span<const uint8_t> bytes, size_t position = 0)
      : bytes_(bytes), position_(position) {}

  uint8_t u8() { return static_cast<uint8_t>(number(1)); }
  uint32_t u32() { return static_cast<uint32_t>(number(4)); }
  uint64_t u64() { return number(8); }

  /// A compressed integer of at most `width` bytes: its size, then that many bytes.
  /// A size that is none fails.
  uint64_t compressed(unsigned width) {
    const uint8_t size = u8();
    if (size == 0xff) return width == 4 ? UINT32_MAX : UINT64_MAX;
    if (size > width) {
      failed_ = true;
      return 0;
    }
    return number(size);
  }
  void skip(uint64_t count) {
    if (count > bytes_.size() - position_) {
      failed_ = true;
    } else {
      position_ += count;
    }
  }
  /// Moves behind the next 0 byte.
  void skip_text() {
    while (!failed_ && u8() != 0) {
    }
  }
  void set_big_endian(bool big_endian) { big_endian_ = big_endian; }

  [[nodiscard]] size_t position() const { return position_; }
  [[nodiscard]] size_t left() const { return bytes_.size() - position_; }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  uint64_t number(unsigned size) {
    if (failed_ || size > left()) {
      failed_ = true;
      return 0;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < size; ++i) {
      const uint64_t byte = bytes_[position_ + i];
      value = big_endian_ ? value << 8U | byte : value | byte << (8 * i);
    }
    position_ += size;
    return value;
  }

  std::span<const uint8_t> bytes_;
  size_t position_;
  bool big_endian_ = false;
  bool failed_ = false;
};

inline constexpr uint8_t kBlockHeader = 0x03;
inline constexpr uint8_t kLittleEndian = 0x42;
inline constexpr uint8_t kBigEndian = 0x23;

/// Type, byte order, numbers of the first and the last event.
inline constexpr size_t kChunkHeaderBytes = 18;

/// Smallest event on disk: a type byte and the size byte of a compressed zero.
inline constexpr uint64_t kMinEventBytes = 2;

/// The library's own limits for the two chunk sizes.
inline constexpr uint64_t kMinChunkBytes = 256 * 1024;
inline constexpr uint64_t kMaxChunkBytes = 16 * 1024 * 1024;

}  // namespace pathline::otf2
