// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/parse.hpp"

namespace pathline::network {

/// The lines of a text as words between blanks. `\r` counts as a blank.
class Lines {
 public:
  /// comment       what it begins is left out, to the end of the line; 0: there are no comments.
  /// continuation  at the end of a line joins the next to it; 0: there is none.
  explicit Lines(std::string_view text, char comment = 0, char continuation = 0)
      : text_(text), comment_(comment), continuation_(continuation) {}

  /// Goes to the next line; false behind the last.
  bool next() {
    if (at_ >= text_.size()) return false;
    words_.clear();
    number_ = ++line_;
    while (take_line() && at_ < text_.size()) ++line_;
    return true;
  }
  /// Of the first line of those that were joined, from 1.
  [[nodiscard]] size_t number() const { return number_; }
  [[nodiscard]] std::span<const std::string_view> words() const { return words_; }

 private:
  /// True if the line goes on in the next.
  bool take_line() {
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = text_.substr(at_, end - at_);
    at_ = end + 1;
    if (comment_ != 0) line = line.substr(0, line.find(comment_));
    constexpr std::string_view kBlanks = " \t\r\f\v";
    bool goes_on = false;
    for (size_t i = line.find_first_not_of(kBlanks); i != std::string_view::npos;) {
      const size_t word_end = std::min(line.find_first_of(kBlanks, i), line.size());
      words_.push_back(line.substr(i, word_end - i));
      i = line.find_first_not_of(kBlanks, word_end);
    }
    if (continuation_ != 0 && !words_.empty() && words_.back().ends_with(continuation_)) {
      goes_on = true;
      words_.back().remove_suffix(1);
      if (words_.back().empty()) words_.pop_back();
    }
    return goes_on;
  }

  std::string_view text_;
  char comment_;
  char continuation_;
  size_t at_ = 0;
  size_t line_ = 0;
  size_t number_ = 0;
  std::vector<std::string_view> words_;
};

using base::number_in;

}  // namespace pathline::network
