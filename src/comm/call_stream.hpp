// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "base/arena.hpp"
#include "base/column.hpp"
#include "comm/mpi_calls.hpp"
#include "trace/trace.hpp"

namespace pathline::comm {

/// What a region is for the joining of calls.
struct RegionFacts {
  bool is_mpi = false;
  bool polls = false;
  bool probes = false;
  uint8_t traits = 0;  ///< Of its calls.
};
std::vector<RegionFacts> region_facts(const trace::Definitions& definitions);

/// A row of MpiCalls.
struct Call {
  uint64_t begin_ticks;
  uint64_t end_ticks;
  uint32_t region;
  uint32_t enter;  ///< An event of the part in which it began.
  uint8_t traits;
};

/// The outermost calls of MPI of one location, whose events may come in parts of the run: what
/// MpiCalls has of it.
class CallStream {
 public:
  /// Both must outlive this.
  CallStream(const trace::Definitions& definitions, const std::vector<RegionFacts>& regions)
      : definitions_(definitions), regions_(regions) {}

  /// Room for the calls of the next part, in an arena that lives until they are forgotten.
  void reserve(const trace::Events& events, size_t earlier, base::Arena& arena);
  /// events   of the next part. Those from `earlier` on are new; the Enters of calls that are open
  ///          stand in front of them, outermost first, maybe among others.
  void add(const trace::Events& events, size_t earlier);
  class Follower;
  /// The same event by event, for who walks over them for others, too.
  [[nodiscard]] Follower follow(const trace::Events& events, size_t earlier);
  /// Nothing follows: a call that is open ends at this time, that of the location's last event.
  void end(uint64_t last_ticks);

  /// Calls of which nothing changes any more. The one behind them is of polls that may go on.
  [[nodiscard]] size_t finished() const { return calls.size() - (polls_before_ != 0 ? 1 : 0); }
  /// How many of `rma` are theirs.
  [[nodiscard]] size_t ended_rma() const;
  /// The begin of the first call that may change, also one that is not in `calls` yet: nothing that
  /// comes lies in front of that. UINT64_MAX if there is none.
  [[nodiscard]] uint64_t unfinished_ticks() const {
    if (polls_before_ != 0) return calls.back().begin_ticks;
    return is_open_ ? begin_ticks_ : UINT64_MAX;
  }
  /// Traits of that call as far as they are known.
  [[nodiscard]] uint8_t unfinished_traits() const {
    return static_cast<uint8_t>((polls_before_ != 0 ? calls.back().traits : 0) |
                                (is_open_ ? traits_ : 0));
  }
  /// Forgets the finished calls, and what belongs to them. Nothing is in the arena any more.
  void drop_finished();

  // In the order of time, numbered from 0.
  base::Column<Call> calls;
  std::vector<RmaEvent> rma;
  std::vector<PollWork> poll_work;

 private:
  [[nodiscard]] bool is_mpi(uint32_t region) const {
    return region < regions_.size() && regions_[region].is_mpi;
  }
  [[nodiscard]] uint32_t limit_in(const trace::Events& events, size_t earlier) const;
  void remember_enclosing(const trace::Events& events, uint32_t limit);
  /// region  kNoCall for a collective operation outside of calls.
  void begin(uint32_t event, uint64_t ticks, uint32_t region);
  void look_at(const trace::Events& events, trace::EventKind kind, uint32_t event);
  void add_rma(const trace::Events& events, uint32_t event);
  void take_parameter(std::string_view name, uint64_t value);
  void finish(uint64_t end_ticks);
  bool joined(uint64_t end_ticks, bool polls);
  void add_work(uint64_t ticks);

  const trace::Definitions& definitions_;
  const std::vector<RegionFacts>& regions_;
  // The call that is open.
  bool is_open_ = false;
  bool is_new_ = false;        // Nothing was recorded in it yet.
  uint32_t enclosing_ = 0;     // Of one without a region: calls around it, which are open, too.
  uint32_t region_ = kNoCall;  // Or none, of a collective operation outside of calls.
  uint64_t begin_ticks_ = 0;
  uint32_t enter_ = 0;
  uint8_t traits_ = 0;
  uint64_t polls_ = 1;
  uint64_t work_ticks_ = 0;
  size_t first_rma_ = 0;
  bool completed_ = false;
  // The last call of `calls`: how many polls it is that have not found anything; 0 for another.
  uint64_t polls_before_ = 0;
  uint64_t poll_end_ticks_ = 0;
};

/// Takes the new events of a location in their order; end() when all were there. Finds calls as
/// trace::for_each_outer_call() does, but a collective operation outside of calls counts, too.
class CallStream::Follower {
 public:
  void enter(uint32_t event, uint64_t ticks, uint32_t region) {
    if (is_open_) {
      stream_.is_new_ = false;
    } else if (stream_.is_mpi(region)) {
      open(event, ticks, region);
    }
  }
  /// enter  of the call that ends.
  void leave(uint32_t enter, uint64_t ticks) {
    if (!is_open_) return;
    if (enter < limit_) {
      close(ticks);
    } else {
      stream_.is_new_ = false;
    }
  }
  /// One of the kinds from MpiSend to MpiIrecv.
  void message(trace::EventKind kind) {
    using trace::EventKind;
    if (!is_open_) return;
    const bool sends = kind == EventKind::kMpiSend;
    const bool receives = kind == EventKind::kMpiRecv || kind == EventKind::kMpiIrecv;
    stream_.traits_ |=
        static_cast<uint8_t>(kTalks | (sends ? kSends : 0) | (receives ? kReceives : 0));
    stream_.is_new_ = false;
  }
  /// Any other event.
  void other(uint32_t event, trace::EventKind kind, uint64_t ticks) {
    using trace::EventKind;
    if (!is_open_) {
      if (kind == EventKind::kMpiCollectiveBegin) open(event, ticks, kNoCall);
    } else if (stream_.region_ == kNoCall && kind == EventKind::kMpiCollectiveEnd) {
      close(ticks);
    } else {
      stream_.look_at(events_, kind, event);
    }
  }
  void end();

 private:
  friend CallStream;
  Follower(CallStream& stream, const trace::Events& events, size_t earlier)
      : stream_(stream),
        events_(events),
        is_open_(stream.is_open_),
        limit_(is_open_ ? stream.limit_in(events, earlier) : 0) {}
  void open(uint32_t event, uint64_t ticks, uint32_t region) {
    stream_.begin(event, ticks, region);
    is_open_ = true;
    limit_ = event + 1;
  }
  void close(uint64_t ticks) {
    stream_.finish(ticks);
    is_open_ = false;
  }

  CallStream& stream_;
  const trace::Events& events_;
  bool is_open_;
  uint32_t limit_;  // Leaves of Enters below end it.
};

inline CallStream::Follower CallStream::follow(const trace::Events& events, size_t earlier) {
  return {*this, events, earlier};
}

}  // namespace pathline::comm
