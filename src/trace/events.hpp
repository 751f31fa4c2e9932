// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/column.hpp"
#include "base/id.hpp"
#include "base/packed_column.hpp"
#include "base/row_iterator.hpp"
#include "trace/event_kind.hpp"

namespace pathline::base {
class ThreadPool;
}  // namespace pathline::base

namespace pathline::trace {

/// An index into Definitions::regions.
using Region = base::Id<struct RegionTag>;

/// The values that a measurement attached to single events, in event order: four columns, one row
/// per value.
struct Attributes {
  base::Column<uint32_t> event;
  base::Column<uint32_t> attribute;  ///< Id of the attribute definition.
  base::Column<uint8_t> type;        ///< OTF2 type number.
  base::Column<uint64_t> value;      ///< Bit pattern of a value of that type.
};

/// A send or a receive as its event holds it; `peer` and `comm` are still the numbers of the file.
struct PointToPoint {
  uint32_t peer;  ///< Rank inside the communicator; of the remote group for an inter-communicator.
  uint32_t comm;  ///< Id of the communicator definition.
  uint32_t tag;
  uint64_t bytes;
  uint64_t request;  ///< 0 for the blocking kinds.
};

/// The words of the fields of one event, as event_fields() lists them. Looks into what holds them,
/// which must live as long.
class Fields {
 public:
  using value_type = uint32_t;
  using const_iterator = base::RowIterator<Fields>;
  using iterator = const_iterator;

  Fields() = default;
  explicit Fields(std::span<const uint32_t> words) : plain_(words.data()), count_(words.size()) {}
  Fields(const base::PackedColumn<uint32_t>& words, size_t first, size_t count)
      : words_(&words), first_(first), count_(count) {}
  [[nodiscard]] size_t size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] uint32_t operator[](size_t word) const {
    return words_ != nullptr ? (*words_)[first_ + word] : plain_[first_ + word];
  }
  [[nodiscard]] const_iterator begin() const { return {*this, 0}; }
  [[nodiscard]] const_iterator end() const { return {*this, count_}; }
  /// The words from the `word`-th on.
  [[nodiscard]] Fields from(size_t word) const {
    Fields rest = *this;
    rest.count_ -= word;
    rest.first_ += word;
    return rest;
  }

 private:
  const base::PackedColumn<uint32_t>* words_ = nullptr;
  const uint32_t* plain_ = nullptr;
  size_t first_ = 0;
  size_t count_ = 0;
};

/// All events of one location, in the order they were recorded: three columns, and what does not
/// fit into one word beside them. Packed an event takes some 8 bytes and 2 to 3 for each word, as
/// it is written 13 and 4. Times never decrease. Ids are those of the file, except regions.
///
/// May be read by any number of threads.
struct Events {
  base::PackedColumn<uint64_t> ticks;  ///< Corrected global time.
  base::Column<EventKind> kind;
  /// Enter: Region. Leave: index of its Enter. kUnmatchedLeave: Region. Other kinds of one word:
  /// that word. Others: where the fields start in `words`.
  base::PackedColumn<uint32_t> ref;
  base::PackedColumn<uint32_t> words;
  Attributes attributes;
  /// Leaves of calls that had begun before the first event, in event order.
  std::vector<uint32_t> leaves_of_earlier_calls;
  uint64_t misplaced_leaves = 0;  ///< Leaves that contradict the nesting of calls.
  uint64_t open_calls = 0;        ///< Enters without a Leave.

  [[nodiscard]] size_t size() const { return kind.size(); }
  /// Memory of the columns, without attributes.
  [[nodiscard]] size_t size_bytes() const {
    return ticks.size_bytes() + kind.size() + ref.size_bytes() + words.size_bytes();
  }

  /// The fields of event `i` as event_fields() lists them. For Enter and Leave the one word is what
  /// stands in `ref`.
  [[nodiscard]] Fields fields(size_t i) const;

  /// The region of an Enter, Leave or unmatched Leave.
  [[nodiscard]] Region region(size_t i) const {
    return Region(kind[i] == EventKind::kLeave ? ref[ref[i]] : ref[i]);
  }
  /// Fields of an MpiSend, MpiIsend, MpiRecv or MpiIrecv.
  [[nodiscard]] PointToPoint point_to_point(size_t i) const;
  /// The 64-bit number at word `offset` of event `i`, which must have more than one word.
  [[nodiscard]] uint64_t word64(size_t i, size_t offset = 0) const {
    const auto halves = words.read<2>(ref[i] + offset);
    return halves[0] | uint64_t{halves[1]} << 32U;
  }

  /// Makes the columns smaller, after which they can be read only.
  ///
  /// arena  where they will live; without one they own their memory.
  void pack(base::Arena* arena = nullptr, base::ThreadPool* pool = nullptr);
};

/// Collects the events of one location in the order they happened and links each Leave to its
/// Enter on the way. May be used for one location after the other.
///
/// A location may also be collected in parts by several threads: reserve() room for all, a part()
/// for each, then join() them in order. What comes out is what one builder would have collected.
///
///   builder.reserve(200);
///   EventsBuilder first = builder.part(0, 100);     // filled by one thread
///   EventsBuilder second = builder.part(100, 100);  // and by another
///   for (EventsBuilder* part : {&first, &second}) {
///     if (!builder.join(std::move(*part))) { /* add its events to `builder` again */ }
///   }
///   Events events = builder.finish(pool);
///
/// errors  throws std::length_error past 2^32 events or words, std::bad_alloc.
class EventsBuilder {
 public:
  /// arena  where the events will live, packed; must outlive them. Without one each column owns its
  ///        memory and can still be changed.
  explicit EventsBuilder(base::Arena* arena = nullptr) : arena_(arena) {}

  /// event_count  expected events; memory that stays unused is given back by finish().
  /// word_count   expected words of their fields, where that is known.
  void reserve(size_t event_count, size_t word_count = 0);

  /// A builder of the events that will be rows `first` to `first + count - 1` of this one, which
  /// has reserved room for them and must neither grow nor add there before it has joined the part.
  /// Parts of different rows may be made and filled at the same time. One that gets more events
  /// than `count` throws std::length_error.
  [[nodiscard]] EventsBuilder part(size_t first, size_t count) const;

  /// A part cannot tell what a leave ends that fits no call open in it, while others are open
  /// there: calls from in front of the part decide that. It cannot be joined then.
  [[nodiscard]] bool depends() const { return depends_; }

  /// Appends the events of a part: links the leaves of calls that were open in front of it, closes
  /// up if it or those before it had fewer events than expected.
  ///
  /// returns  false, and nothing has changed, if it cannot be: it depends(), its rows hold events
  ///          already, or it has too many words. Its events are to be added one by one then.
  /// cost     O(calls open at its edges + attributes); a pass over its rows if it has to close up.
  [[nodiscard]] bool join(EventsBuilder&& part);

  void enter(uint64_t ticks, Region region) {
    open_.push_back(static_cast<uint32_t>(size_));
    append(EventKind::kEnter, ticks, region);
  }
  void leave(uint64_t ticks, Region region) {
    if (!open_.empty() && ref_[open_.back()] == region) [[likely]] {
      append(EventKind::kLeave, ticks, open_.back());
      open_.pop_back();
    } else {
      unusual_leave(ticks, region);
    }
  }

  /// An event of a kind with at most one word.
  void add(EventKind kind, uint64_t ticks, uint32_t word = 0) { append(kind, ticks, word); }

  /// An event of a kind with two or more words; returns room for them, to be filled at once.
  uint32_t* add_words(EventKind kind, uint64_t ticks, size_t word_count) {
    append(kind, ticks, static_cast<uint32_t>(words_.size()));
    const size_t start = words_.size();
    if (start + word_count > words_.capacity()) [[unlikely]] {
      reserve_words(start + word_count);
    }
    words_.resize(start + word_count);
    return words_.data() + start;
  }

  /// Takes the last event back if it is of this kind, which has words.
  bool take_back(EventKind kind) {
    if (size() == 0 || kind_[size_ - 1] != kind) return false;
    words_.resize(ref_[--size_]);
    return true;
  }

  /// Attaches a value to the event added last.
  void attribute(uint32_t attribute, uint8_t type, uint64_t value);

  [[nodiscard]] size_t size() const { return size_ - first_; }
  [[nodiscard]] size_t word_count() const { return words_.size(); }
  [[nodiscard]] uint64_t last_ticks() const { return size() == 0 ? 0 : ticks_[size_ - 1]; }
  [[nodiscard]] size_t depth() const { return open_.size(); }
  /// Enters of the calls that are open, outermost first.
  [[nodiscard]] std::span<const uint32_t> open_calls() const { return open_; }
  /// The same calls as their regions, appended.
  void append_open_regions(std::vector<Region>& regions) const {
    for (const uint32_t row : open_) regions.emplace_back(ref_[row]);
  }
  /// An event of another location or part of it, without its attributes.
  void copy(const Events& from, size_t event);

  Events finish();
  /// The same, moving the fields of joined parts to their places with several threads.
  Events finish(base::ThreadPool& pool);
  /// The same for events that are read a few times and forgotten: in an arena that must outlive
  /// them, as they are, not packed. The builder keeps its memory for the next location.
  Events finish_unpacked(base::Arena& arena);

 private:
  /// What a joined part still holds, and where it belongs.
  struct Joined {
    size_t first;  ///< Its rows.
    size_t count;
    size_t moved;  ///< By so many rows towards the front.
    size_t words;  ///< Where its words begin in those of the location.
    size_t attributes;
    base::Column<uint32_t> own_words;
    Attributes own_attributes;
  };

  void append(EventKind kind, uint64_t ticks, uint32_t ref) {
    if (size_ == capacity_) [[unlikely]] {
      reserve(capacity_ + capacity_ / 2 + 64);
    }
    ticks_[size_] = ticks;
    kind_[size_] = kind;
    ref_[size_] = ref;
    ++size_;
  }
  void unusual_leave(uint64_t ticks, Region region);
  void link(uint32_t row);
  void move_rows(EventsBuilder& part, size_t distance);
  void place(Joined& part);
  void reserve_words(size_t count);

  base::Arena* arena_;
  Events events_;  // All but its packed columns, which are made of these in the end.
  base::Column<uint64_t> times_;
  base::Column<uint32_t> refs_;
  base::Column<uint32_t> words_;
  // The three columns share one length, so that an event needs one comparison, not three.
  uint64_t* ticks_ = nullptr;
  EventKind* kind_ = nullptr;
  uint32_t* ref_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
  std::vector<uint32_t> open_;  ///< Events that entered the calls now open, outermost first.
  // A part writes into the columns of the location it is of, so that rows are the location's.
  size_t first_ = 0;  ///< Row of its first event.
  bool is_part_ = false;
  bool depends_ = false;
  std::vector<Joined> joined_;
};

/// Writes fields one after the other in the layout of Events::words.
class WordWriter {
 public:
  explicit WordWriter(uint32_t* at) : at_(at) {}
  void put(uint64_t value, unsigned words) {
    *at_++ = static_cast<uint32_t>(value);
    if (words == 2) *at_++ = static_cast<uint32_t>(value >> 32U);
  }

 private:
  uint32_t* at_;
};

/// Reads fields in the layout of Events::words.
class WordReader {
 public:
  explicit WordReader(const Fields& words) : words_(words) {}
  explicit WordReader(std::span<const uint32_t> words) : words_(words) {}
  uint32_t u32() { return words_[next_++]; }
  uint64_t u64() {
    const uint64_t low = u32();
    return low | uint64_t{u32()} << 32U;
  }
  [[nodiscard]] Fields rest() const { return words_.from(next_); }

 private:
  Fields words_;
  size_t next_ = 0;
};

}  // namespace pathline::trace
