// SPDX-License-Identifier: BSD-3-Clause
#include "app/message_summary.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <string_view>
#include <unordered_map>

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

/// Adds to one MessageClass.
struct Sum {
  uint64_t min_bytes = UINT64_MAX;
  uint64_t max_bytes = 0;
  uint64_t count = 0;
  uint64_t bytes = 0;
  uint64_t timed = 0;
  double ticks = 0;

  void size(uint64_t value) {
    min_bytes = std::min(min_bytes, value);
    max_bytes = std::max(max_bytes, value);
  }
  void time(uint64_t begin, uint64_t end) {
    ticks += static_cast<double>(end) - static_cast<double>(begin);
    ++timed;
  }
  [[nodiscard]] MessageClass closed(std::string kind, double hz) const {
    return {.kind = std::move(kind),
            .min_bytes = min_bytes,
            .max_bytes = max_bytes,
            .count = count,
            .bytes = bytes,
            .mean_s = timed > 0 ? ticks / hz / static_cast<double>(timed) : 0};
  }
};

/// 0 for no bytes, 1 for less than 8, 2 for less than 64 ...
size_t size_class(uint64_t bytes) { return (static_cast<size_t>(std::bit_width(bytes)) + 2) / 3; }

void add_operations(const trace::Trace& trace, const trace::Selection& selection, double hz,
                    MessageSummary& summary) {
  const trace::Collectives& all = trace.collectives;
  std::map<uint8_t, Sum> sums;
  for (size_t operation = 0; operation < all.size(); ++operation) {
    bool counted = false;
    for (uint32_t m = all.first[operation]; m < all.first[operation + 1]; ++m) {
      const trace::Rank rank = trace.locations[all.location[m]].rank;
      if (!selection.has_time(all.begin_ticks[m])) continue;
      if (!rank.valid() ? !selection.ranks.empty() : !selection.has_rank(rank)) continue;
      Sum& sum = sums[all.operation[operation]];
      if (!counted) ++sum.count;
      counted = true;
      sum.bytes += all.bytes_sent[m];
      sum.size(std::max(all.bytes_sent[m], all.bytes_received[m]));
      sum.time(all.begin_ticks[m], all.end_ticks[m]);
    }
  }
  for (const auto& [number, sum] : sums) {
    summary.classes.push_back(sum.closed(number < kOperations.size()
                                             ? std::string(kOperations[number])
                                             : fmt::format("operation {}", number),
                                         hz));
  }
}

}  // namespace

MessageSummary message_summary(const trace::Trace& trace, const trace::Selection& selection) {
  const auto hz = static_cast<double>(trace.definitions.clock.ticks_per_second);
  MessageSummary summary;
  const uint64_t from = std::max(selection.from_ticks, trace.start_ticks);
  const uint64_t until = std::min(selection.until_ticks, trace.end_ticks);
  summary.seconds = until > from ? static_cast<double>(until - from) / hz : 0;
  for (const auto& steps : trace::marked_steps(trace)) {
    summary.steps = std::max<uint64_t>(summary.steps, steps.size());
  }
  const trace::Messages& messages = trace.messages;
  std::array<Sum, 24> sums;
  std::unordered_map<uint64_t, std::pair<uint64_t, uint64_t>> tiny;  // Pair to count and bytes.
  for (size_t i = 0; i < messages.size(); ++i) {
    if (!selection.has_message(messages, i)) continue;
    const uint64_t bytes = messages.bytes[i];
    Sum& sum = sums[size_class(bytes)];
    ++sum.count;
    sum.bytes += bytes;
    sum.size(bytes);
    sum.time(messages.send_ticks[i], messages.recv_ticks[i]);
    if (bytes > kTinyBytes) continue;
    auto& [count, all] = tiny[uint64_t{messages.sender[i]} << 32U | messages.receiver[i]];
    ++count;
    all += bytes;
  }
  for (const Sum& sum : sums) {
    if (sum.count > 0) summary.classes.push_back(sum.closed("message", hz));
  }
  add_operations(trace, selection, hz, summary);
  const uint64_t many = summary.steps > 0 ? 32 * summary.steps : 1000;
  for (const auto& [pair, of] : tiny) {
    if (of.first < many) continue;
    summary.tiny.push_back({.sender = static_cast<uint32_t>(pair >> 32U),
                            .receiver = static_cast<uint32_t>(pair),
                            .count = of.first,
                            .bytes = of.second});
  }
  std::sort(
      summary.tiny.begin(), summary.tiny.end(), [](const TinyMessages& a, const TinyMessages& b) {
        return std::tie(b.count, a.sender, a.receiver) < std::tie(a.count, b.sender, b.receiver);
      });
  return summary;
}

}  // namespace pathline::app
