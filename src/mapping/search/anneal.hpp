// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "mapping/search/search.hpp"
#include "mapping/search/swap_search.hpp"

namespace pathline::mapping {

/// What a placement is judged by, smaller is better: the objective first, hop-bytes where that is
/// equal.
struct Score {
  double value = 0;
  int64_t cost = 0;  ///< Problem::cost().

  friend bool operator<(const Score& a, const Score& b) {
    return a.value != b.value ? a.value < b.value : a.cost < b.cost;
  }
};

/// Scores placements of a problem. Hop-bytes and loads count as shares of what the identity, the
/// mapping given, has.
class Judge {
 public:
  Judge(const Problem& problem, Objective objective, double hop_weight);

  /// Cost: O(pairs) for hop-bytes, a route for each pair for the other objectives.
  [[nodiscard]] Score score(std::span<const uint32_t> place_of_item) const;
  [[nodiscard]] bool needs_loads() const { return hop_share_ < 1; }
  /// How much hop-bytes count for: 1 for kHopBytes, 0 for kMaxLinkLoad.
  [[nodiscard]] double hop_share() const { return hop_share_; }
  /// Of the identity, at least 1.
  [[nodiscard]] double cost_given() const { return cost_given_; }
  [[nodiscard]] double load_given() const { return load_given_; }

 private:
  const Problem& problem_;
  double hop_share_ = 1;
  double cost_given_ = 1;
  double load_given_ = 1;
};

/// Simulated annealing on swaps, the cooler the start the closer to `given` it stays.
///
/// options  `effort` is not looked at, the budget is `cooling`: steps of about 0.2 microseconds for
///          hop-bytes and ten for the loads of links with a dozen partners per item.
/// cooling  temperatures as shares of the mean loss; 0.05 down to 0.005 keeps most of a good
///          placement.
/// returns  the best placement met, the given one if none was better.
SearchResult anneal(const Problem& problem, std::span<const uint32_t> given,
                    const SearchOptions& options, const Cooling& cooling,
                    std::stop_token stop = {});

/// Brings down the largest load: anneals the p-norm of the loads, p rising from phase to phase, and
/// judges by the objective itself (a norm also feels links that are not the most loaded yet).
/// place_of_item  improved in place, never made worse.
void anneal_loads(const Problem& problem, const Judge& judge, const Weights& weights,
                  const Cooling& cooling, Random& random, Deadline& deadline,
                  Permutation& place_of_item);

}  // namespace pathline::mapping
