// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "trace/trace.hpp"

namespace pathline::comm {

/// Who exchanges messages with whom, in a few words; "" without messages or with two ranks.
///
///   "all with rank 0"                    one is at either end of 90 % and more, both ways
///   "96 % to rank 0", "all from rank 0"  one rank receives, or sends, half and more
///   "93 % to ranks ±1, ±4"               up to three distances of rank numbers, and one per four
///                                        ranks, have three quarters
///   "to 6.2 ranks each"                  else, the mean over the ranks that send
///
/// messages  indices into trace.messages.
/// cost      O(messages), and a bit per pair of ranks, up to 4,096 of them: with more ranks the
/// last
///           one is left out.
std::string partners_text(const trace::Trace& trace, std::span<const uint32_t> messages);

}  // namespace pathline::comm
