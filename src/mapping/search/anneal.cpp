// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/search/anneal.hpp"

#include <algorithm>
#include <cmath>

#include "mapping/load.hpp"

namespace pathline::mapping {

Judge::Judge(const Problem& problem, Objective objective, double hop_weight) : problem_(problem) {
  if (objective == Objective::kMaxLinkLoad) hop_share_ = 0;
  if (objective == Objective::kWeighted) hop_share_ = std::clamp(hop_weight, 0.0, 1.0);
  const Permutation given = identity(problem.size());
  cost_given_ = std::max(1.0, static_cast<double>(problem.cost(given)));
  if (needs_loads()) {
    load_given_ = std::max(1.0, static_cast<double>(max_link_load(problem, given)));
  }
}

Score Judge::score(std::span<const uint32_t> place_of_item) const {
  Score score;
  score.cost = problem_.cost(place_of_item);
  score.value = hop_share_ * static_cast<double>(score.cost) / cost_given_;
  if (needs_loads()) {
    score.value += (1 - hop_share_) * static_cast<double>(max_link_load(problem_, place_of_item)) /
                   load_given_;
  }
  return score;
}

namespace {

constexpr uint32_t kNear = 12;
constexpr uint32_t kPhases = 4;
constexpr uint32_t kFirstSquarings = 3;  // p = 2^3 in the first phase, twice that in each further.

/// Places alone, as parts.
struct SinglePlaces {
  explicit SinglePlaces(const Problem& problem)
      : begin(identity(problem.size() + 1)),
        near_count(std::min(kNear, problem.size() - 1)),
        near(nearest(problem.distances(0), problem.size(), near_count, false)),
        parts{problem.size(), problem.distances(0), begin, near, near_count} {}
  SinglePlaces(const SinglePlaces&) = delete;
  SinglePlaces& operator=(const SinglePlaces&) = delete;

  Permutation begin;
  uint32_t near_count;
  std::vector<uint32_t> near;
  Parts<uint16_t> parts;
};

class LoadAnnealer {
 public:
  LoadAnnealer(const Problem& problem, const Judge& judge, const Weights& weights, Random& random,
               std::span<const uint32_t> start)
      : problem_(problem),
        judge_(judge),
        weights_(weights),
        random_(random),
        places_(problem),
        loads_(problem, start, negligible(problem)),
        seats_{{start.begin(), start.end()}, {}, {start.begin(), start.end()}},
        best_(start.begin(), start.end()) {
    seats_.item_of_slot.resize(start.size());
    for (uint32_t item = 0; item < start.size(); ++item) seats_.item_of_slot[start[item]] = item;
    place_of_node_.assign(problem.network().node_count(), kNone);
    for (uint32_t place = 0; place < problem.size(); ++place) {
      place_of_node_[problem.places()[place]] = place;
    }
    cost_ = static_cast<double>(problem.cost(start));
    best_value_ = value();
  }

  void run(const Cooling& cooling, Deadline& deadline) {
    for (uint32_t phase = 0; phase < kPhases && !deadline.passed(); ++phase) {
      squarings_ = kFirstSquarings + phase;
      Cooling part = cooling;
      part.steps = cooling.steps / kPhases;
      anneal_phase(part, deadline);
    }
  }
  [[nodiscard]] const Permutation& best() const { return best_; }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  /// Messages that are so small that all of them together are a thousandth of the bytes.
  static int64_t negligible(const Problem& problem) {
    std::vector<int64_t> bytes;
    double whole = 0;
    for (uint32_t item = 0; item < problem.size(); ++item) {
      for (const Problem::Partner& receiver : problem.receivers(item)) {
        bytes.push_back(receiver.weight);
        whole += static_cast<double>(receiver.weight);
      }
    }
    std::sort(bytes.begin(), bytes.end());
    double sum = 0;
    for (const int64_t least : bytes) {
      sum += static_cast<double>(least);
      if (sum > 1e-3 * whole) return least;
    }
    return 0;
  }

  [[nodiscard]] double value() const {
    return judge_.hop_share() * cost_ / judge_.cost_given() +
           (1 - judge_.hop_share()) * static_cast<double>(loads_.max()) / judge_.load_given();
  }

  [[nodiscard]] double power(int64_t load) const {
    double x = static_cast<double>(load) / scale_;
    for (uint32_t i = 0; i < squarings_; ++i) x *= x;
    return x;
  }
  [[nodiscard]] double norm(double powers) const {
    double x = std::max(powers, 0.0);
    for (uint32_t i = 0; i < squarings_; ++i) x = std::sqrt(x);
    return x * scale_ / judge_.load_given();
  }

  /// The loads changed since; numbers around 1 keep high powers in range.
  void renew_powers() {
    scale_ = static_cast<double>(std::max<int64_t>(1, loads_.max()));
    powers_ = 0;
    busiest_.clear();
    for (uint32_t link = 0; link < loads_.loads().size(); ++link) {
      const int64_t load = loads_.load(link);
      powers_ += power(load);
      if (10 * load >= 9 * loads_.max() && load > 0) busiest_.push_back(link);
    }
  }

  /// Half of the swaps bring an item near to a partner, half move one away from or to an end of a
  /// link that is among the most loaded.
  bool draw(uint32_t& a, uint32_t& b) {
    const std::vector<uint32_t>& busy = weights_.busy();
    if (random_.below(2) == 0 && !busiest_.empty()) {
      const network::Link link(busiest_[random_.below(static_cast<uint32_t>(busiest_.size()))]);
      const network::Network& network = problem_.network();
      const network::Vertex end =
          random_.below(2) == 0 ? network.source(link) : network.target(link);
      if (end >= place_of_node_.size() || place_of_node_[end] == kNone) return false;
      a = seats_.item_of_slot[near_to(place_of_node_[end])];
      b = seats_.item_of_slot[near_to(random_.below(2) == 0 ? seats_.part_of_item[a]
                                                            : random_.below(problem_.size()))];
    } else {
      a = busy[random_.below(static_cast<uint32_t>(busy.size()))];
      const auto partners = weights_.partners(a);
      const double skew = random_.unit();
      const auto count = static_cast<uint32_t>(partners.size());
      const auto index = std::min(count - 1, static_cast<uint32_t>(skew * skew * count));
      b = seats_.item_of_slot[near_to(seats_.part_of_item[partners[index].item])];
    }
    return a != b;
  }
  uint32_t near_to(uint32_t place) {
    const uint32_t i = random_.below(places_.near_count + 1);
    return i == 0 ? place : places_.near[size_t{place} * places_.near_count + i - 1];
  }

  /// Previews the swap; the change of the smooth objective.
  double change(uint32_t a, uint32_t b) {
    cost_change_ = swap_delta(weights_, places_.parts, seats_, a, b);
    powers_change_ = 0;
    for (const LinkLoads::Change& change : loads_.preview(a, b)) {
      if (change.bytes == 0) continue;
      const int64_t load = loads_.load(change.link);
      powers_change_ += power(load + change.bytes) - power(load);
    }
    return judge_.hop_share() * cost_change_ / judge_.cost_given() +
           (1 - judge_.hop_share()) * (norm(powers_ + powers_change_) - norm(powers_));
  }

  void accept(uint32_t a, uint32_t b) {
    loads_.apply();
    seats_.swap(a, b);
    cost_ += cost_change_;
    powers_ += powers_change_;
    const double now = value();
    if (now < best_value_ * (1 - 1e-12)) {
      best_value_ = now;
      best_ = seats_.part_of_item;
    }
  }

  void anneal_phase(const Cooling& cooling, Deadline& deadline) {
    renew_powers();
    double loss = 0;
    uint32_t losses = 0;
    uint32_t a = 0;
    uint32_t b = 0;
    for (int i = 0; i < 200; ++i) {
      if (!draw(a, b)) continue;
      const double delta = change(a, b);
      if (delta <= 0) continue;
      loss += delta;
      ++losses;
    }
    if (losses > 0) loss /= losses;
    constexpr uint64_t kBlock = 64;
    const uint64_t blocks = cooling.steps / kBlock + 1;
    for (uint64_t block = 0; block < blocks && !deadline.passed(); ++block) {
      renew_powers();
      const double done = static_cast<double>(block) / static_cast<double>(blocks);
      const double temperature =
          cooling.hottest <= 0
              ? 0
              : loss * cooling.hottest * std::pow(cooling.coolest / cooling.hottest, done);
      for (uint64_t step = 0; step < kBlock; ++step) {
        if (draw(a, b) && change(a, b) < temperature * random_.exponential()) accept(a, b);
      }
    }
  }

  const Problem& problem_;
  const Judge& judge_;
  const Weights& weights_;
  Random& random_;
  SinglePlaces places_;
  LinkLoads loads_;
  Seats seats_;
  std::vector<uint32_t> place_of_node_;
  std::vector<uint32_t> busiest_;  // Links.
  double cost_ = 0;
  double cost_change_ = 0;
  uint32_t squarings_ = kFirstSquarings;
  double scale_ = 1;
  double powers_ = 0;  // Sum over the links of (load / scale_)^p.
  double powers_change_ = 0;
  double best_value_ = 0;
  Permutation best_;
};

}  // namespace

void anneal_loads(const Problem& problem, const Judge& judge, const Weights& weights,
                  const Cooling& cooling, Random& random, Deadline& deadline,
                  Permutation& place_of_item) {
  if (weights.busy().empty() || problem.size() < 2) return;
  LoadAnnealer annealer(problem, judge, weights, random, place_of_item);
  annealer.run(cooling, deadline);
  // Small messages were left out.
  if (judge.score(annealer.best()) < judge.score(place_of_item)) place_of_item = annealer.best();
}

SearchResult anneal(const Problem& problem, std::span<const uint32_t> given,
                    const SearchOptions& options, const Cooling& cooling, std::stop_token stop) {
  SearchResult result{{given.begin(), given.end()}, false};
  Deadline deadline(options.time_limit_s, std::move(stop));
  const Weights weights(problem);
  if (weights.busy().empty() || problem.size() < 2) return result;
  const Judge judge(problem, options.objective, options.hop_weight);
  Random random(options.seed);
  if (judge.needs_loads()) {
    anneal_loads(problem, judge, weights, cooling, random, deadline, result.place_of_item);
  } else {
    const SinglePlaces places(problem);
    Seats seats{result.place_of_item, result.place_of_item, result.place_of_item};
    for (uint32_t item = 0; item < problem.size(); ++item) seats.item_of_slot[given[item]] = item;
    anneal_swaps(weights, places.parts, cooling, random, deadline, seats);
    if (problem.cost(seats.part_of_item) < problem.cost(given)) {
      result.place_of_item = std::move(seats.part_of_item);
    }
  }
  result.timed_out = deadline.seen();
  return result;
}

}  // namespace pathline::mapping
