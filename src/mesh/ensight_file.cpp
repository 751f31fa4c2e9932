// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/ensight_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "base/parse.hpp"
#include "base/text.hpp"

namespace pathline::mesh {
namespace {

constexpr size_t kLineBytes = 80;
constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  // Binary lines may end in zeros.
  text = text.substr(0, text.find('\0'));
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

}  // namespace

base::Error EnsightFile::error(base::ErrorCode code, std::string_view fact,
                               std::string advice) const {
  const std::string place =
      binary_ ? fmt::format("offset {}", last_)
              : fmt::format("line {}",
                            1 + std::count(text_.begin(),
                                           text_.begin() + static_cast<ptrdiff_t>(last_), '\n'));
  return {code, fmt::format("cannot read {}: {}: {}", base::printable(name_), place, fact),
          std::move(advice)};
}

bool EnsightFile::at_end() const {
  return binary_ ? position_ == text_.size()
                 : text_.find_first_not_of(kBlanks, position_) == std::string_view::npos;
}

base::Result<std::string_view> EnsightFile::line() {
  last_ = position_;
  if (binary_) {
    if (text_.size() - position_ < kLineBytes) {
      return corrupt("a line of 80 characters was expected: the file ends early");
    }
    position_ += kLineBytes;
    return trimmed(text_.substr(position_ - kLineBytes, kLineBytes));
  }
  if (position_ >= text_.size()) return corrupt("a line was expected: the file ends early");
  const size_t end = std::min(text_.find('\n', position_), text_.size());
  const std::string_view line = text_.substr(position_, end - position_);
  position_ = std::min(end + 1, text_.size());
  return trimmed(line);
}

base::Result<uint64_t> EnsightFile::count(uint64_t most) {
  const size_t begin = position_;
  auto number = integers(1);
  if (!number) return number.error();
  const auto is_good = [&](int32_t value) {
    return value >= 0 && static_cast<uint64_t>(value) <= most;
  };
  if (binary_ && !swapped_) {
    swapped_ = false;
    if (!is_good(number.value()[0])) {
      swapped_ = true;
      position_ = begin;
      number = integers(1);
    }
  }
  if (!is_good(number.value()[0])) {
    return corrupt(
        fmt::format("a number from 0 to {} was expected, found {}", most, number.value()[0]));
  }
  return static_cast<uint64_t>(number.value()[0]);
}

template <class T>
base::Result<std::vector<T>> EnsightFile::numbers(uint64_t count, const char* what) {
  static_assert(sizeof(T) == 4);
  std::vector<T> out;
  if (count == 0) return out;
  if (!binary_) position_ = std::min(text_.find_first_not_of(kBlanks, position_), text_.size());
  last_ = position_;
  const size_t left = text_.size() - position_;
  // In text each takes a digit and what stands before it.
  if (count > left / (binary_ ? 4 : 1)) {
    return corrupt(
        fmt::format("{} {} were expected, but there are only {} bytes", count, what, left));
  }
  out.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    if (binary_) {
      std::array<char, 4> bytes;
      std::memcpy(bytes.data(), text_.data() + position_, bytes.size());
      if (swapped_.value_or(false)) std::reverse(bytes.begin(), bytes.end());
      T value;
      std::memcpy(&value, bytes.data(), sizeof value);
      out.push_back(value);
      position_ += bytes.size();
      continue;
    }
    position_ = std::min(text_.find_first_not_of(kBlanks, position_), text_.size());
    std::string_view rest = text_.substr(position_);
    const auto value = base::take_number<T>(rest);
    if (!value) return corrupt(fmt::format("number {} of {} {} is none", i, count, what));
    out.push_back(*value);
    position_ = text_.size() - rest.size();
  }
  if (!binary_) {
    // The next line begins behind the last number.
    const size_t end = std::min(text_.find('\n', position_), text_.size());
    if (trimmed(text_.substr(position_, end - position_)).empty()) {
      position_ = std::min(end + 1, text_.size());
    }
  }
  return out;
}

base::Result<std::vector<int32_t>> EnsightFile::integers(uint64_t count) {
  return numbers<int32_t>(count, "whole numbers");
}

base::Result<std::vector<float>> EnsightFile::floats(uint64_t count) {
  return numbers<float>(count, "numbers");
}

base::Status EnsightFile::skip(uint64_t count) {
  const auto numbers_there = integers(count);
  return numbers_there ? base::Status() : numbers_there.error();
}

}  // namespace pathline::mesh
