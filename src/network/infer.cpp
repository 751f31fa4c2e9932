// SPDX-License-Identifier: BSD-3-Clause
#include "network/infer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "network/spec.hpp"
#include "network/torus.hpp"

namespace pathline::network {
namespace {

constexpr size_t kMaxInferred = 6;  ///< Dimensions.

/// Sizes, wrap and ranks per node that may have been used.
struct Guess {
  std::vector<uint32_t> sizes;
  std::vector<bool> wrap;
  uint32_t ranks_per_node = 1;
};

uint32_t guessed_distance(const Guess& guess, uint32_t a, uint32_t b) {
  uint32_t hops = 0;
  for (size_t d = guess.sizes.size(); d-- > 0;) {
    const uint32_t size = guess.sizes[d];
    const uint32_t ca = a % size;
    const uint32_t cb = b % size;
    const uint32_t straight = ca < cb ? cb - ca : ca - cb;
    hops += guess.wrap[d] ? std::min(straight, size - straight) : straight;
    a /= size;
    b /= size;
  }
  return a == b ? hops : UINT32_MAX;  // Beyond the shape.
}

/// Lines with a hop count between two ranks.
struct Measured {
  uint32_t from;
  uint32_t to;
  uint32_t hops;
};

std::vector<Measured> measured_lines(const HopBytes* file) {
  std::vector<Measured> lines;
  for (size_t i = 0; file != nullptr && i < file->size(); ++i) {
    if (file->hops[i] == HopBytes::kNoHops) continue;
    lines.push_back({file->sender[i], file->receiver[i], file->hops[i]});
  }
  return lines;
}

bool explains(const Guess& guess, const Measured& line) {
  return guessed_distance(guess, line.from / guess.ranks_per_node,
                          line.to / guess.ranks_per_node) == line.hops;
}

/// Shapes tried against a sample of the lines.
class ShapeSearch {
 public:
  explicit ShapeSearch(std::span<const Measured> lines) {
    constexpr size_t kSample = 512;
    const size_t count = std::min(lines.size(), kSample);
    for (size_t i = 0; i < count; ++i) sample_.push_back(lines[i * lines.size() / count]);
    // The farthest first: they rule out most shapes.
    std::stable_sort(sample_.begin(), sample_.end(),
                     [](const Measured& a, const Measured& b) { return a.hops > b.hops; });
  }

  void try_nodes(uint32_t node_count, uint32_t ranks_per_node) {
    constexpr uint32_t kMostNodes = 1 << 20;  // As Torus.
    if (node_count < 2 || node_count > kMostNodes) return;
    guess_ = {{}, {}, ranks_per_node};
    split(node_count);
  }
  /// Shapes that explain the whole sample, or if none does those that explain most of it.
  [[nodiscard]] std::vector<Guess> found() const {
    std::vector<Guess> out = complete_;
    if (out.empty()) {
      for (const auto& [missed, guess] : best_) out.push_back(guess);
    }
    return out;
  }

 private:
  void split(uint32_t rest) {
    if (complete_.size() == kMostComplete) return;
    if (rest == 1) return try_wraps();
    if (guess_.sizes.size() == kMaxInferred) return;
    for (uint32_t size = 2; size <= rest; ++size) {
      if (rest % size != 0) continue;
      guess_.sizes.push_back(size);
      split(rest / size);
      guess_.sizes.pop_back();
    }
  }
  void try_wraps() {
    const size_t count = guess_.sizes.size();
    for (uint32_t mesh = 0; mesh < 1U << count; ++mesh) {
      bool same_as_other = false;
      guess_.wrap.assign(count, true);
      for (size_t d = 0; d < count; ++d) {
        if (((mesh >> d) & 1U) == 0) continue;
        guess_.wrap[d] = false;
        same_as_other = same_as_other || guess_.sizes[d] == 2;
      }
      if (!same_as_other) try_guess();
    }
  }
  void try_guess() {
    constexpr size_t kKept = 8;
    const size_t most = best_.size() < kKept ? SIZE_MAX : best_.rbegin()->first;
    size_t missed = 0;
    for (const Measured& line : sample_) {
      missed += explains(guess_, line) ? 0 : 1;
      if (missed > 0 && (!complete_.empty() || missed >= most)) return;
    }
    if (missed == 0) {
      if (complete_.size() < kMostComplete) complete_.push_back(guess_);
      return;
    }
    best_.emplace(missed, guess_);
    if (best_.size() > kKept) best_.erase(std::prev(best_.end()));
  }

  static constexpr size_t kMostComplete = 256;  // So many shapes fit where the data say nothing.
  std::vector<Measured> sample_;
  Guess guess_;
  std::vector<Guess> complete_;
  std::multimap<size_t, Guess> best_;  // By lines of the sample that do not fit.
};

/// True if exactly the pairs on one node have no hops.
bool ranks_per_node_fit(std::span<const Measured> lines, uint32_t ranks_per_node) {
  return std::all_of(lines.begin(), lines.end(), [&](const Measured& line) {
    return (line.from / ranks_per_node == line.to / ranks_per_node) == (line.hops == 0);
  });
}

std::vector<Guess> guesses_from_hops(std::span<const Measured> lines, uint32_t rank_count) {
  constexpr uint32_t kMaxRanksPerNode = 1024;
  ShapeSearch search(lines);
  // The highest ranks may be silent: shapes have the next power of two as well.
  std::vector<uint32_t> counts = {rank_count};
  if (const uint32_t power = std::bit_ceil(rank_count); power != rank_count) {
    counts.push_back(power);
  }
  for (const uint32_t count : counts) {
    for (uint32_t per_node = 1; per_node <= std::min(count, kMaxRanksPerNode); ++per_node) {
      if (count % per_node != 0 || !ranks_per_node_fit(lines, per_node)) continue;
      search.try_nodes(count / per_node, per_node);
    }
  }
  return search.found();
}

/// How each recorded hop moves along the dimensions of a torus, independent of its order.
class RouteSteps {
 public:
  RouteSteps(const Torus& torus, const Routes& routes) {
    const size_t count = torus.shape().sizes.size();
    std::vector<Link> rule;
    for (size_t r = 0; r < routes.size(); ++r) {
      if (routes.incomplete[r] != 0) continue;
      ++complete_;
      rule.clear();
      torus.route(routes.from[r], routes.to[r], rule);
      const auto recorded = routes.links_of(r);
      if (recorded.size() != rule.size()) continue;
      // Which dimension and way, each time the dimension changes; the rule has all of one kind.
      std::array<uint32_t, kMaxInferred * 2> expected{};
      std::array<uint32_t, kMaxInferred * 2> seen{};
      for (const Link link : rule) ++expected[link % (2 * count)];
      std::string sequence;  // A letter for each dimension.
      for (const Link link : recorded) {
        const auto way = static_cast<uint32_t>(link % (2 * count));
        ++seen[way];
        const auto dimension = static_cast<char>(way / 2);
        if (sequence.empty() || sequence.back() != dimension) sequence.push_back(dimension);
      }
      if (seen == expected) ++sequences_[sequence];
    }
  }
  [[nodiscard]] size_t complete() const { return complete_; }
  /// Routes that cross the dimensions in this order.
  [[nodiscard]] size_t explained(std::span<const uint32_t> order) const {
    std::array<size_t, kMaxInferred> place{};
    for (size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    size_t routes = 0;
    for (const auto& [sequence, count] : sequences_) {
      const bool ascending =
          std::adjacent_find(sequence.begin(), sequence.end(), [&](char a, char b) {
            return place[static_cast<size_t>(a)] >= place[static_cast<size_t>(b)];
          }) == sequence.end();
      routes += ascending ? count : 0;
    }
    return routes;
  }

 private:
  size_t complete_ = 0;
  std::map<std::string, size_t> sequences_;
};

std::string order_text(std::span<const uint32_t> order) {
  std::string text;
  for (const uint32_t d : order) text += torus_dimension_name(d);
  return text;
}

/// Fills in what the routes say: their number, and the orders that explain most of them.
void judge_routes(const RouteFile& file, const Guess& guess, InferredNetwork& out,
                  std::vector<uint32_t>& best_order) {
  auto torus = Torus::make({guess.sizes, guess.wrap, {}});
  if (!torus) return;
  std::vector<Vertex> node_of_rank(file.rank_count);
  for (uint32_t rank = 0; rank < file.rank_count; ++rank) {
    const uint32_t node = rank / guess.ranks_per_node;
    if (node >= torus.value()->node_count()) return;
    node_of_rank[rank] = Vertex(node);
  }
  RouteNotes notes;
  auto routes = bind_routes(file, *torus.value(), node_of_rank, {.partial = true}, "", notes);
  if (!routes) return;
  const RouteSteps steps(*torus.value(), routes.value());
  out.routes = steps.complete() + notes.left_out;
  std::vector<uint32_t> order(guess.sizes.size());
  std::iota(order.begin(), order.end(), 0U);
  do {
    const size_t explained = steps.explained(order);
    if (explained < out.routes_explained || explained == 0) continue;
    if (explained > out.routes_explained) {
      out.orders.clear();
      best_order = order;
    }
    out.routes_explained = explained;
    out.orders.push_back(order_text(order));
  } while (std::next_permutation(order.begin(), order.end()));
}

/// The shape that the coordinates of a route file span, wrapped where it cannot be told apart.
std::vector<Guess> guesses_from_routes(const RouteFile& file) {
  const size_t count = file.address_size - 1;  // The last is the core.
  if (count == 0 || count > kMaxInferred) return {};
  Guess guess;
  guess.sizes.assign(count, 1);
  std::vector<bool> ring(count, false);
  uint32_t core = 0;
  for (size_t hop = 0; hop < file.hops.size(); ++hop) {
    for (const auto address : {file.from_address(hop), file.to_address(hop)}) {
      for (size_t d = 0; d < count; ++d) {
        if (address[d] >= 1U << 16) return {};
        guess.sizes[d] = std::max(guess.sizes[d], address[d] + 1);
      }
      core = std::max(core, address[count]);
    }
  }
  for (size_t hop = 0; hop < file.hops.size(); ++hop) {
    const auto from = file.from_address(hop);
    const auto to = file.to_address(hop);
    for (size_t d = 0; d < count; ++d) {
      const uint32_t step = from[d] < to[d] ? to[d] - from[d] : from[d] - to[d];
      if (step + 1 == guess.sizes[d] && step > 1) ring[d] = true;
    }
  }
  // number = node * ranks per node + core
  std::map<uint32_t, size_t> votes;
  for (size_t hop = 0; hop < file.hops.size(); ++hop) {
    const auto address = file.to_address(hop);
    uint64_t node = 0;
    for (size_t d = 0; d < count; ++d) node = node * guess.sizes[d] + address[d];
    const uint32_t number = file.hops[hop].to_number;
    if (node == 0 || number < address[count] || (number - address[count]) % node != 0) continue;
    ++votes[static_cast<uint32_t>((number - address[count]) / node)];
  }
  for (const auto& [per_node, count_of] : votes) {
    if (per_node > 0 && count_of > votes[guess.ranks_per_node]) guess.ranks_per_node = per_node;
  }
  std::vector<Guess> guesses;
  for (uint32_t mesh = 0; mesh < 1U << count; ++mesh) {
    guess.wrap.assign(count, true);
    bool wanted = true;
    for (size_t d = 0; d < count; ++d) {
      if (((mesh >> d) & 1U) == 0) continue;
      guess.wrap[d] = false;
      wanted = wanted && guess.sizes[d] > 2 && !ring[d];
    }
    if (wanted) guesses.push_back(guess);
  }
  return guesses;
}

InferredNetwork judge(const Guess& guess, std::span<const Measured> lines,
                      const RouteFile* routes) {
  InferredNetwork out;
  out.sizes = guess.sizes;
  out.wrap.assign(guess.wrap.begin(), guess.wrap.end());
  out.ranks_per_node = guess.ranks_per_node;
  out.hop_lines = lines.size();
  for (const Measured& line : lines) out.hop_lines_explained += explains(guess, line) ? 1 : 0;
  std::vector<uint32_t> order;
  if (routes != nullptr) judge_routes(*routes, guess, out, order);
  if (order.empty()) order = known_torus_order(guess.sizes);
  out.spec = spec_of({guess.sizes, guess.wrap, order});
  if (guess.ranks_per_node > 1) out.spec += fmt::format(",ranks-per-node={}", guess.ranks_per_node);
  return out;
}

/// An XC40 if the file's numbers of nodes are those of its coordinates.
std::optional<InferredNetwork> judge_xc40(const RouteFile& file, std::span<const Measured> lines) {
  if (file.address_size != 5 && file.address_size != 6) return std::nullopt;
  std::map<uint32_t, size_t> votes;
  uint32_t highest_group = 0;
  constexpr uint32_t kPerCabinet = 3 * 16 * 4;
  for (size_t hop = 0; hop < file.hops.size(); ++hop) {
    const auto a = file.to_address(hop);
    const bool tiers = file.address_size == 5;
    const uint32_t cabinet = tiers ? a[1] / 3 : a[1];
    const uint32_t chassis = tiers ? a[1] % 3 : a[2];
    const uint32_t blade = tiers ? a[2] : a[3];
    const uint32_t node = tiers ? a[3] : a[4];
    if (cabinet > 1 || chassis > 2 || blade > 15 || node > 3) return std::nullopt;
    highest_group = std::max(highest_group, a[0]);
    if (cabinet == 0) continue;
    const uint32_t in_cabinet = node + 4 * (blade + 16 * chassis) + kPerCabinet * a[0];
    const uint32_t number = file.hops[hop].to_number;
    if (number > in_cabinet && (number - in_cabinet) % kPerCabinet == 0) {
      ++votes[(number - in_cabinet) / kPerCabinet];
    }
  }
  uint32_t groups = highest_group + 1;
  for (const auto& [count, hops] : votes) {
    if (count > highest_group && hops > votes[groups]) groups = count;
  }
  InferredNetwork out;
  out.spec = fmt::format("xc40:{}", groups);
  if (votes.empty()) {
    out.remark =
        fmt::format("no node is in a second cabinet, so there may be more than {} groups", groups);
  }
  auto machine = parse_network(out.spec);
  if (!machine) return std::nullopt;
  const Network& network = *machine.value().network;
  auto node_of_rank = block_placement(machine.value(), file.rank_count);
  if (!node_of_rank) return std::nullopt;
  for (const Dimension& dimension : network.dimensions()) out.sizes.push_back(dimension.size);
  RouteNotes notes;
  auto routes = bind_routes(file, network, node_of_rank.value(), {.partial = true}, "", notes);
  if (!routes) return std::nullopt;
  out.routes = notes.left_out;
  std::vector<Link> rule;
  for (size_t r = 0; r < routes.value().size(); ++r) {
    if (routes.value().incomplete[r] != 0) continue;
    ++out.routes;
    rule.clear();
    network.route(routes.value().from[r], routes.value().to[r], rule);
    out.routes_explained += std::ranges::equal(rule, routes.value().links_of(r)) ? 1 : 0;
  }
  out.hop_lines = lines.size();
  for (const Measured& line : lines) {
    if (std::max(line.from, line.to) >= network.node_count()) continue;
    out.hop_lines_explained +=
        network.distance(Vertex(line.from), Vertex(line.to)) == line.hops ? 1 : 0;
  }
  return out;
}

/// Joins answers that differ only in wraps which the data do not decide.
std::vector<InferredNetwork> join_wraps(std::vector<InferredNetwork> all) {
  std::vector<InferredNetwork> joined;
  for (InferredNetwork& answer : all) {
    const auto same = std::find_if(joined.begin(), joined.end(), [&](const InferredNetwork& other) {
      return other.sizes == answer.sizes && other.ranks_per_node == answer.ranks_per_node &&
             other.wrap.size() == answer.wrap.size() &&
             other.hop_lines_explained == answer.hop_lines_explained &&
             other.routes_explained == answer.routes_explained && other.orders == answer.orders;
    });
    if (same == joined.end()) {
      joined.push_back(std::move(answer));
      continue;
    }
    for (size_t d = 0; d < same->wrap.size(); ++d) {
      if (same->wrap[d] != answer.wrap[d]) same->wrap[d] = std::nullopt;
    }
  }
  return joined;
}

}  // namespace

base::Result<std::vector<InferredNetwork>> infer(const HopBytes* hop_bytes,
                                                 const RouteFile* routes) {
  const std::vector<Measured> lines = measured_lines(hop_bytes);
  if (lines.empty() && (routes == nullptr || routes->routes.empty())) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "the data hold neither hop counts nor routes, so no shape can be inferred",
                       "Give a hop-byte file with a fourth column, HOPS, or a route file."};
  }
  std::vector<Guess> guesses;
  std::vector<InferredNetwork> answers;
  if (routes != nullptr && !routes->routes.empty()) {
    guesses = guesses_from_routes(*routes);
    if (auto xc40 = judge_xc40(*routes, lines)) answers.push_back(std::move(*xc40));
  }
  for (const Guess& guess : guesses) answers.push_back(judge(guess, lines, routes));
  const bool explained = std::any_of(answers.begin(), answers.end(),
                                     [](const auto& answer) { return answer.share() == 1; });
  if (!lines.empty() && !explained) {
    for (const Guess& guess : guesses_from_hops(lines, hop_bytes->rank_count)) {
      answers.push_back(judge(guess, lines, routes));
    }
  }
  // Rings before meshes, which `join_wraps` relies on for the answer that stays.
  std::stable_sort(
      answers.begin(), answers.end(), [](const InferredNetwork& a, const InferredNetwork& b) {
        return a.share() != b.share() ? a.share() > b.share() : a.sizes.size() < b.sizes.size();
      });
  answers = join_wraps(std::move(answers));
  constexpr size_t kShown = 16;
  if (answers.size() > kShown) answers.resize(kShown);
  return answers;
}

}  // namespace pathline::network
