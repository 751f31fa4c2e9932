// SPDX-License-Identifier: BSD-3-Clause
#include "summary/scouts.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/arena.hpp"
#include "otf2/anchor.hpp"
#include "summary/piece_reader.hpp"

namespace pathline::summary {

Scouts::Scouts(const otf2::Archive& archive, const std::function<bool(size_t)>& owns)
    : archive_(archive) {
  constexpr size_t kOneOf = 61;
  const trace::Trace& trace = archive.trace;
  uint64_t all_bytes = 0;
  uint64_t bytes = 0;
  size_t number = 0;
  for (size_t i = 0; i < trace.locations.size(); ++i) {
    if (!owns(i) || archive.event_bytes[i] == 0) continue;
    all_bytes += archive.event_bytes[i];
    if (++number % kOneOf != 0) continue;
    bytes += archive.event_bytes[i];
    scouts_.push_back(
        {static_cast<uint32_t>(i),
         otf2::EventStream(archive.event_chunk_bytes, trace.definitions,
                           trace.locations[i].clock_offsets, archive.mappings[i].get()),
         {}});
  }
  if (bytes > 0) by_size_ = static_cast<double>(all_bytes) / static_cast<double>(bytes);
  each_ = by_size_;
}

uint64_t Scouts::end_of(uint64_t events, uint64_t limit, base::ThreadPool& pool) {
  pool.for_each(scouts_.size(), [&](size_t i) { look_ahead(scouts_[i], limit); });
  std::vector<uint64_t> ahead;
  for (const Scout& scout : scouts_) {
    ahead.insert(ahead.end(), scout.ahead.begin(),
                 std::lower_bound(scout.ahead.begin(), scout.ahead.end(), limit));
  }
  const auto share = static_cast<size_t>(static_cast<double>(events) / each_);
  if (ahead.size() <= share) return limit;
  const auto last = ahead.begin() + static_cast<ptrdiff_t>(share);
  std::nth_element(ahead.begin(), last, ahead.end());
  return std::max(*last, std::min(passed_ + 1, limit));
}

uint64_t Scouts::expected(uint64_t until) const {
  uint64_t events = 0;
  for (const Scout& scout : scouts_) {
    events += static_cast<uint64_t>(
        std::lower_bound(scout.ahead.begin(), scout.ahead.end(), until) - scout.ahead.begin());
  }
  return static_cast<uint64_t>(static_cast<double>(events) * each_);
}

void Scouts::pass(uint64_t until, uint64_t events) {
  last_events_ = 0;
  for (Scout& scout : scouts_) {
    const auto end = std::lower_bound(scout.ahead.begin(), scout.ahead.end(), until);
    last_events_ += static_cast<uint64_t>(end - scout.ahead.begin());
    scout.ahead.erase(scout.ahead.begin(), end);
  }
  // The fewer they had, the less they tell of the others.
  each_ = (static_cast<double>(events) + by_size_ * kEnough) /
          static_cast<double>(last_events_ + kEnough);
  passed_ = until;
}

void Scouts::look_ahead(Scout& scout, uint64_t limit) const {
  if (scout.stream.ended() || scout.stream.next_ticks() >= limit) return;
  PieceReader reader;
  // What is wrong with a file is told when it is read for good.
  const uint64_t id = archive_.trace.locations[scout.location].id;
  if (!reader.open(otf2::events_path(archive_.anchor, id))) return;
  constexpr uint64_t kPieceBytes = 64 << 10;
  trace::EventsBuilder builder;
  scout.stream.decode_until(
      [&](uint64_t offset, size_t count) { return reader.read(offset, count); },
      archive_.event_bytes[scout.location], kPieceBytes, limit, builder);
  base::Arena arena;
  const std::span<const uint64_t> ticks = builder.finish_unpacked(arena).ticks.plain();
  scout.ahead.insert(scout.ahead.end(), ticks.begin(), ticks.end());
}

}  // namespace pathline::summary
