// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/search/selected.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "mapping/search/random.hpp"

namespace pathline::mapping {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

void sort_unique(std::vector<uint32_t>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

Permutation inverse(std::span<const uint32_t> permutation) {
  Permutation result(permutation.size());
  for (uint32_t i = 0; i < permutation.size(); ++i) result[permutation[i]] = i;
  return result;
}

/// Puts the selected items where `places` says (per selected item) and the items that had to give
/// way on the places that are left, in order.
Permutation put(std::span<const uint32_t> given, const Selection& selection,
                const std::vector<uint32_t>& places) {
  Permutation result(given.begin(), given.end());
  const Permutation item_at = inverse(given);
  std::vector<uint32_t> left = selection.places;
  for (size_t i = 0; i < selection.items.size(); ++i) {
    result[selection.items[i]] = places[i];
    left.erase(std::find(left.begin(), left.end(), places[i]));
  }
  auto next = left.begin();
  for (const uint32_t place : selection.places) {
    const uint32_t item = item_at[place];
    if (std::binary_search(selection.items.begin(), selection.items.end(), item)) continue;
    result[item] = *next++;
  }
  return result;
}

class Enumeration {
 public:
  Enumeration(const Problem& problem, std::span<const uint32_t> given, const Selection& selection,
              Deadline& deadline)
      : problem_(problem),
        selection_(selection),
        deadline_(deadline),
        item_count_(selection.items.size()),
        place_count_(selection.places.size()),
        weight_(item_count_ * item_count_, 0),
        used_(place_count_, false),
        chosen_(item_count_, kNone) {
    cost_.emplace_back(item_count_ * place_count_, 0);
    set_costs(given);
    nearest_ = INT64_MAX;
    for (const uint32_t a : selection.places) {
      for (const uint32_t b : selection.places) {
        if (a != b) nearest_ = std::min<int64_t>(nearest_, problem.distance(a, b));
      }
    }
    if (place_count_ < 2) nearest_ = 0;
    cost_.resize(item_count_ + 1, cost_.front());
    place_all_as(given);
  }

  /// Places per selected item.
  std::vector<uint32_t> run() {
    descend(0, 0);
    std::vector<uint32_t> places;
    for (const uint32_t position : best_) places.push_back(selection_.places[position]);
    return places;
  }

 private:
  /// What each item costs at each place with those that stay, and the weights between items.
  void set_costs(std::span<const uint32_t> given) {
    for (size_t i = 0; i < item_count_; ++i) {
      for (const Problem::Partner& partner : problem_.partners(selection_.items[i])) {
        const auto at =
            std::lower_bound(selection_.items.begin(), selection_.items.end(), partner.item);
        if (at != selection_.items.end() && *at == partner.item) {
          const auto j = static_cast<size_t>(at - selection_.items.begin());
          weight_[i * item_count_ + j] = partner.weight;
          if (i < j) open_weight_ += partner.weight;
          continue;
        }
        const uint16_t* distances = problem_.distances(given[partner.item]);
        for (size_t p = 0; p < place_count_; ++p) {
          cost_[0][i * place_count_ + p] += partner.weight * distances[selection_.places[p]];
        }
      }
    }
  }

  /// The mapping given is the one to beat.
  void place_all_as(std::span<const uint32_t> given) {
    best_cost_ = 0;
    for (size_t i = 0; i < item_count_; ++i) {
      const uint32_t place = given[selection_.items[i]];
      const auto position = static_cast<uint32_t>(
          std::lower_bound(selection_.places.begin(), selection_.places.end(), place) -
          selection_.places.begin());
      best_.push_back(position);
      best_cost_ += cost_[0][i * place_count_ + position];
      for (size_t j = 0; j < i; ++j) {
        best_cost_ +=
            weight_[i * item_count_ + j] * problem_.distance(place, given[selection_.items[j]]);
      }
    }
  }

  /// cost_[depth] holds what each open item costs at each place with those that are placed; the
  /// item whose cheapest place is dearest comes first, as it decides most.
  void descend(size_t depth, int64_t placed_cost) {
    if (depth == item_count_) {
      if (placed_cost < best_cost_) {
        best_cost_ = placed_cost;
        best_ = chosen_;
      }
      return;
    }
    if (++steps_ % 1024 == 0 && deadline_.passed()) return;
    int64_t bound = placed_cost + open_weight_ * nearest_;
    size_t item = 0;
    int64_t dearest = -1;
    for (size_t i = 0; i < item_count_; ++i) {
      if (chosen_[i] != kNone) continue;
      int64_t cheapest = INT64_MAX;
      for (size_t p = 0; p < place_count_; ++p) {
        if (!used_[p]) cheapest = std::min(cheapest, cost_[depth][i * place_count_ + p]);
      }
      bound += cheapest;
      if (cheapest > dearest) {
        dearest = cheapest;
        item = i;
      }
    }
    if (bound >= best_cost_) return;
    for (const uint32_t position : places_by_cost(depth, item)) {
      if (deadline_.seen()) return;
      descend_with(depth, placed_cost, item, position);
    }
  }

  void descend_with(size_t depth, int64_t placed_cost, size_t item, uint32_t position) {
    const uint16_t* distances = problem_.distances(selection_.places[position]);
    chosen_[item] = position;
    used_[position] = true;
    int64_t closed = 0;
    cost_[depth + 1] = cost_[depth];
    for (size_t i = 0; i < item_count_; ++i) {
      const int64_t weight = weight_[item * item_count_ + i];
      if (chosen_[i] != kNone || weight == 0) continue;
      closed += weight;
      for (size_t p = 0; p < place_count_; ++p) {
        cost_[depth + 1][i * place_count_ + p] += weight * distances[selection_.places[p]];
      }
    }
    open_weight_ -= closed;
    descend(depth + 1, placed_cost + cost_[depth][item * place_count_ + position]);
    open_weight_ += closed;
    used_[position] = false;
    chosen_[item] = kNone;
  }

  [[nodiscard]] std::vector<uint32_t> places_by_cost(size_t depth, size_t item) const {
    std::vector<uint32_t> order;
    for (uint32_t p = 0; p < place_count_; ++p) {
      if (!used_[p]) order.push_back(p);
    }
    const int64_t* cost = cost_[depth].data() + item * place_count_;
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return cost[a] < cost[b]; });
    return order;
  }

  const Problem& problem_;
  const Selection& selection_;
  Deadline& deadline_;
  size_t item_count_;
  size_t place_count_;
  std::vector<int64_t> weight_;             // Between selected items.
  std::vector<std::vector<int64_t>> cost_;  // Per depth: item by place.
  std::vector<bool> used_;                  // Per place of the selection.
  std::vector<uint32_t> chosen_;            // Per item: position in the selection's places.
  std::vector<uint32_t> best_;
  int64_t best_cost_ = 0;
  int64_t open_weight_ = 0;  // Between items that are both not placed.
  int64_t nearest_ = 0;
  uint64_t steps_ = 0;
};

class RandomSwaps {
 public:
  RandomSwaps(const Problem& problem, std::span<const uint32_t> given, const Selection& selection,
              uint64_t seed)
      : problem_(problem),
        movable_(selection.items),
        now_(given.begin(), given.end()),
        best_(now_),
        random_(seed) {
    const Permutation item_at = inverse(given);
    for (const uint32_t place : selection.places) all_.push_back(item_at[place]);
  }

  Permutation run(uint64_t trial_limit, Deadline& deadline) {
    if (movable_.empty() || all_.size() < 2) return best_;
    const uint64_t pairs = movable_.size() * all_.size();
    int64_t cost = 0;  // Beyond the mapping given, as is best_cost.
    int64_t best_cost = 0;
    uint64_t failed = 0;
    for (uint64_t trial = 1; trial <= trial_limit; ++trial) {
      if (trial % 1024 == 0 && deadline.passed()) break;
      if (failed >= 2 * pairs) {
        cost += restart();
        failed = 0;
      }
      const uint32_t a = movable_[random_.below(static_cast<uint32_t>(movable_.size()))];
      const uint32_t b = all_[random_.below(static_cast<uint32_t>(all_.size()))];
      const int64_t added = a == b ? 0 : added_by_swap(a, b);
      ++failed;
      if (added >= 0) continue;
      std::swap(now_[a], now_[b]);
      cost += added;
      failed = 0;
      if (cost < best_cost) {
        best_cost = cost;
        best_ = now_;
      }
    }
    return best_;
  }

 private:
  [[nodiscard]] int64_t added_by_swap(uint32_t a, uint32_t b) const {
    return added_by_move(a, now_[b], b) + added_by_move(b, now_[a], a);
  }
  /// The item it swaps with stays as far away as it is.
  [[nodiscard]] int64_t added_by_move(uint32_t item, uint32_t place, uint32_t other) const {
    const uint16_t* there = problem_.distances(place);
    const uint16_t* here = problem_.distances(now_[item]);
    int64_t added = 0;
    for (const Problem::Partner& partner : problem_.partners(item)) {
      if (partner.item == other) continue;
      const uint32_t at = now_[partner.item];
      added += partner.weight * (int64_t{there[at]} - here[at]);
    }
    return added;
  }

  /// All items of the selection anywhere in it; returns what that adds.
  int64_t restart() {
    int64_t added = 0;
    for (auto left = static_cast<uint32_t>(all_.size()); left > 1; --left) {
      const uint32_t a = all_[left - 1];
      const uint32_t b = all_[random_.below(left)];
      if (a == b) continue;
      added += added_by_swap(a, b);
      std::swap(now_[a], now_[b]);
    }
    return added;
  }

  const Problem& problem_;
  const std::vector<uint32_t>& movable_;
  std::vector<uint32_t> all_;  // With those that give way.
  Permutation now_;
  Permutation best_;
  Random random_;
};

}  // namespace

Selection select_ends(std::span<const std::pair<uint32_t, uint32_t>> routes,
                      std::span<const uint32_t> place_of_item) {
  Selection selection;
  for (const auto& [from, to] : routes) {
    selection.items.push_back(from);
    selection.items.push_back(to);
  }
  sort_unique(selection.items);
  for (const uint32_t item : selection.items) selection.places.push_back(place_of_item[item]);
  sort_unique(selection.places);
  return selection;
}

base::Status add_places(const Problem& problem, std::span<const uint32_t> place_of_item,
                        std::span<const uint32_t> places, Selection& selection) {
  const Permutation item_at = inverse(place_of_item);
  for (const uint32_t place : places) {
    if (place >= problem.size()) {
      return base::Error{base::ErrorCode::kInvalidArgument,
                         fmt::format("there is no place {}: there are {}", place, problem.size())};
    }
    const uint32_t item = item_at[place];
    if (!problem.partners(item).empty() &&
        !std::binary_search(selection.items.begin(), selection.items.end(), item)) {
      return base::Error{
          base::ErrorCode::kInvalidArgument,
          fmt::format("node {} cannot be offered: it holds ranks that exchange bytes and are not "
                      "selected",
                      problem.network().name(problem.places()[place])),
          "Select its routes too, or offer idle nodes only."};
    }
  }
  selection.places.insert(selection.places.end(), places.begin(), places.end());
  sort_unique(selection.places);
  return {};
}

base::Result<SearchResult> place_selected_exactly(const Problem& problem,
                                                  std::span<const uint32_t> given,
                                                  const Selection& selection,
                                                  std::optional<double> time_limit_s,
                                                  std::stop_token stop) {
  const size_t items = selection.items.size();
  const size_t places = selection.places.size();
  double arrangements = 1;
  for (size_t i = 0; i < items; ++i) arrangements *= static_cast<double>(places - i);
  constexpr const char* kAdvice =
      "Select fewer routes, or let random swaps search instead of trying everything.";
  if (items > kMaxExactItems) {
    return base::Error{
        base::ErrorCode::kUnsupported,
        fmt::format("the selected routes have {} end nodes; at most {} can be placed exactly",
                    items, kMaxExactItems),
        kAdvice};
  }
  if (arrangements > static_cast<double>(kMaxExactArrangements)) {
    return base::Error{
        base::ErrorCode::kUnsupported,
        fmt::format("{} end nodes on {} places can be arranged in {:.2g} ways; at "
                    "most {} can be searched exactly",
                    items, places, arrangements, base::human_count(kMaxExactArrangements)),
        kAdvice};
  }
  Deadline deadline(time_limit_s, std::move(stop));
  const std::vector<uint32_t> best = Enumeration(problem, given, selection, deadline).run();
  return SearchResult{put(given, selection, best), deadline.seen()};
}

SearchResult place_selected_at_random(const Problem& problem, std::span<const uint32_t> given,
                                      const Selection& selection, uint64_t trial_limit,
                                      uint64_t seed, std::optional<double> time_limit_s,
                                      std::stop_token stop) {
  Deadline deadline(time_limit_s, std::move(stop));
  Permutation best = RandomSwaps(problem, given, selection, seed).run(trial_limit, deadline);
  return {std::move(best), deadline.seen()};
}

}  // namespace pathline::mapping
