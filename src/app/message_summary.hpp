// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// Messages of similar size, or the collective operations of one kind.
struct MessageClass {
  std::string kind;        ///< "message", or the operation: "MPI_Allreduce".
  uint64_t min_bytes = 0;  ///< Of a message; of a member of an operation, sent or received.
  uint64_t max_bytes = 0;
  uint64_t count = 0;  ///< Messages, or operations.
  uint64_t bytes = 0;  ///< Sent, of an operation by all its members.
  double mean_s = 0;   ///< From send to receive; of an operation that of a member in it.
};

/// Ranks that tell each other much in many small pieces.
struct TinyMessages {
  uint32_t sender = 0;
  uint32_t receiver = 0;
  uint64_t count = 0;
  uint64_t bytes = 0;
};

struct MessageSummary {
  std::vector<MessageClass> classes;  ///< Messages by size, then operations by their number.
  double seconds = 0;                 ///< Of the run, as far as it is chosen.
  uint64_t steps = 0;                 ///< Marked by a rank; 0: none.
  /// Pairs with at least 32 messages of up to kTinyBytes in a time step, without steps at least
  /// 1,000; most messages first.
  std::vector<TinyMessages> tiny;
};

inline constexpr uint64_t kTinyBytes = 256;

/// Sizes are put together by powers of eight.
///
/// cost  O(messages + members of operations + pairs log pairs).
MessageSummary message_summary(const trace::Trace& trace, const trace::Selection& selection);

}  // namespace pathline::app
