// SPDX-License-Identifier: BSD-3-Clause
#include "app/call_path_matrix.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "app/profile_rows.hpp"
#include "comm/matrix.hpp"
#include "profile/path_index.hpp"

namespace pathline::app {
namespace {

struct Sum {
  uint64_t messages = 0;
  uint64_t bytes = 0;
  double ticks = 0;
  int64_t min_ticks = std::numeric_limits<int64_t>::max();
  int64_t max_ticks = std::numeric_limits<int64_t>::min();

  void add(const Sum& other) {
    messages += other.messages;
    bytes += other.bytes;
    ticks += other.ticks;
    min_ticks = std::min(min_ticks, other.min_ticks);
    max_ticks = std::max(max_ticks, other.max_ticks);
  }
};

/// Rows of the messages that each location sent, in the order of sending.
std::vector<std::vector<uint32_t>> rows_by_location(const trace::Trace& trace) {
  std::vector<std::vector<uint32_t>> rows(trace.locations.size());
  for (size_t i = 0; i < trace.messages.size(); ++i) {
    rows[trace.messages.send_location[i]].push_back(static_cast<uint32_t>(i));
  }
  return rows;
}

}  // namespace

std::vector<PathMessages> call_path_matrix(const trace::Trace& trace,
                                           const trace::Selection& selection,
                                           std::optional<uint32_t> step, base::ThreadPool& pool) {
  // Of all the run, as a receiver that is chosen may have any sender.
  const profile::Profile profile = profile::from_trace(trace, {}, pool);
  const profile::PathIndex paths(profile);
  const std::vector<bool> chosen = comm::chosen_messages(trace, selection, step);
  const auto rows = rows_by_location(trace);
  const size_t outside = profile.call_paths.size();
  std::vector<std::vector<std::pair<size_t, Sum>>> parts(trace.locations.size());
  pool.for_each(parts.size(), [&](size_t l) {
    const trace::Events& events = trace.locations[l].events;
    std::vector<Sum> sums(outside + 1);
    auto next = rows[l].begin();
    if (next == rows[l].end()) return;
    paths.walk(trace, events, [&](size_t event, profile::CallPath path) {
      const bool is_send = events.kind[event] == trace::EventKind::kMpiSend ||
                           events.kind[event] == trace::EventKind::kMpiIsend;
      // A send that nobody received has no row.
      if (!is_send || next == rows[l].end()) return;
      const trace::Messages& messages = trace.messages;
      if (messages.send_ticks[*next] != events.ticks[event]) return;
      const uint32_t row = *next++;
      if (!chosen[row]) return;
      const auto ticks = static_cast<int64_t>(messages.recv_ticks[row] - messages.send_ticks[row]);
      sums[path.valid() ? uint32_t{path} : outside].add(
          {1, messages.bytes[row], static_cast<double>(ticks), ticks, ticks});
    });
    for (size_t i = 0; i < sums.size(); ++i) {
      if (sums[i].messages > 0) parts[l].emplace_back(i, sums[i]);
    }
  });
  std::vector<Sum> all(outside + 1);
  for (const auto& part : parts) {
    for (const auto& [path, sum] : part) all[path].add(sum);
  }
  const auto hz = static_cast<double>(trace.definitions.clock.ticks_per_second);
  const std::vector<std::string> labels = profile::region_labels(trace, profile);
  std::vector<PathMessages> result;
  for (size_t i = 0; i < all.size(); ++i) {
    const Sum& sum = all[i];
    if (sum.messages == 0) continue;
    result.push_back(
        {.call_path = i == outside ? "" : call_path_text(profile, labels, profile::CallPath(i)),
         .messages = sum.messages,
         .bytes = sum.bytes,
         .min_s = static_cast<double>(sum.min_ticks) / hz,
         .mean_s = sum.ticks / hz / static_cast<double>(sum.messages),
         .max_s = static_cast<double>(sum.max_ticks) / hz});
  }
  std::sort(result.begin(), result.end(), [](const PathMessages& a, const PathMessages& b) {
    return std::tie(b.bytes, a.call_path) < std::tie(a.bytes, b.call_path);
  });
  return result;
}

}  // namespace pathline::app
