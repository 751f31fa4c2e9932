// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/column.hpp"
#include "base/thread_pool.hpp"
#include "comm/dependencies.hpp"
#include "profile/call_tree.hpp"
#include "profile/profile.hpp"
#include "trace/calls.hpp"
#include "trace/trace.hpp"

namespace pathline::findings {

inline constexpr uint32_t kNone = UINT32_MAX;

/// The part of a run that is judged.
struct Window {
  uint64_t begin_ticks;
  uint64_t end_ticks;
  [[nodiscard]] uint64_t ticks() const { return end_ticks - begin_ticks; }
  friend bool operator==(const Window&, const Window&) = default;
};

/// From the latest end of MPI_Init to the latest enter of MPI_Finalize; where there is none, from
/// the start or to the end of the trace.
Window program_window(const trace::Trace& trace, const comm::Dependencies& all);
/// Time steps that the program marked, per rank: trace::marked_steps().
using StepWindows = std::vector<std::vector<trace::StepWindow>>;
/// From the first begin to the last end of the marked time steps, inside of `program`. The same as
/// `program` with less than three steps, or if they hold less than half of it.
Window steps_window(const StepWindows& steps, const Window& program);

/// What one lane did in a window.
struct LaneTime {
  uint64_t useful_ticks = 0;  ///< Outside of MPI.
  uint64_t wait_ticks = 0;    ///< In MPI, for others.
  uint64_t rest_ticks = 0;    ///< In MPI otherwise, and in a call that had begun before the window.
  uint64_t polling_ticks =
      0;  ///< In polls that were joined, without their wait. Work between polls
          ///< that found nothing is useful time, if it was recorded as such.
  // What of the above may be useful, as a program does something between polls: in recordings that
  // do not say how long all of it, else the time between polls that received something.
  uint64_t unknown_wait_ticks = 0;     ///< A part of wait_ticks.
  uint64_t unknown_polling_ticks = 0;  ///< A part of polling_ticks.
};

/// A run in a window as calls of MPI and, between them, pieces of useful time with their call
/// paths.
///
/// A lane's calls and the gaps between them alternate: gap, call, gap ... call, gap. The gap before
/// call c of lane l is number c + l, the one behind its last call L is L + 1 + l. A call that had
/// begun before the window counts as done, its lane begins with its end; one that is open at the
/// window's end is cut there.
struct Model {
  const trace::Trace* trace;
  const comm::Dependencies* all;
  Window window;
  /// What of it is modelled: all, or the part that `trace` knows. Calls that begin in it, with what
  /// they last behind it; useful time inside. An end that is not the window's is behind the part.
  Window part;

  struct Lane {
    bool recorded;         ///< False for a rank of which nothing is known: it has no time.
    bool first_of_rank;    ///< The lanes that efficiencies are made of.
    uint64_t begin_ticks;  ///< When it begins; the time before is rest.
    uint32_t first_call;   ///< Its calls in the window.
    uint32_t end_call;
  };
  std::vector<Lane> lanes;  ///< As MpiCalls::lanes.

  std::vector<profile::CallPathNode> call_paths;  ///< Parents before their children.
  base::Column<uint32_t> call_path;               ///< Per call: its own; kNone if not known.

  // Pieces of useful time. Those of a gap follow each other, one for each path and step in it.
  base::Column<uint32_t> first_piece;  ///< Per gap; one entry more.
  base::Column<uint32_t> piece_path;   ///< kNone: outside of every call.
  base::Column<uint32_t> piece_step;   ///< Index into `steps`; kNone: outside of all.
  base::Column<uint64_t> piece_ticks;
  std::vector<uint32_t> steps;  ///< Numbers of the steps that the program marked, ascending.
  StepWindows step_windows;

  [[nodiscard]] uint32_t rank_count() const;  ///< Lanes that are recorded and first of their rank.
  [[nodiscard]] bool in_window(uint32_t call) const {
    const uint64_t begin = all->calls.begin_ticks[call];
    return begin >= window.begin_ticks && begin <= window.end_ticks;
  }
  [[nodiscard]] uint64_t begin(uint32_t call) const { return all->calls.begin_ticks[call]; }
  [[nodiscard]] uint64_t end(uint32_t call) const {
    return std::min(all->calls.end_ticks[call], window.end_ticks);
  }
  /// End of the wait of a call in the window; its begin if it does not wait.
  [[nodiscard]] uint64_t wait_end(uint32_t call) const {
    return std::clamp(all->dep_ticks[call], begin(call), std::max(begin(call), end(call)));
  }
  [[nodiscard]] uint64_t wait_ticks(uint32_t call) const { return wait_end(call) - begin(call); }
  /// Whether whom it waits for came inside the window.
  [[nodiscard]] bool cause_known(uint32_t call) const {
    const uint32_t cause = all->cause[call];
    if (cause == comm::kNoCall || all->dep_ticks[call] > window.end_ticks) return false;
    // Only where clocks disagree it may have begun later than it counts; in_window() has to ask it.
    return all->early.empty() ? all->dep_ticks[call] >= window.begin_ticks : in_window(cause);
  }
  /// Asks for what the functions above read: for walks that jump from lane to lane.
  void prefetch(uint32_t call) const {
    __builtin_prefetch(&all->calls.begin_ticks[call]);
    __builtin_prefetch(&all->calls.end_ticks[call]);
    __builtin_prefetch(&all->dep_ticks[call]);
    __builtin_prefetch(&all->cause[call]);
  }
  [[nodiscard]] static size_t gap(uint32_t call, size_t lane) { return call + lane; }
  /// End of the call before, or the lane's begin.
  [[nodiscard]] uint64_t gap_begin(uint32_t call, const Lane& lane) const {
    return call == lane.first_call ? lane.begin_ticks : end(call - 1);
  }
  /// Useful time of the gap before a call, or behind the last one: the sum of its pieces.
  [[nodiscard]] uint64_t gap_ticks(uint32_t call, size_t lane) const {
    const Lane& of = lanes[lane];
    const uint64_t from = gap_begin(call, of);
    const uint64_t until = call == of.end_call ? part.end_ticks : begin(call);
    return from < until ? until - from : 0;
  }
};

/// trace, all  must outlive the model.
/// part        of the window; without one all of it.
/// cost        O(events), parallel over lanes.
Model model(const trace::Trace& trace, const comm::Dependencies& all, const Window& window,
            StepWindows steps, base::ThreadPool& pool, const std::optional<Window>& part = {});

/// The call paths of a tree, depth first, callees in the order of their regions: whoever was seen
/// first. returns  their numbers by node; kNone for the root.
std::vector<uint32_t> number_paths(const profile::CallTree& tree,
                                   std::vector<profile::CallPathNode>& call_paths);

/// Adds call paths, parents before their children, to a tree. returns  their nodes by number.
std::vector<uint32_t> add_paths(const std::vector<profile::CallPathNode>& call_paths,
                                profile::CallTree& tree);

/// Per lane. Useful, wait, rest and polling time of a lane that is recorded add up to the window,
/// to the tick; of a part of it the rest of a call that goes on behind it counts there, too.
std::vector<LaneTime> lane_times(const Model& model);

}  // namespace pathline::findings
