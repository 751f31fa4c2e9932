// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pathline::comm {

/// Where in the run a part is.
struct PartPlace {
  std::vector<size_t> kept;          ///< By location: events that were in the part before.
  std::vector<uint64_t> last_ticks;  ///< By location: of all events so far.
  std::vector<bool> others;          ///< By location: another process sees it; empty for none.
  uint64_t until_ticks;              ///< All that is before was seen.
  bool ended;                        ///< Nothing follows.

  [[nodiscard]] bool is_of_others(size_t location) const {
    return !others.empty() && others[location];
  }
};

}  // namespace pathline::comm
