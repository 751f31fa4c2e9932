// SPDX-License-Identifier: BSD-3-Clause
#include "app/message_summary.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "trace/calls.hpp"

namespace pathline::app {
namespace {

/// By the numbers of OTF2.
constexpr std::array<std::string_view, 23> kOperations = {"MPI_Barrier",
                                                          "MPI_Bcast",
                                                          "MPI_Gather",
                                                          "MPI_Gatherv",
                                                          "MPI_Scatter",
                                                          "MPI_Scatterv",
                                                          "MPI_Allgather",
                                                          "MPI_Allgatherv",
                                                          "MPI_Alltoall",
                                                          "MPI_Alltoallv",
                                                          "MPI_Alltoallw",
                                                          "MPI_Allreduce",
                                                          "MPI_Reduce",
                                                          "MPI_Reduce_scatter",
                                                          "MPI_Scan",
                                                          "MPI_Exscan",
                                                          "MPI_Reduce_scatter_block",
                                                          "create handle",
                                                          "destroy handle",
                                                          "allocate",
                                                          "deallocate",
                                                          "create handle, allocate",
                                                          "destroy handle, deallocate"};

MessageClass closed(const comm::SizeSum& sum, std::string kind, double hz) {
  const auto timed = static_cast<double>(sum.timed);
  return {.kind = std::move(kind),
          .min_bytes = sum.min_bytes,
          .max_bytes = sum.max_bytes,
          .count = sum.count,
          .bytes = sum.bytes,
          .mean_s = sum.timed > 0 ? static_cast<double>(sum.ticks) / hz / timed : 0};
}

/// seconds, steps  as in MessageSummary
MessageSummary summary_of(const comm::MessageSizes& sizes, double seconds, uint64_t steps,
                          double hz) {
  MessageSummary summary{.classes = {}, .seconds = seconds, .steps = steps, .tiny = {}};
  for (const comm::SizeSum& sum : sizes.messages) {
    if (sum.count > 0) summary.classes.push_back(closed(sum, "message", hz));
  }
  for (size_t number = 0; number < sizes.operations.size(); ++number) {
    if (sizes.operations[number].count == 0) continue;
    summary.classes.push_back(closed(sizes.operations[number],
                                     number < kOperations.size()
                                         ? std::string(kOperations[number])
                                         : fmt::format("operation {}", number),
                                     hz));
  }
  const uint64_t many = steps > 0 ? 32 * steps : 1000;
  std::copy_if(sizes.tiny.begin(), sizes.tiny.end(), std::back_inserter(summary.tiny),
               [&](const comm::TinyPair& pair) { return pair.count >= many; });
  std::sort(summary.tiny.begin(), summary.tiny.end(),
            [](const comm::TinyPair& a, const comm::TinyPair& b) {
              return std::tie(b.count, a.sender, a.receiver) <
                     std::tie(a.count, b.sender, b.receiver);
            });
  return summary;
}

}  // namespace

MessageSummary message_summary(const trace::Trace& trace, const trace::Selection& selection) {
  const auto hz = static_cast<double>(trace.definitions.clock.ticks_per_second);
  const uint64_t from = std::max(selection.from_ticks, trace.start_ticks);
  const uint64_t until = std::min(selection.until_ticks, trace.end_ticks);
  uint64_t steps = 0;
  for (const auto& of_rank : trace::marked_steps(trace)) {
    steps = std::max<uint64_t>(steps, of_rank.size());
  }
  return summary_of(comm::message_sizes(trace, selection),
                    until > from ? static_cast<double>(until - from) / hz : 0, steps, hz);
}

MessageSummary message_summary(const summary::RunSummary& summary, const trace::Trace& run) {
  const auto hz = static_cast<double>(run.definitions.clock.ticks_per_second);
  return summary_of(*summary.sizes, static_cast<double>(run.end_ticks - run.start_ticks) / hz,
                    summary.facts.marked_steps, hz);
}

}  // namespace pathline::app
