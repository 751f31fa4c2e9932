// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/problem.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include <fmt/format.h>

namespace pathline::mapping {

base::Result<Problem> Problem::make(const network::Network& network,
                                    const graph::Traffic& node_traffic,
                                    std::vector<network::Vertex> places, base::ThreadPool& pool) {
  if (places.size() > kMaxPlaces) {
    return base::Error{base::ErrorCode::kUnsupported,
                       fmt::format("{} places are too many to search: at most {} can be remapped",
                                   places.size(), kMaxPlaces)};
  }
  Problem problem;
  problem.network_ = &network;
  problem.places_ = std::move(places);
  const size_t n = problem.places_.size();
  std::vector<uint32_t> item_of_node(network.node_count(), UINT32_MAX);
  for (size_t i = 0; i < n; ++i) item_of_node[problem.places_[i]] = static_cast<uint32_t>(i);

  std::vector<graph::Pair> pairs;
  std::vector<graph::Pair> back;
  double total = 0;
  for (uint32_t sender = 0; sender < node_traffic.rank_count(); ++sender) {
    for (size_t i = node_traffic.row[sender]; i < node_traffic.row[sender + 1]; ++i) {
      const uint32_t receiver = node_traffic.receiver[i];
      if (sender == receiver) continue;
      const uint32_t a = item_of_node[sender];
      const uint32_t b = item_of_node[receiver];
      if (a == UINT32_MAX || b == UINT32_MAX) {
        return base::Error{
            base::ErrorCode::kInvalidArgument,
            fmt::format("node {} exchanges bytes, but is none of the {} places to be used",
                        network.name(network::Vertex(a == UINT32_MAX ? sender : receiver)), n)};
      }
      total += static_cast<double>(node_traffic.bytes[i]);
      pairs.push_back({a, b, 0, node_traffic.bytes[i]});
      back.push_back({b, a, 0, node_traffic.bytes[i]});
    }
  }
  if (network.diameter() > INT16_MAX) {
    return base::Error{base::ErrorCode::kUnsupported,
                       fmt::format("routes of up to {} links are too long to search: at most {}",
                                   network.diameter(), INT16_MAX)};
  }
  // Twice for directions, and room for differences of sums.
  constexpr double kMostHopBytes = 1e18;
  if (total * 4 * std::max(1U, network.diameter()) > kMostHopBytes) {
    return base::Error{base::ErrorCode::kUnsupported,
                       fmt::format("{:.3g} bytes over up to {} links are too many to add up", total,
                                   network.diameter())};
  }
  const auto fill = [&](std::vector<graph::Pair> of, std::vector<uint64_t>& row,
                        std::vector<Partner>& partners) {
    graph::Traffic traffic = graph::traffic_of(static_cast<uint32_t>(n), std::move(of));
    row = std::move(traffic.row);
    partners.resize(traffic.receiver.size());
    for (size_t i = 0; i < partners.size(); ++i) {
      partners[i] = {traffic.receiver[i], static_cast<int64_t>(traffic.bytes[i])};
    }
  };
  fill(pairs, problem.receiver_row_, problem.receivers_);
  fill(back, problem.sender_row_, problem.senders_);
  pairs.insert(pairs.end(), back.begin(), back.end());
  fill(std::move(pairs), problem.row_, problem.partners_);

  problem.distance_.resize(n * n);
  std::atomic<bool> differ = false;
  pool.for_each(n, [&](size_t a) {
    for (size_t b = 0; b < n; ++b) {
      problem.distance_[a * n + b] =
          static_cast<uint16_t>(network.distance(problem.places_[a], problem.places_[b]));
    }
  });
  pool.for_each(n, [&](size_t a) {
    for (size_t b = 0; b < a; ++b) {
      if (problem.distance_[a * n + b] != problem.distance_[b * n + a]) differ = true;
    }
  });
  if (differ) {
    problem.distance_unit_ = 2;
    for (size_t a = 0; a < n; ++a) {
      for (size_t b = 0; b < a; ++b) {
        const auto both =
            static_cast<uint16_t>(problem.distance_[a * n + b] + problem.distance_[b * n + a]);
        problem.distance_[a * n + b] = problem.distance_[b * n + a] = both;
      }
    }
  }
  return problem;
}

int64_t Problem::cost(std::span<const uint32_t> place_of_item) const {
  int64_t sum = 0;
  for (uint32_t item = 0; item < size(); ++item) {
    const uint16_t* distance = distances(place_of_item[item]);
    for (const Partner& partner : partners(item)) {
      if (partner.item < item) sum += partner.weight * distance[place_of_item[partner.item]];
    }
  }
  return sum;
}

Permutation identity(uint32_t size) {
  Permutation places(size);
  std::iota(places.begin(), places.end(), 0U);
  return places;
}

bool is_permutation(std::span<const uint32_t> places, uint32_t size) {
  if (places.size() != size) return false;
  std::vector<bool> seen(size, false);
  for (const uint32_t place : places) {
    if (place >= size || seen[place]) return false;
    seen[place] = true;
  }
  return true;
}

}  // namespace pathline::mapping
