// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "base/buffered_writer.hpp"
#include "base/result.hpp"

namespace pathline::base {

/// Bytes that have no place in memory, one behind the other in a file that has no name and is gone
/// with the process, however that ends. Not mapped: what it holds counts against no limit of
/// memory.
///
/// Reading is for any number of threads at a time, appending for one that is alone.
class SpillFile {
 public:
  /// folder  on a disk, that offer_scratch() took.
  /// errors  kNotFound, kIo where no file can be made there.
  static Result<std::unique_ptr<SpillFile>> make(const std::filesystem::path& folder);
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  /// Where the next byte will be.
  [[nodiscard]] uint64_t size() const { return writer_.size(); }
  /// Remembers the first error for flush().
  void append(std::span<const uint8_t> bytes) { writer_.append(bytes); }
  /// Writes what waits; what is read must have been.
  ///
  /// errors  kIo with the folder and the system's reason, of everything before too.
  Status flush();
  /// errors  throws std::runtime_error with the folder and the system's reason.
  void read(uint64_t offset, std::span<uint8_t> bytes) const;

 private:
  SpillFile(const std::filesystem::path& folder, int file)
      : folder_(folder), file_(file), writer_(file) {}

  std::filesystem::path folder_;
  int file_;
  BufferedWriter writer_;
};

}  // namespace pathline::base
