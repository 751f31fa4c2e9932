// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace shallow {

/// What a step consists of, in this order.
enum class Block { kPhase1, kExchange1, kPhase2, kExchange2, kFilter, kCopies };

inline constexpr std::array<const char*, 6> kBlockNames = {"phase1",    "exchange1", "phase2",
                                                           "exchange2", "filter",    "copies"};
inline constexpr size_t kBlockCount = kBlockNames.size();

/// The seconds that one rank was in each block of each step, and in each step; kept in memory that
/// is touched beforehand. Times are those of MPI_Wtime.
class StepTimes {
 public:
  explicit StepTimes(size_t steps);

  /// When the first step that counts begins.
  void begin_loop(double now_s);
  /// When the first block of a step begins: what happens between steps belongs to no block, but to
  /// the step.
  void begin_blocks(double now_s) { last_s_ = now_s; }
  /// When a block ends, and the next one begins.
  void end_block(Block block, double now_s);
  /// After the last block, at whose end the step ends.
  void end_step();

  [[nodiscard]] size_t steps() const { return steps_; }
  /// One value for each step.
  [[nodiscard]] std::span<const double> block_s(Block block) const;
  /// From the end of a step to that of the next one, so that they add up to the time of the loop.
  [[nodiscard]] std::span<const double> step_s() const;
  /// All of these, block by block in their order, steps last: (kBlockCount + 1) * steps() values.
  [[nodiscard]] std::span<const double> all_s() const { return seconds_; }

 private:
  size_t steps_;
  size_t step_ = 0;
  double step_begin_s_ = 0;
  double last_s_ = 0;  // When a block began or ended.
  std::vector<double> seconds_;
};

struct Quantiles {
  double minimum;
  double lower_quartile;
  double median;
  double percentile_90;
};

/// Of at least one value, in any order; between two values it is interpolated linearly.
Quantiles quantiles(std::span<const double> values);

}  // namespace shallow
