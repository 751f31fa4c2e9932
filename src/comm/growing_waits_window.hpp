// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "base/column.hpp"
#include "comm/dependency_part.hpp"
#include "comm/growing_waits.hpp"
#include "comm/mpi_calls.hpp"
#include "trace/trace.hpp"

namespace pathline::comm {

/// The calls of a part and those that were kept.
struct GrowingWaits::Window {
  uint64_t until_ticks;
  bool ended;
  MpiCalls calls;  // Neither `enter` nor `rma`.
  base::Column<uint32_t> location;
  base::Column<uint32_t> number;
  base::Column<Latest> latest;
  std::vector<uint64_t> open_ticks;  // By location: the begin of the first call that may change.
  std::vector<DependencyPart> parts;
  trace::Collectives operations;

  /// What touches this time there will not change.
  [[nodiscard]] bool is_settled(uint32_t at, uint64_t ticks) const {
    return at >= open_ticks.size() || ticks < open_ticks[at];
  }
};

}  // namespace pathline::comm
