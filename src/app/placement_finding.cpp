// SPDX-License-Identifier: BSD-3-Clause
#include "app/placement_finding.hpp"

#include <algorithm>

#include "app/network_input.hpp"
#include "app/remap.hpp"
#include "comm/matrix.hpp"
#include "comm/process_order.hpp"

namespace pathline::app {

std::optional<findings::Finding> bad_placement(const trace::Trace& trace,
                                               const findings::Judgement& judged,
                                               base::ThreadPool& pool) {
  constexpr uint32_t kMostRanks = 4096;
  constexpr double kLeastCrossing = 0.2;
  constexpr double kLeastGain = 1.0 / 3;
  if (trace.rank_count < 2 || trace.rank_count > kMostRanks) return std::nullopt;
  const std::string_view first_host = comm::host_of(trace, 0);
  bool several = false;
  for (uint32_t rank = 1; rank < trace.rank_count && !several; ++rank) {
    several = comm::host_of(trace, rank) != first_host;
  }
  if (!several || first_host.empty()) return std::nullopt;
  trace::Selection part;
  part.from_ticks = judged.model->window.begin_ticks;
  part.until_ticks = judged.model->window.end_ticks;
  const RankTraffic traffic = rank_traffic(trace, comm::matrix(trace, part, std::nullopt, pool));
  const auto network = open_network({}, &traffic, pool);
  if (!network) return std::nullopt;  // Hosts of some ranks are not known, or nothing was sent.
  RemapRequest request;
  request.group = true;
  const auto found = remap(network.value(), request, pool);
  if (!found) return std::nullopt;
  const auto all = static_cast<double>(std::max<uint64_t>(network.value().bytes, 1));
  const double crossing = static_cast<double>(found.value().off_node_bytes_before) / all;
  const double possible = static_cast<double>(found.value().off_node_bytes_after) / all;
  if (crossing < kLeastCrossing || crossing - possible < kLeastGain * crossing) return std::nullopt;
  const findings::Efficiency& e = judged.efficiency;
  findings::Finding finding;
  finding.kind = findings::FindingKind::kBadPlacement;
  finding.confidence = findings::Confidence::kMedium;
  finding.recoverable_ticks =
      static_cast<double>(e.measured_ticks - std::min(e.measured_ticks, e.ideal_ticks)) *
      (crossing - possible);
  finding.cost_ticks = finding.recoverable_ticks * e.ranks;
  finding.seen = judged.model->window;
  finding.evidence = {{"crossing_pct", 100 * crossing}, {"possible_pct", 100 * possible}};
  return finding;
}

}  // namespace pathline::app
