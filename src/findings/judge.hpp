// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/thread_pool.hpp"
#include "findings/critical_path.hpp"
#include "findings/delay_costs.hpp"
#include "findings/efficiency.hpp"
#include "findings/finding.hpp"
#include "findings/model.hpp"

namespace pathline::findings {

enum class Focus : uint8_t {
  kSteps,  ///< The time steps; what is before and behind them is judged apart.
  kRun,    ///< From MPI_Init to MPI_Finalize.
  kTime,   ///< Some part of it.
};

struct JudgeOptions {
  Focus focus = Focus::kRun;  ///< What `window` is.
  Window program{0, 0};       ///< program_window()
  Window window{0, 0};        ///< What is judged.
  double least_share = 0.02;  ///< Of it: what gains less is no finding.
  bool oversubscribed =
      false;  ///< More ranks than cores: what looks like work may be waiting for one.
};

/// What a run does in its focus, and what is wrong with it.
struct Judgement {
  Focus focus = Focus::kRun;
  std::unique_ptr<Model> model;  ///< Of the focus.
  Efficiency efficiency;
  std::vector<LaneTime> times;  ///< By lane.
  DelayCosts costs;
  CriticalPath critical;
  /// Those with confidence first, in each the one that gains most first.
  std::vector<Finding> findings;
  double nothing_above_share = 0;  ///< Of the focus: nothing else was found that gains more.
  uint64_t before_ticks = 0;       ///< Rank time from MPI_Init to the focus.
  uint64_t after_ticks = 0;        ///< Rank time from the focus to MPI_Finalize.
};

/// Concludes from the waits of a run who causes them, and what would be gained without.
///
/// A call path outside of MPI is looked at if others wait half a percent of the time for it. Kinds:
/// what one rank does alone (with file I/O in it, as the root of broadcasts, always busy and
/// sending most of what the others receive, or else); ranks in a chain: time on the critical path
/// at least 1.5 times the mean, alike on all ranks, not balanced within steps, and neither for a
/// lock nor for want of being received;
/// load: always the same rank (share 0.6, steady), growing, one alone three times beyond the next,
/// or else; what is left is jitter. Gains are replays of the run with the time of the path removed
/// or evened out; what a replay does not gain is no finding. Where evened work gains less than a
/// fifth of what the critical path has of it beyond the mean, no send waits for its receive: who
/// takes what comes first would take it in another order. In the focus on steps each rank is done
/// with its last one.
///
/// Thresholds and their trials: design of the findings, 22 programs with a planted fault each.
///
/// options  its window must not be empty
/// cost     four replays, up to two for each of 16 call paths, and those of message_findings(),
///          cost_findings() and barrier_findings().
Judgement judge(const trace::Trace& trace, const comm::Dependencies& all,
                const JudgeOptions& options, base::ThreadPool& pool);

}  // namespace pathline::findings
