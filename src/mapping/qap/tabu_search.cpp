// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/qap/tabu_search.hpp"

#include <algorithm>

#include "mapping/qap/swap_table.hpp"

namespace pathline::mapping {
namespace {

/// Until when an item may not come back to a place, and what follows for swaps.
template <class Number>
class TabuList {
 public:
  explicit TabuList(uint32_t size)
      : size_(size),
        item_place_(size, size),
        place_item_(size, size),
        pair_(size, size, SwapTable<Number>::kNever) {
    for (uint32_t i = 0; i < size; ++i) std::fill(pair_.row(i) + i + 1, pair_.row(i) + size, 0);
  }

  /// Per pair i < j of items; others never.
  [[nodiscard]] const LaneMatrix<Number>& pairs() const { return pair_; }
  void forbid(uint32_t item, uint32_t place, Number until) {
    item_place_.row(item)[place] = until;
    place_item_.row(place)[item] = until;
  }
  /// After an item has moved. A swap is tabu when both its items would come back.
  void update_pairs_of(uint32_t item, const Permutation& place_of_item) {
    const Number* by_place = item_place_.row(item);
    const Number* by_item = place_item_.row(place_of_item[item]);
    for (uint32_t j = 0; j < item; ++j) {
      pair_.row(j)[item] = std::min(by_place[place_of_item[j]], by_item[j]);
    }
    for (uint32_t j = item + 1; j < size_; ++j) {
      pair_.row(item)[j] = std::min(by_place[place_of_item[j]], by_item[j]);
    }
  }

 private:
  uint32_t size_;
  LaneMatrix<Number> item_place_;
  LaneMatrix<Number> place_item_;
  LaneMatrix<Number> pair_;
};

template <class Number>
class TabuSearch {
 public:
  TabuSearch(const Qap& qap, std::span<const uint32_t> start, Random random)
      : table_(qap, start),
        tabu_(qap.size),
        random_(random),
        cost_(qap.cost(start)),
        best_{{start.begin(), start.end()}, cost_, 0} {}

  TabuResult run(uint64_t swap_count, Deadline& deadline) {
    constexpr uint64_t kSwapsBetweenLooks = 256;
    for (uint64_t step = 1; step <= swap_count; ++step) {
      if (step % kSwapsBetweenLooks == 0 && deadline.passed()) break;
      now_ = static_cast<Number>(step);
      carry_out(table_.best(tabu_.pairs(), now_, aspired()));
      ++best_.swap_count;
    }
    return std::move(best_);
  }

 private:
  /// A swap that adds less leads to a better solution than the best.
  [[nodiscard]] Number aspired() const {
    constexpr auto kLeast = -static_cast<int64_t>(SwapTable<Number>::kNever);
    if constexpr (sizeof(Number) == 8) return static_cast<Number>(best_.cost - cost_);
    return static_cast<Number>(std::max(best_.cost - cost_, kLeast));
  }

  /// Mostly short, sometimes long: Taillard's later choice, better than 0.9 to 1.1 * size.
  Number tenure() {
    const double share = random_.unit();
    return static_cast<Number>(static_cast<int32_t>(8 * share * share * share * table_.size()) + 1);
  }

  void carry_out(const typename SwapTable<Number>::Swap& swap) {
    if (!swap.valid()) return;  // Everything is tabu.
    for (const uint32_t item : {swap.i, swap.j}) {
      tabu_.forbid(item, table_.place_of_item()[item], now_ + tenure());
    }
    table_.swap(swap.i, swap.j);
    for (const uint32_t item : {swap.i, swap.j}) {
      tabu_.update_pairs_of(item, table_.place_of_item());
    }
    cost_ += static_cast<int64_t>(swap.added);
    if (cost_ < best_.cost) {
      best_.cost = cost_;
      best_.place_of_item = table_.place_of_item();
    }
  }

  SwapTable<Number> table_;
  TabuList<Number> tabu_;
  Random random_;
  Number now_ = 0;
  int64_t cost_;
  TabuResult best_;
};

}  // namespace

TabuResult tabu_search(const Qap& qap, std::span<const uint32_t> start, uint64_t swap_count,
                       Random random, Deadline& deadline) {
  swap_count = std::min<uint64_t>(swap_count, 1'000'000'000);  // Steps are kept as Number.
  if (SwapTable<int32_t>::fits(qap)) {
    return TabuSearch<int32_t>(qap, start, random).run(swap_count, deadline);
  }
  if (SwapTable<double>::fits(qap)) {
    return TabuSearch<double>(qap, start, random).run(swap_count, deadline);
  }
  return TabuSearch<int64_t>(qap, start, random).run(swap_count, deadline);
}

}  // namespace pathline::mapping
