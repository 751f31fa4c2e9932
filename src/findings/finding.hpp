// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "findings/model.hpp"

namespace pathline::findings {

/// What is wrong. Of those that blame what ranks do outside of MPI, up to kJitter, the first counts
/// whose condition holds (judge.hpp).
enum class FindingKind : uint8_t {
  kSerialIo,         ///< One rank reads or writes files, and others wait.
  kLateRoot,         ///< The root of broadcasts prepares something.
  kBottleneckRank,   ///< One rank serves all others and is always busy.
  kSerialSection,    ///< One rank works, and others wait.
  kSerialisedChain,  ///< Ranks work one after the other.
  kGrowingImbalance,
  kSlowRank,
  kImbalance,
  kJitter,      ///< In each step another rank is late.
  kWrongOrder,  ///< A message is waited for while another one is there.
  kTinyMessages,
  kTransfer,           ///< Time in point-to-point calls beyond waiting.
  kCollectiveCost,     ///< Time in collective operations beyond waiting.
  kLockContention,     ///< Ranks wait for a lock of one-sided communication.
  kOmpImbalance,       ///< Threads wait for the slowest of their team.
  kOmpSerial,          ///< Threads have nothing to do outside of parallel regions.
  kBadPlacement,       ///< Ranks that talk much run on different hosts.
  kLatePostOfReceive,  ///< Sends wait until their receives are posted.
  kNeedlessBarrier,    ///< A barrier beside an operation that makes all wait for all anyhow.
  kLatePost,           ///< Accesses of one-sided communication wait until windows are exposed.
  kFenceCost,          ///< Time in fences beyond waiting.

  // Of two runs: why work takes longer (app/counter_findings.hpp).
  kIpcDrop,
  kMoreInstructions,
  kFrequencyDrop,

  // What limits a verdict, and gains nothing.
  kPolling,         ///< What is done between polls is not known.
  kStartUp,         ///< Much of a run is MPI_Init, which is not judged.
  kOversubscribed,  ///< More ranks than cores.
  kClock,           ///< Clocks of ranks disagree.
  kIncomplete,      ///< Something was not recorded.
};
inline constexpr size_t kFindingKindCount = 29;

/// "serial_io", "late_root" ...
std::string_view finding_name(FindingKind kind);

enum class Confidence : uint8_t { kLow, kMedium, kHigh };
std::string_view confidence_name(Confidence confidence);

/// The regions of a call path, the outermost first; none for kNone.
std::vector<trace::Region> regions_to(const Model& model, uint32_t path);

/// Where in the run a finding was made: before the time steps, in them (or in all of a run
/// without), or behind them.
enum class Part : uint8_t { kBefore, kFocus, kAfter };

struct Finding {
  FindingKind kind{};
  Confidence confidence = Confidence::kHigh;
  Part part = Part::kFocus;
  /// How much shorter the run would be without the cause.
  double recoverable_ticks = 0;
  /// The same if all findings above were repaired; absent where no replay tells.
  std::optional<double> after_above_ticks;
  /// What others wait because of it, or what it costs itself; sum over ranks.
  double cost_ticks = 0;
  std::vector<uint32_t> ranks;    ///< Those that cause it, ascending; empty means all.
  std::vector<uint32_t> waiting;  ///< Those that wait for it most, ascending.
  std::vector<trace::Region>
      path;                     ///< Call path, the outermost first; empty: outside of all calls.
  uint32_t first_step = kNone;  ///< Number of the first time step that has it.
  uint32_t last_step = kNone;
  Window seen{0, 0};                   ///< Where it is largest: a look there shows it.
  std::optional<uint32_t> seen_cause;  ///< The rank that others wait for there.
  /// Figures that the verdict rests on; names end in "_s" where they are seconds.
  std::vector<std::pair<std::string_view, double>> evidence;
};

}  // namespace pathline::findings
