// SPDX-License-Identifier: BSD-3-Clause
#include "app/host_matrix.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "comm/process_order.hpp"

namespace pathline::app {

std::vector<HostPair> host_matrix(const trace::Trace& trace, const comm::Matrix& matrix) {
  struct Sum {
    uint64_t messages = 0;
    uint64_t bytes = 0;
    double ticks = 0;
    int64_t min_ticks = std::numeric_limits<int64_t>::max();
    int64_t max_ticks = std::numeric_limits<int64_t>::min();
  };
  std::vector<std::string> names;
  std::map<std::string_view, uint32_t> number;
  std::vector<uint32_t> host_of_rank;
  for (uint32_t rank = 0; rank < trace.rank_count; ++rank) {
    const std::string_view host = comm::host_of(trace, rank);
    const auto [at, is_new] = number.emplace(host, static_cast<uint32_t>(names.size()));
    if (is_new) names.push_back(base::printable(host));
    host_of_rank.push_back(at->second);
  }
  const graph::Traffic& traffic = matrix.traffic;
  std::map<std::pair<uint32_t, uint32_t>, Sum> sums;
  for (uint32_t sender = 0; sender < traffic.rank_count(); ++sender) {
    for (size_t i = traffic.row[sender]; i < traffic.row[sender + 1]; ++i) {
      Sum& sum = sums[{host_of_rank[sender], host_of_rank[traffic.receiver[i]]}];
      sum.messages += traffic.messages[i];
      sum.bytes += traffic.bytes[i];
      sum.ticks += matrix.mean_ticks[i] * static_cast<double>(traffic.messages[i]);
      sum.min_ticks = std::min(sum.min_ticks, matrix.min_ticks[i]);
      sum.max_ticks = std::max(sum.max_ticks, matrix.max_ticks[i]);
    }
  }
  const auto hz = static_cast<double>(trace.definitions.clock.ticks_per_second);
  std::vector<HostPair> pairs;
  for (const auto& [hosts, sum] : sums) {
    pairs.push_back({.sender_host = names[hosts.first],
                     .receiver_host = names[hosts.second],
                     .messages = sum.messages,
                     .bytes = sum.bytes,
                     .min_s = static_cast<double>(sum.min_ticks) / hz,
                     .mean_s = sum.ticks / hz / static_cast<double>(sum.messages),
                     .max_s = static_cast<double>(sum.max_ticks) / hz});
  }
  return pairs;
}

std::string crossing_text(const std::vector<HostPair>& pairs) {
  uint64_t bytes = 0;
  uint64_t messages = 0;
  uint64_t crossing_bytes = 0;
  uint64_t crossing = 0;
  bool is_known = false;
  for (const HostPair& pair : pairs) {
    is_known |= !pair.sender_host.empty();
    bytes += pair.bytes;
    messages += pair.messages;
    if (pair.sender_host == pair.receiver_host) continue;
    crossing_bytes += pair.bytes;
    crossing += pair.messages;
  }
  if (pairs.empty()) return "";
  if (!is_known) return "the trace does not say which hosts the ranks ran on";
  if (crossing == 0) return "nothing crosses hosts";
  const auto size = [](uint64_t count) { return base::human_bytes(static_cast<double>(count)); };
  return fmt::format(
      "{} of {} ({:.1f} %) cross hosts, in {} of {} messages", size(crossing_bytes), size(bytes),
      100 * static_cast<double>(crossing_bytes) / static_cast<double>(std::max<uint64_t>(bytes, 1)),
      base::human_count(crossing), base::human_count(messages));
}

}  // namespace pathline::app
