// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pathline::base {

/// Appends to an open file or pipe some hundred kilobytes at a time.
class BufferedWriter {
 public:
  /// file  empty; its owner closes it.
  explicit BufferedWriter(int file) : file_(file) {}

  /// Where the next byte will be.
  [[nodiscard]] uint64_t size() const { return written_ + waiting_.size(); }
  /// Remembers the first error for flush(), after which nothing more is written.
  void append(std::span<const uint8_t> bytes);
  /// Writes what waits, and then these bytes over others.
  void overwrite(uint64_t offset, std::span<const uint8_t> bytes);
  /// Writes what waits.
  ///
  /// returns  0, or the errno of the first error so far.
  int flush();

 private:
  template <class Put>
  void write(std::span<const uint8_t> bytes, Put put);

  int file_;
  int error_ = 0;
  uint64_t written_ = 0;
  std::vector<uint8_t> waiting_;
};

}  // namespace pathline::base
