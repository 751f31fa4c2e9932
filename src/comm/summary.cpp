// SPDX-License-Identifier: BSD-3-Clause
#include "comm/summary.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "comm/io.hpp"
#include "trace/calls.hpp"

namespace pathline::comm {
namespace {

using trace::EventKind;

void add_transfers(const std::vector<IoTransfer>& transfers, Summary& summary) {
  for (const IoTransfer& transfer : transfers) {
    (transfer.is_write ? summary.io_bytes_written : summary.io_bytes_read) += transfer.bytes;
  }
}

}  // namespace

Summary summarise(const trace::Trace& trace) {
  Summary summary;
  std::vector<bool> visited(trace.definitions.regions.size());
  for (const trace::Location& location : trace.locations) {
    const trace::Events& events = location.events;
    std::array<uint64_t, trace::kEventKindCount> counts{};
    for (size_t i = 0; i < events.size(); ++i) {
      ++counts[static_cast<size_t>(events.kind[i])];
      if (events.kind[i] == EventKind::kEnter) visited[events.ref[i]] = true;
      if (events.kind[i] == EventKind::kCallingContextEnter) {
        const auto region = trace.definitions.calling_context_region(events.fields(i)[0]);
        if (region.valid()) visited[region] = true;
      }
    }
    for (size_t kind = 0; kind < counts.size(); ++kind) {
      summary.events_by_kind[kind] += counts[kind];
    }
    summary.events += events.size();
    const uint64_t operations = counts[static_cast<size_t>(EventKind::kIoOperationBegin)];
    summary.io_operations += operations;
    if (operations > 0) add_transfers(io_transfers(events), summary);
    summary.cpu_threads += location.type == trace::LocationType::kCpuThread ? 1 : 0;
    summary.streams += location.type == trace::LocationType::kAcceleratorStream ? 1 : 0;
  }
  auto& leaves = summary.events_by_kind[static_cast<size_t>(EventKind::kLeave)];
  leaves +=
      std::exchange(summary.events_by_kind[static_cast<size_t>(EventKind::kUnmatchedLeave)], 0);
  summary.regions_visited = static_cast<uint64_t>(std::count(visited.begin(), visited.end(), true));

  const trace::Definitions& definitions = trace.definitions;
  for (const trace::Communicator& communicator : definitions.communicators) {
    const uint32_t group = definitions.group_index(communicator.group);
    const bool of_mpi =
        group != base::IdMap::kNone && definitions.groups[group].paradigm == trace::kParadigmMpi;
    summary.communicators += of_mpi ? 1 : 0;
  }
  std::set<uint32_t> hosts;
  for (const trace::LocationGroup& group : definitions.location_groups) {
    if (group.type == trace::LocationGroupType::kProcess && group.node != trace::kUndefined) {
      hosts.insert(group.node);
    }
  }
  summary.hosts = hosts.size();
  for (const uint64_t bytes : trace.messages.bytes) summary.message_bytes += bytes;
  for (const auto& steps : trace::marked_steps(trace)) {
    summary.marked_steps = std::max<uint64_t>(summary.marked_steps, steps.size());
  }
  return summary;
}

}  // namespace pathline::comm
