// SPDX-License-Identifier: BSD-3-Clause
#include "bench/shallow/division.hpp"

#include <cstdint>

namespace shallow {
namespace {

/// The first of `cells` that part number `part` of `parts` has.
int first_of(int cells, int part, int parts) {
  return static_cast<int>(static_cast<int64_t>(cells) * part / parts);
}

}  // namespace

Division divide(int whole_m, int whole_n, int px, int py, int rank) {
  const int x = rank % px;
  const int y = rank / px;
  const int first_i = first_of(whole_m, x, px);
  const int first_j = first_of(whole_n, y, py);
  return {.whole_m = whole_m,
          .whole_n = whole_n,
          .px = px,
          .py = py,
          .x = x,
          .y = y,
          .first_i = first_i,
          .first_j = first_j,
          .own = {.m = first_of(whole_m, x + 1, px) - first_i,
                  .n = first_of(whole_n, y + 1, py) - first_j}};
}

}  // namespace shallow
