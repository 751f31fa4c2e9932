// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/test_scale.hpp"

namespace pathline::findings {

/// How many random programs a test tries; PATHLINE_RANDOM_PROGRAMS says another number.
inline uint32_t program_count(size_t usual) {
  const char* text = std::getenv("PATHLINE_RANDOM_PROGRAMS");
  const int wanted = text == nullptr ? 0 : std::atoi(text);
  return static_cast<uint32_t>(wanted > 0 ? static_cast<size_t>(wanted) : base::scaled(usual));
}

}  // namespace pathline::findings
