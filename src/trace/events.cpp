// SPDX-License-Identifier: BSD-3-Clause
#include "trace/events.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace pathline::trace {

std::span<const uint32_t> Events::fields(size_t i) const {
  const unsigned fixed = event_words(kind[i]);
  if (fixed == 0) return {};
  if (fixed == 1) return {ref.data() + i, 1};
  const uint32_t* at = words.data() + ref[i];
  size_t count = fixed;
  if (kind[i] == EventKind::kMetric) count += 3 * size_t{at[1]};
  if (kind[i] == EventKind::kProgramBegin) count += at[1];
  return {at, count};
}

PointToPoint Events::point_to_point(size_t i) const {
  const uint32_t* at = words.data() + ref[i];
  const bool has_request = kind[i] == EventKind::kMpiIsend || kind[i] == EventKind::kMpiIrecv;
  return {.peer = at[0],
          .comm = at[1],
          .tag = at[2],
          .bytes = at[3] | uint64_t{at[4]} << 32U,
          .request = has_request ? at[5] | uint64_t{at[6]} << 32U : 0};
}

void EventsBuilder::reserve(size_t event_count) {
  if (event_count <= capacity_) return;
  if (event_count > UINT32_MAX) throw std::length_error("more than 4 billion events");
  if (arena_ != nullptr) {
    events_.ticks.reserve(event_count, *arena_);
    events_.kind.reserve(event_count, *arena_);
    events_.ref.reserve(event_count, *arena_);
  }
  events_.ticks.resize(event_count);
  events_.kind.resize(event_count);
  events_.ref.resize(event_count);
  ticks_ = events_.ticks.data();
  kind_ = events_.kind.data();
  ref_ = events_.ref.data();
  capacity_ = event_count;
}

void EventsBuilder::reserve_words(size_t count) {
  if (count > UINT32_MAX) throw std::length_error("more than 16 GiB of event fields");
  events_.words.reserve(count + count / 2);
}

void EventsBuilder::copy(const Events& from, size_t event) {
  const EventKind kind = from.kind[event];
  const uint64_t ticks = from.ticks[event];
  if (kind == EventKind::kEnter) return enter(ticks, from.region(event));
  if (kind == EventKind::kLeave) return leave(ticks, from.region(event));
  if (event_words(kind) <= 1) return add(kind, ticks, from.ref[event]);
  const std::span<const uint32_t> fields = from.fields(event);
  std::copy(fields.begin(), fields.end(), add_words(kind, ticks, fields.size()));
}

void EventsBuilder::attribute(uint32_t attribute, uint8_t type, uint64_t value) {
  Attributes& attributes = events_.attributes;
  attributes.event.push_back(static_cast<uint32_t>(size_ - 1));
  attributes.attribute.push_back(attribute);
  attributes.type.push_back(type);
  attributes.value.push_back(value);
}

void EventsBuilder::unusual_leave(uint64_t ticks, Region region) {
  const auto found = std::find_if(open_.rbegin(), open_.rend(),
                                  [&](uint32_t enter) { return ref_[enter] == region; });
  if (found != open_.rend()) {
    // Leaves of the calls inside got lost: they end here too.
    ++events_.misplaced_leaves;
    append(EventKind::kLeave, ticks, *found);
    events_.open_calls += static_cast<uint64_t>(found - open_.rbegin());
    open_.erase(found.base() - 1, open_.end());
    return;
  }
  if (open_.empty()) {
    events_.leaves_of_earlier_calls.push_back(static_cast<uint32_t>(size_));
  } else {
    ++events_.misplaced_leaves;
  }
  append(EventKind::kUnmatchedLeave, ticks, region);
}

Events EventsBuilder::finish() {
  events_.open_calls += open_.size();
  events_.ticks.resize(size_);
  events_.kind.resize(size_);
  events_.ref.resize(size_);
  events_.ticks.shrink_to_fit();
  events_.kind.shrink_to_fit();
  events_.ref.shrink_to_fit();
  base::Column<uint32_t> used_words;  // The next location uses their memory again.
  if (arena_ != nullptr && !events_.words.empty()) {
    // How many there would be was not known before.
    base::Column<uint32_t> words;
    words.reserve(events_.words.size(), *arena_);
    words.resize(events_.words.size());
    std::copy(events_.words.begin(), events_.words.end(), words.begin());
    std::swap(events_.words, words);
    used_words = std::move(words);
    used_words.resize(0);
  } else {
    events_.words.shrink_to_fit();
  }
  Events finished = std::move(events_);
  *this = EventsBuilder(arena_);
  events_.words = std::move(used_words);
  return finished;
}

}  // namespace pathline::trace
