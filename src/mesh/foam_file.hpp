// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pathline::mesh {

/// Lists of numbers, one behind the other: the corners of faces.
struct NumberLists {
  std::vector<int64_t> numbers;
  std::vector<uint64_t> ends;  ///< Of each list in `numbers`.

  [[nodiscard]] size_t size() const { return ends.size(); }
  [[nodiscard]] std::span<const int64_t> operator[](size_t list) const {
    const uint64_t begin = list == 0 ? 0 : ends[list - 1];
    return std::span(numbers).subspan(begin, ends[list] - begin);
  }
};

/// One file of an OpenFOAM mesh, ASCII or binary: a header "FoamFile { ... }" and a list, after
/// which anything may stand. In ASCII a list of equal elements may be "N{value}".
///
/// errors of all: kCorrupt naming the file and the line or, behind binary data, the offset;
///                kUnsupported for valid things that no mesh is written with. Memory is bounded by
///                the size of the text.
class FoamFile {
 public:
  /// text  must outlive this
  /// name  what errors call the file
  static base::Result<FoamFile> parse(std::string_view text, std::string name);

  /// A labelList. most  longer ones are refused, before memory is taken for them; errors say that
  /// there are so many of `limit`.
  base::Result<std::vector<int64_t>> labels(uint64_t most, std::string_view limit);
  /// A vectorField: x, y, z of each.
  base::Result<std::vector<double>> points();
  /// A faceList or faceCompactList.
  base::Result<NumberLists> faces();

 private:
  FoamFile(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  base::Status read_header();
  base::Status read_arch(std::string_view arch);
  base::Result<uint64_t> take_count();
  /// Whether a list may be "N{value}": a few bytes that stand for any number of entries.
  enum class Uniform : uint8_t { kNot, kAllowed };
  base::Status append_labels(std::vector<int64_t>& labels, uint64_t most, std::string_view limit,
                             Uniform uniform);
  base::Result<NumberLists> take_compact_faces();
  /// The bytes of so many binary numbers between "(" and ")".
  base::Result<std::span<const uint8_t>> take_binary(uint64_t count, uint64_t bytes_each);
  [[nodiscard]] int64_t label_at(std::span<const uint8_t> bytes, size_t index) const;
  [[nodiscard]] double scalar_at(std::span<const uint8_t> bytes, size_t index) const;

  void skip_blank();
  bool take(char c);
  std::string_view take_word();
  [[nodiscard]] size_t left() const { return text_.size() - position_; }
  [[nodiscard]] base::Error corrupt(std::string_view fact) const;
  [[nodiscard]] base::Error error(base::ErrorCode code, std::string_view fact,
                                  std::string advice = {}) const;

  std::string_view text_;
  std::string name_;
  size_t position_ = 0;
  bool behind_binary_ = false;  // Lines mean nothing any more.
  bool binary_ = false;
  bool swapped_ = false;  // Written on a machine of the other byte order.
  unsigned label_bytes_ = 4;
  unsigned scalar_bytes_ = 8;
  std::string class_;
};

}  // namespace pathline::mesh
