// SPDX-License-Identifier: BSD-3-Clause
#include "summary/windows.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/file.hpp"
#include "otf2/anchor.hpp"

namespace pathline::summary {

Windows::Windows(otf2::Archive archive, const WindowSize& size, base::ThreadPool& pool,
                 base::Progress& progress, exchange::Exchange& exchange)
    : archive_(std::move(archive)),
      share_(exchange, archive_.trace, archive_.event_bytes),
      size_(size),
      pool_(pool),
      progress_(progress) {
  const trace::Trace& trace = archive_.trace;
  states_.reserve(trace.locations.size());
  for (size_t i = 0; i < trace.locations.size(); ++i) {
    const trace::Location& location = trace.locations[i];
    states_.push_back({otf2::EventStream(archive_.event_chunk_bytes, trace.definitions,
                                         location.clock_offsets, archive_.mappings[i].get()),
                       otf2::events_path(archive_.anchor, location.id),
                       {},
                       0,
                       {},
                       {}});
  }
  kept_.resize(states_.size());
  until_ = trace.definitions.clock.global_offset;
  uint64_t bytes = 0;
  for (size_t i = 0; i < states_.size(); ++i) bytes += share_.owns(i) ? archive_.event_bytes[i] : 0;
  progress_.begin("reading events", "B", bytes);
}

/// None is much longer than the one before.
uint64_t Windows::next_width() const {
  constexpr uint64_t kFirstPerSecond = 100;
  constexpr double kMostGrowth = 4;
  if (width_ == 0) {
    if (size_.first_ticks > 0) return size_.first_ticks;
    return std::max<uint64_t>(1,
                              archive_.trace.definitions.clock.ticks_per_second / kFirstPerSecond);
  }
  const double growth = last_events_ == 0
                            ? kMostGrowth
                            : static_cast<double>(size_.events) / static_cast<double>(last_events_);
  const double width = static_cast<double>(width_) * std::min(growth, kMostGrowth);
  constexpr double kLongest = 1e18;
  return static_cast<uint64_t>(std::clamp(width, 1.0, kLongest));
}

base::Status Windows::next() {
  width_ = next_width();
  from_ = std::exchange(started_, true) ? until_ : 0;
  until_ = width_ < UINT64_MAX - until_ ? until_ + width_ : UINT64_MAX;
  std::vector<std::optional<base::Error>> errors(states_.size());
  uint64_t before = 0;
  for (const State& state : states_) before += state.seen.events;
  constexpr size_t kPiece = 16;
  pool_.for_each((states_.size() + kPiece - 1) / kPiece, [&](size_t piece) {
    for (size_t i = piece * kPiece; i < std::min(states_.size(), (piece + 1) * kPiece); ++i) {
      if (!share_.owns(i)) continue;
      if (auto status = read(i); !status) errors[i] = status.error();
    }
  });
  const auto first = static_cast<size_t>(
      std::find_if(errors.begin(), errors.end(), [](const auto& error) { return bool(error); }) -
      errors.begin());
  base::Status status;
  if (first < errors.size()) status = *errors[first];
  if (status = share_.agree(status, first); !status) return status;
  share_.exchange_sends(archive_.trace, [&](size_t i) { return states_[i].earlier; });
  pool_.for_each((states_.size() + kPiece - 1) / kPiece, [&](size_t piece) {
    for (size_t i = piece * kPiece; i < std::min(states_.size(), (piece + 1) * kPiece); ++i) {
      if (!share_.owns(i)) take_sends(i);
    }
  });
  uint64_t after = 0;
  uint64_t bytes = 0;
  bool ended = true;
  for (size_t i = 0; i < states_.size(); ++i) {
    if (!share_.owns(i)) continue;
    after += states_[i].seen.events;
    bytes += states_[i].stream.position();
    ended = ended && states_[i].stream.ended();
  }
  progress_.done = bytes;
  const Share::Window all = share_.agree(Share::Window{after - before + share_.received(), ended});
  last_events_ = all.events;
  ended_ = all.ended;
  if (ended_) until_ = UINT64_MAX;
  return {};
}

void Windows::begin(size_t location, trace::EventsBuilder& builder) {
  State& state = states_[location];
  std::vector<uint32_t>& kept = kept_[location];
  const trace::Events& events = archive_.trace.locations[location].events;
  state.moved.clear();
  std::set_union(state.open.begin(), state.open.end(), kept.begin(), kept.end(),
                 std::back_inserter(state.moved));
  kept.clear();
  for (const uint32_t event : state.moved) builder.copy(events, event);
  state.earlier = builder.size();
}

void Windows::take_sends(size_t location) {
  trace::Events& events = archive_.trace.locations[location].events;
  if (events.size() == 0 && !share_.has_sends(location)) return;
  trace::EventsBuilder builder;
  begin(location, builder);
  share_.add_sends(location, builder);
  events = builder.finish();
  states_[location].earlier = events.size();
}

base::Status Windows::read(size_t i) {
  State& state = states_[i];
  trace::Events& events = archive_.trace.locations[i].events;
  trace::EventsBuilder builder;
  begin(i, builder);
  const bool visits = !state.stream.ended() && state.stream.next_ticks() < until_;
  if (visits) {
    const auto file = base::MappedFile::open(state.file);
    if (!file) return otf2::event_fault(state.file, archive_.event_chunk_bytes, "", 0);
    state.stream.decode_until(file.value().bytes(), until_, builder);
  }
  state.open.assign(builder.open_calls().begin(), builder.open_calls().end());
  Seen& seen = state.seen;
  seen.open_calls = state.open.size();
  seen.events += builder.size() - state.earlier;
  seen.unknown = state.stream.unknown();
  if (state.stream.fault()) {
    return otf2::event_fault(state.file, archive_.event_chunk_bytes, *state.stream.fault(),
                             seen.events + seen.unknown);
  }
  events = builder.finish();
  seen.misplaced_leaves += events.misplaced_leaves;
  seen.leaves_of_earlier_calls += events.leaves_of_earlier_calls.size();
  seen.lost_leaves += events.open_calls - state.open.size();
  if (events.size() > state.earlier) {
    seen.first_ticks = std::min(seen.first_ticks, events.ticks[state.earlier]);
    seen.last_ticks = events.ticks[events.size() - 1];
  }
  return {};
}

void Windows::pack_seen(base::Packer& out) const {
  uint64_t owned = 0;
  for (size_t i = 0; i < states_.size(); ++i) owned += share_.owns(i) ? 1 : 0;
  out.put(owned);
  for (size_t i = 0; i < states_.size(); ++i) {
    if (!share_.owns(i)) continue;
    out.put(uint64_t{i});
    out.put(states_[i].seen);
  }
}

void Windows::take_seen(base::Unpacker& in) {
  for (auto count = in.get<uint64_t>(); count > 0; --count) {
    const auto location = in.get<uint64_t>();
    states_[location].seen = in.get<Seen>();
  }
}

}  // namespace pathline::summary
