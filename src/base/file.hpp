// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace pathline::base {

/// A file's bytes, mapped read-only. An empty file gives an empty span. A file that shrinks while
/// it is mapped makes a read fail with SIGBUS: use it for short reads and files at rest.
class MappedFile {
 public:
  /// errors  kNotFound, or kIo when it is not a regular file or cannot be mapped.
  static Result<MappedFile> open(const std::filesystem::path& path);
  /// The same for one of many that are read once: a file of no more than 1 MiB is copied. To unmap
  /// it would interrupt all threads of the process, which takes longer.
  static Result<MappedFile> open_briefly(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const uint8_t> bytes() const { return {data_, size_}; }
  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(data_), size_};
  }

 private:
  MappedFile() = default;
  static Result<MappedFile> open(const std::filesystem::path& path, size_t most_to_copy);
  Status map(int descriptor, const std::filesystem::path& path);
  Status read(int descriptor, const std::filesystem::path& path);

  std::unique_ptr<uint8_t[]> copy_;  // Unless it is mapped.
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

/// Writes `content` to `path` under another name first and renames, so that a reader never sees
/// half a file.
/// errors  kIo naming the file and the system's reason.
Status write_file(const std::filesystem::path& path, std::string_view content);

/// Where to write `path` until it is complete and can be renamed: beside it, or `path` itself when
/// it is a device or a pipe (/dev/stdout), which no rename can replace.
std::filesystem::path part_path(const std::filesystem::path& path);

/// "No such file or directory" for an errno value.
std::string system_reason(int error_number);

}  // namespace pathline::base
