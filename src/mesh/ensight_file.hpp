// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pathline::mesh {

/// A file of EnSight Gold as the lines and numbers that it consists of, one after the other,
/// whether it is text or binary. Memory is bounded by the size of the file.
///
/// errors of all: kCorrupt naming the file and the line or offset where what was read last begins.
class EnsightFile {
 public:
  /// text  must outlive this
  EnsightFile(std::string_view text, std::string name, bool binary)
      : text_(text), name_(std::move(name)), binary_(binary) {}

  /// Binary files are of 80 characters for each line.
  [[nodiscard]] bool at_end() const;
  /// The next line without the blanks around it.
  base::Result<std::string_view> line();
  /// A number alone on its line. The first one that is out of `most` shows that the file is of the
  /// other byte order, if it is not then.
  base::Result<uint64_t> count(uint64_t most);
  base::Result<std::vector<int32_t>> integers(uint64_t count);
  base::Result<std::vector<float>> floats(uint64_t count);
  /// Passes over so many numbers of four bytes.
  base::Status skip(uint64_t count);

  [[nodiscard]] base::Error error(base::ErrorCode code, std::string_view fact,
                                  std::string advice = {}) const;
  [[nodiscard]] base::Error corrupt(std::string_view fact) const {
    return error(base::ErrorCode::kCorrupt, fact);
  }

  /// No file counts more points or elements.
  static constexpr uint64_t kMost = INT32_MAX;
  /// Nor are parts numbered higher.
  static constexpr uint64_t kMostParts = 1U << 16U;

 private:
  template <class T>
  base::Result<std::vector<T>> numbers(uint64_t count, const char* what);

  std::string_view text_;
  std::string name_;
  bool binary_;
  size_t position_ = 0;
  size_t last_ = 0;  // Where the last thing that was read begins, which errors name.
  std::optional<bool> swapped_;
};

}  // namespace pathline::mesh
