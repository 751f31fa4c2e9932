// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/problem.hpp"
#include "mapping/search/random.hpp"
#include "mapping/search/search.hpp"

namespace pathline::mapping {

/// The weights of a problem as the searches want them: small, and the heaviest partners first.
class Weights {
 public:
  struct Partner {
    uint32_t item;
    float weight;
  };
  explicit Weights(const Problem& problem);
  /// Between groups of the items of `items`.
  Weights(const Weights& items, std::span<const uint32_t> group_of_item, uint32_t group_count);

  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(row_.size() - 1); }
  [[nodiscard]] std::span<const Partner> partners(uint32_t item) const {
    return {partners_.data() + row_[item], partners_.data() + row_[item + 1]};
  }
  /// Items that have partners, ascending.
  [[nodiscard]] const std::vector<uint32_t>& busy() const { return busy_; }

 private:
  void finish_row();

  std::vector<uint64_t> row_ = {0};
  std::vector<Partner> partners_;
  std::vector<uint32_t> busy_;
};

/// Groups of places, or single ones, and the distances between the groups. Owns nothing.
template <class Distance>
struct Parts {
  uint32_t count;
  const Distance* distance;         ///< count * count.
  std::span<const uint32_t> begin;  ///< Per part its first slot, and one more.
  std::span<const uint32_t> near;   ///< Per part, near_count parts near to it.
  uint32_t near_count;

  [[nodiscard]] const Distance* row(uint32_t part) const { return distance + size_t{part} * count; }
};

/// For Parts::near: per part the `near_count` nearest ones, among them itself if `with_itself`.
/// Where more are equally far, which ones are taken goes by turns.
/// near_count  less than count, or equal if with_itself.
template <class Distance>
std::vector<uint32_t> nearest(const Distance* distance, uint32_t count, uint32_t near_count,
                              bool with_itself);

/// Where the items are.
struct Seats {
  std::vector<uint32_t> slot_of_item;
  std::vector<uint32_t> item_of_slot;
  std::vector<uint32_t> part_of_item;

  void swap(uint32_t a, uint32_t b) {
    std::swap(item_of_slot[slot_of_item[a]], item_of_slot[slot_of_item[b]]);
    std::swap(slot_of_item[a], slot_of_item[b]);
    std::swap(part_of_item[a], part_of_item[b]);
  }
};

/// Change of the cost when two items of different parts change their seats. O(partners).
template <class Distance>
double swap_delta(const Weights& weights, const Parts<Distance>& parts, const Seats& seats,
                  uint32_t a, uint32_t b) {
  const uint32_t* part = seats.part_of_item.data();
  const Distance* from_a = parts.row(part[a]);
  const Distance* from_b = parts.row(part[b]);
  double sum = 0;
  // What a and b exchange goes as far as before.
  for (const Weights::Partner& partner : weights.partners(a)) {
    if (partner.item == b) continue;
    const uint32_t at = part[partner.item];
    sum += double{partner.weight} * static_cast<double>(from_b[at] - from_a[at]);
  }
  for (const Weights::Partner& partner : weights.partners(b)) {
    if (partner.item == a) continue;
    const uint32_t at = part[partner.item];
    sum += double{partner.weight} * static_cast<double>(from_a[at] - from_b[at]);
  }
  return sum;
}

/// Temperatures as shares of the mean loss of a swap that makes things worse.
struct Cooling {
  double hottest = 0;
  double coolest = 0;
  uint64_t steps = 0;  ///< Swaps tried.
};

/// Simulated annealing (Kirkpatrick et al., Science 220, 1983) on swaps that bring an item close to
/// one of its partners. Cools geometrically.
/// returns  the change of the cost.
template <class Distance>
double anneal_swaps(const Weights& weights, const Parts<Distance>& parts, const Cooling& cooling,
                    Random& random, Deadline& deadline, Seats& seats);

}  // namespace pathline::mapping
