// SPDX-License-Identifier: BSD-3-Clause
#include "trace/events.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/arena.hpp"
#include "base/thread_pool.hpp"

namespace pathline::trace {
namespace {

/// Room for `count` more rows of any value, growing by half.
template <class T>
void extend(base::Column<T>& column, size_t count) {
  const size_t size = column.size() + count;
  if (size > column.capacity()) column.reserve(size + size / 2);
  column.resize(size);
}

/// The first `count` rows, in an arena.
template <class T>
base::Column<T> copied(const base::Column<T>& column, size_t count, base::Arena& arena) {
  base::Column<T> copy;
  copy.reserve(count, arena);
  copy.resize(count);
  if (count > 0) std::memcpy(copy.data(), column.data(), count * sizeof(T));
  return copy;
}

/// `column` may be without memory, where memcpy must not look.
template <class T>
void copy_to(T* place, const base::Column<T>& column) {
  if (!column.empty()) std::memcpy(place, column.data(), column.size() * sizeof(T));
}

}  // namespace

Fields Events::fields(size_t i) const {
  const unsigned fixed = event_words(kind[i]);
  if (fixed == 0) return {};
  if (fixed == 1) return {ref, i, 1};
  const size_t first = ref[i];
  size_t count = fixed;
  if (kind[i] == EventKind::kMetric) count += 3 * size_t{words[first + 1]};
  if (kind[i] == EventKind::kProgramBegin) count += words[first + 1];
  return {words, first, count};
}

PointToPoint Events::point_to_point(size_t i) const {
  const bool has_request = kind[i] == EventKind::kMpiIsend || kind[i] == EventKind::kMpiIrecv;
  const size_t first = ref[i];
  if (!has_request) {
    const auto at = words.read<5>(first);
    return {.peer = at[0],
            .comm = at[1],
            .tag = at[2],
            .bytes = at[3] | uint64_t{at[4]} << 32U,
            .request = 0};
  }
  const auto at = words.read<7>(first);
  return {.peer = at[0],
          .comm = at[1],
          .tag = at[2],
          .bytes = at[3] | uint64_t{at[4]} << 32U,
          .request = at[5] | uint64_t{at[6]} << 32U};
}

void Events::pack(base::Arena* arena, base::ThreadPool* pool) {
  ticks.pack(arena, pool);
  ref.pack(arena, pool);
  words.pack(arena, pool);
}

void EventsBuilder::reserve(size_t event_count, size_t word_count) {
  if (word_count > words_.capacity()) words_.reserve(word_count);
  if (event_count <= capacity_) return;
  if (is_part_) throw std::length_error("more events than there is room for in a part");
  if (event_count > UINT32_MAX) throw std::length_error("more than 4 billion events");
  if (arena_ != nullptr) events_.kind.reserve(event_count, *arena_);
  times_.resize(event_count);
  events_.kind.resize(event_count);
  refs_.resize(event_count);
  ticks_ = times_.data();
  kind_ = events_.kind.data();
  ref_ = refs_.data();
  capacity_ = event_count;
}

void EventsBuilder::reserve_words(size_t count) {
  if (count > UINT32_MAX) throw std::length_error("more than 16 GiB of event fields");
  words_.reserve(std::min<size_t>(count + count / 2, UINT32_MAX));
}

void EventsBuilder::copy(const Events& from, size_t event) {
  const EventKind kind = from.kind[event];
  const uint64_t ticks = from.ticks[event];
  if (kind == EventKind::kEnter) return enter(ticks, from.region(event));
  if (kind == EventKind::kLeave) return leave(ticks, from.region(event));
  if (event_words(kind) <= 1) return add(kind, ticks, from.ref[event]);
  const Fields fields = from.fields(event);
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
  append(EventKind::kUnmatchedLeave, ticks, region);
  link(static_cast<uint32_t>(size_ - 1));
}

/// Makes an unmatched leave one of the innermost open call of its region, if there is one.
void EventsBuilder::link(uint32_t row) {
  const auto found = std::find_if(open_.rbegin(), open_.rend(),
                                  [&](uint32_t enter) { return ref_[enter] == ref_[row]; });
  if (found == open_.rend()) {
    if (open_.empty()) {
      events_.leaves_of_earlier_calls.push_back(row);
    } else {
      ++events_.misplaced_leaves;
      depends_ = is_part_;
    }
    return;
  }
  if (found != open_.rbegin()) {
    // Leaves of the calls inside got lost: they end here too.
    ++events_.misplaced_leaves;
    events_.open_calls += static_cast<uint64_t>(found - open_.rbegin());
  }
  kind_[row] = EventKind::kLeave;
  ref_[row] = *found;
  open_.erase(found.base() - 1, open_.end());
}

EventsBuilder EventsBuilder::part(size_t first, size_t count) const {
  if (count > capacity_ || first > capacity_ - count) {
    throw std::length_error("a part beyond the room that was reserved");
  }
  EventsBuilder part;
  part.ticks_ = ticks_;
  part.kind_ = kind_;
  part.ref_ = ref_;
  part.size_ = part.first_ = first;
  part.capacity_ = first + count;
  part.is_part_ = true;
  base::populate(ticks_ + first, count * sizeof(*ticks_));
  base::populate(kind_ + first, count * sizeof(*kind_));
  base::populate(ref_ + first, count * sizeof(*ref_));
  return part;
}

bool EventsBuilder::join(EventsBuilder&& part) {
  Events& theirs = part.events_;
  const size_t words = words_.size();
  const size_t attributes = events_.attributes.event.size();
  if (part.depends_ || part.first_ < size_ || part.words_.size() > UINT32_MAX - words) {
    return false;
  }
  const size_t count = part.size();
  const size_t moved = part.first_ - size_;
  if (moved > 0) move_rows(part, moved);
  extend(words_, part.words_.size());
  const size_t their_attributes = theirs.attributes.event.size();
  extend(events_.attributes.event, their_attributes);
  extend(events_.attributes.attribute, their_attributes);
  extend(events_.attributes.type, their_attributes);
  extend(events_.attributes.value, their_attributes);

  // In it they seemed to be of calls that had begun earlier; calls open at its end came later.
  for (const uint32_t row : theirs.leaves_of_earlier_calls) link(row);
  open_.insert(open_.end(), part.open_.begin(), part.open_.end());
  events_.misplaced_leaves += theirs.misplaced_leaves;
  events_.open_calls += theirs.open_calls;
  joined_.push_back({size_, count, moved, words, attributes, std::move(part.words_),
                     std::move(theirs.attributes)});
  size_ += count;
  return true;
}

/// Moves the rows of a part towards the front, up to those that are there.
void EventsBuilder::move_rows(EventsBuilder& part, size_t distance) {
  const size_t count = part.size();
  const auto move = [&](auto* column) {
    if (count > 0) std::memmove(column + size_, column + part.first_, count * sizeof(*column));
  };
  move(ticks_);
  move(kind_);
  move(ref_);
  const auto rows = static_cast<uint32_t>(distance);
  for (size_t i = size_; i < size_ + count; ++i) {
    if (kind_[i] == EventKind::kLeave) ref_[i] -= rows;
  }
  for (uint32_t& row : part.open_) row -= rows;
  for (uint32_t& row : part.events_.leaves_of_earlier_calls) row -= rows;
}

/// Copies the words and attributes of a joined part to their places and frees them there.
void EventsBuilder::place(Joined& part) {
  const Attributes& theirs = part.own_attributes;
  if (!part.own_words.empty()) {
    base::populate(words_.data() + part.words, part.own_words.size() * sizeof(uint32_t));
    copy_to(words_.data() + part.words, part.own_words);
    const auto words = static_cast<uint32_t>(part.words);
    for (size_t i = part.first; words > 0 && i < part.first + part.count; ++i) {
      if (event_words(kind_[i]) > 1) ref_[i] += words;
    }
  }
  Attributes& attributes = events_.attributes;
  for (size_t i = 0; i < theirs.event.size(); ++i) {
    attributes.event[part.attributes + i] = theirs.event[i] - static_cast<uint32_t>(part.moved);
  }
  if (!theirs.event.empty()) {
    copy_to(attributes.attribute.data() + part.attributes, theirs.attribute);
    copy_to(attributes.type.data() + part.attributes, theirs.type);
    copy_to(attributes.value.data() + part.attributes, theirs.value);
  }
  part.own_words = {};
  part.own_attributes = {};
}

Events EventsBuilder::finish(base::ThreadPool& pool) {
  pool.for_each(joined_.size(), [&](size_t i) { place(joined_[i]); });
  joined_.clear();
  return finish();
}

Events EventsBuilder::finish() {
  for (Joined& part : joined_) place(part);
  events_.open_calls += open_.size();
  times_.resize(size_);
  events_.kind.resize(size_);
  events_.kind.shrink_to_fit();
  refs_.resize(size_);
  EventsBuilder next(arena_);
  if (arena_ != nullptr) {
    events_.ticks.append(times_.span(), arena_);
    events_.ref.append(refs_.span(), arena_);
    events_.words.append(words_.span(), arena_);
    // The next location uses their memory again.
    words_.resize(0);
    next.times_ = std::move(times_);
    next.refs_ = std::move(refs_);
    next.words_ = std::move(words_);
  } else {
    times_.shrink_to_fit();
    refs_.shrink_to_fit();
    words_.shrink_to_fit();
    events_.ticks = base::PackedColumn<uint64_t>(std::move(times_));
    events_.ref = base::PackedColumn<uint32_t>(std::move(refs_));
    events_.words = base::PackedColumn<uint32_t>(std::move(words_));
  }
  Events finished = std::move(events_);
  *this = std::move(next);
  return finished;
}

Events EventsBuilder::finish_unpacked(base::Arena& arena) {
  for (Joined& part : joined_) place(part);
  joined_.clear();
  base::Column<EventKind> kinds = std::move(events_.kind);
  Events finished = std::exchange(events_, {});
  finished.kind = copied(kinds, size_, arena);
  finished.ticks = base::PackedColumn<uint64_t>(copied(times_, size_, arena));
  finished.ref = base::PackedColumn<uint32_t>(copied(refs_, size_, arena));
  finished.words = base::PackedColumn<uint32_t>(copied(words_, words_.size(), arena));
  finished.open_calls += open_.size();
  events_.kind = std::move(kinds);
  words_.resize(0);
  open_.clear();
  size_ = 0;
  depends_ = false;
  return finished;
}

}  // namespace pathline::trace
