// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/new_file.hpp"
#include "base/result.hpp"

namespace pathline::app {

/// A large text file written in pieces: a base::NewFile. The first failure is kept and told by
/// flush() and close().
class TextFile {
 public:
  explicit TextFile(const std::filesystem::path& path) : file_(path) {}

  template <class... Arguments>
  void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Arguments>(arguments)...);
    if (buffer_.size() > kBufferBytes) hand_over();
  }
  base::Status flush() {
    hand_over();
    return file_.flush();
  }
  /// Puts the file in the place of an older one.
  base::Status close() {
    hand_over();
    return file_.finish();
  }

 private:
  static constexpr size_t kBufferBytes = 1 << 16;
  void hand_over() {
    file_.append({reinterpret_cast<const uint8_t*>(buffer_.data()), buffer_.size()});
    buffer_.clear();
  }

  base::NewFile file_;
  fmt::memory_buffer buffer_;
};

}  // namespace pathline::app
