// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/search/multilevel.hpp"

#include <algorithm>
#include <cmath>

#include "mapping/bound.hpp"
#include "mapping/parts/recursive_halving.hpp"
#include "mapping/search/anneal.hpp"
#include "mapping/search/axis_maps.hpp"
#include "mapping/search/block_search.hpp"
#include "mapping/search/linear_maps.hpp"

namespace pathline::mapping {
namespace {

/// How much of each method an effort buys. Depends on the problem only, not on the machine.
struct Budget {
  uint32_t linear_starts;
  uint32_t linear_evaluations;   // Per start.
  uint32_t improved;             // Linear maps that are annealed once more,
  uint32_t improve_evaluations;  // so long each.
  uint32_t halving_starts;
  uint32_t halving_sweeps;
  uint32_t folding_starts;
  uint32_t folding_evaluations;  // Per start.
  uint32_t refined;              // Placements that are refined in the end,
  uint64_t refine_steps;         // by so many exchanges of blocks each,
  uint64_t load_steps;           // or so many swaps where the loads of links count.

  Budget(const Problem& problem, const Weights& weights, int effort) {
    const int level = std::clamp(effort, 0, 6);
    const double scale = std::pow(3.0, level - 1);
    double entries = 0;
    for (const uint32_t item : weights.busy()) {
      entries += static_cast<double>(weights.partners(item).size());
    }
    const double mean_partners =
        entries / std::max(1.0, static_cast<double>(weights.busy().size()));
    // Items and heavy pairs looked at, each about a nanosecond.
    const double looked_at = 2 * problem.size() + 0.25 * entries + 500;
    const double evaluations = std::min(kLookedAt * scale / looked_at, kMostEvaluations * scale);
    linear_starts = static_cast<uint32_t>(std::lround(24 * std::sqrt(scale)));
    linear_evaluations = at_least(200, 0.6 * evaluations / linear_starts);
    improved = std::max(1U, linear_starts / 4);
    improve_evaluations = at_least(200, 0.4 * evaluations / improved);
    halving_starts = static_cast<uint32_t>(std::ceil(2 * std::sqrt(scale)));
    halving_sweeps = at_least(1, std::min(300.0, 10 * scale));
    folding_starts = 4;
    folding_evaluations = at_least(50, 0.05 * evaluations / folding_starts);
    refined = static_cast<uint32_t>(std::ceil(2 * std::sqrt(scale)));
    // Small problems have few neighbours to try.
    const double most_steps = std::min(kMostSteps, 20.0 * problem.size() * problem.size() + 1000);
    refine_steps = at_least(
        1000, std::min(kRefine / (20 * mean_partners + 100), most_steps) * scale / refined);
    load_steps =
        at_least(1000, std::min(kLoads / (2 * mean_partners + 5), most_steps) * scale / refined);
  }

 private:
  static constexpr double kLookedAt = 6e8;
  static constexpr double kMostEvaluations = 1e5;
  static constexpr double kRefine = 2e8;
  static constexpr double kLoads = 2.5e7;
  static constexpr double kMostSteps = 5e5;

  static uint32_t at_least(uint32_t least, double value) {
    return static_cast<uint32_t>(std::clamp<double>(value, least, 1e9));
  }
};

// More places are not halved: the tree's distances would take more than a gigabyte.
constexpr uint32_t kMostHalved = 14000;

struct Candidate {
  Permutation place_of_item;
  Score score;
};

class Multilevel {
 public:
  Multilevel(const Problem& problem, std::span<const uint32_t> given, const SearchOptions& options,
             base::ThreadPool& pool, const std::stop_token& stop,
             std::span<const uint32_t> number_of_item)
      : problem_(problem),
        number_of_item_(number_of_item.begin(), number_of_item.end()),
        weights_(problem),
        judge_(problem, options.objective, options.hop_weight),
        seed_(options.seed),
        budget_(problem, weights_, options.effort),
        pool_(pool),
        deadline_(options.time_limit_s, stop) {
    if (number_of_item_.empty()) number_of_item_ = identity(problem.size());
    best_.place_of_item.assign(given.begin(), given.end());
    best_.score = judge_.score(given);
  }

  SearchResult run() {
    if (weights_.busy().empty()) return {std::move(best_.place_of_item), false};
    // Loads of links have no bound that could be reached.
    if (!judge_.needs_loads()) bound_ = lower_bound(problem_);
    if (is_optimal(best_.place_of_item)) return {std::move(best_.place_of_item), false};
    const LinearMaps maps(problem_, number_of_item_);
    start(maps);
    if (take_optimal()) return {std::move(best_.place_of_item), deadline_.seen()};
    improve(maps);
    for (const LinearMaps::Found& found : found_) {
      candidates_.push_back({by_item(found.place_of_number), {}});
    }
    pool_.for_each(candidates_.size(), [&](size_t i) {
      candidates_[i].score = judge_.score(candidates_[i].place_of_item);
    });
    candidates_.push_back(best_);
    keep_best();
    pool_.for_each(candidates_.size(), [&](size_t i) { refine(candidates_[i], i); });
    for (Candidate& candidate : candidates_) {
      if (candidate.score < best_.score) best_ = std::move(candidate);
    }
    return {std::move(best_.place_of_item), deadline_.seen()};
  }

 private:
  /// Starts of all kinds together, so that long and short ones share the threads.
  void start(const LinearMaps& maps) {
    const size_t halvings = problem_.size() <= kMostHalved ? budget_.halving_starts : 0;
    const PlaceTree tree = PlaceTree::make(problem_, 0, halvings > 0);
    const AxisMaps axes(problem_, number_of_item_);
    const size_t foldings = axes.exist() ? budget_.folding_starts : 0;
    candidates_.resize(halvings + foldings);
    found_.resize(budget_.linear_starts);
    pool_.for_each(candidates_.size() + found_.size(), [&](size_t i) {
      Random random(seed_, i);
      if (i < halvings) {
        HalvingOptions options;
        options.block_sweeps = 100;
        options.sweeps = budget_.halving_sweeps;
        candidates_[i].place_of_item =
            halve_recursively(weights_, tree, options, random, deadline_);
      } else if (i < candidates_.size()) {
        candidates_[i].place_of_item = axes.search(budget_.folding_evaluations, random, deadline_);
      } else {
        const auto start = static_cast<uint32_t>(i - candidates_.size());
        found_[start] = maps.search(start, budget_.linear_evaluations, random, deadline_);
      }
    });
  }

  /// True if a placement has no more hop-bytes than any must: halos on a machine that their grid
  /// fits into.
  [[nodiscard]] bool is_optimal(const Permutation& place_of_item) const {
    return problem_.cost(place_of_item) <= bound_;
  }
  /// True if a start is optimal; it is best_ then.
  bool take_optimal() {
    for (const LinearMaps::Found& found : found_) {
      if (found.place_of_number.empty()) continue;
      candidates_.push_back({by_item(found.place_of_number), {}});
      if (!is_optimal(candidates_.back().place_of_item)) candidates_.pop_back();
    }
    const auto optimal =
        std::find_if(candidates_.begin(), candidates_.end(),
                     [&](const Candidate& c) { return is_optimal(c.place_of_item); });
    if (optimal == candidates_.end()) return false;
    best_ = std::move(*optimal);
    return true;
  }

  [[nodiscard]] Permutation by_item(const Permutation& place_of_number) const {
    Permutation places;
    places.reserve(place_of_number.size());
    for (const uint32_t number : number_of_item_) places.push_back(place_of_number[number]);
    return places;
  }

  void improve(const LinearMaps& maps) {
    const auto cheaper = [](const LinearMaps::Found& a, const LinearMaps::Found& b) {
      return a.cost < b.cost;
    };
    std::stable_sort(found_.begin(), found_.end(), cheaper);
    found_.erase(std::unique(found_.begin(), found_.end(),
                             [](const LinearMaps::Found& a, const LinearMaps::Found& b) {
                               return a.place_of_number == b.place_of_number;
                             }),
                 found_.end());
    const size_t count = std::min<size_t>(budget_.improved, found_.size());
    std::vector<LinearMaps::Found> improved(count);
    pool_.for_each(count, [&](size_t i) {
      Random random(seed_, (uint64_t{1} << 32) + i);
      improved[i] = maps.improve(found_[i], budget_.improve_evaluations, random, deadline_);
    });
    found_.insert(found_.end(), improved.begin(), improved.end());
    std::stable_sort(found_.begin(), found_.end(), cheaper);
    if (found_.size() > size_t{2} * budget_.improved) found_.resize(size_t{2} * budget_.improved);
  }

  /// Sorts the candidates and leaves those that are refined.
  void keep_best() {
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.score < b.score; });
    candidates_.erase(std::unique(candidates_.begin(), candidates_.end(),
                                  [](const Candidate& a, const Candidate& b) {
                                    return a.place_of_item == b.place_of_item;
                                  }),
                      candidates_.end());
    if (candidates_.size() > budget_.refined) candidates_.resize(budget_.refined);
  }

  void refine(Candidate& candidate, size_t number) {
    Random random(seed_, (uint64_t{2} << 32) + number);
    if (judge_.needs_loads()) {
      const Cooling cooling{0.002, 0.0002, budget_.load_steps};
      anneal_loads(problem_, judge_, weights_, cooling, random, deadline_, candidate.place_of_item);
    } else {
      const Cooling cooling{0.01, 0.001, budget_.refine_steps};
      anneal_blocks(problem_, weights_, cooling, random, deadline_, candidate.place_of_item);
    }
    candidate.score = judge_.score(candidate.place_of_item);
  }

  const Problem& problem_;
  Permutation number_of_item_;
  const Weights weights_;
  const Judge judge_;
  uint64_t seed_;
  Budget budget_;
  base::ThreadPool& pool_;
  Deadline deadline_;
  std::vector<LinearMaps::Found> found_;
  std::vector<Candidate> candidates_;
  Candidate best_;
  int64_t bound_ = -1;  ///< Of Problem::cost(); -1: not asked for.
};

}  // namespace

SearchResult multilevel(const Problem& problem, std::span<const uint32_t> given,
                        const SearchOptions& options, base::ThreadPool& pool, std::stop_token stop,
                        std::span<const uint32_t> number_of_item) {
  return Multilevel(problem, given, options, pool, stop, number_of_item).run();
}

}  // namespace pathline::mapping
