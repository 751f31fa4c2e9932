// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "record/cpu_time.hpp"
#include "record/mpi/call_sites.hpp"
#include "record/process.hpp"

namespace pathline::record {

/// Regions of the MPI functions by number; 0 while nobody has called one.
extern std::atomic<uint32_t> function_regions[];
constexpr uint32_t kNotWanted = UINT32_MAX;  ///< Its group is left out.

/// Defines the region of a function when it is called for the first time. returns  kNotWanted if
/// its group is left out, 0 if it could not be defined.
uint32_t define_function(uint16_t function);

/// A call that was over before anything could be recorded: MPI_Init, which ends now.
void record_past_call(uint16_t function, uint64_t began_ticks);

/// PATHLINE_STEP_MARKER=CALL:BYTES/N: every N-th call of a function that sends so many bytes begins
/// a time step. 0 as long as nobody called that function.
extern std::atomic<uint32_t> marker_region;
void mark_step(uint64_t bytes);

/// One call of an MPI function, from beginning to end of its wrapper. Only what the program itself
/// calls is recorded: not what MPI calls inside itself, nor callbacks.
class Call {
 public:
  enum When : uint8_t { kAtOnce, kWithFirst, kLate };

  /// When its Enter is written. kWithFirst: with the first record of the call, by first(), or at
  /// the latest by entered(). kLate: a function that is called over and over until something has
  /// happened; by found().
  [[gnu::always_inline]] explicit Call(uint16_t function, When when = kAtOnce) {
    tracked_ = process.following.load(std::memory_order_relaxed);
    const void* frame = __builtin_dwarf_cfa();
    if (thread.inside != 0) [[unlikely]] {
      // A callback of the program, or MPI itself, unless the call around us was left.
      if (!was_left(frame)) {
        before_ = thread.inside++;
        return;
      }
    }
    thread.inside = 1;
    thread.call.begin(frame, &alive_);
    const uint32_t wanted = wants();
    if (wanted == 0) return;
    begin_ = now();
    region_ = function_regions[function].load(std::memory_order_relaxed);
    if (region_ == 0 || region_ == kNotWanted || wanted != kEvents || !thread.started)
        [[unlikely]] {
      if (!prepare(function, wanted)) return;
    }
    may_record_ = true;
    function_region_ = region_;
    if (thread.user_depth < process.settings.sites_below) {
      const void* caller = thread.caller != nullptr ? thread.caller : __builtin_return_address(0);
      region_ = region_at_site(function, region_, caller);
    }
    if (when == kLate) return;
    recorded_ = true;
    if (!kIsSimulated) read_cpu_time_at_call(begin_);
    if (when == kAtOnce) entered();
  }
  ~Call() {
    if (recorded_ && !left_) emit_leave(end(), region_);
    if (profiled_) [[unlikely]]
      profile_leave(end());
    if (may_mark()) [[unlikely]]
      mark_step(bytes);
    thread.inside = before_;
    alive_ = 0;
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Communicators and requests of this call are followed, whether it is recorded or not. So are
  /// those of callbacks: their messages are not recorded, but what they make is used later.
  [[nodiscard]] bool tracked() const { return tracked_; }
  /// Made inside another one: by a callback, or by MPI itself.
  [[nodiscard]] bool nested() const { return before_ != 0; }
  /// Its events are written.
  [[nodiscard]] bool recorded() const { return recorded_; }
  /// It may begin a time step, whether it is recorded or not.
  [[nodiscard]] bool may_mark() const {
    return function_region_ != 0 &&
           function_region_ == marker_region.load(std::memory_order_relaxed);
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
    thread.call.region = region_;
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
    thread.call.region = region_;
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
    join(false);
  }
  /// For kLate: a call that only looks something up, as MPI_Wtime does. Those in quick succession
  /// become one.
  void passed() {
    if (!may_record_) return;
    if (thread.polls.count != 0 && begin_ - thread.polls.last_ticks > Polls::kSoon) write_polls();
    join(true);
  }

  uint64_t id = 0;     ///< Of the request that this call begins.
  uint64_t bytes = 0;  ///< That it sends, or else gets, for the step marker.
  bool sent = false;   ///< Its blocking send was recorded before MPI had it.

 private:
  /// The first call of a function or in a thread, or one that is counted. returns  whether its
  /// events are written.
  bool prepare(uint16_t function, uint32_t wanted);

  volatile uint64_t alive_ = kAlive;
  void join(bool quick) {
    Polls& polls = thread.polls;
    if (polls.count != 0 && polls.region != region_) write_polls();
    if (polls.count == 0) polls = {.quick = quick, .region = region_};
    polls.add(begin_, end());
  }

  uint64_t begin_ = 0;
  uint64_t end_ = 0;
  uint32_t region_ = 0;           ///< Of the function, or of its calls from one place.
  uint32_t function_region_ = 0;  ///< Of the function.
  uint32_t before_ = 0;           ///< Calls around this one.
  bool tracked_ = false;
  bool recorded_ = false;
  bool may_record_ = false;
  bool entered_ = false;
  bool left_ = false;
  bool profiled_ = false;
};

}  // namespace pathline::record
