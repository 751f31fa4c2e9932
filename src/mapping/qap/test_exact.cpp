// SPDX-License-Identifier: BSD-3-Clause
//
// Branch and bound: an item is given each of its places in turn, and what is left is bounded by the
// assignment of the other items to the other places, each at the least that it can cost there.
#include "mapping/qap/test_exact.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "mapping/qap/test_assignment.hpp"

namespace pathline::mapping {
namespace {

class BranchAndBound {
 public:
  BranchAndBound(const Qap& qap, uint64_t node_limit, QapProof best)
      : qap_(qap), node_limit_(node_limit), best_(std::move(best)) {
    place_of_item_.assign(qap.size, kFree);
  }

  QapProof run() {
    best_.proven = true;
    Permutation all = identity(qap_.size);
    branch(all, all, 0);
    return std::move(best_);
  }

 private:
  static constexpr uint32_t kFree = UINT32_MAX;

  [[nodiscard]] int64_t a(uint32_t i, uint32_t j) const {
    return qap_.a[size_t{i} * qap_.size + j];
  }
  [[nodiscard]] int64_t b(uint32_t i, uint32_t j) const {
    return qap_.b[size_t{i} * qap_.size + j];
  }

  /// items, places  that are free, as many of each.
  /// fixed          what the others exchange.
  void branch(const Permutation& items, const Permutation& places, int64_t fixed) {
    if (items.empty()) {
      if (fixed < best_.cost) {
        best_.cost = fixed;
        best_.place_of_item = place_of_item_;
      }
      return;
    }
    if (best_.node_count >= node_limit_) {
      best_.proven = false;
      return;
    }
    ++best_.node_count;
    const auto count = static_cast<uint32_t>(items.size());
    Assignment assignment;
    const int64_t bound = fixed + assignment.solve(least_costs(items, places), count);
    if (bound >= best_.cost) return;
    const uint32_t chosen = most_decided(assignment, count);
    // The most promising first, so that the others are cut off sooner.
    Permutation order = identity(count);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t left, uint32_t right) {
      return assignment.reduced_cost(chosen, left) < assignment.reduced_cost(chosen, right);
    });
    const uint32_t item = items[chosen];
    const Permutation other_items = without(items, chosen);
    for (const uint32_t column : order) {
      if (bound + assignment.reduced_cost(chosen, column) >= best_.cost) break;
      place_of_item_[item] = places[column];
      branch(other_items, without(places, column), fixed + cost_with_fixed(item, places[column]));
      place_of_item_[item] = kFree;
    }
  }

  static Permutation without(Permutation values, uint32_t position) {
    values.erase(values.begin() + position);
    return values;
  }

  /// Of an item at a place: with itself and with the items that have theirs.
  [[nodiscard]] int64_t cost_with_fixed(uint32_t item, uint32_t place) const {
    int64_t sum = a(item, item) * b(place, place);
    for (uint32_t k = 0; k < qap_.size; ++k) {
      if (k == item || place_of_item_[k] == kFree) continue;
      sum += a(item, k) * b(place, place_of_item_[k]) + a(k, item) * b(place_of_item_[k], place);
    }
    return sum;
  }

  /// What each item adds at each place at the least: its largest exchanges with the other free
  /// items meet the place's smallest distances to the other free places.
  [[nodiscard]] std::vector<int64_t> least_costs(const Permutation& items,
                                                 const Permutation& places) const {
    const size_t count = items.size();
    const auto sorted_rows = [&](const Permutation& of, auto&& value, auto&& before) {
      std::vector<int64_t> rows;
      for (const uint32_t i : of) {
        const auto begin = static_cast<ptrdiff_t>(rows.size());
        for (const uint32_t j : of) {
          if (i != j) rows.push_back(value(i, j));
        }
        std::sort(rows.begin() + begin, rows.end(), before);
      }
      return rows;
    };
    const auto exchanges = sorted_rows(
        items, [&](uint32_t i, uint32_t j) { return a(i, j); }, std::greater<>());
    const auto distances = sorted_rows(
        places, [&](uint32_t i, uint32_t j) { return b(i, j); }, std::less<>());
    std::vector<int64_t> costs;
    costs.reserve(count * count);
    for (size_t i = 0; i < count; ++i) {
      const auto row = exchanges.begin() + static_cast<ptrdiff_t>(i * (count - 1));
      for (size_t j = 0; j < count; ++j) {
        const auto column = distances.begin() + static_cast<ptrdiff_t>(j * (count - 1));
        costs.push_back(std::inner_product(row, row + static_cast<ptrdiff_t>(count - 1), column,
                                           cost_with_fixed(items[i], places[j])));
      }
    }
    return costs;
  }

  /// The item for which most of its places are ruled out or dear.
  [[nodiscard]] static uint32_t most_decided(const Assignment& assignment, uint32_t count) {
    uint32_t best = 0;
    int64_t best_sum = -1;
    for (uint32_t row = 0; row < count; ++row) {
      int64_t sum = 0;
      for (uint32_t column = 0; column < count; ++column) {
        sum += assignment.reduced_cost(row, column) / count;
      }
      if (sum > best_sum) {
        best_sum = sum;
        best = row;
      }
    }
    return best;
  }

  const Qap& qap_;
  uint64_t node_limit_;
  QapProof best_;
  Permutation place_of_item_;
};

}  // namespace

base::Result<QapProof> prove_qap(const Qap& qap, uint64_t node_limit) {
  if (qap.size > kMaxExactSize) {
    return base::Error{
        base::ErrorCode::kUnsupported,
        fmt::format("{} items are too many for a proof: at most {}", qap.size, kMaxExactSize)};
  }
  base::ThreadPool one(1);
  auto start = search_qap(qap, {}, {.swap_count = uint64_t{200} * qap.size}, one);
  if (!start) return start.error();
  QapProof best{std::move(start.value().place_of_item), start.value().cost, 0, false};
  return BranchAndBound(qap, node_limit, std::move(best)).run();
}

}  // namespace pathline::mapping
