// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/parts/partition.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "mapping/qap/qap.hpp"
#include "mapping/qap/swap_table.hpp"
#include "mapping/search/random.hpp"

namespace pathline::mapping {
namespace {

/// Of the seed: a number for each thing that is decided by chance.
enum Stream : uint64_t { kCutItems = 1, kCutPlaces, kJoinParts, kFirstPart };

WeightedGraph graph_of(const Problem& problem) {
  WeightedGraph graph;
  for (uint32_t item = 0; item < problem.size(); ++item) {
    for (const Problem::Partner& partner : problem.partners(item)) {
      if (partner.weight > 0) graph.edges.push_back({partner.item, partner.weight});
    }
    graph.row.push_back(graph.edges.size());
  }
  return graph;
}

std::vector<std::vector<uint32_t>> members_of(std::span<const uint32_t> part_of, uint32_t count) {
  std::vector<std::vector<uint32_t>> members(count);
  for (uint32_t i = 0; i < part_of.size(); ++i) members[part_of[i]].push_back(i);
  return members;
}

/// A good solution does not need more than six digits of the weights, and 32-bit numbers are
/// twice as fast.
void round_to_fit(Qap& qap) {
  while (!SwapTable<int32_t>::fits(qap)) {
    for (int64_t& weight : qap.a) weight >>= 1;
  }
}

class Partition {
 public:
  Partition(const Problem& problem, uint32_t part_count, const SearchOptions& options,
            std::stop_token stop, base::ThreadPool& pool)
      : problem_(problem),
        count_(part_count),
        options_(options),
        stop_(std::move(stop)),
        pool_(pool) {}

  base::Result<SearchResult> run(std::span<const uint32_t> given) {
    SearchResult result{{given.begin(), given.end()}, false};
    const WeightedGraph items = graph_of(problem_);
    const std::vector<uint32_t> sizes = even_sizes(problem_.size(), count_);
    auto item_part = cut_into_parts(items, sizes, seed(kCutItems));
    if (!item_part) return item_part.error();
    auto place_part = cut_into_parts(nearness_graph(problem_, pool_), sizes, seed(kCutPlaces));
    if (!place_part) return place_part.error();
    places_ = members_of(place_part.value(), count_);

    auto joined = join_parts(item_part.value(), place_part.value());
    if (!joined) return joined.error();
    for (uint32_t& part : item_part.value()) part = joined.value()[part];
    // Parts of sizes that differ by one may have met.
    std::vector<uint32_t> place_sizes;
    for (const auto& members : places_) {
      place_sizes.push_back(static_cast<uint32_t>(members.size()));
    }
    fit_sizes(items, place_sizes, item_part.value());
    items_ = members_of(item_part.value(), count_);

    Permutation found(problem_.size());
    if (auto status = place_inside(found); !status) return status.error();
    if (problem_.cost(found) < problem_.cost(given)) result.place_of_item = std::move(found);
    result.timed_out = timed_out_;
    return result;
  }

 private:
  [[nodiscard]] uint64_t seed(uint64_t stream) const {
    return Random(options_.seed, stream).next();
  }
  [[nodiscard]] uint64_t swap_count(size_t size) const {
    constexpr double kPerItem = 60;
    const double factor = std::pow(3.0, std::clamp(options_.effort, 0, 20));
    return static_cast<uint64_t>(kPerItem * factor * static_cast<double>(size)) + 1;
  }
  [[nodiscard]] QapOptions qap_options(uint64_t stream, uint64_t swaps) const {
    QapOptions options{seed(stream), swaps, options_.time_limit_s, stop_};
    if (options.time_limit_s) {
      const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - begin_;
      *options.time_limit_s -= gone.count();
    }
    return options;
  }

  /// Which part of places each part of items gets.
  base::Result<Permutation> join_parts(const std::vector<uint32_t>& item_part,
                                       const std::vector<uint32_t>& place_part) {
    // Mean distances in sixteenths; of a part to itself they tell how compact it is.
    constexpr int64_t kDistanceUnit = 16;
    const size_t cells = size_t{count_} * count_;
    Qap qap{count_, std::vector<int64_t>(cells, 0), std::vector<int64_t>(cells, 0)};
    for (uint32_t item = 0; item < problem_.size(); ++item) {
      int64_t* row = qap.a.data() + size_t{item_part[item]} * count_;
      for (const Problem::Partner& partner : problem_.partners(item)) {
        row[item_part[partner.item]] += partner.weight;
      }
    }
    pool_.for_each(count_, [&](size_t part) {
      int64_t* row = qap.b.data() + part * count_;
      for (const uint32_t place : places_[part]) {
        const uint16_t* distances = problem_.distances(place);
        for (uint32_t other = 0; other < problem_.size(); ++other) {
          row[place_part[other]] += distances[other];
        }
      }
      for (uint32_t other = 0; other < count_; ++other) {
        const auto pairs = static_cast<int64_t>(places_[part].size() * places_[other].size());
        row[other] = (row[other] * kDistanceUnit + pairs / 2) / pairs;
      }
    });
    round_to_fit(qap);
    auto joined = search_qap(qap, {}, qap_options(kJoinParts, 10 * swap_count(count_)), pool_);
    if (!joined) return joined.error();
    timed_out_ = joined.value().timed_out;
    return std::move(joined.value().place_of_item);
  }

  base::Status place_inside(Permutation& found) {
    std::vector<base::Result<QapResult>> inside(count_, QapResult{});
    pool_.for_each(count_, [&](size_t part) {
      inside[part] =
          search_qap(inner_problem(items_[part], places_[part]), {},
                     qap_options(kFirstPart + part, swap_count(items_[part].size())), pool_);
    });
    for (uint32_t part = 0; part < count_; ++part) {
      if (!inside[part]) return inside[part].error();
      const QapResult& result = inside[part].value();
      timed_out_ = timed_out_ || result.timed_out;
      for (size_t i = 0; i < items_[part].size(); ++i) {
        found[items_[part][i]] = places_[part][result.place_of_item[i]];
      }
    }
    return {};
  }

  [[nodiscard]] Qap inner_problem(const std::vector<uint32_t>& items,
                                  const std::vector<uint32_t>& places) const {
    const auto size = static_cast<uint32_t>(items.size());
    Qap qap{size, std::vector<int64_t>(size_t{size} * size, 0),
            std::vector<int64_t>(size_t{size} * size, 0)};
    for (uint32_t i = 0; i < size; ++i) {
      for (const Problem::Partner& partner : problem_.partners(items[i])) {
        const auto at = std::lower_bound(items.begin(), items.end(), partner.item);
        if (at == items.end() || *at != partner.item) continue;
        qap.a[size_t{i} * size + static_cast<size_t>(at - items.begin())] = partner.weight;
      }
      for (uint32_t j = 0; j < size; ++j) {
        qap.b[size_t{i} * size + j] = problem_.distance(places[i], places[j]);
      }
    }
    round_to_fit(qap);
    return qap;
  }

  const Problem& problem_;
  uint32_t count_;
  const SearchOptions& options_;
  std::stop_token stop_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool timed_out_ = false;
  base::ThreadPool& pool_;
  std::vector<std::vector<uint32_t>> items_;   // Per part, ascending.
  std::vector<std::vector<uint32_t>> places_;  // Per part, ascending.
};

/// Parts of about 128, of equal size if a number near that divides the items.
uint32_t chosen_part_count(uint32_t size) {
  constexpr uint32_t kPartSize = 128;
  const uint32_t wanted = std::max(1U, (size + kPartSize / 2) / kPartSize);
  for (uint32_t count = wanted; count < wanted + wanted / 2; ++count) {
    if (size % count == 0) return count;
  }
  return wanted;
}

/// The distances of any two places that occur, ascending.
std::vector<uint32_t> distances_that_occur(const Problem& problem) {
  std::vector<bool> seen(size_t{UINT16_MAX} + 1, false);
  for (uint32_t a = 0; a < problem.size(); ++a) {
    const uint16_t* distances = problem.distances(a);
    for (uint32_t b = 0; b < a; ++b) seen[distances[b]] = true;
  }
  std::vector<uint32_t> occur;
  for (uint32_t distance = 0; distance < seen.size(); ++distance) {
    if (seen[distance]) occur.push_back(distance);
  }
  return occur;
}

/// Joins sets of places that can reach each other.
class Components {
 public:
  explicit Components(uint32_t size) : parent_(identity(size)), count_(size) {}
  void join(uint32_t a, uint32_t b) {
    a = root(a);
    b = root(b);
    if (a == b) return;
    parent_[std::max(a, b)] = std::min(a, b);
    --count_;
  }
  [[nodiscard]] uint32_t count() const { return count_; }

 private:
  uint32_t root(uint32_t v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }
  std::vector<uint32_t> parent_;
  uint32_t count_;
};

}  // namespace

WeightedGraph nearness_graph(const Problem& problem, base::ThreadPool& pool) {
  // Of a group of equally near places a few are enough to hold it together.
  constexpr size_t kMostNeighbours = 32;
  constexpr size_t kMostShells = 8;
  constexpr int kShellBits = 3;
  const uint32_t size = problem.size();
  std::vector<graph::Pair> pairs;
  Components components(size);
  const std::vector<uint32_t> occur = distances_that_occur(problem);
  for (size_t shell = 0; shell < std::min(occur.size(), kMostShells); ++shell) {
    const auto weight = uint64_t{1} << (kShellBits * (kMostShells - 1 - shell));
    std::vector<std::vector<uint32_t>> near(size);
    pool.for_each(size, [&](size_t a) {
      const uint16_t* distances = problem.distances(static_cast<uint32_t>(a));
      for (size_t step = 1; step < size && near[a].size() < kMostNeighbours; ++step) {
        const size_t b = (a + step) % size;
        if (distances[b] == occur[shell]) near[a].push_back(static_cast<uint32_t>(b));
      }
    });
    for (uint32_t a = 0; a < size; ++a) {
      for (const uint32_t b : near[a]) {
        pairs.push_back({a, b, 0, weight});
        components.join(a, b);
      }
    }
    if (components.count() == 1) break;
  }
  return graph_of(graph::traffic_of(size, std::move(pairs)));
}

base::Result<SearchResult> place_by_partition(const Problem& problem,
                                              std::span<const uint32_t> given, uint32_t part_count,
                                              const SearchOptions& options, std::stop_token stop,
                                              base::ThreadPool& pool) {
  const uint32_t size = problem.size();
  if (part_count > size) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("{} places cannot be cut into {} parts", size, part_count)};
  }
  if (size < 2) return SearchResult{{given.begin(), given.end()}, false};
  if (part_count == 0) part_count = chosen_part_count(size);
  const uint32_t part_size = (size + part_count - 1) / part_count;
  if (std::max(part_size, part_count) > Qap::kMaxSize) {
    return base::Error{
        base::ErrorCode::kUnsupported,
        fmt::format("{} places in {} parts make problems of {} places; at most {} can be solved",
                    size, part_count, std::max(part_size, part_count), Qap::kMaxSize),
        "Ask for another number of parts, or for none."};
  }
  return Partition(problem, part_count, options, std::move(stop), pool).run(given);
}

}  // namespace pathline::mapping
