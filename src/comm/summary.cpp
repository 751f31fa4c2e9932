// SPDX-License-Identifier: BSD-3-Clause
#include "comm/summary.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "trace/calls.hpp"

namespace pathline::comm {
namespace {

using trace::EventKind;

constexpr uint64_t kUnknownSize = UINT64_MAX;  // Formatted output, flushes.

/// Bytes of I/O of one location. Ids of operations are reused: a completion belongs to the latest
/// open operation of its handle and id.
void add_io(const trace::Events& events, Summary& summary) {
  struct Open {
    uint32_t mode;
    uint64_t bytes;
  };
  std::map<std::pair<uint32_t, uint64_t>, std::vector<Open>> open;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.kind[i] == EventKind::kIoOperationBegin) {
      ++summary.io_operations;
      const auto fields = events.fields(i);
      open[{fields[0], events.word64(i, 5)}].push_back({fields[1], events.word64(i, 3)});
    } else if (events.kind[i] == EventKind::kIoOperationComplete) {
      const auto found = open.find({events.fields(i)[0], events.word64(i, 3)});
      if (found == open.end() || found->second.empty()) continue;
      const Open operation = found->second.back();
      found->second.pop_back();
      const uint64_t bytes = events.word64(i, 1);
      if (bytes == kUnknownSize) continue;
      if (operation.mode == 0) summary.io_bytes_read += bytes;
      if (operation.mode == 1) summary.io_bytes_written += bytes;
    }
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
    if (counts[static_cast<size_t>(EventKind::kIoOperationBegin)] > 0) add_io(events, summary);
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
