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
  enum When : uint8_t { kAtOnce, kLate };

  /// kLate: a function that is called over and over until something has happened. Its Enter is
  /// written by found() only.
  explicit Call(uint16_t function, When when = kAtOnce) {
    if (thread.inside++ != 0) return;
    if (!process.started.load(std::memory_order_relaxed)) return;
    tracked_ = true;
    const uint32_t wanted = wants();
    if (wanted == 0) return;
    begin_ = now();
    if (!ready(begin_)) return;
    region_ = function_regions[function].load(std::memory_order_relaxed);
    if (region_ == 0) region_ = define_function(function);
    if (region_ == kNotWanted) region_ = 0;
    if (region_ == 0) return;
    if ((wanted & kProfile) != 0) [[unlikely]] {
      profile_enter(region_, begin_);
      profiled_ = true;
    }
    may_record_ = (wanted & kEvents) != 0;
    if (may_record_ && when == kAtOnce) enter();
  }
  ~Call() {
    if (recorded_) emit_leave(end(), region_);
    if (profiled_) [[unlikely]]
      profile_leave(end());
    if (region_ != 0 && region_ == marker_region.load(std::memory_order_relaxed)) [[unlikely]]
      mark_step(bytes);
    --thread.inside;
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// A call of the program, whether it is recorded or not: communicators and requests are followed.
  [[nodiscard]] bool tracked() const { return tracked_; }
  /// Its events are written.
  [[nodiscard]] bool recorded() const { return recorded_; }
  [[nodiscard]] uint64_t begin() const { return begin_; }
  /// Time of the return from MPI; the clock is read once.
  uint64_t end() {
    if (end_ == 0) end_ = now();
    return end_;
  }

  /// For kLate: did the call find what it looks for?
  void found(bool something) {
    if (!may_record_ || recorded_) return;
    if (something) {
      enter();
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
  uint64_t bytes = 0;  ///< That it sends, for the step marker.

 private:
  void enter() {
    emit_enter(begin_, region_);
    recorded_ = true;
  }

  uint64_t begin_ = 0;
  uint64_t end_ = 0;
  uint32_t region_ = 0;
  bool tracked_ = false;
  bool recorded_ = false;
  bool may_record_ = false;
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
