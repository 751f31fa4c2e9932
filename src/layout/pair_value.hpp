// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace pathline::layout {

/// What one process sent to another; by position in the order of a picture.
struct PairValue {
  uint32_t sender = 0;
  uint32_t receiver = 0;
  double value = 0;
};

}  // namespace pathline::layout
