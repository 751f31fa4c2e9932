// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/parts/recursive_halving.hpp"

#include <algorithm>
#include <numeric>

#include "mapping/parts/bisect.hpp"

namespace pathline::mapping {
namespace {

class Halving {
 public:
  Halving(const Weights& weights, const PlaceTree& tree, const HalvingOptions& options,
          Random& random, Deadline& deadline)
      : weights_(weights), tree_(tree), options_(options), random_(random), deadline_(deadline) {
    seats_.slot_of_item = seats_.item_of_slot = identity(weights.size());
    seats_.part_of_item.assign(weights.size(), 0);
    local_.assign(weights.size(), 0);
  }

  Permutation run() {
    for (uint32_t depth = 0; depth + 1 < tree_.levels().size(); ++depth) {
      halve_all(depth);
      exchange_parts(tree_.levels()[depth + 1]);
      refine(tree_.levels()[depth + 1]);
    }
    Permutation place_of_item(weights_.size());
    for (uint32_t item = 0; item < weights_.size(); ++item) {
      place_of_item[item] = tree_.place_of_slot(seats_.slot_of_item[item]);
    }
    return place_of_item;
  }

 private:
  using Level = PlaceTree::Level;

  void halve_all(uint32_t depth) {
    const Level& level = tree_.levels()[depth];
    std::vector<uint32_t> parts(level.part_count());
    std::iota(parts.begin(), parts.end(), 0U);
    random_.shuffle(parts);
    is_halved_.assign(level.part_count(), 0);
    for (const uint32_t part : parts) {
      if (level.first_child[part + 1] - level.first_child[part] == 2) halve(depth, part);
      is_halved_[part] = 1;
    }
    const Level& next = tree_.levels()[depth + 1];
    for (uint32_t part = 0; part < next.part_count(); ++part) {
      for (uint32_t slot = next.begin[part]; slot < next.begin[part + 1]; ++slot) {
        seats_.part_of_item[seats_.item_of_slot[slot]] = part;
      }
    }
  }

  /// Gives the items of one part to its two children. Until all parts of the level are done
  /// part_of_item keeps the part of the level above; the child follows from the slot.
  void halve(uint32_t depth, uint32_t part) {
    const Level& level = tree_.levels()[depth];
    const Level& next = tree_.levels()[depth + 1];
    const uint32_t begin = level.begin[part];
    const uint32_t end = level.begin[part + 1];
    const std::vector<uint32_t> items(seats_.item_of_slot.begin() + begin,
                                      seats_.item_of_slot.begin() + end);
    for (uint32_t i = 0; i < items.size(); ++i) local_[items[i]] = i;
    const uint32_t child = level.first_child[part];
    // Two items in different halves are farther apart than in one by so much.
    const float apart =
        std::max(1e-3F, next.between(child, child + 1) -
                            (next.between(child, child) + next.between(child + 1, child + 1)) / 2);
    BisectGraph graph;
    for (const uint32_t item : items) {
      float pull = 0;
      for (const Weights::Partner& partner : weights_.partners(item)) {
        const uint32_t other = seats_.part_of_item[partner.item];
        if (other == part) {
          graph.edges.push_back({local_[partner.item], partner.weight * apart});
        } else {
          pull += partner.weight * farther(level, next, child, other, partner.item);
        }
      }
      graph.row.push_back(static_cast<uint32_t>(graph.edges.size()));
      graph.size.push_back(1);
      graph.pull.push_back(pull);
    }
    const uint32_t size_0 = next.size_of(child);
    const std::vector<uint8_t> side = bisect(graph, size_0, options_.bisect_starts, random_);
    uint32_t slot[2] = {begin, begin + size_0};
    for (uint32_t i = 0; i < items.size(); ++i) {
      const uint32_t at = slot[side[i]]++;
      seats_.item_of_slot[at] = items[i];
      seats_.slot_of_item[items[i]] = at;
    }
  }

  /// How much farther from an item of part `other` the second child is than the first.
  [[nodiscard]] float farther(const Level& level, const Level& next, uint32_t child, uint32_t other,
                              uint32_t item) const {
    const uint32_t first = level.first_child[other];
    const uint32_t count = level.first_child[other + 1] - first;
    const auto to = [&](uint32_t part) {
      return next.between(child + 1, part) - next.between(child, part);
    };
    if (count == 1) return to(first);
    if (is_halved_[other] == 0) return (to(first) + to(first + 1)) / 2;
    return to(seats_.slot_of_item[item] < next.begin[first + 1] ? first : first + 1);
  }

  /// Exchanges the contents of whole parts: a small quadratic assignment problem.
  void exchange_parts(const Level& level) {
    const uint32_t count = level.part_count();
    if (options_.block_sweeps == 0 || count < 4 || count > kMostBlocks) return;
    for (uint32_t part = 1; part < count; ++part) {
      if (level.size_of(part) != level.size_of(0)) return;
    }
    const Weights between(weights_, seats_.part_of_item, count);
    Seats blocks{identity(count), identity(count), identity(count)};
    const uint32_t near_count = std::min(2 * kNear, count - 1);
    const std::vector<uint32_t> near = nearest(level.distance.data(), count, near_count, false);
    const Permutation begin = identity(count + 1);
    const Parts<float> parts{count, level.distance.data(), begin, near, near_count};
    const Cooling cooling{options_.block_hottest, options_.block_coolest,
                          uint64_t{options_.block_sweeps} * count};
    const double change = anneal_swaps(between, parts, cooling, random_, deadline_, blocks);
    if (change >= 0) return;
    const std::vector<uint32_t> old = seats_.item_of_slot;
    const uint32_t size = level.size_of(0);
    for (uint32_t slot = 0; slot < old.size(); ++slot) {
      const uint32_t block = slot / size;
      const uint32_t to = blocks.part_of_item[block] * size + slot % size;
      seats_.item_of_slot[to] = old[slot];
      seats_.slot_of_item[old[slot]] = to;
      seats_.part_of_item[old[slot]] = blocks.part_of_item[block];
    }
  }

  void refine(const Level& level) {
    const uint32_t count = level.part_count();
    if (options_.sweeps == 0 || count < 2) return;
    const bool with_itself = count < weights_.size();
    const uint32_t near_count = std::min(kNear, count - (with_itself ? 0 : 1));
    const std::vector<uint32_t> near =
        nearest(level.distance.data(), count, near_count, with_itself);
    const Parts<float> parts{count, level.distance.data(), level.begin, near, near_count};
    const Cooling cooling{options_.hottest, options_.coolest,
                          uint64_t{options_.sweeps} * weights_.busy().size()};
    anneal_swaps(weights_, parts, cooling, random_, deadline_, seats_);
  }

  static constexpr uint32_t kNear = 10;
  static constexpr uint32_t kMostBlocks = 512;

  const Weights& weights_;
  const PlaceTree& tree_;
  const HalvingOptions& options_;
  Random& random_;
  Deadline& deadline_;
  Seats seats_;
  std::vector<uint8_t> is_halved_;  // Per part of the level that is being halved.
  std::vector<uint32_t> local_;     // Per item: its number in the graph being bisected.
};

}  // namespace

Permutation halve_recursively(const Weights& weights, const PlaceTree& tree,
                              const HalvingOptions& options, Random& random, Deadline& deadline) {
  return Halving(weights, tree, options, random, deadline).run();
}

}  // namespace pathline::mapping
