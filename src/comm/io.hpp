// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "trace/events.hpp"

namespace pathline::comm {

/// One completed read or write of a known number of bytes.
struct IoTransfer {
  uint64_t ticks;  ///< It was complete.
  uint64_t bytes;
  bool is_write;
};

/// The transfers of one location, by time. Ids of operations are reused: a completion belongs to
/// the latest open operation of its handle and id.
///
/// open  gets the events, in any order, that begin operations without a completion.
std::vector<IoTransfer> io_transfers(const trace::Events& events,
                                     std::vector<uint32_t>* open = nullptr);

}  // namespace pathline::comm
