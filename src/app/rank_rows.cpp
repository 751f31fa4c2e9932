// SPDX-License-Identifier: BSD-3-Clause
#include "app/rank_rows.hpp"

#include <map>

#include "base/outliers.hpp"
#include "base/text.hpp"
#include "comm/process_order.hpp"
#include "trace/outer_calls.hpp"

namespace pathline::app {
namespace {

using trace::CallClass;

/// Per call path, the class of the outermost call that has one.
std::vector<CallClass> classes_of(const trace::Trace& trace, const profile::Profile& profile) {
  const std::vector<CallClass> of_region = trace::call_classes(trace.definitions);
  std::vector<CallClass> classes;
  classes.reserve(profile.call_paths.size());
  for (const profile::CallPathNode& node : profile.call_paths) {
    CallClass above = node.parent.valid() ? classes[node.parent] : CallClass::kOther;
    if (above == CallClass::kOther && node.region.valid()) above = of_region[node.region];
    classes.push_back(above);
  }
  return classes;
}

struct Ticks {
  uint64_t compute = 0;
  uint64_t mpi = 0;
  uint64_t io = 0;
  uint64_t wait = 0;
  uint64_t visits = 0;
};

/// Marks whose compute time per rank stands out by a hundredth of what a rank did at all.
void mark(std::vector<WorkRow>& rows) {
  std::vector<double> compute;
  double most = 0;
  for (const WorkRow& row : rows) {
    compute.push_back(row.compute_s / row.ranks);
    most = std::max(most, (row.compute_s + row.mpi_s + row.io_s) / row.ranks);
  }
  const std::vector<bool> marked = base::stand_out(compute, 0.01 * most);
  for (size_t i = 0; i < rows.size(); ++i) rows[i].stands_out = marked[i];
}

}  // namespace

double mpi_seconds(const std::vector<WorkRow>& rows) {
  double sum = 0;
  for (const WorkRow& row : rows) sum += row.mpi_s;
  return sum;
}

std::vector<WorkRow> work_by_rank(const trace::Trace& trace, const profile::Profile& profile,
                                  const comm::Waits& waits) {
  const std::vector<CallClass> classes = classes_of(trace, profile);
  std::vector<Ticks> ticks(trace.rank_count);
  for (size_t i = 0; i < profile.by_location.size(); ++i) {
    const trace::Rank rank = trace.locations[i].rank;
    if (!rank.valid()) continue;
    for (const profile::Cost& cost : profile.by_location[i]) {
      ticks[rank].visits += cost.visits;
      switch (classes[cost.call_path]) {
        case CallClass::kOther: ticks[rank].compute += cost.exclusive_ticks; break;
        case CallClass::kMpi: ticks[rank].mpi += cost.exclusive_ticks; break;
        case CallClass::kFileIo: ticks[rank].io += cost.exclusive_ticks; break;
      }
    }
  }
  for (const comm::WaitRow& row : waits.rows) {
    if (comm::is_mpi_wait(row.kind)) ticks[row.rank].wait += row.ticks;
  }
  std::vector<WorkRow> rows;
  for (uint32_t rank = 0; rank < trace.rank_count; ++rank) {
    const Ticks& of = ticks[rank];
    if (of.visits + of.compute + of.mpi + of.io == 0) continue;
    rows.push_back({.host = base::printable(comm::host_of(trace, rank)),
                    .rank = rank,
                    .compute_s = trace.span_seconds(of.compute),
                    .mpi_s = trace.span_seconds(of.mpi),
                    .wait_s = trace.span_seconds(of.wait),
                    .io_s = trace.span_seconds(of.io)});
  }
  mark(rows);
  return rows;
}

std::vector<WorkRow> work_by_host(const std::vector<WorkRow>& ranks) {
  std::vector<WorkRow> hosts;
  std::map<std::string_view, size_t> place;
  for (const WorkRow& rank : ranks) {
    const auto [at, is_new] = place.emplace(rank.host, hosts.size());
    if (is_new) {
      hosts.push_back(rank);
      continue;
    }
    WorkRow& host = hosts[at->second];
    host.ranks += rank.ranks;
    host.compute_s += rank.compute_s;
    host.mpi_s += rank.mpi_s;
    host.wait_s += rank.wait_s;
    host.io_s += rank.io_s;
  }
  mark(hosts);
  return hosts;
}

}  // namespace pathline::app
