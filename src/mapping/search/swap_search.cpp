// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/search/swap_search.hpp"

#include <algorithm>
#include <cmath>

namespace pathline::mapping {

Weights::Weights(const Problem& problem) {
  row_.reserve(size_t{problem.size()} + 1);
  for (uint32_t item = 0; item < problem.size(); ++item) {
    for (const Problem::Partner& partner : problem.partners(item)) {
      if (partner.weight > 0) {
        partners_.push_back({partner.item, static_cast<float>(partner.weight)});
      }
    }
    finish_row();
  }
}

Weights::Weights(const Weights& items, std::span<const uint32_t> group_of_item,
                 uint32_t group_count) {
  std::vector<std::vector<uint32_t>> members(group_count);
  for (uint32_t item = 0; item < items.size(); ++item) members[group_of_item[item]].push_back(item);
  std::vector<uint64_t> entry(group_count, UINT64_MAX);  // Per group: where its partner stands.
  for (uint32_t group = 0; group < group_count; ++group) {
    for (const uint32_t item : members[group]) {
      for (const Partner& partner : items.partners(item)) {
        const uint32_t other = group_of_item[partner.item];
        if (other == group) continue;
        if (entry[other] == UINT64_MAX || entry[other] < row_.back()) {
          entry[other] = partners_.size();
          partners_.push_back({other, 0});
        }
        partners_[entry[other]].weight += partner.weight;
      }
    }
    // Sorting the row moves entries within it only: later rows see all of them as old.
    finish_row();
  }
}

void Weights::finish_row() {
  if (partners_.size() > row_.back()) busy_.push_back(size());
  std::stable_sort(partners_.begin() + static_cast<std::ptrdiff_t>(row_.back()), partners_.end(),
                   [](const Partner& a, const Partner& b) { return a.weight > b.weight; });
  row_.push_back(partners_.size());
}

template <class Distance>
std::vector<uint32_t> nearest(const Distance* distance, uint32_t count, uint32_t near_count,
                              bool with_itself) {
  std::vector<uint32_t> near;
  near.reserve(size_t{count} * near_count);
  std::vector<uint32_t> order;
  for (uint32_t part = 0; part < count; ++part) {
    const Distance* row = distance + size_t{part} * count;
    order.clear();
    // Beginning at the part itself takes turns among equals.
    for (uint32_t i = with_itself ? 0 : 1; i < count; ++i) order.push_back((part + i) % count);
    const auto end = order.begin() + near_count;
    if (end != order.end()) {
      std::nth_element(order.begin(), end, order.end(), [&](uint32_t a, uint32_t b) {
        return row[a] != row[b] ? row[a] < row[b]
                                : (a + count - part) % count < (b + count - part) % count;
      });
    }
    near.insert(near.end(), order.begin(), end);
  }
  return near;
}

namespace {

/// The swaps that annealing tries.
template <class Distance>
class Proposer {
 public:
  Proposer(const Weights& weights, const Parts<Distance>& parts)
      : weights_(weights), parts_(parts) {}

  /// Two items of different parts, one of which would come near to a partner; false if the first
  /// that were drawn are of one part.
  bool draw(const Seats& seats, Random& random, uint32_t& a, uint32_t& b) const {
    const std::vector<uint32_t>& busy = weights_.busy();
    a = busy[random.below(static_cast<uint32_t>(busy.size()))];
    const auto partners = weights_.partners(a);
    const double skew = random.unit();
    const auto count = static_cast<uint32_t>(partners.size());
    const auto index = std::min(count - 1, static_cast<uint32_t>(skew * skew * count));
    const uint32_t goal = seats.part_of_item[partners[index].item];
    const uint32_t part =
        parts_.near[size_t{goal} * parts_.near_count + random.below(parts_.near_count)];
    if (part == seats.part_of_item[a]) return false;
    const uint32_t begin = parts_.begin[part];
    b = seats.item_of_slot[begin + random.below(parts_.begin[part + 1] - begin)];
    return true;
  }

 private:
  const Weights& weights_;
  const Parts<Distance>& parts_;
};

}  // namespace

template <class Distance>
double anneal_swaps(const Weights& weights, const Parts<Distance>& parts, const Cooling& cooling,
                    Random& random, Deadline& deadline, Seats& seats) {
  if (weights.busy().empty() || parts.count < 2 || parts.near_count == 0) return 0;
  const Proposer<Distance> proposer(weights, parts);
  uint32_t a = 0;
  uint32_t b = 0;
  double loss = 0;
  uint32_t losses = 0;
  for (int i = 0; i < 1000; ++i) {
    if (!proposer.draw(seats, random, a, b)) continue;
    const double delta = swap_delta(weights, parts, seats, a, b);
    if (delta <= 0) continue;
    loss += delta;
    ++losses;
  }
  if (losses > 0) loss /= losses;

  constexpr uint64_t kBlock = 1024;
  const uint64_t blocks = (cooling.steps + kBlock - 1) / kBlock;
  double change = 0;
  for (uint64_t block = 0; block < blocks; ++block) {
    if (deadline.passed()) break;
    const double done = static_cast<double>(block) / static_cast<double>(blocks);
    const double temperature =
        cooling.hottest <= 0
            ? 0
            : loss * cooling.hottest * std::pow(cooling.coolest / cooling.hottest, done);
    for (uint64_t step = 0; step < kBlock; ++step) {
      if (!proposer.draw(seats, random, a, b)) continue;
      const double delta = swap_delta(weights, parts, seats, a, b);
      if (delta >= temperature * random.exponential()) continue;
      seats.swap(a, b);
      change += delta;
    }
  }
  return change;
}

template std::vector<uint32_t> nearest(const float*, uint32_t, uint32_t, bool);
template std::vector<uint32_t> nearest(const uint16_t*, uint32_t, uint32_t, bool);
template double anneal_swaps(const Weights&, const Parts<float>&, const Cooling&, Random&,
                             Deadline&, Seats&);
template double anneal_swaps(const Weights&, const Parts<uint16_t>&, const Cooling&, Random&,
                             Deadline&, Seats&);

}  // namespace pathline::mapping
