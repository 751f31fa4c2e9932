// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/trace.hpp"

namespace pathline::raw {

/// CLOCK_MONOTONIC at a count of ticks.
struct TickPair {
  uint64_t ticks;
  uint64_t ns;
};

/// From the ticks of one process to its CLOCK_MONOTONIC in nanoseconds: linear between pairs that
/// were taken on purpose (ClockPair), which say best how fast the clock ticks, and beyond them.
///
/// Of the pairs that chunks begin with, the nanoseconds were read some time after the ticks, so
/// that they are late and never early. They serve where a process that was killed left no second
/// pair: the slowest clock that they allow is the right one. Pairs that contradict the frequency in
/// the header by more than 5 % are not believed.
class TickClock {
 public:
  TickClock() = default;
  /// pairs   as recorded, in any order. chunk_pairs  those of chunks.
  TickClock(uint64_t ticks_per_second, std::vector<TickPair> pairs,
            std::vector<TickPair> chunk_pairs);

  /// Nanoseconds at `ticks`, at most 2^62; never falls as `ticks` rise.
  [[nodiscard]] uint64_t ns(uint64_t ticks) const;
  /// The same for ticks that mostly rise. hint  which segment was last used, 0 at first.
  [[nodiscard]] uint64_t ns(uint64_t ticks, size_t& hint) const;

  [[nodiscard]] size_t ignored_pairs() const { return ignored_; }
  [[nodiscard]] bool any() const { return !points_.empty(); }
  /// As measured over the whole run.
  [[nodiscard]] double ticks_per_second() const;

 private:
  [[nodiscard]] uint64_t at(size_t segment, uint64_t ticks) const;

  std::vector<TickPair> points_;  // Both ascend strictly.
  std::vector<double> slopes_;    // Nanoseconds per tick from point i on; the last one to infinity.
  size_t ignored_ = 0;
};

/// Measured differences to the clock of rank 0 that can be applied: in the order of time, no two at
/// one time, and no clock that runs backwards between them. A single one holds for all times.
std::vector<trace::ClockOffset> usable_offsets(std::vector<trace::ClockOffset> offsets,
                                               size_t& ignored);

/// Applies offsets as the OTF2 library does, to times that rise.
class OffsetClock {
 public:
  explicit OffsetClock(std::span<const trace::ClockOffset> offsets);
  /// Time of rank 0; a local time that lies before the one of the last call moves nothing back.
  uint64_t global_ns(uint64_t local_ns);

 private:
  std::span<const trace::ClockOffset> offsets_;
  size_t next_ = 1;
};

}  // namespace pathline::raw
