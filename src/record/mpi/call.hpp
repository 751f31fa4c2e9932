// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "record/process.hpp"

namespace pathline::record {

/// Regions of the MPI functions by number; 0 while nobody has called one.
extern std::atomic<uint32_t> function_regions[];
constexpr uint32_t kNotWanted = UINT32_MAX;  ///< Its group is left out.

/// Defines the region of a function when it is called for the first time. returns  kNotWanted if
/// its group is left out, 0 if it could not be defined.
uint32_t define_function(uint16_t function);

/// PATHLINE_STEP_MARKER=CALL:BYTES/N: every N-th call of a function that sends so many bytes begins
/// a time step. 0 as long as nobody called that function.
extern std::atomic<uint32_t> marker_region;
void mark_step(uint64_t bytes);

/// One call of an MPI function by the program, from beginning to end of its wrapper. What MPI calls
/// inside itself, and what the recorder calls, is none (`tracked` is false).
class Call {
 public:
  enum When : uint8_t { kAtOnce, kWithFirst, kLate };

  /// When its Enter is written. kWithFirst: with the first record of the call, by first(), or at
  /// the latest by entered(). kLate: a function that is called over and over until something has
  /// happened; by found().
  explicit Call(uint16_t function, When when = kAtOnce) {
    if (thread.inside++ != 0) return;
    tracked_ = process.started.load(std::memory_order_relaxed);
    const uint32_t wanted = wants();
    if (wanted == 0 || !tracked_) return;
    begin_ = now();
    region_ = function_regions[function].load(std::memory_order_relaxed);
    if (region_ == 0 || region_ == kNotWanted || wanted != kEvents || !thread.started)
        [[unlikely]] {
      if (!prepare(function, wanted)) return;
    }
    may_record_ = true;
    if (when == kLate) return;
    recorded_ = true;
    if (when == kAtOnce) entered();
  }
  ~Call() {
    if (recorded_ && !left_) emit_leave(end(), region_);
    if (profiled_) [[unlikely]]
      profile_leave(end());
    if (may_mark()) [[unlikely]]
      mark_step(bytes);
    --thread.inside;
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// A call of the program, whether it is recorded or not: communicators and requests are followed.
  [[nodiscard]] bool tracked() const { return tracked_; }
  /// Its events are written.
  [[nodiscard]] bool recorded() const { return recorded_; }
  /// It may begin a time step, whether it is recorded or not.
  [[nodiscard]] bool may_mark() const {
    return region_ != 0 && region_ == marker_region.load(std::memory_order_relaxed);
  }
  [[nodiscard]] uint64_t begin() const { return begin_; }
  /// Time of the return from MPI; the clock is read once.
  uint64_t end() {
    if (end_ == 0) end_ = now();
    return end_;
  }

  /// The Enter is written, if it has not been before.
  void entered() {
    if (!recorded_ || entered_) return;
    entered_ = true;
    emit_enter(begin_, region_);
  }
  /// A record at the beginning of a recorded call.
  template <class... Numbers>
  void first(RecordKind kind, Numbers... numbers) {
    if (entered_ || process.counter_count != 0) [[unlikely]] {
      entered();
      emit(kind, begin_, numbers...);
      return;
    }
    entered_ = true;
    if (thread.polls.count != 0) [[unlikely]]
      write_polls();
    thread.stream.add_behind_enter(begin_, region_, kind, numbers...);
  }
  /// A record at the end of a recorded call, behind which no other comes.
  template <class... Numbers>
  void last(RecordKind kind, Numbers... numbers) {
    if (process.counter_count != 0) [[unlikely]] {
      emit(kind, end(), numbers...);
      return;
    }
    left_ = true;
    thread.stream.add_before_leave(end(), region_, kind, numbers...);
  }

  /// For kLate: did the call find what it looks for?
  void found(bool something) {
    if (!may_record_ || recorded_) return;
    if (something) {
      recorded_ = true;
      entered();
      return;
    }
    Polls& polls = thread.polls;
    if (polls.count != 0 && polls.region != region_) write_polls();
    if (polls.count == 0) {
      polls.region = region_;
      polls.first_ticks = begin_;
    }
    ++polls.count;
    polls.last_ticks = end();
  }

  uint64_t id = 0;     ///< Of the request that this call begins.
  uint64_t bytes = 0;  ///< That it sends, or else gets, for the step marker.

 private:
  /// The first call of a function or in a thread, or one that is counted. returns  whether its
  /// events are written.
  bool prepare(uint16_t function, uint32_t wanted);

  uint64_t begin_ = 0;
  uint64_t end_ = 0;
  uint32_t region_ = 0;
  bool tracked_ = false;
  bool recorded_ = false;
  bool may_record_ = false;
  bool entered_ = false;
  bool left_ = false;
  bool profiled_ = false;
};

/// Calls that MPI or the recorder make while one of these lives are nobody's.
class Inside {
 public:
  Inside() { ++thread.inside; }
  ~Inside() { --thread.inside; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

}  // namespace pathline::record
