// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/packing.hpp"
#include "base/thread_pool.hpp"
#include "summary/states.hpp"
#include "trace/trace.hpp"

namespace pathline::summary {

/// Two thirds of file_budget(), as they are in memory.
uint64_t state_budget(uint64_t archive_bytes);

/// What the codes of a run take for each of its events: in bins of about four events, of 16, and so
/// on.
using CodeBytes = std::vector<double>;
/// All of them together, at most, about.
inline constexpr uint64_t kMostCodeBytes = 1;
/// How many events a run says that it has.
uint64_t recorded_events(const trace::Definitions& definitions);

/// Makes the states of a run whose events come one window of time after the other.
///
/// The bins of the narrowest level hold about four events, or as many as those have that may fit
/// into the budget. What does not fit loses its narrowest level, so that the result depends on
/// neither windows nor threads.
class GrowingStates {
 public:
  /// budget_bytes  of the codes in memory.
  /// expected      without it as of programs whose calls repeat.
  GrowingStates(const trace::Definitions& definitions, size_t locations,
                uint64_t budget_bytes = state_budget(0), const CodeBytes& expected = {});
  ~GrowingStates();
  GrowingStates(const GrowingStates&) = delete;
  GrowingStates& operator=(const GrowingStates&) = delete;

  /// Several locations may be added at once.
  ///
  /// part     the events of the location begin with the Enters of the calls that are open.
  /// earlier  how many of its events are of windows before.
  void add(const trace::Trace& part, size_t location, size_t earlier);
  class Follower;
  /// The same for who walks over the calls for others, too, and calls Follower::end() then; of a
  /// location that has new events.
  [[nodiscard]] Follower follow(const trace::Trace& part, size_t location, size_t earlier);
  /// All locations have got what they have in a window.
  void end_window();
  /// Puts codes into the file if they take more memory than that.
  void spill(base::SpillFile& file, uint64_t most_bytes);
  /// No events follow. To be called once, before the next four.
  void end(base::ThreadPool& pool);
  /// Bytes of the codes, by width, narrow first.
  [[nodiscard]] std::vector<uint64_t> code_bytes() const;
  /// The states of some locations for another process, which takes what it lacks.
  void pack(const std::function<bool(size_t)>& is_mine, base::Packer& out) const;
  void take(base::Unpacker& in);
  /// To be called once, at last.
  [[nodiscard]] States finish();

 private:
  struct OfLocation;
  struct State;
  std::unique_ptr<State> state_;
};

/// Takes the calls of a location, as trace::walk_calls() walks over them.
class GrowingStates::Follower {
 public:
  /// `region` was the innermost call until `ticks`, none() no call. For each begin and end of a
  /// call, and at last for the time of the last event.
  void pass(trace::Region region, uint64_t ticks) {
    found_ |= facts_[static_cast<uint32_t>(uint32_t{region} + 1)];
    if (ticks > since_) add(region, ticks);
  }
  /// All were passed. With what follow() was given.
  void end(const trace::Trace& part, size_t location, size_t earlier);

 private:
  friend GrowingStates;
  Follower(const State& state, OfLocation& own);
  void add(trace::Region region, uint64_t ticks);

  const State& state_;
  const uint8_t* const facts_;  // Of no call, of region 0 and so on.
  OfLocation& own_;
  uint64_t& since_;
  uint8_t found_ = 0;  // Facts of what was passed.
};

}  // namespace pathline::summary
