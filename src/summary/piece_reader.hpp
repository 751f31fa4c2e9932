// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/column.hpp"
#include "base/result.hpp"
#include "otf2/reader.hpp"

namespace pathline::summary {

/// Reads files piece by piece into memory that is used again.
class PieceReader {
 public:
  PieceReader() = default;
  ~PieceReader() { close(); }
  PieceReader(const PieceReader&) = delete;
  PieceReader& operator=(const PieceReader&) = delete;

  /// errors  kNotFound, kIo.
  base::Status open(const std::filesystem::path& path);
  /// Takes over the file of a descriptor, or gives its own away. Keeps what begin_with() gave,
  /// which must be of the same file.
  void use(int descriptor);
  [[nodiscard]] int release();
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  /// Fewer bytes where the file ends, valid until the next call. What the last call has read is not
  /// read again.
  std::span<const uint8_t> read(uint64_t offset, size_t count);
  /// Whether read() gives them without the file.
  [[nodiscard]] bool has(uint64_t offset, size_t count) const {
    return offset >= first_ && offset - first_ <= count_ && count <= count_ - (offset - first_);
  }
  /// What was read of the file from an offset on, valid until the next read(); empty for nothing.
  [[nodiscard]] std::span<const uint8_t> rest(uint64_t offset) const;
  /// Begins with what was read of a file before it is opened here. Forgets what it has of another.
  void begin_with(uint64_t offset, std::span<const uint8_t> bytes);
  /// The errno value of a read that failed and gave fewer bytes for that; 0 if none did.
  [[nodiscard]] int failure() const { return failure_; }
  void close();

 private:
  int descriptor_ = -1;
  int failure_ = 0;
  base::Column<uint8_t> bytes_;
  uint64_t first_ = 0;  // Of the bytes in the file.
  size_t count_ = 0;    // Bytes that are of the file.
};

/// The folder with the events of an archive, of which ten thousands of files are opened again and
/// again: each time without a walk through its path. For several threads.
class EventFolder {
 public:
  /// archive  must outlive this.
  explicit EventFolder(const otf2::Archive& archive);
  ~EventFolder();
  EventFolder(const EventFolder&) = delete;
  EventFolder& operator=(const EventFolder&) = delete;

  /// Opens the events of a location.
  /// errors  those of otf2::event_fault() where there are none; kIo for a limit, which is no
  /// damage.
  base::Status open(size_t location, PieceReader& reader) const;

 private:
  const otf2::Archive& archive_;
  int descriptor_;  // -1: files are opened by their path.
};

/// What went wrong while they were read, which decoding takes for the end of the file.
base::Status read_status(const otf2::Archive& archive, size_t location, const PieceReader& reader);

/// Descriptors of files that are read again and again, so that they need not be opened each time:
/// as many as the process may have. May be used by several threads, each for other files.
class OpenFiles {
 public:
  /// Raises the limit of the process as far as needed and allowed, and leaves some for others.
  explicit OpenFiles(size_t files);
  ~OpenFiles();
  OpenFiles(const OpenFiles&) = delete;
  OpenFiles& operator=(const OpenFiles&) = delete;

  /// returns  false where it is to be opened.
  bool take(size_t file, PieceReader& reader);
  /// Leaves the reader without a file.
  void put_back(size_t file, PieceReader& reader);

 private:
  std::vector<int> descriptors_;  // -1: none.
  size_t most_ = 0;
  std::atomic<size_t> count_ = 0;
};

}  // namespace pathline::summary
