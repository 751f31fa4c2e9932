// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/column.hpp"
#include "base/thread_pool.hpp"
#include "trace/trace.hpp"

namespace pathline::comm {

inline constexpr uint32_t kNoCall = UINT32_MAX;
inline constexpr uint32_t kNoLane = UINT32_MAX;

/// A thread that calls MPI.
struct Lane {
  uint32_t rank;
  uint32_t location;  ///< kNoLane for a rank of which nothing was recorded.
};

/// Bits of MpiCalls::traits.
enum CallTrait : uint8_t {
  kTalks = 1,         ///< Something was sent, received, completed or synchronised in it.
  kSends = 2,         ///< It sent a message and was to return when the buffer is free.
  kReceives = 4,      ///< It completed a receive.
  kSynchronous = 8,   ///< MPI_Ssend, MPI_Issend: complete when the receive has begun.
  kPolls = 16,        ///< It looked, maybe again and again, whether something had happened.
  kFinalizes = 32,    ///< MPI_Finalize.
  kInitializes = 64,  ///< MPI_Init, MPI_Init_thread.
  kMeasured = 128,    ///< Polls that were recorded with the work between them.
};

/// What the program did between the polls of a call.
struct PollWork {
  uint32_t call;
  uint32_t region;  ///< Of the polls: a receive behind a probe gives the call its own.
  uint64_t ticks;   ///< At most the length of the call.
};

/// An event of one-sided communication inside a call that synchronises: neither a put, nor a get.
struct RmaEvent {
  uint32_t call;
  trace::EventKind kind;
  std::array<uint32_t, 5> fields;  ///< Its first words; 0 behind the last.
};

/// The outermost calls of MPI as columns, lane by lane, in each in the order of time, without
/// overlap. A call is an index into the columns.
///
/// Polls that fail and follow each other at once (MPI_Test*, MPI_Iprobe), the one that succeeds and
/// the receive behind a probe are one call: "at once" is within two and a half times the mean time
/// from poll to poll. What the program did between them is `poll_work`. A call whose first event is
/// the begin of a collective operation begins with that. A collective operation outside of recorded
/// calls is a call without a region.
struct MpiCalls {
  std::vector<Lane> lanes;  ///< The first thread of each rank, then other threads that call MPI.
  std::vector<uint32_t> lane_of_location;
  base::Column<uint32_t> first;  ///< Per lane: its first call; one entry more.
  base::Column<uint64_t> begin_ticks;
  base::Column<uint64_t> end_ticks;
  base::Column<uint32_t> region;  ///< Region; of polls that were joined the last one's.
  base::Column<uint32_t> enter;   ///< Its Enter, the first one of joined polls.
  base::Column<uint8_t> traits;
  std::vector<std::vector<RmaEvent>> rma;  ///< Per lane, in the order of time.
  std::vector<PollWork> poll_work;         ///< Ascending calls; those kMeasured without are 0.

  [[nodiscard]] size_t size() const { return begin_ticks.size(); }
  [[nodiscard]] bool is(uint32_t call, uint8_t trait) const { return (traits[call] & trait) != 0; }
  /// Time between the polls of this call in which the program did something else, as far as that
  /// was recorded.
  ///
  /// cost  O(log of the calls with such).
  [[nodiscard]] uint64_t poll_work_ticks(uint32_t call) const {
    const auto at = std::lower_bound(poll_work.begin(), poll_work.end(), call,
                                     [](const PollWork& a, uint32_t b) { return a.call < b; });
    return at != poll_work.end() && at->call == call ? at->ticks : 0;
  }
  /// kNoLane for a location that calls nothing or does not exist: a table of messages has none.
  [[nodiscard]] uint32_t lane_at(uint32_t location) const {
    return location < lane_of_location.size() ? lane_of_location[location] : kNoLane;
  }
  /// cost  O(log lanes).
  [[nodiscard]] uint32_t lane_of(uint32_t call) const {
    return static_cast<uint32_t>(std::upper_bound(first.begin(), first.end(), call) -
                                 first.begin()) -
           1;
  }
};

/// Finds calls by time. Fast where questions about a lane ascend more or less.
class CallFinder {
 public:
  /// calls  must outlive this.
  explicit CallFinder(const MpiCalls& calls);

  /// The call in which something began; kNoCall if there is none. Of two calls that meet at that
  /// time it is the second: what begins does so at the beginning of its call. A call in which
  /// nothing happened steps back for one that touches it.
  ///
  /// cost  O(log of how far it is from the last one asked for).
  uint32_t begun_at(uint32_t lane, uint64_t ticks);
  /// The call in which something ended: of two the first.
  uint32_t ended_at(uint32_t lane, uint64_t ticks);

 private:
  const MpiCalls& calls_;
  std::vector<uint32_t> begun_;  // Per lane, where to begin to look.
  std::vector<uint32_t> ended_;
};

/// cost  O(events), parallel over locations.
MpiCalls mpi_calls(const trace::Trace& trace, base::ThreadPool& pool);

}  // namespace pathline::comm
