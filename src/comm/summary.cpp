// SPDX-License-Identifier: BSD-3-Clause
#include "comm/summary.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "comm/call_stream.hpp"
#include "comm/io.hpp"
#include "trace/calls.hpp"
#include "trace/plain_events.hpp"

namespace pathline::comm {
namespace {

using trace::EventKind;

void add_transfers(const std::vector<IoTransfer>& transfers, Summary& summary) {
  for (const IoTransfer& transfer : transfers) {
    (transfer.is_write ? summary.io_bytes_written : summary.io_bytes_read) += transfer.bytes;
  }
}

/// When MPI begins and ends: of regions that are called once by each process, wherever that is
/// among its events.
class MpiSpan {
 public:
  MpiSpan(const std::vector<uint32_t>& starts, const std::vector<uint32_t>& ends)
      : starts_(starts), ends_(ends) {}

  /// Of the next location, whose first events enter calls that were open before.
  void begin(const trace::Events& events, size_t earlier) {
    open_ = 0;
    for (size_t i = 0; i < earlier; ++i) {
      open_ += events.kind[i] == EventKind::kEnter && is_in(starts_, events.region(i)) ? 1 : 0;
    }
  }
  /// Whether the next events have to be looked at, by the regions that they visited.
  [[nodiscard]] bool wants(const std::vector<uint8_t>& visited) const {
    const auto is_visited = [&](uint32_t region) { return visited[region] != 0; };
    return open_ > 0 || std::any_of(starts_.begin(), starts_.end(), is_visited) ||
           std::any_of(ends_.begin(), ends_.end(), is_visited);
  }
  void add(const trace::Events& events, size_t first, size_t end, Summary& summary) {
    for (size_t i = first; i < end; ++i) {
      const EventKind kind = events.kind[i];
      if (kind == EventKind::kEnter) {
        const trace::Region region = events.region(i);
        if (is_in(starts_, region)) ++open_;
        if (!is_in(ends_, region)) continue;
        // A call that begins with a collective operation does so with that, as in MpiCalls.
        const bool joins =
            i + 1 < events.size() && events.kind[i + 1] == EventKind::kMpiCollectiveBegin;
        summary.finalize_begin_ticks =
            std::max<uint64_t>(summary.finalize_begin_ticks, events.ticks[joins ? i + 1 : i]);
      } else if (kind == EventKind::kLeave && is_in(starts_, events.region(i))) {
        summary.init_end_ticks = std::max<uint64_t>(summary.init_end_ticks, events.ticks[i]);
        open_ -= std::min<size_t>(open_, 1);
      }
    }
  }

 private:
  static bool is_in(const std::vector<uint32_t>& list, trace::Region region) {
    return region.valid() && std::find(list.begin(), list.end(), region) != list.end();
  }
  const std::vector<uint32_t>& starts_;
  const std::vector<uint32_t>& ends_;
  size_t open_ = 0;  // Calls of starts_.
};

/// Counts kinds, and the regions that are visited, of one location.
class KindCounts {
 public:
  KindCounts(const trace::Definitions& definitions, size_t regions,
             const std::vector<uint32_t>& starts, const std::vector<uint32_t>& ends)
      : definitions_(definitions), visited_(regions), span_(starts, ends), of_span_(starts) {
    of_span_.insert(of_span_.end(), ends.begin(), ends.end());
  }

  /// open  gets its I/O that goes on.
  void add(const trace::Events& events, size_t earlier, std::vector<uint32_t>& open) {
    constexpr size_t kPiece = 4096;
    std::array<uint64_t, trace::kEventKindCount> counts{};
    span_.begin(events, earlier);
    for (size_t first = earlier; first < events.size(); first += kPiece) {
      const size_t end = std::min(first + kPiece, events.size());
      for (const uint32_t region : of_span_) visited_[region] = 0;
      count(events, first, end, counts);
      if (span_.wants(visited_)) span_.add(events, first, end, summary_);
      for (const uint32_t region : of_span_) {
        if (visited_[region] != 0) seen_.insert(region);
      }
    }
    for (size_t kind = 0; kind < counts.size(); ++kind) {
      summary_.events_by_kind[kind] += counts[kind];
    }
    summary_.events += events.size() - earlier;
    summary_.io_operations += counts[static_cast<size_t>(EventKind::kIoOperationBegin)];
    if (counts[static_cast<size_t>(EventKind::kIoOperationBegin)] > 0 ||
        counts[static_cast<size_t>(EventKind::kIoOperationComplete)] > 0) {
      return add_transfers(io_transfers(events, &open), summary_);
    }
    for (uint32_t i = 0; i < earlier; ++i) {
      if (events.kind[i] == EventKind::kIoOperationBegin) open.push_back(i);
    }
  }
  [[nodiscard]] const Summary& summary() const { return summary_; }
  [[nodiscard]] std::vector<bool> visited() const {
    std::vector<bool> visited(visited_.begin(), visited_.end());
    for (const uint32_t region : seen_) visited[region] = true;
    return visited;
  }

 private:
  void count(const trace::Events& events, size_t first, size_t end,
             std::array<uint64_t, trace::kEventKindCount>& counts) {
    trace::with_columns(events, [&](const auto& columns) {
      for (size_t i = first; i < end; ++i) {
        const EventKind kind = columns.kind[i];
        ++counts[static_cast<size_t>(kind)];
        if (kind == EventKind::kEnter) visited_[columns.ref[i]] = 1;
        if (kind == EventKind::kCallingContextEnter) [[unlikely]] {
          const auto region = definitions_.calling_context_region(events.fields(i)[0]);
          if (region.valid()) visited_[region] = 1;
        }
      }
    });
  }

  const trace::Definitions& definitions_;
  /// Whether, by region; but for those of the span, of the piece only.
  std::vector<uint8_t> visited_;
  MpiSpan span_;
  std::vector<uint32_t> of_span_;
  std::set<uint32_t> seen_;  // Of the span.
  Summary summary_;
};

void add_messages(const trace::Messages& messages, base::ThreadPool& pool, Summary& summary) {
  summary.messages = messages.size();
  constexpr size_t kPiece = 1U << 16U;
  std::vector<uint64_t> bytes(messages.size() / kPiece + 1);
  pool.for_each(bytes.size(), [&](size_t piece) {
    const size_t end = std::min(messages.size(), (piece + 1) * kPiece);
    for (size_t i = piece * kPiece; i < end; ++i) bytes[piece] += messages.bytes[i];
  });
  summary.message_bytes = std::accumulate(bytes.begin(), bytes.end(), uint64_t{0});
}

}  // namespace

Summary summarise(const trace::Trace& trace, base::ThreadPool& pool) {
  GrowingSummary growing;
  std::vector<std::vector<uint32_t>> open(trace.locations.size());
  growing.add(trace, std::vector<size_t>(trace.locations.size(), 0), open, pool);
  Summary summary = growing.finish(trace);
  if (trace.counted_messages) {
    summary.messages = trace.counted_messages->messages;
    summary.message_bytes = trace.counted_messages->bytes;
  } else {
    add_messages(trace.messages, pool, summary);
  }
  summary.unmatched_sends = trace.unmatched_sends.size();
  summary.unmatched_receives = trace.unmatched_receives.size();
  summary.collectives = trace.collectives.size();
  for (const auto& steps : trace::marked_steps(trace, &pool)) {
    summary.marked_steps = std::max<uint64_t>(summary.marked_steps, steps.size());
  }
  return summary;
}

void GrowingSummary::add(const trace::Trace& part, const std::vector<size_t>& earlier,
                         std::vector<std::vector<uint32_t>>& open, base::ThreadPool& pool) {
  choose_regions(part.definitions);
  visited_.resize(part.definitions.regions.size());
  constexpr size_t kLocations = 32;
  std::vector<KindCounts> pieces((part.locations.size() + kLocations - 1) / kLocations,
                                 KindCounts(part.definitions, visited_.size(), starts_, ends_));
  pool.for_each(pieces.size(), [&](size_t i) {
    const size_t end = std::min(part.locations.size(), (i + 1) * kLocations);
    for (size_t location = i * kLocations; location < end; ++location) {
      pieces[i].add(part.locations[location].events, earlier[location], open[location]);
    }
  });
  for (const KindCounts& piece : pieces) add(piece.summary(), piece.visited());
}

void GrowingSummary::choose_regions(const trace::Definitions& definitions) {
  if (!visited_.empty()) return;  // They are of the run.
  const std::vector<RegionFacts> facts = region_facts(definitions);
  for (uint32_t i = 0; i < facts.size(); ++i) {
    if ((facts[i].traits & kInitializes) != 0) starts_.push_back(i);
    if ((facts[i].traits & kFinalizes) != 0) ends_.push_back(i);
  }
}

void GrowingSummary::add(const Summary& more, const std::vector<bool>& visited) {
  for (size_t kind = 0; kind < more.events_by_kind.size(); ++kind) {
    summary_.events_by_kind[kind] += more.events_by_kind[kind];
  }
  summary_.events += more.events;
  summary_.io_operations += more.io_operations;
  summary_.io_bytes_read += more.io_bytes_read;
  summary_.io_bytes_written += more.io_bytes_written;
  summary_.init_end_ticks = std::max(summary_.init_end_ticks, more.init_end_ticks);
  summary_.finalize_begin_ticks =
      std::max(summary_.finalize_begin_ticks, more.finalize_begin_ticks);
  visited_.resize(std::max(visited_.size(), visited.size()));
  for (size_t region = 0; region < visited.size(); ++region) {
    if (visited[region]) visited_[region] = true;
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
  out.put(summary_.init_end_ticks);
  out.put(summary_.finalize_begin_ticks);
  out.put_list(std::vector<uint8_t>(visited_.begin(), visited_.end()));
}

void GrowingSummary::take(base::Unpacker& in) {
  Summary more;
  more.events = in.get<uint64_t>();
  more.events_by_kind = in.get<decltype(more.events_by_kind)>();
  more.io_operations = in.get<uint64_t>();
  more.io_bytes_read = in.get<uint64_t>();
  more.io_bytes_written = in.get<uint64_t>();
  more.init_end_ticks = in.get<uint64_t>();
  more.finalize_begin_ticks = in.get<uint64_t>();
  const auto visited = in.list<uint8_t>();
  add(more, std::vector<bool>(visited.begin(), visited.end()));
}

}  // namespace pathline::comm
