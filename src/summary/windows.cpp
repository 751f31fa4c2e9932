// SPDX-License-Identifier: BSD-3-Clause
#include "summary/windows.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/arena.hpp"
#include "otf2/anchor.hpp"
#include "otf2/bytes.hpp"
#include "summary/piece_reader.hpp"

namespace pathline::summary {
namespace {

constexpr size_t kPiece = 16;         // Locations that a thread takes at once.
constexpr size_t kLeastBytes = 4096;  // That are read of a file at once.

}  // namespace

/// What a thread uses for one location after the other.
struct Windows::Visit {
  trace::EventsBuilder builder;
  PieceReader reader;
  std::vector<uint32_t> events;  // That are carried.
};

Windows::Windows(otf2::Archive archive, const WindowSize& size, base::ThreadPool& pool,
                 base::Progress& progress, exchange::Exchange& exchange)
    : archive_(std::move(archive)),
      share_(exchange, archive_.trace, archive_.event_bytes),
      size_(size),
      scouts_(archive_, [this](size_t location) { return share_.owns(location); }),
      folder_(archive_),
      files_(archive_.event_bytes.size()),
      pool_(pool),
      progress_(progress) {
  const trace::Trace& trace = archive_.trace;
  states_.reserve(trace.locations.size());
  for (size_t i = 0; i < trace.locations.size(); ++i) {
    const trace::Location& location = trace.locations[i];
    states_.push_back(
        {.stream = otf2::EventStream(archive_.event_chunk_bytes, trace.definitions,
                                     location.clock_offsets, archive_.mappings[i].get())});
  }
  kept_.resize(states_.size());
  until_ = trace.definitions.clock.global_offset;
  uint64_t bytes = 0;
  uint64_t owned = 0;
  for (size_t i = 0; i < states_.size(); ++i) {
    if (!share_.owns(i)) continue;
    bytes += archive_.event_bytes[i];
    ++owned;
  }
  progress_.begin("reading events", "B", bytes);
  constexpr uint64_t kAheadBytesAnEvent = 16;
  if (owned == 0) return;
  most_ahead_ = std::min<uint64_t>(kLeastBytes, kAheadBytesAnEvent * size.events / owned);
  ahead_.reset(static_cast<uint8_t*>(std::malloc(most_ahead_ * states_.size())));
  if (ahead_ == nullptr) most_ahead_ = 0;
}

Windows::~Windows() = default;

void Windows::forget() {
  window_arena_.reset();
  carried_arena_.reset();
  next_arena_.reset();
  visits_.clear();
}

/// The longest that it may be. None is much longer than the one before, by which it is judged where
/// the scouts do not know.
uint64_t Windows::most_width() const {
  constexpr uint64_t kFirstPerSecond = 100;
  constexpr double kMostGrowth = 4;
  constexpr double kMostOfScouts = 16;
  if (width_ == 0) {
    if (size_.first_ticks > 0) return size_.first_ticks;
    return std::max<uint64_t>(1,
                              archive_.trace.definitions.clock.ticks_per_second / kFirstPerSecond);
  }
  double growth = kMostOfScouts;
  if (!scouts_.know()) {
    growth = kMostGrowth;
    if (last_events_ > 0) {
      const auto last = static_cast<double>(last_events_);
      growth = std::min(growth, static_cast<double>(size_.events) / last);
    }
  }
  const double width = static_cast<double>(width_) * growth;
  constexpr double kLongest = 1e18;
  return static_cast<uint64_t>(std::clamp(width, 1.0, kLongest));
}

/// Sets where the next window begins and ends.
void Windows::go_on() {
  const uint64_t begin = until_;
  const uint64_t most = most_width();
  const uint64_t limit = most < UINT64_MAX - begin ? begin + most : UINT64_MAX;
  from_ = std::exchange(started_, true) ? begin : 0;
  until_ = share_.agree(scouts_.end_of(size_.events, limit, pool_));
  expected_ = scouts_.know() ? scouts_.expected(until_) : std::min(last_events_, size_.events);
  width_ = until_ - begin;
}

base::Status Windows::next(const Look& look) {
  go_on();
  std::vector<std::optional<base::Error>> errors(states_.size());
  carry();
  for_each_piece([&](size_t first, size_t end, Visit& visit) {
    for (size_t i = first; i < end; ++i) {
      if (!share_.owns(i)) continue;
      if (auto status = read(i, look, visit); !status) {
        errors[i] = status.error();
        visit.builder = trace::EventsBuilder();
      }
    }
  });
  const auto first = static_cast<size_t>(
      std::find_if(errors.begin(), errors.end(), [](const auto& error) { return bool(error); }) -
      errors.begin());
  base::Status status;
  if (first < errors.size()) status = *errors[first];
  if (status = share_.agree(status, first); !status) return status;
  share_.exchange_sends(archive_.trace, [&](size_t i) { return states_[i].earlier; });
  for_each_piece([&](size_t begin, size_t end, Visit& visit) {
    for (size_t i = begin; i < end; ++i) {
      if (!share_.owns(i) && share_.has_sends(i)) take_sends(i, visit.builder);
    }
  });
  uint64_t after = 0;
  uint64_t bytes = 0;
  bool ended = true;
  for (size_t i = 0; i < states_.size(); ++i) {
    if (!share_.owns(i)) continue;
    after += states_[i].seen.events;
    bytes += std::min(states_[i].reached.bytes, archive_.event_bytes[i]);
    ended = ended && states_[i].reached.ended;
  }
  progress_.done = bytes;
  const uint64_t events = after - std::exchange(seen_events_, after) + share_.received();
  scouts_.pass(until_, events);
  const Share::Window all = share_.agree(Share::Window{events, ended});
  last_events_ = all.events;
  ended_ = all.ended;
  if (ended_) until_ = UINT64_MAX;
  return {};
}

void Windows::for_each_piece(const std::function<void(size_t, size_t, Visit&)>& look) {
  pool_.for_each((states_.size() + kPiece - 1) / kPiece, [&](size_t piece) {
    std::unique_ptr<Visit> visit = visits_.take();
    look(piece * kPiece, std::min(states_.size(), (piece + 1) * kPiece), *visit);
    visits_.give(std::move(visit));
  });
}

/// Leaves of the last window what this one begins with, and gives back the rest.
void Windows::carry() {
  next_arena_->clear();
  for_each_piece([&](size_t first, size_t end, Visit& visit) {
    trace::EventsBuilder& builder = visit.builder;
    std::vector<uint32_t>& events = visit.events;
    for (size_t i = first; i < end; ++i) {
      State& state = states_[i];
      trace::Events& of = archive_.trace.locations[i].events;
      events.clear();
      std::set_union(state.open.begin(), state.open.end(), kept_[i].begin(), kept_[i].end(),
                     std::back_inserter(events));
      std::vector<uint32_t>().swap(kept_[i]);
      for (const uint32_t event : events) builder.copy(of, event);
      state.open.assign(builder.open_calls().begin(), builder.open_calls().end());
      state.earlier = events.size();
      state.kept = static_cast<uint32_t>(events.size());
      of = builder.finish_unpacked(*next_arena_);
    }
  });
  std::swap(carried_arena_, next_arena_);
  window_arena_->clear();
}

/// With the events that are carried.
void Windows::begin(size_t location, trace::EventsBuilder& builder) const {
  const trace::Events& carried = archive_.trace.locations[location].events;
  for (size_t event = 0; event < carried.size(); ++event) builder.copy(carried, event);
}

void Windows::take_sends(size_t location, trace::EventsBuilder& builder) {
  begin(location, builder);
  share_.add_sends(location, builder);
  trace::Events& events = archive_.trace.locations[location].events;
  events = builder.finish_unpacked(*window_arena_);
  states_[location].earlier = events.size();
}

/// What was read too much is not fetched again, as far as there is room for it: of ten thousands of
/// files, each of which gives a window a few hundred bytes, that is most of what opening and
/// reading costs.
///
/// used  bytes of the window: what is much less than these spares no visit.
void Windows::keep_ahead(size_t i, const PieceReader& reader, uint64_t used) {
  State& state = states_[i];
  const std::span<const uint8_t> rest = reader.rest(state.reached.bytes);
  if (rest.size() > kLeastBytes) return;  // Of what is read at once it is a small part.
  const std::span<const uint8_t> kept = rest.first(std::min(rest.size(), most_ahead_));
  if (state.reached.ended || kept.empty() || kept.size() < used / 2) return;
  std::copy(kept.begin(), kept.end(), ahead_of(i));
  state.ahead = static_cast<uint32_t>(kept.size());
}

/// Adds the events of the window to those that the builder has.
base::Status Windows::decode(size_t i, Visit& visit) {
  State& state = states_[i];
  // As many as other locations get, by what they had so far, and some more.
  constexpr double kMore = 1.125;
  const double more = seen_events_ == 0 ? 0
                                        : kMore * static_cast<double>(expected_) /
                                              static_cast<double>(seen_events_);
  const auto guess = static_cast<size_t>(more * static_cast<double>(state.reached.bytes));
  const size_t expected = std::max(kLeastBytes, guess);
  const size_t ahead = std::exchange(state.ahead, 0);
  PieceReader& reader = visit.reader;
  reader.begin_with(state.reached.bytes, {ahead_of(i), ahead});
  base::Status opened;
  const auto read = [&](uint64_t offset, size_t count) -> std::span<const uint8_t> {
    if (reader.has(offset, count)) return reader.read(offset, count);
    if (!reader.is_open() && !files_.take(i, reader)) {
      opened = folder_.open(i, reader);
      if (!opened) return {};
    }
    const std::span<const uint8_t> bytes = reader.read(offset, std::max(count, kLeastBytes));
    return bytes.first(std::min(count, bytes.size()));
  };
  const bool may_do = ahead > 0 && expected <= 2 * kLeastBytes;
  state.stream.decode_until(read, archive_.event_bytes[i], may_do ? ahead : expected, until_,
                            visit.builder);
  if (!opened) return opened;
  if (auto status = read_status(archive_, i, reader); !status) return status;
  const uint64_t before = std::exchange(state.reached.bytes, state.stream.position());
  state.reached.next_ticks = state.stream.next_ticks();
  state.reached.ended = state.stream.ended();
  keep_ahead(i, reader, state.reached.bytes - before);
  if (!reader.is_open()) return {};
  if (state.reached.ended) {
    reader.close();
  } else {
    files_.put_back(i, reader);
  }
  return {};
}

base::Status Windows::read(size_t i, const Look& look, Visit& visit) {
  State& state = states_[i];
  // Nothing is behind the last window: an event may have the last of all times.
  const bool is_later = state.reached.next_ticks >= until_ && until_ != UINT64_MAX;
  if (state.reached.ended || is_later) return {};
  trace::Events& events = archive_.trace.locations[i].events;
  trace::EventsBuilder& builder = visit.builder;
  begin(i, builder);
  if (auto status = decode(i, visit); !status) return status;
  state.open.assign(builder.open_calls().begin(), builder.open_calls().end());
  Seen& seen = state.seen;
  seen.open_calls = state.open.size();
  seen.events += builder.size() - state.earlier;
  seen.unknown = state.stream.unknown();
  if (state.stream.fault()) {
    return otf2::event_fault(otf2::events_path(archive_.anchor, archive_.trace.locations[i].id),
                             archive_.event_chunk_bytes, *state.stream.fault(),
                             seen.events + seen.unknown);
  }
  events = builder.finish_unpacked(*window_arena_);
  seen.misplaced_leaves += events.misplaced_leaves;
  seen.leaves_of_earlier_calls += events.leaves_of_earlier_calls.size();
  seen.lost_leaves += events.open_calls - state.open.size();
  if (events.size() > state.earlier) {
    seen.first_ticks = std::min(seen.first_ticks, events.ticks[state.earlier]);
    seen.last_ticks = events.ticks[events.size() - 1];
  }
  look(i);
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
