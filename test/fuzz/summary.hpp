// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pathline::fuzz {

/// A summary beside its archive, which is whole. What is changed of it:
///
/// - "file": its bytes;
/// - "columns": what they are before they are compressed. Per column the length of its name and the
///   bytes of a number (8 bits each), the bytes of its numbers (32 bits), then name and numbers. So
///   all has the right checksums, as in a file that somebody made to do harm;
/// - "judged": the findings that are kept in it.
class SummaryProbe {
 public:
  /// folder  that holds the archive "traces.otf2"; the summary is made in it.
  SummaryProbe(const std::filesystem::path& folder, std::string_view kind);

  /// What it is of the archive.
  [[nodiscard]] const std::vector<uint8_t>& example() const { return example_; }
  /// Opens it and asks what commands ask. Returns which promise is broken, "" if none is: an error
  /// names the file, and the place if something stands wrongly in it; what can be opened has tables
  /// and pictures.
  std::string probe(std::span<const uint8_t> content);

 private:
  void write(std::span<const uint8_t> content) const;

  const std::filesystem::path file_;
  const bool is_file_;
  const bool is_judged_;
  std::vector<uint8_t> example_;
  std::vector<uint8_t> rest_;  // Columns that stay as they are.
  uint64_t runs_ = 0;
};

}  // namespace pathline::fuzz
