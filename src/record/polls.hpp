// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace pathline::record {

/// Failed calls of MPI_Iprobe, MPI_Test ... in a row, or such that only look something up
/// (MPI_Wtime); recorded as one.
struct Polls {
  bool quick = false;  ///< The latter, which are a call like others if there is one only.
  uint32_t region = 0;
  uint32_t count = 0;
  uint32_t count_at_pause = 0;  ///< When the last pause between two ended.
  uint64_t first_ticks = 0;
  uint64_t last_ticks = 0;
  uint64_t work_ticks = 0;   ///< In pauses in which the program did something else.
  uint64_t pause_ticks = 0;  ///< Of the last one, if it is not known yet whether it did.

  static constexpr uint64_t kSoon = 4096;  ///< Ticks, one to four microseconds: a loop goes on.

  void add(uint64_t begin_ticks, uint64_t end_ticks) {
    if (count == 0) {
      first_ticks = begin_ticks;
    } else if (begin_ticks - last_ticks > kSoon) [[unlikely]] {
      add_pause(begin_ticks - last_ticks);
    }
    ++count;
    last_ticks = end_ticks;
  }

 private:
  /// A loop that does nothing but poll has pauses, too, where the system takes its core away; but
  /// then thousands of polls lie between one and the next.
  [[gnu::noinline, gnu::cold]] void add_pause(uint64_t ticks) {
    constexpr uint32_t kFewPolls = 64;
    if (count - count_at_pause <= kFewPolls) {
      work_ticks += pause_ticks + ticks;
      pause_ticks = 0;
    } else {
      pause_ticks = ticks;
    }
    count_at_pause = count;
  }
};

}  // namespace pathline::record
