// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/foam_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "base/parse.hpp"
#include "base/text.hpp"

namespace pathline::mesh {
namespace {

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}
constexpr bool ends_word(char c) {
  return is_blank(c) || c == ';' || c == '{' || c == '}' || c == '(' || c == ')';
}

/// The value in little-endian order, whatever the order in the file.
template <class T>
T number_at(std::span<const uint8_t> bytes, size_t index, bool swapped) {
  std::array<uint8_t, sizeof(T)> own;
  std::memcpy(own.data(), bytes.data() + index * sizeof(T), sizeof(T));
  if (swapped) std::reverse(own.begin(), own.end());
  T value;
  std::memcpy(&value, own.data(), sizeof(T));
  return value;
}

}  // namespace

base::Error FoamFile::error(base::ErrorCode code, std::string_view fact, std::string advice) const {
  const std::string place =
      behind_binary_
          ? fmt::format("offset {}", position_)
          : fmt::format("line {}",
                        1 + std::count(text_.begin(),
                                       text_.begin() + static_cast<ptrdiff_t>(position_), '\n'));
  return {code, fmt::format("cannot read {}: {}: {}", base::printable(name_), place, fact),
          std::move(advice)};
}

base::Error FoamFile::corrupt(std::string_view fact) const {
  return error(base::ErrorCode::kCorrupt, fact);
}

void FoamFile::skip_blank() {
  while (position_ < text_.size()) {
    if (is_blank(text_[position_])) {
      ++position_;
    } else if (text_.substr(position_, 2) == "//") {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else if (text_.substr(position_, 2) == "/*") {
      const size_t end = text_.find("*/", position_ + 2);
      position_ = end == std::string_view::npos ? text_.size() : end + 2;
    } else {
      return;
    }
  }
}

bool FoamFile::take(char c) {
  skip_blank();
  if (position_ == text_.size() || text_[position_] != c) return false;
  ++position_;
  return true;
}

/// A word, or a text in quotes without them; "" at a bracket or the end.
std::string_view FoamFile::take_word() {
  skip_blank();
  if (position_ < text_.size() && text_[position_] == '"') {
    const size_t end = std::min(text_.find('"', position_ + 1), text_.size());
    const std::string_view word = text_.substr(position_ + 1, end - position_ - 1);
    position_ = std::min(end + 1, text_.size());
    return word;
  }
  const size_t begin = position_;
  while (position_ < text_.size() && !ends_word(text_[position_])) ++position_;
  return text_.substr(begin, position_ - begin);
}

base::Result<FoamFile> FoamFile::parse(std::string_view text, std::string name) {
  FoamFile file(text, std::move(name));
  if (auto status = file.read_header(); !status) return status.error();
  return file;
}

base::Status FoamFile::read_header() {
  if (take_word() != "FoamFile" || !take('{')) {
    return error(base::ErrorCode::kCorrupt, "a header 'FoamFile { ... }' was expected",
                 "Is it a file of an OpenFOAM mesh?");
  }
  while (!take('}')) {
    const std::string_view key = take_word();
    const std::string_view value = take_word();
    if (key.empty() || !take(';')) return corrupt("the header is damaged or ends early");
    if (key == "format") {
      if (value != "ascii" && value != "binary") {
        return corrupt(
            fmt::format("format is '{}', expected ascii or binary", base::printable(value)));
      }
      binary_ = value == "binary";
    } else if (key == "class") {
      class_ = base::printable(value);
    } else if (key == "arch") {
      if (auto status = read_arch(value); !status) return status;
    }
  }
  if (class_ == "decomposedBlockData") {
    return error(base::ErrorCode::kUnsupported, "the meshes of several ranks lie in one file",
                 "foamFormatConvert -fileHandler uncollated makes a folder for each rank.");
  }
  return {};
}

/// "LSB;label=32;scalar=64"; what is missing is as before there was such a line.
base::Status FoamFile::read_arch(std::string_view arch) {
  const auto bits = [&](std::string_view key, unsigned& bytes) {
    const size_t at = arch.find(key);
    if (at == std::string_view::npos) return true;
    const std::string_view rest = arch.substr(at + key.size());
    const auto number = base::number_in<unsigned>(rest.substr(0, rest.find(';')));
    const unsigned found = number.value_or(0);
    if (found != 32 && found != 64) return false;
    bytes = found / 8;
    return true;
  };
  if (!bits("label=", label_bytes_) || !bits("scalar=", scalar_bytes_)) {
    return corrupt(fmt::format("arch is '{}', expected labels and scalars of 32 or 64 bits",
                               base::printable(arch)));
  }
  swapped_ = arch.find("MSB") != std::string_view::npos;
  return {};
}

base::Result<uint64_t> FoamFile::take_count() {
  skip_blank();
  std::string_view rest = text_.substr(position_);
  const auto count = base::take_number<uint64_t>(rest);
  if (!count) return corrupt("the length of a list was expected");
  position_ = text_.size() - rest.size();
  return *count;
}

base::Result<std::span<const uint8_t>> FoamFile::take_binary(uint64_t count, uint64_t bytes_each) {
  // What is empty may lack its brackets.
  if (!take('(')) {
    if (count == 0) return std::span<const uint8_t>();
    return corrupt("a list in '(' and ')' was expected");
  }
  behind_binary_ = true;
  if (count > left() / bytes_each) {
    return corrupt(
        fmt::format("a list of {} elements of {} bytes was expected, but there are only {} "
                    "bytes: the file is damaged or ends early",
                    count, bytes_each, left()));
  }
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(text_.data()) + position_,
                                       count * bytes_each);
  position_ += bytes.size();
  if (position_ == text_.size() || text_[position_] != ')') {
    return corrupt(fmt::format("the list of {} elements does not end in ')'", count));
  }
  ++position_;
  return bytes;
}

int64_t FoamFile::label_at(std::span<const uint8_t> bytes, size_t index) const {
  return label_bytes_ == 4 ? number_at<int32_t>(bytes, index, swapped_)
                           : number_at<int64_t>(bytes, index, swapped_);
}

double FoamFile::scalar_at(std::span<const uint8_t> bytes, size_t index) const {
  return scalar_bytes_ == 4 ? number_at<float>(bytes, index, swapped_)
                            : number_at<double>(bytes, index, swapped_);
}

base::Status FoamFile::append_labels(std::vector<int64_t>& labels, uint64_t most,
                                     std::string_view limit, Uniform uniform) {
  const auto count = take_count();
  if (!count) return count.error();
  if (count.value() > most) {
    return corrupt(
        fmt::format("the list has {} entries, but there are {} {}", count.value(), most, limit));
  }
  if (binary_) {
    const auto bytes = take_binary(count.value(), label_bytes_);
    if (!bytes) return bytes.error();
    labels.reserve(labels.size() + count.value());
    for (size_t i = 0; i < count.value(); ++i) labels.push_back(label_at(bytes.value(), i));
    return {};
  }
  const auto take_label = [&] {
    skip_blank();
    std::string_view rest = text_.substr(position_);
    const auto label = base::take_number<int64_t>(rest);
    position_ = text_.size() - rest.size();
    return label;
  };
  if (uniform == Uniform::kAllowed && take('{')) {
    const auto label = take_label();
    if (!label || !take('}')) return corrupt("a number in '{' and '}' was expected");
    labels.insert(labels.end(), count.value(), *label);
    return {};
  }
  if (!take('(')) return corrupt("a list in '(' and ')' was expected");
  for (uint64_t i = 0; i < count.value(); ++i) {
    const auto label = take_label();
    if (!label) return corrupt(fmt::format("entry {} of {} is not a number", i, count.value()));
    labels.push_back(*label);
  }
  if (!take(')')) return corrupt(fmt::format("')' was expected behind {} entries", count.value()));
  return {};
}

base::Result<std::vector<int64_t>> FoamFile::labels(uint64_t most, std::string_view limit) {
  std::vector<int64_t> labels;
  if (auto status = append_labels(labels, most, limit, Uniform::kAllowed); !status) {
    return status.error();
  }
  return labels;
}

base::Result<std::vector<double>> FoamFile::points() {
  const auto count = take_count();
  if (!count) return count.error();
  std::vector<double> points;
  const auto not_finite = [&](uint64_t point) {
    return corrupt(fmt::format("point {} of {} is not three finite numbers in '(' and ')'", point,
                               count.value()));
  };
  if (binary_) {
    const auto bytes = take_binary(count.value(), 3ULL * scalar_bytes_);
    if (!bytes) return bytes.error();
    points.reserve(3 * count.value());
    for (size_t i = 0; i < 3 * count.value(); ++i) {
      points.push_back(scalar_at(bytes.value(), i));
      if (!std::isfinite(points.back())) return not_finite(i / 3);
    }
    return points;
  }
  if (!take('(')) return corrupt("a list in '(' and ')' was expected");
  // A point takes seven characters.
  points.reserve(3 * std::min<uint64_t>(count.value(), left() / 7 + 1));
  for (uint64_t i = 0; i < count.value(); ++i) {
    if (!take('(')) return not_finite(i);
    for (int axis = 0; axis < 3; ++axis) {
      const auto number = base::number_in<double>(take_word());
      if (!number) return not_finite(i);
      points.push_back(*number);
    }
    if (!take(')')) return not_finite(i);
  }
  if (!take(')')) return corrupt(fmt::format("')' was expected behind {} points", count.value()));
  return points;
}

base::Result<NumberLists> FoamFile::take_compact_faces() {
  std::vector<int64_t> begins;
  NumberLists faces;
  constexpr std::string_view kLimit = "bytes left in the file";
  if (auto status = append_labels(begins, left(), kLimit, Uniform::kNot); !status) {
    return status.error();
  }
  if (auto status = append_labels(faces.numbers, left(), kLimit, Uniform::kNot); !status) {
    return status.error();
  }
  const size_t corners = faces.numbers.size();
  if (begins.empty() || begins.front() != 0 || begins.back() != static_cast<int64_t>(corners) ||
      !std::is_sorted(begins.begin(), begins.end())) {
    return corrupt(
        fmt::format("the faces must begin at ascending places among their {} corners, the first "
                    "at 0, and they do not",
                    corners));
  }
  faces.ends.assign(begins.begin() + 1, begins.end());
  return faces;
}

base::Result<NumberLists> FoamFile::faces() {
  if (class_ == "faceCompactList") return take_compact_faces();
  if (binary_) {
    return error(
        base::ErrorCode::kUnsupported,
        fmt::format("binary faces are of the class '{}', expected faceCompactList", class_),
        "foamFormatConvert writes them anew.");
  }
  const auto count = take_count();
  if (!count) return count.error();
  if (!take('(')) return corrupt("a list in '(' and ')' was expected");
  NumberLists faces;
  // A face takes three characters, "0()".
  faces.ends.reserve(std::min<uint64_t>(count.value(), left() / 3 + 1));
  for (uint64_t i = 0; i < count.value(); ++i) {
    auto status = append_labels(faces.numbers, left(), "bytes left in the file", Uniform::kNot);
    if (!status) return status.error();
    faces.ends.push_back(faces.numbers.size());
  }
  if (!take(')')) return corrupt(fmt::format("')' was expected behind {} faces", count.value()));
  return faces;
}

}  // namespace pathline::mesh
