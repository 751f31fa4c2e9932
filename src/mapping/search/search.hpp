// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>

#include "mapping/problem.hpp"

namespace pathline::mapping {

/// What a placement should make small.
enum class Objective {
  kHopBytes,     ///< Bytes times links crossed, over all messages.
  kMaxLinkLoad,  ///< Bytes over the most loaded link; among equals fewer hop-bytes.
  kWeighted,     ///< hop_weight * hop-bytes + (1 - hop_weight) * largest load, each as a share of
                 ///< that of the mapping given.
};

struct SearchOptions {
  uint64_t seed = 1;
  /// How much work to do: each level takes about three times as long as the one below. 0: one
  /// quick try.
  int effort = 1;
  Objective objective = Objective::kHopBytes;
  double hop_weight = 0.5;  ///< 0 to 1, for kWeighted.
  /// Stops the search early. Without it the answer depends on the seed and the effort only.
  std::optional<double> time_limit_s = std::nullopt;
};

struct SearchResult {
  Permutation place_of_item;  ///< At least as good as the one given.
  bool timed_out = false;     ///< Stopped by the time limit or the stop token before it was done.
};

/// Whether a search has to end: somebody asked for it, or its time is up. May be asked by several
/// threads; each answer costs one look at the clock.
class Deadline {
 public:
  Deadline(std::optional<double> time_limit_s, std::stop_token stop) : stop_(std::move(stop)) {
    if (time_limit_s) {
      end_ = Clock::now() +
             std::chrono::duration_cast<Clock::duration>(
                 std::chrono::duration<double>(std::min(std::max(*time_limit_s, 0.0), kLongest_s)));
    }
  }
  [[nodiscard]] bool passed() {
    if (stop_.stop_requested() || (end_ && Clock::now() >= *end_)) seen_ = true;
    return seen_;
  }
  /// True once passed() was.
  [[nodiscard]] bool seen() const { return seen_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kLongest_s = 1e6;  // Any double must be safe to turn into a duration.
  std::stop_token stop_;
  std::optional<Clock::time_point> end_;
  std::atomic<bool> seen_ = false;
};

}  // namespace pathline::mapping
