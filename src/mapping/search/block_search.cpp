// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/search/block_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace pathline::mapping {
namespace {

constexpr uint32_t kNear = 12;  // Places around a partner that an item may be brought to.

class BlockSearch {
 public:
  BlockSearch(const Problem& problem, const Weights& weights, Random& random,
              const Permutation& place_of_item)
      : problem_(problem),
        weights_(weights),
        random_(random),
        place_(place_of_item),
        new_place_(place_of_item),
        item_of_place_(place_of_item.size()),
        near_count_(std::min(kNear, problem.size() - 1)),
        near_(nearest(problem.distances(0), problem.size(), near_count_, false)) {
    bits_ = static_cast<uint32_t>(std::bit_width(problem.size() - 1));
    for (uint32_t item = 0; item < place_.size(); ++item) item_of_place_[place_[item]] = item;
    best_ = place_;
  }

  void run(const Cooling& cooling, Deadline& deadline) {
    double loss = 0;
    uint32_t losses = 0;
    for (int i = 0; i < 500; ++i) {
      const double change = draw();
      take_back();
      if (change <= 0) continue;
      loss += change;
      ++losses;
    }
    if (losses > 0) loss /= losses;
    constexpr uint64_t kBlock = 256;
    const uint64_t blocks = (cooling.steps + kBlock - 1) / kBlock;
    for (uint64_t block = 0; block < blocks && !deadline.passed(); ++block) {
      const double done = static_cast<double>(block) / static_cast<double>(blocks);
      const double temperature =
          cooling.hottest <= 0
              ? 0
              : loss * cooling.hottest * std::pow(cooling.coolest / cooling.hottest, done);
      for (uint64_t step = 0; step < kBlock; ++step) {
        const double change = draw();
        if (moved_.empty()) continue;
        if (change < temperature * random_.exponential()) {
          keep(change);
        } else {
          take_back();
        }
      }
    }
  }

  [[nodiscard]] const Permutation& best() const { return best_; }

 private:
  /// Moves a random block tentatively; returns the change of the cost.
  double draw() {
    moved_.clear();
    const std::vector<uint32_t>& busy = weights_.busy();
    const uint32_t item = busy[random_.below(static_cast<uint32_t>(busy.size()))];
    const bool of_places = random_.below(2) == 0;
    const uint32_t base = of_places ? place_[item] : item;
    const uint32_t apart = random_.below(2) == 0 ? toward_partner(item, of_places) : random_bits();
    if (apart == 0) return 0;
    exchange(of_places, base, apart, free_bits());
    return moved_.empty() ? 0 : change();
  }

  /// What has to differ to bring an item close to one of its partners.
  uint32_t toward_partner(uint32_t item, bool of_places) {
    const auto partners = weights_.partners(item);
    const double skew = random_.unit();
    const auto count = static_cast<uint32_t>(partners.size());
    const auto index = std::min(count - 1, static_cast<uint32_t>(skew * skew * count));
    const uint32_t partner = place_[partners[index].item];
    const uint32_t goal = near_[size_t{partner} * near_count_ + random_.below(near_count_)];
    return of_places ? goal ^ place_[item] : item_of_place_[goal] ^ item;
  }

  uint32_t random_bits() {
    uint32_t mask = 1U << random_.below(bits_);
    while (random_.below(3) == 0) mask ^= 1U << random_.below(bits_);
    return mask;
  }

  /// The bits in which members of a block differ: few large blocks, many small ones.
  uint32_t free_bits() {
    uint32_t count = 0;
    while (count < bits_ && random_.below(5) < 3) ++count;
    if (random_.below(2) == 0) return (1U << count) - 1;
    uint32_t mask = 0;
    for (uint32_t i = 0; i < count; ++i) mask |= 1U << random_.below(bits_);
    return mask;
  }

  /// Exchanges all of base's block with those `apart` from them.
  void exchange(bool of_places, uint32_t base, uint32_t apart, uint32_t free) {
    const bool within = (apart & ~free) == 0;
    const uint32_t lowest = apart & (~apart + 1);
    const auto size = static_cast<uint32_t>(place_.size());
    base &= ~free;
    for (uint32_t member = free;; member = (member - 1) & free) {
      const uint32_t a = base | member;
      const uint32_t b = a ^ apart;
      // A pair inside one block comes up twice.
      if ((!within || (member & lowest) == 0) && a < size && b < size) {
        const uint32_t item_a = of_places ? item_of_place_[a] : a;
        const uint32_t item_b = of_places ? item_of_place_[b] : b;
        new_place_[item_a] = place_[item_b];
        new_place_[item_b] = place_[item_a];
        moved_.push_back(item_a);
        moved_.push_back(item_b);
      }
      if (member == 0) break;
    }
  }

  [[nodiscard]] double change() const {
    // What two that move exchange comes up twice, hence the halves.
    double twice = 0;
    for (const uint32_t item : moved_) {
      const uint16_t* from = problem_.distances(place_[item]);
      const uint16_t* to = problem_.distances(new_place_[item]);
      for (const Weights::Partner& partner : weights_.partners(item)) {
        const uint32_t at = place_[partner.item];
        const uint32_t then = new_place_[partner.item];
        const int farther = int{to[then]} - int{from[at]};
        twice += double{partner.weight} * (then == at ? 2 * farther : farther);
      }
    }
    return twice / 2;
  }

  void keep(double change) {
    for (const uint32_t item : moved_) {
      place_[item] = new_place_[item];
      item_of_place_[place_[item]] = item;
    }
    cost_ += change;
    if (cost_ < best_cost_ - 1e-9 * std::abs(best_cost_)) {
      best_cost_ = cost_;
      best_ = place_;
    }
  }
  void take_back() {
    for (const uint32_t item : moved_) new_place_[item] = place_[item];
  }

  const Problem& problem_;
  const Weights& weights_;
  Random& random_;
  Permutation place_;
  Permutation new_place_;  // With the block moved; else the same.
  std::vector<uint32_t> item_of_place_;
  uint32_t near_count_;
  std::vector<uint32_t> near_;
  uint32_t bits_ = 0;
  std::vector<uint32_t> moved_;
  Permutation best_;
  double cost_ = 0;  // Less that of the start.
  double best_cost_ = 0;
};

}  // namespace

void anneal_blocks(const Problem& problem, const Weights& weights, const Cooling& cooling,
                   Random& random, Deadline& deadline, Permutation& place_of_item) {
  if (weights.busy().empty() || problem.size() < 2) return;
  BlockSearch search(problem, weights, random, place_of_item);
  search.run(cooling, deadline);
  place_of_item = search.best();
}

}  // namespace pathline::mapping
