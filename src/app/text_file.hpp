// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/result.hpp"

namespace pathline::app {

/// A large text file written in pieces, under another name until it is complete: whoever does not
/// call close() leaves no trace. The first failure is kept and told by flush() and close().
class TextFile {
 public:
  explicit TextFile(std::filesystem::path path)
      : path_(std::move(path)),
        part_(base::part_path(path_)),
        file_(std::fopen(part_.c_str(), "wb")) {
    if (file_ == nullptr) error_ = errno;
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  ~TextFile() {
    if (file_ != nullptr) std::fclose(file_);
    if (part_ != path_) std::remove(part_.c_str());
  }

  template <class... Arguments>
  void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Arguments>(arguments)...);
    if (buffer_.size() > kBufferBytes) write_buffer();
  }
  /// Hands everything to the system. Of several files that belong together, flush all before the
  /// first is closed: then a full disk leaves the old ones as they were.
  base::Status flush() {
    write_buffer();
    if (error_ == 0 && std::fflush(file_) != 0) error_ = errno;
    return status();
  }
  /// Puts the file in the place of an older one.
  base::Status close() {
    if (auto status = flush(); !status) return status;
    if (std::fclose(std::exchange(file_, nullptr)) != 0 ||
        (part_ != path_ && std::rename(part_.c_str(), path_.c_str()) != 0)) {
      error_ = errno;
    }
    return status();
  }

 private:
  static constexpr size_t kBufferBytes = 1 << 16;
  void write_buffer() {
    if (error_ == 0 && std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) {
      error_ = errno;
    }
    buffer_.clear();
  }
  [[nodiscard]] base::Status status() const {
    if (error_ == 0) return {};
    return base::Error{base::ErrorCode::kIo, fmt::format("cannot write {}: {}", path_.string(),
                                                         base::system_reason(error_))};
  }

  std::filesystem::path path_;
  std::filesystem::path part_;  // The same for a device.
  std::FILE* file_;
  int error_ = 0;
  fmt::memory_buffer buffer_;
};

}  // namespace pathline::app
