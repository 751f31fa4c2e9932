// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/column.hpp"

namespace pathline::summary {

/// Reads files piece by piece into memory that is used again.
class PieceReader {
 public:
  PieceReader() = default;
  ~PieceReader() { close(); }
  PieceReader(const PieceReader&) = delete;
  PieceReader& operator=(const PieceReader&) = delete;

  /// returns  false for a file that cannot be opened.
  bool open(const char* path);
  /// Fewer bytes where the file ends, valid until the next call.
  std::span<const uint8_t> read(uint64_t offset, size_t count);
  void close();

 private:
  int descriptor_ = -1;
  base::Column<uint8_t> bytes_;
};

}  // namespace pathline::summary
