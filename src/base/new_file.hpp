// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "base/buffered_writer.hpp"
#include "base/result.hpp"

namespace pathline::base {

/// A file that gets its name when it is complete, and then takes the place of one that has it.
///
/// Until then it has none, where the file system knows such files: a process that is killed leaves
/// nothing, but for one that stops between the two steps of replacing a file. Elsewhere it lies at
/// part_path(). A device or a pipe is written as it is.
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& path);
  /// Gives up what was not finished.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// Where the next byte will be.
  [[nodiscard]] uint64_t size() const { return writer_ ? writer_->size() : 0; }
  /// Remember the first error for finish().
  void append(std::span<const uint8_t> bytes);
  void overwrite(uint64_t offset, std::span<const uint8_t> bytes);
  /// Hands everything to the system. Of several files that belong together, flush all before the
  /// first is finished: then a full disk leaves the old ones as they were.
  ///
  /// errors  those of finish().
  Status flush();
  /// To be called once, at last.
  ///
  /// errors  kIo with the path and the system's reason, of everything before too.
  Status finish();

 private:
  int open();
  [[nodiscard]] Status status() const;
  [[nodiscard]] int name();

  std::filesystem::path path_;
  std::filesystem::path part_;
  bool has_part_ = false;  // In the folder now.
  int file_;
  int failed_ = 0;
  std::optional<BufferedWriter> writer_;
};

}  // namespace pathline::base
