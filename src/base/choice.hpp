// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/text.hpp"

namespace pathline::base {

/// The value that a word of a user stands for.
///
/// what    the word is: "--theme".
/// errors  kInvalidArgument: see not_one_of.
template <class Value, size_t N>
Result<Value> choose(std::string_view what, std::string_view word,
                     const std::pair<std::string_view, Value> (&choices)[N]) {
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) {
    if (name == word) return value;
    names.emplace_back(name);
  }
  return Error{ErrorCode::kInvalidArgument, not_one_of(what, word, names)};
}

}  // namespace pathline::base
