// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/jube_python_value.hpp"

namespace pathline::campaign::python {

enum class Kind : uint8_t {
  kConstant,
  kName,
  kList,      // items
  kBinary,    // word: operator; a, b
  kCompare,   // word; a, b
  kNegative,  // a
  kNot,       // a
  kAnd,       // a, b
  kOr,        // a, b
  kIf,        // value, condition, otherwise
  kIndex,     // a, index
  kCall,      // word: function; arguments
  kMethod,    // word; of, arguments
  kFor,       // word: name; of each, list, conditions
};

struct Expression {
  Kind kind = Kind::kConstant;
  std::string word;
  Value value;
  std::vector<Expression> parts;
};

/// Throws Failed for what is no expression of the part of Python that is read here.
[[nodiscard]] Expression parsed(std::string_view text);

}  // namespace pathline::campaign::python
