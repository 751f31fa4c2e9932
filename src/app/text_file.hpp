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

/// A large text file written in pieces; the first failure is kept and told by close().
class TextFile {
 public:
  explicit TextFile(std::filesystem::path path)
      : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb")) {
    if (file_ == nullptr) error_ = errno;
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  ~TextFile() {
    if (file_ != nullptr) std::fclose(file_);
  }

  template <class... Arguments>
  void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Arguments>(arguments)...);
    if (buffer_.size() > kBufferBytes) flush();
  }
  base::Status close() {
    flush();
    if (file_ != nullptr && std::fclose(std::exchange(file_, nullptr)) != 0 && error_ == 0) {
      error_ = errno;
    }
    if (error_ == 0) return {};
    return base::Error{base::ErrorCode::kIo, fmt::format("cannot write {}: {}", path_.string(),
                                                         base::system_reason(error_))};
  }

 private:
  static constexpr size_t kBufferBytes = 1 << 16;
  void flush() {
    if (error_ == 0 && std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) {
      error_ = errno;
    }
    buffer_.clear();
  }

  std::filesystem::path path_;
  std::FILE* file_;
  int error_ = 0;
  fmt::memory_buffer buffer_;
};

}  // namespace pathline::app
