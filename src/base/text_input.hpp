// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "base/result.hpp"

namespace pathline::base {

/// The text of a file, unpacked if gzip packed it.
class TextInput {
 public:
  /// What a packed file may unpack to: a few bytes can stand for any number of them.
  static constexpr size_t kMaxUnpackedBytes = size_t{1} << 31;

  /// errors  those of MappedFile::open; kCorrupt for packed data that end early or are damaged,
  ///         kUnsupported beyond kMaxUnpackedBytes.
  static Result<TextInput> open(const std::filesystem::path& path);

  [[nodiscard]] std::string_view text() const {
    return unpacked_ ? std::string_view(*unpacked_) : file_.text();
  }

 private:
  explicit TextInput(MappedFile file) : file_(std::move(file)) {}
  MappedFile file_;
  std::optional<std::string> unpacked_;
};

/// What gzip packed, all members one after the other; `name` is what errors call it.
///
/// errors  kCorrupt for data that end early or are damaged, kUnsupported beyond `max_bytes`.
Result<std::string> unpack_gzip(std::span<const uint8_t> packed, const std::string& name,
                                size_t max_bytes = TextInput::kMaxUnpackedBytes);

}  // namespace pathline::base
