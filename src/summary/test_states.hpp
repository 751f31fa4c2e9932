// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "summary/states.hpp"

namespace pathline::summary {

/// For tests only. The codes of a level in one piece, of states that were made or read.
inline std::vector<uint8_t> codes_of(const States& states, size_t level) {
  std::vector<uint8_t> codes = states.levels[level].codes;
  if (states.made_codes.empty()) return codes;
  for (const base::ByteList& list : states.made_codes[level]) list.copy_to(codes);
  return codes;
}

/// For tests only. States that were made as they would be read.
inline States as_read(States states) {
  for (size_t l = 0; l < states.levels.size(); ++l) states.levels[l].codes = codes_of(states, l);
  states.made_codes.clear();
  return states;
}

}  // namespace pathline::summary
