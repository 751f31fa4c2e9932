// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/multilevel.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mapping/block_search.hpp"
#include "mapping/linear_maps.hpp"
#include "mapping/recursive_halving.hpp"

namespace pathline::mapping {
namespace {

/// How much of each method an effort buys. Depends on the problem's size only, so that the answer
/// does not depend on the machine.
struct Budget {
  uint32_t linear_starts;
  uint32_t linear_evaluations;  // Per start.
  uint32_t halving_starts;
  uint32_t refined;       // Candidates that are refined.
  uint64_t refine_steps;  // Per candidate.

  Budget(const Problem& problem, const Weights& weights, int effort) {
    const int level = std::clamp(effort, 0, 6);
    const double scale = std::pow(3.0, level - 1);
    size_t entries = 0;
    for (const uint32_t item : weights.busy()) entries += weights.partners(item).size();
    // Items and pairs looked at in all evaluations: about a nanosecond each.
    const double looked_at = 6e8 * scale;
    const double each = problem.size() + 0.25 * static_cast<double>(entries) + 200;
    linear_starts = level == 0 ? 4 : 16;
    linear_evaluations =
        static_cast<uint32_t>(std::clamp(looked_at / each / linear_starts, 100.0, 1e6));
    halving_starts = level == 0 ? 1 : 2U << (level - 1);
    refined = level == 0 ? 1 : 2U + 2U * static_cast<uint32_t>(level - 1);
    const double mean_degree = static_cast<double>(entries) /
                               std::max<double>(1.0, static_cast<double>(weights.busy().size()));
    refine_steps = static_cast<uint64_t>(3e8 * scale / (20 * mean_degree + 100) / refined);
  }
};

struct Candidate {
  Permutation place_of_item;
  int64_t cost = 0;
};

class Multilevel {
 public:
  Multilevel(const Problem& problem, std::span<const uint32_t> given, const SearchOptions& options,
             base::ThreadPool& pool, const std::stop_token& stop)
      : problem_(problem),
        weights_(problem),
        seed_(options.seed),
        budget_(problem, weights_, options.effort),
        pool_(pool),
        deadline_(options.time_limit_s, stop) {
    best_ = {Permutation(given.begin(), given.end()), problem.cost(given)};
  }

  SearchResult run() {
    if (weights_.busy().empty()) return {std::move(best_.place_of_item), false};
    std::vector<Candidate> candidates = start();
    candidates.push_back(best_);
    // What is dearer but stems from other methods is seldom worth refining.
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
    candidates.erase(std::unique(candidates.begin(), candidates.end(),
                                 [](const Candidate& a, const Candidate& b) {
                                   return a.place_of_item == b.place_of_item;
                                 }),
                     candidates.end());
    if (candidates.size() > budget_.refined) candidates.resize(budget_.refined);
    pool_.for_each(candidates.size(), [&](size_t i) { refine(candidates[i], i); });
    for (Candidate& candidate : candidates) {
      if (candidate.cost < best_.cost) best_ = std::move(candidate);
    }
    return {std::move(best_.place_of_item), deadline_.seen()};
  }

 private:
  std::vector<Candidate> start() {
    const LinearMaps maps(problem_);
    const PlaceTree tree = PlaceTree::make(problem_, 0);
    std::vector<Candidate> candidates(budget_.linear_starts + budget_.halving_starts);
    pool_.for_each(candidates.size(), [&](size_t i) {
      Candidate& candidate = candidates[i];
      Random random(seed_, i);
      const auto number = static_cast<uint32_t>(i);
      if (deadline_.passed()) {
        candidate = best_;
        return;
      }
      if (number < budget_.linear_starts) {
        candidate.place_of_item =
            maps.search(number, budget_.linear_evaluations, random, deadline_).place_of_item;
      } else {
        HalvingOptions options;
        options.block_sweeps = 200;
        candidate.place_of_item = halve_recursively(weights_, tree, options, random, deadline_);
      }
      candidate.cost = problem_.cost(candidate.place_of_item);
    });
    return candidates;
  }

  void refine(Candidate& candidate, size_t number) {
    Random random(seed_, 1000 + number);
    const Cooling cooling{0.01, 0.001, budget_.refine_steps};
    anneal_blocks(problem_, weights_, cooling, random, deadline_, candidate.place_of_item);
    candidate.cost = problem_.cost(candidate.place_of_item);
  }

  const Problem& problem_;
  const Weights weights_;
  uint64_t seed_;
  Budget budget_;
  base::ThreadPool& pool_;
  Deadline deadline_;
  Candidate best_;
};

}  // namespace

SearchResult multilevel(const Problem& problem, std::span<const uint32_t> given,
                        const SearchOptions& options, base::ThreadPool& pool,
                        std::stop_token stop) {
  return Multilevel(problem, given, options, pool, stop).run();
}

}  // namespace pathline::mapping
