// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// A message as its sender saw it.
struct SentMessage {
  uint32_t to;
  uint64_t bytes;
  uint32_t tag;
  bool answered = false;  ///< The same call received one from `to`: MPI_Sendrecv.
};

/// Messages that were under way together: those of MPI_Isend, MPI_Irecv ... until the last
/// MPI_Wait, those of a neighbourhood collective, MPI_Put until the window is synchronised; or one
/// that was sent by itself.
struct MessageGroup {
  std::vector<SentMessage> sends;
  bool together = false;  ///< The sender went on before they had arrived.
};

/// Time of a rank outside of MPI and of file I/O.
struct WorkPiece {
  uint32_t region;  ///< The innermost one that was entered inside of the step, or kNoRegion.
  uint64_t ticks;
};
inline constexpr uint32_t kNoRegion = UINT32_MAX;

/// One time step of one rank.
struct RankStep {
  uint64_t ticks = 0;  ///< From its begin to its end.
  std::vector<MessageGroup> groups;
  /// 2 i: before group i; 2 i + 1: while its messages are under way; the last: after all groups.
  /// Of each region one piece, in the order of their beginning.
  std::vector<std::vector<WorkPiece>> work = {{}};
};

/// What all ranks did in the time steps that are looked at.
struct RankSteps {
  std::vector<std::vector<RankStep>> of_rank;  ///< By rank, in the order of time.
  /// Regions, by number, in which a rank sends or receives, other regions inside aside.
  std::vector<bool> communicates;
  std::map<std::string, uint64_t>
      other_calls;  ///< Of collectives and files; of all ranks, by name.
  uint64_t puts = 0;
  uint64_t gets = 0;
  uint64_t unfinished = 0;        ///< Groups with requests that the step did not complete.
  uint64_t of_other_threads = 0;  ///< Messages that other threads than the first one sent.

  [[nodiscard]] uint64_t count() const;  ///< Steps of all ranks together.
};

/// Reads the time steps that the program marked, of each rank's first thread, without the first one
/// (which warms up) and the last one (which lasts until the program ends).
///
/// errors  kNotFound where the program marks no steps, or fewer than three.
/// cost    O(events), parallel over ranks.
base::Result<RankSteps> rank_steps(const trace::Trace& trace, base::ThreadPool& pool);

}  // namespace pathline::app
