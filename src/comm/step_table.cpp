// SPDX-License-Identifier: BSD-3-Clause
#include "comm/step_table.hpp"

#include <algorithm>
#include <tuple>

#include "comm/io.hpp"
#include "trace/outer_calls.hpp"

namespace pathline::comm {
namespace {

using steps::Counters;

/// Finds the step of times that mostly ascend.
class Cursor {
 public:
  explicit Cursor(const std::vector<trace::StepWindow>& windows) : windows_(windows) {}

  /// Moves to the last step that had begun at `ticks`. returns its number, or that of none.
  size_t begun_at(uint64_t ticks) {
    while (next_ > 0 && windows_[next_ - 1].begin_ticks > ticks) --next_;
    while (next_ < windows_.size() && windows_[next_].begin_ticks <= ticks) ++next_;
    return next_ > 0 ? next_ - 1 : windows_.size();
  }
  /// The step that holds `ticks`; windows.size() if there is none.
  size_t at(uint64_t ticks) {
    const size_t step = begun_at(ticks);
    return step < windows_.size() && ticks <= windows_[step].end_ticks ? step : windows_.size();
  }

 private:
  const std::vector<trace::StepWindow>& windows_;
  size_t next_ = 0;
};

/// The steps of one rank; the last entry of `counters` is of what lies outside.
struct OfRank {
  std::vector<trace::StepWindow> windows;
  std::vector<Counters> counters;

  explicit OfRank(std::vector<trace::StepWindow> all) {
    for (const trace::StepWindow& window : all) {
      const bool inside = !windows.empty() && window.begin_ticks < windows.back().end_ticks;
      if (!inside) windows.push_back(window);
    }
    counters.resize(windows.size() + 1);
  }

  /// Shares the time of a call out among the steps.
  void add_time(Cursor& cursor, uint64_t begin, uint64_t end, uint64_t Counters::*ticks) {
    uint64_t rest = end - begin;
    size_t step = cursor.begun_at(begin);
    if (step == windows.size()) step = 0;
    for (; step < windows.size() && windows[step].begin_ticks < end; ++step) {
      const uint64_t from = std::max(begin, windows[step].begin_ticks);
      const uint64_t until = std::min(end, windows[step].end_ticks);
      if (from >= until) continue;
      counters[step].*ticks += until - from;
      rest -= until - from;
    }
    counters.back().*ticks += rest;
  }

  void add_location(const trace::Events& events, const std::vector<trace::CallClass>& classes) {
    Cursor cursor(windows);
    const auto class_of = [&](trace::Region region) {
      return region.valid() ? classes[region] : trace::CallClass::kOther;
    };
    trace::for_each_outer_call(
        events, [&](trace::Region region) { return class_of(region) != trace::CallClass::kOther; },
        [&](trace::CallEvents call) {
          const bool io = class_of(events.region(call.enter)) == trace::CallClass::kFileIo;
          add_time(cursor, events.ticks[call.enter], events.ticks[call.leave],
                   io ? &Counters::io_ticks : &Counters::mpi_ticks);
        });
    Cursor at(windows);
    for (const IoTransfer& transfer : io_transfers(events)) {
      Counters& counter = counters[at.at(transfer.ticks)];
      (transfer.is_write ? counter.written_bytes : counter.read_bytes) += transfer.bytes;
    }
  }
};

void add_messages(const trace::Messages& messages, std::vector<OfRank>& ranks) {
  std::vector<Cursor> sending;
  std::vector<Cursor> receiving;
  for (const OfRank& rank : ranks) {
    sending.emplace_back(rank.windows);
    receiving.emplace_back(rank.windows);
  }
  for (size_t i = 0; i < messages.size(); ++i) {
    const uint32_t sender = messages.sender[i];
    Counters& sent = ranks[sender].counters[sending[sender].at(messages.send_ticks[i])];
    ++sent.sent_messages;
    sent.sent_bytes += messages.bytes[i];
    const uint32_t receiver = messages.receiver[i];
    Counters& got = ranks[receiver].counters[receiving[receiver].at(messages.recv_ticks[i])];
    ++got.received_messages;
    got.received_bytes += messages.bytes[i];
  }
}

}  // namespace

steps::Table step_table(const trace::Trace& trace, const StepWindows& windows,
                        const trace::Selection& selection, base::ThreadPool& pool) {
  std::vector<OfRank> ranks(windows.begin(), windows.end());
  std::vector<std::vector<uint32_t>> locations(trace.rank_count);
  for (uint32_t i = 0; i < trace.locations.size(); ++i) {
    const trace::Rank rank = trace.locations[i].rank;
    if (rank.valid()) locations[rank].push_back(i);
  }
  const std::vector<trace::CallClass> classes = trace::call_classes(trace.definitions);
  pool.for_each(ranks.size(), [&](size_t rank) {
    for (const uint32_t i : locations[rank]) {
      ranks[rank].add_location(trace.locations[i].events, classes);
    }
  });
  add_messages(trace.messages, ranks);

  steps::Table table;
  table.outside.resize(trace.rank_count);
  for (uint32_t rank = 0; rank < trace.rank_count; ++rank) {
    if (!selection.has_rank(rank)) continue;
    table.outside[rank] = ranks[rank].counters.back();
    for (size_t i = 0; i < ranks[rank].windows.size(); ++i) {
      const trace::StepWindow& window = ranks[rank].windows[i];
      if (!selection.has_time(window.begin_ticks)) continue;
      table.rows.push_back({window.step, rank, window.begin_ticks, window.end_ticks,
                            ranks[rank].counters[i], window.recorded});
    }
  }
  std::sort(table.rows.begin(), table.rows.end(), [](const steps::Row& a, const steps::Row& b) {
    return std::tie(a.step, a.rank, a.begin_ticks) < std::tie(b.step, b.rank, b.begin_ticks);
  });
  return table;
}

}  // namespace pathline::comm
