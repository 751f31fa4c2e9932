// SPDX-License-Identifier: BSD-3-Clause
#include "comm/step_table.hpp"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "comm/io.hpp"
#include "trace/find_kinds.hpp"
#include "trace/outer_calls.hpp"
#include "trace/plain_events.hpp"

namespace pathline::comm {
namespace {

using steps::Counters;

/// Finds the step of times that mostly ascend.
class Cursor {
 public:
  explicit Cursor(steps::PackedRows& rows) : Cursor(rows, rows.last().size()) {}
  /// Goes on where another one of the same rows was.
  Cursor(steps::PackedRows& rows, size_t place) : rows_(rows), next_(place) {}
  [[nodiscard]] size_t place() const { return next_; }

  /// Moves to the last step that had begun at `ticks`. returns its number, or that of none.
  size_t begun_at(uint64_t ticks) {
    const std::vector<steps::Row>& last = rows_.last();
    while (next_ > 0 && last[next_ - 1].begin_ticks > ticks) --next_;
    while (next_ < last.size() && last[next_].begin_ticks <= ticks) ++next_;
    return next_ > 0 ? rows_.packed() + next_ - 1 : rows_.packed_begun_at(ticks);
  }
  /// The step that holds `ticks`; size() if there is none.
  size_t at(uint64_t ticks) {
    const size_t step = begun_at(ticks);
    return step < rows_.size() && ticks <= rows_[step].end_ticks ? step : rows_.size();
  }

 private:
  steps::PackedRows& rows_;
  size_t next_;  // Of those not packed. Where a part is looked at, the last ones are asked for.
};

using Classes = std::vector<trace::CallClass>;

bool ends(const trace::Events& events, trace::CallEvents call) {
  return events.kind[call.leave] == trace::EventKind::kLeave &&
         events.ref[call.leave] <= call.enter;
}

}  // namespace

/// The steps of one rank.
struct GrowingStepTable::OfRank {
  steps::PackedRows rows;  // The last one may be open.
  Counters outside;
  bool open = false;
  bool recording = true;
  bool numbered = false;     // The open one.
  bool nests = false;        // One began inside of another.
  bool is_followed = false;  // In this part.

  /// One that lies inside of another belongs to that.
  void add(const trace::StepWindow& window) {
    if (!rows.empty() && window.begin_ticks < rows.back().end_ticks) return;
    rows.push_back({window.step, 0, window.begin_ticks, window.end_ticks, {}, window.recorded});
  }
  Counters& at(size_t step) { return step < rows.size() ? rows[step].counters : outside; }

  /// Shares the time of a call out among the steps.
  void add_time(Cursor& cursor, uint64_t begin, uint64_t end, uint64_t Counters::*ticks) {
    uint64_t rest = end - begin;
    size_t step = cursor.begun_at(begin);
    if (step < rows.size() && end <= rows[step].end_ticks) {  // As most are.
      rows[step].counters.*ticks += rest;
      return;
    }
    if (step == rows.size()) step = 0;
    for (; step < rows.size(); ++step) {
      steps::Row& row = rows[step];
      if (row.begin_ticks >= end) break;
      const uint64_t from = std::max(begin, row.begin_ticks);
      const uint64_t until = std::min(end, row.end_ticks);
      if (from >= until) continue;
      row.counters.*ticks += until - from;
      rest -= until - from;
    }
    outside.*ticks += rest;
  }

  void begin_step(uint64_t ticks) {
    nests = nests || open;
    rows.push_back({static_cast<uint32_t>(rows.size()), 0, ticks, UINT64_MAX, {}, recording});
    open = true;
    numbered = false;
  }
  void end_step(uint64_t ticks) {
    rows.back().end_ticks = ticks;
    open = false;
  }
  void switch_recording(uint32_t mode) {
    constexpr uint32_t kOn = 1;
    recording = mode == kOn;
  }
  void take_parameter(const trace::Definitions& definitions, const trace::Events& events,
                      size_t i) {
    if (!open || numbered) return;
    if (definitions.parameter_name(events.fields(i)[0]) != "step") return;
    rows.back().step = static_cast<uint32_t>(events.word64(i, 1));
    numbered = true;
  }

  /// last_ticks  when calls without an end end; nullopt: they are counted when they do.
  /// only_open   the others were counted.
  void add_calls(const trace::Events& events, const Classes& classes,
                 std::optional<uint64_t> last_ticks, bool only_open) {
    Cursor cursor(rows);
    const auto class_of = [&](trace::Region region) {
      return region.valid() ? classes[region] : trace::CallClass::kOther;
    };
    trace::for_each_outer_call(
        events, [&](trace::Region region) { return class_of(region) != trace::CallClass::kOther; },
        [&](trace::CallEvents call) {
          const bool is_open = !ends(events, call);
          if (is_open ? !last_ticks : only_open) return;
          const bool io = class_of(events.region(call.enter)) == trace::CallClass::kFileIo;
          add_time(cursor, events.ticks[call.enter],
                   is_open ? *last_ticks : events.ticks[call.leave],
                   io ? &Counters::io_ticks : &Counters::mpi_ticks);
        });
  }
  void add_transfers(const trace::Events& events) {
    Cursor at_time(rows);
    for (const IoTransfer& transfer : io_transfers(events)) {
      Counters& counter = at(at_time.at(transfer.ticks));
      (transfer.is_write ? counter.written_bytes : counter.read_bytes) += transfer.bytes;
    }
  }

  void add_marked(const trace::Definitions& definitions, const trace::Events& events,
                  size_t earlier, const std::vector<bool>& markers) {
    trace::with_columns(events, [&](const auto& columns) {
      add_marked(definitions, events, columns, earlier, markers);
    });
  }
  template <class Columns>
  void add_marked(const trace::Definitions& definitions, const trace::Events& all,
                  const Columns& events, size_t earlier, const std::vector<bool>& markers) {
    using trace::EventKind;
    uint32_t enter = open ? enter_of_step(events, earlier, markers) : 0;
    constexpr trace::KindRange kCalls{EventKind::kMeasurementOnOff, EventKind::kLeave};
    constexpr trace::KindRange kParameters{EventKind::kParameterInt,
                                           EventKind::kParameterUnsignedInt};
    trace::for_each_of<kCalls, kParameters>(all.kind.span(), earlier, [&](size_t i) {
      switch (events.kind[i]) {
        case EventKind::kEnter:
          if (!markers[events.ref[i]]) break;
          begin_step(events.ticks[i]);
          enter = static_cast<uint32_t>(i);
          break;
        case EventKind::kLeave:
          if (open && events.ref[i] <= enter) end_step(events.ticks[i]);
          break;
        case EventKind::kMeasurementOnOff: switch_recording(events.ref[i]); break;
        case EventKind::kParameterInt:
        case EventKind::kParameterUnsignedInt: take_parameter(definitions, all, i); break;
        default: break;
      }
    });
  }
  /// Of the step that is open where a part begins.
  template <class Columns>
  static uint32_t enter_of_step(const Columns& events, size_t earlier,
                                const std::vector<bool>& markers) {
    uint32_t enter = 0;
    for (uint32_t i = 0; i < earlier; ++i) {
      if (events.kind[i] == trace::EventKind::kEnter && markers[events.ref[i]]) enter = i;
    }
    return enter;
  }
};

namespace {

std::vector<std::vector<uint32_t>> locations_of_ranks(const trace::Trace& trace) {
  std::vector<std::vector<uint32_t>> locations(trace.rank_count);
  for (uint32_t i = 0; i < trace.locations.size(); ++i) {
    const trace::Rank rank = trace.locations[i].rank;
    if (rank.valid()) locations[rank].push_back(i);
  }
  return locations;
}

}  // namespace

GrowingStepTable::GrowingStepTable() = default;
GrowingStepTable::~GrowingStepTable() = default;

void GrowingStepTable::add_messages(const trace::Messages& messages, const Progress& progress) {
  std::vector<Cursor> sending;
  std::vector<Cursor> receiving;
  sending.reserve(ranks_.size());
  receiving.reserve(ranks_.size());
  for (OfRank& rank : ranks_) {
    sending.emplace_back(rank.rows);
    receiving.emplace_back(rank.rows);
  }
  const auto add_sent = [&](uint32_t sender, uint64_t ticks, uint64_t bytes) {
    Counters& sent = ranks_[sender].at(sending[sender].at(ticks));
    ++sent.sent_messages;
    sent.sent_bytes += bytes;
  };
  // Neighbours are mostly of different ranks, so that each is four cache misses: ask early.
  constexpr size_t kAhead = 8;
  const auto ask_last_step = [&](const OfRank& rank) {
    if (!rank.rows.last().empty()) __builtin_prefetch(&rank.rows.last().back(), 1);
  };
  for (size_t i = 0; i < messages.size(); ++i) {
    if (i + 2 * kAhead < messages.size()) {
      __builtin_prefetch(&ranks_[messages.sender[i + 2 * kAhead]]);
      __builtin_prefetch(&ranks_[messages.receiver[i + 2 * kAhead]]);
      ask_last_step(ranks_[messages.sender[i + kAhead]]);
      ask_last_step(ranks_[messages.receiver[i + kAhead]]);
    }
    const uint32_t sender = messages.sender[i];
    if (progress.others.empty() || !progress.others[sender]) {
      add_sent(sender, messages.send_ticks[i], messages.bytes[i]);
    }
    const uint32_t receiver = messages.receiver[i];
    Counters& got = ranks_[receiver].at(receiving[receiver].at(messages.recv_ticks[i]));
    ++got.received_messages;
    got.received_bytes += messages.bytes[i];
  }
  for (const Sent& sent : progress.sent) add_sent(sent.sender, sent.ticks, sent.bytes);
}

void GrowingStepTable::pack(base::Packer& out) const {
  for (uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    if (ranks_[rank].rows.empty() && ranks_[rank].outside == Counters()) continue;
    out.put(rank);
    ranks_[rank].rows.put(out);
    out.put(ranks_[rank].outside);
  }
  out.put(UINT32_MAX);
}

void GrowingStepTable::take(base::Unpacker& in) {
  for (auto rank = in.get<uint32_t>(); rank != UINT32_MAX; rank = in.get<uint32_t>()) {
    ranks_[rank].rows.take(in);
    ranks_[rank].outside = in.get<Counters>();
  }
}

namespace {

/// What a Follower has to know of a region.
enum : uint8_t { kMarksStep = 1, kIsCall = 2, kIsIo = 4 };

}  // namespace

void GrowingStepTable::begin(const trace::Trace& run) {
  ranks_.resize(run.rank_count);
  markers_ = trace::step_markers(run.definitions);
  classes_ = trace::call_classes(run.definitions);
  is_marked_ = std::find(markers_.begin(), markers_.end(), true) != markers_.end();
  if (!is_marked_) return;
  locations_ = locations_of_ranks(run);
  for (size_t region = 0; region < classes_.size(); ++region) {
    const bool is_call = classes_[region] != trace::CallClass::kOther;
    const bool is_io = classes_[region] == trace::CallClass::kFileIo;
    facts_.push_back(static_cast<uint8_t>((markers_[region] ? kMarksStep : 0) |
                                          (is_call ? kIsCall : 0) | (is_io ? kIsIo : 0)));
  }
}

GrowingStepTable::Follower GrowingStepTable::follow(const trace::Trace& part, size_t location,
                                                    size_t earlier) {
  const trace::Events& events = part.locations[location].events;
  Follower follower(part, events);
  const trace::Rank rank = part.locations[location].rank;
  if (!is_marked_ || !rank.valid() || locations_[rank].size() > 1 ||
      part.rank_location[rank] != location) {
    return follower;
  }
  OfRank& of = ranks_[rank];
  of.rows.pack();
  of.is_followed = true;
  follower.rank_ = &of;
  follower.facts_ = facts_.data();
  follower.cursor_ = of.rows.last().size();
  if (of.open) follower.step_ = OfRank::enter_of_step(events, earlier, markers_);
  for (uint32_t i = 0; i < earlier && follower.call_ < 0; ++i) {
    if (events.kind[i] != trace::EventKind::kEnter) continue;
    const uint8_t facts = facts_[events.region(i)];
    if ((facts & kIsCall) != 0) follower.entered(i, events.ticks[i], facts & (kIsCall | kIsIo));
  }
  follower.update_last_open();
  return follower;
}

void GrowingStepTable::Follower::entered(uint32_t event, uint64_t ticks, uint8_t facts) {
  if ((facts & kMarksStep) != 0) {
    rank_->begin_step(ticks);
    step_ = event;
  }
  if ((facts & kIsCall) != 0 && call_ < 0) {
    call_ = event;
    call_ticks_ = ticks;
    is_io_ = (facts & kIsIo) != 0;
  }
  update_last_open();
}

void GrowingStepTable::Follower::left(uint32_t enter, uint64_t ticks) {
  if (rank_->open && enter <= step_) rank_->end_step(ticks);
  if (enter <= call_) {
    Cursor cursor(rank_->rows, cursor_);
    rank_->add_time(cursor, call_ticks_, ticks,
                    is_io_ ? &Counters::io_ticks : &Counters::mpi_ticks);
    cursor_ = cursor.place();
    call_ = -1;
  }
  update_last_open();
}

void GrowingStepTable::Follower::told(uint32_t event, trace::EventKind kind) {
  if (kind == trace::EventKind::kMeasurementOnOff) {
    rank_->switch_recording(events_.ref[event]);
  } else {
    rank_->take_parameter(definitions_, events_, event);
  }
}

void GrowingStepTable::Follower::update_last_open() {
  last_open_ = std::max(call_, rank_->open ? int64_t{step_} : -1);
}

void GrowingStepTable::Follower::end() {
  if (rank_ != nullptr) rank_->rows.pack_again();
}

bool GrowingStepTable::add(const trace::Trace& part, const Progress& progress,
                           base::ThreadPool& pool) {
  assert(markers_.size() == part.definitions.regions.size());  // After begin().
  if (!is_marked_) return true;
  pool.for_each(ranks_.size(), [&](size_t i) {
    OfRank& rank = ranks_[i];
    const bool is_followed = std::exchange(rank.is_followed, false);
    if (!is_followed) rank.rows.pack();
    const uint32_t first = part.rank_location[i];
    if (first != base::IdMap::kNone) {
      const trace::Events& events = part.locations[first].events;
      if (!is_followed) {
        rank.add_marked(part.definitions, events, progress.earlier[first], markers_);
      }
      if (progress.ended && rank.open) rank.rows.back().end_ticks = progress.last_ticks[first];
    }
    for (const uint32_t location : locations_[i]) {
      const trace::Events& events = part.locations[location].events;
      if (!is_followed || progress.ended) {
        rank.add_calls(events, classes_,
                       progress.ended ? std::optional(progress.last_ticks[location]) : std::nullopt,
                       is_followed);
      }
      rank.add_transfers(events);
    }
    // A call may have lasted as long as the run: not all ranks' rows at once.
    rank.rows.pack_again();
  });
  add_messages(part.messages, progress);
  if (progress.ended) {
    pool.for_each(ranks_.size(), [&](size_t i) { ranks_[i].rows.pack_all(); });
  }
  return std::none_of(ranks_.begin(), ranks_.end(), [](const OfRank& rank) { return rank.nests; });
}

void GrowingStepTable::spill(base::SpillFile& file, uint64_t most_bytes) {
  uint64_t bytes = 0;
  for (const OfRank& rank : ranks_) bytes += rank.rows.bytes_to_spill();
  if (bytes <= most_bytes) return;
  for (OfRank& rank : ranks_) rank.rows.spill(file);
}

steps::PackedTable GrowingStepTable::finish() {
  std::vector<steps::PackedRows> rows;
  std::vector<Counters> outside;
  for (OfRank& rank : ranks_) {
    rows.push_back(std::move(rank.rows));
    outside.push_back(rank.outside);
  }
  ranks_.clear();
  return {std::move(rows), std::move(outside)};
}

const steps::Table& chosen(const steps::Table& table, const trace::Selection& selection,
                           steps::Table& own) {
  if (selection.everything()) return table;
  steps::Table result;
  result.outside.resize(table.outside.size());
  for (uint32_t rank = 0; rank < table.outside.size(); ++rank) {
    if (selection.has_rank(rank)) result.outside[rank] = table.outside[rank];
  }
  for (const steps::Row& row : table.rows) {
    if (selection.has_rank(row.rank) && selection.has_time(row.begin_ticks)) {
      result.rows.push_back(row);
    }
  }
  own = std::move(result);
  return own;
}

size_t GrowingStepTable::most() const {
  size_t most = 0;
  for (const OfRank& rank : ranks_) most = std::max(most, rank.rows.size());
  return most;
}

steps::Table step_table(const trace::Trace& trace, const StepWindows& windows,
                        const trace::Selection& selection, base::ThreadPool& pool) {
  GrowingStepTable table;
  table.ranks_.resize(windows.size());
  const Classes classes = trace::call_classes(trace.definitions);
  const auto locations = locations_of_ranks(trace);
  pool.for_each(windows.size(), [&](size_t i) {
    GrowingStepTable::OfRank& rank = table.ranks_[i];
    for (const trace::StepWindow& window : windows[i]) rank.add(window);
    for (const uint32_t location : locations[i]) {
      const trace::Events& events = trace.locations[location].events;
      if (events.size() == 0) continue;
      rank.add_calls(events, classes, events.ticks[events.size() - 1], false);
      rank.add_transfers(events);
    }
  });
  table.add_messages(trace.messages, {});
  steps::Table all = table.finish().table();
  chosen(all, selection, all);
  return all;
}

}  // namespace pathline::comm
