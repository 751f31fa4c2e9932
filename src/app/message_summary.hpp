// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/message_sizes.hpp"
#include "summary/run_summary.hpp"
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

struct MessageSummary {
  std::vector<MessageClass> classes;  ///< Messages by size, then operations by their number.
  double seconds = 0;                 ///< Of the run, as far as it is chosen.
  uint64_t steps = 0;                 ///< Marked by a rank; 0: none.
  /// Pairs with at least 32 tiny messages in a time step, without steps at least 1,000; most
  /// messages first.
  std::vector<comm::TinyPair> tiny;
};

/// Sizes are put together by powers of eight.
///
/// cost  O(messages + members of operations + pairs log pairs).
MessageSummary message_summary(const trace::Trace& trace, const trace::Selection& selection);
/// The same of the whole run of a summary, which must have RunSummary::sizes.
///
/// run  of the summary, wherever that is now
MessageSummary message_summary(const summary::RunSummary& summary, const trace::Trace& run);

}  // namespace pathline::app
