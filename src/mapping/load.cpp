// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/load.hpp"

#include <algorithm>

namespace pathline::mapping {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

}  // namespace

LinkLoads::LinkLoads(const Problem& problem, std::span<const uint32_t> place_of_item,
                     int64_t least_bytes)
    : problem_(problem),
      least_bytes_(least_bytes),
      place_(place_of_item.begin(), place_of_item.end()),
      item_of_place_(place_of_item.size()),
      load_(problem.network().link_limit(), 0),
      change_of_link_(problem.network().link_limit(), kNone) {
  for (uint32_t item = 0; item < place_.size(); ++item) {
    item_of_place_[place_[item]] = item;
    for (const Problem::Partner& receiver : problem.receivers(item)) {
      add_route(place_[item], place_[receiver.item], receiver.weight);
    }
    // Not all at once: that would be a list as long as all routes together.
    for (const Change& change : changes_) {
      load_[change.link] += change.bytes;
      change_of_link_[change.link] = kNone;
    }
    changes_.clear();
  }
  find_max();
}

void LinkLoads::find_max() {
  max_ = load_.empty() ? 0 : *std::max_element(load_.begin(), load_.end());
}

void LinkLoads::add_route(uint32_t from_place, uint32_t to_place, int64_t bytes) {
  if (std::abs(bytes) < least_bytes_) return;
  route_.clear();
  problem_.network().route(problem_.places()[from_place], problem_.places()[to_place], route_);
  for (const network::Link link : route_) {
    uint32_t& at = change_of_link_[link];
    if (at == kNone) {
      at = static_cast<uint32_t>(changes_.size());
      changes_.push_back({link, 0});
    }
    changes_[at].bytes += bytes;
  }
}

void LinkLoads::change_routes(uint32_t item, int64_t sign, uint32_t skip) {
  for (const Problem::Partner& receiver : problem_.receivers(item)) {
    if (receiver.item == skip) continue;
    add_route(place_[item], place_[receiver.item], sign * receiver.weight);
  }
  for (const Problem::Partner& sender : problem_.senders(item)) {
    if (sender.item == skip) continue;
    add_route(place_[sender.item], place_[item], sign * sender.weight);
  }
}

std::span<const LinkLoads::Change> LinkLoads::preview(uint32_t item_a, uint32_t item_b) {
  for (const Change& change : changes_) change_of_link_[change.link] = kNone;
  changes_.clear();
  item_a_ = item_a;
  item_b_ = item_b;
  if (item_a == item_b) return changes_;
  change_routes(item_a, -1, kNone);
  change_routes(item_b, -1, item_a);
  std::swap(place_[item_a], place_[item_b]);
  change_routes(item_a, 1, kNone);
  change_routes(item_b, 1, item_a);
  std::swap(place_[item_a], place_[item_b]);
  return changes_;
}

void LinkLoads::apply() {
  std::swap(place_[item_a_], place_[item_b_]);
  item_of_place_[place_[item_a_]] = item_a_;
  item_of_place_[place_[item_b_]] = item_b_;
  bool max_fell = false;
  int64_t highest = 0;
  for (const Change& change : changes_) {
    max_fell |= load_[change.link] == max_ && change.bytes < 0;
    load_[change.link] += change.bytes;
    highest = std::max(highest, load_[change.link]);
    change_of_link_[change.link] = kNone;
  }
  changes_.clear();
  if (highest >= max_) {
    max_ = highest;
  } else if (max_fell) {
    find_max();
  }
}

int64_t max_link_load(const Problem& problem, std::span<const uint32_t> place_of_item) {
  return LinkLoads(problem, place_of_item).max();
}

}  // namespace pathline::mapping
