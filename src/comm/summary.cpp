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
  GrowingSummary growing;
  std::vector<std::vector<uint32_t>> open(trace.locations.size());
  growing.add(trace, std::vector<size_t>(trace.locations.size(), 0), open);
  Summary summary = growing.finish(trace);
  summary.messages = trace.messages.size();
  for (const uint64_t bytes : trace.messages.bytes) summary.message_bytes += bytes;
  summary.unmatched_sends = trace.unmatched_sends.size();
  summary.unmatched_receives = trace.unmatched_receives.size();
  summary.collectives = trace.collectives.size();
  for (const auto& steps : trace::marked_steps(trace)) {
    summary.marked_steps = std::max<uint64_t>(summary.marked_steps, steps.size());
  }
  return summary;
}

void GrowingSummary::add(const trace::Trace& part, const std::vector<size_t>& earlier,
                         std::vector<std::vector<uint32_t>>& open) {
  visited_.resize(part.definitions.regions.size());
  for (size_t location = 0; location < part.locations.size(); ++location) {
    const trace::Events& events = part.locations[location].events;
    std::array<uint64_t, trace::kEventKindCount> counts{};
    for (size_t i = earlier[location]; i < events.size(); ++i) {
      ++counts[static_cast<size_t>(events.kind[i])];
      if (events.kind[i] == EventKind::kEnter) visited_[events.ref[i]] = true;
      if (events.kind[i] == EventKind::kCallingContextEnter) {
        const auto region = part.definitions.calling_context_region(events.fields(i)[0]);
        if (region.valid()) visited_[region] = true;
      }
    }
    for (size_t kind = 0; kind < counts.size(); ++kind) {
      summary_.events_by_kind[kind] += counts[kind];
    }
    summary_.events += events.size() - earlier[location];
    summary_.io_operations += counts[static_cast<size_t>(EventKind::kIoOperationBegin)];
    if (counts[static_cast<size_t>(EventKind::kIoOperationBegin)] > 0 ||
        counts[static_cast<size_t>(EventKind::kIoOperationComplete)] > 0) {
      add_transfers(io_transfers(events, &open[location]), summary_);
      continue;
    }
    for (uint32_t i = 0; i < earlier[location]; ++i) {
      if (events.kind[i] == EventKind::kIoOperationBegin) open[location].push_back(i);
    }
  }
}

Summary GrowingSummary::finish(const trace::Trace& trace) const {
  Summary summary = summary_;
  auto& leaves = summary.events_by_kind[static_cast<size_t>(EventKind::kLeave)];
  leaves +=
      std::exchange(summary.events_by_kind[static_cast<size_t>(EventKind::kUnmatchedLeave)], 0);
  summary.regions_visited =
      static_cast<uint64_t>(std::count(visited_.begin(), visited_.end(), true));
  for (const trace::Location& location : trace.locations) {
    summary.cpu_threads += location.type == trace::LocationType::kCpuThread ? 1 : 0;
    summary.streams += location.type == trace::LocationType::kAcceleratorStream ? 1 : 0;
  }
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
  return summary;
}

void GrowingSummary::pack(base::Packer& out) const {
  out.put(summary_.events);
  out.put(summary_.events_by_kind);
  out.put(summary_.io_operations);
  out.put(summary_.io_bytes_read);
  out.put(summary_.io_bytes_written);
  out.put_list(std::vector<uint8_t>(visited_.begin(), visited_.end()));
}

void GrowingSummary::take(base::Unpacker& in) {
  summary_.events += in.get<uint64_t>();
  const auto by_kind = in.get<decltype(summary_.events_by_kind)>();
  for (size_t kind = 0; kind < by_kind.size(); ++kind) {
    summary_.events_by_kind[kind] += by_kind[kind];
  }
  summary_.io_operations += in.get<uint64_t>();
  summary_.io_bytes_read += in.get<uint64_t>();
  summary_.io_bytes_written += in.get<uint64_t>();
  const auto visited = in.list<uint8_t>();
  visited_.resize(std::max(visited_.size(), visited.size()));
  for (size_t region = 0; region < visited.size(); ++region) {
    if (visited[region] != 0) visited_[region] = true;
  }
}

}  // namespace pathline::comm
