// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/qap/qap.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "mapping/qap/tabu_search.hpp"
#include "mapping/search/random.hpp"

namespace pathline::mapping {
namespace {

/// A memetic search. Solutions are made in batches whose size does not depend on the threads.
class MemeticSearch {
 public:
  MemeticSearch(const Qap& qap, std::span<const uint32_t> start, const QapOptions& options,
                base::ThreadPool& pool)
      : qap_(qap),
        options_(options),
        pool_(pool),
        deadline_(options.time_limit_s, options.stop),
        random_(options.seed) {
    best_.place_of_item =
        start.empty() ? identity(qap.size) : Permutation(start.begin(), start.end());
    best_.cost = qap.cost(best_.place_of_item);
    budget_ = options.swap_count != 0 ? options.swap_count : uint64_t{kSwapsPerItem} * qap.size;
    run_length_ = std::clamp<uint64_t>(budget_ / kRuns, uint64_t{10} * qap.size,
                                       uint64_t{kMostSwapsPerItem} * qap.size);
  }

  QapResult run() {
    while (goes_on()) {
      start_population();
      while (goes_on() && !converged()) breed();
    }
    best_.timed_out = deadline_.seen() && best_.swap_count < budget_;
    return std::move(best_);
  }

 private:
  static constexpr uint32_t kSwapsPerItem = 4000;
  static constexpr uint64_t kRuns = 200;
  // Found by trial on sko100a and tai100a: longer runs or more members are worse after 10 s.
  static constexpr uint64_t kMostSwapsPerItem = 50;
  static constexpr size_t kPopulation = 10;
  static constexpr size_t kBatch = 8;

  struct Member {
    Permutation place_of_item;
    int64_t cost = 0;
  };

  [[nodiscard]] bool goes_on() { return best_.swap_count < budget_ && !deadline_.passed(); }

  /// Random solutions, improved; the best so far is one of them.
  void start_population() {
    population_.clear();
    std::vector<Permutation> starts;
    for (size_t i = 0; i < kPopulation; ++i) {
      starts.push_back(best_.place_of_item);
      if (i > 0) random_.shuffle(starts.back());
    }
    for (auto& member : improved(std::move(starts))) insert(std::move(member));
  }

  void breed() {
    std::vector<Permutation> children;
    for (size_t i = 0; i < kBatch; ++i) {
      const uint32_t mother = parent();
      uint32_t father = parent();
      if (father == mother) father = (mother + 1) % static_cast<uint32_t>(population_.size());
      children.push_back(
          crossed(population_[mother].place_of_item, population_[father].place_of_item));
    }
    for (auto& member : improved(std::move(children))) insert(std::move(member));
  }

  std::vector<Member> improved(std::vector<Permutation> starts) {
    const uint64_t left = budget_ - best_.swap_count;
    const uint64_t each = std::min(run_length_, left / starts.size() + 1);
    const uint64_t seed = random_.next();
    std::vector<TabuResult> results(starts.size());
    pool_.for_each(starts.size(), [&](size_t i) {
      results[i] = tabu_search(qap_, starts[i], each, Random(seed, i), deadline_);
    });
    std::vector<Member> members;
    for (TabuResult& result : results) {
      best_.swap_count += result.swap_count;
      if (result.cost < best_.cost) {
        best_.cost = result.cost;
        best_.place_of_item = result.place_of_item;
      }
      members.push_back({std::move(result.place_of_item), result.cost});
    }
    return members;
  }

  /// The better of two at random.
  uint32_t parent() {
    const auto count = static_cast<uint32_t>(population_.size());
    return std::min(random_.below(count), random_.below(count));  // Sorted, the best first.
  }

  /// Each item where one of its parents has it, as far as places are free; the rest at random.
  Permutation crossed(const Permutation& mother, const Permutation& father) {
    constexpr uint32_t kFree = UINT32_MAX;
    Permutation child(qap_.size, kFree);
    std::vector<bool> taken(qap_.size, false);
    const auto put = [&](uint32_t item, uint32_t place) {
      if (child[item] != kFree || taken[place]) return;
      child[item] = place;
      taken[place] = true;
    };
    for (uint32_t item = 0; item < qap_.size; ++item) {
      if (mother[item] == father[item]) put(item, mother[item]);
    }
    Permutation order = identity(qap_.size);
    random_.shuffle(order);
    for (const uint32_t item : order) {
      const bool first = random_.below(2) == 0;
      put(item, first ? mother[item] : father[item]);
      put(item, first ? father[item] : mother[item]);
    }
    std::vector<uint32_t> free;
    for (uint32_t place = 0; place < qap_.size; ++place) {
      if (!taken[place]) free.push_back(place);
    }
    random_.shuffle(free);
    for (uint32_t& place : child) {
      if (place != kFree) continue;
      place = free.back();
      free.pop_back();
    }
    return child;
  }

  /// Keeps the population sorted and without doubles.
  void insert(Member member) {
    for (const Member& other : population_) {
      if (other.cost == member.cost && distance(other, member) <= qap_.size / 50) return;
    }
    const auto at =
        std::upper_bound(population_.begin(), population_.end(), member,
                         [](const Member& a, const Member& b) { return a.cost < b.cost; });
    population_.insert(at, std::move(member));
    if (population_.size() > kPopulation) population_.pop_back();
  }

  /// Items that two solutions have at different places.
  [[nodiscard]] uint32_t distance(const Member& a, const Member& b) const {
    uint32_t count = 0;
    for (uint32_t i = 0; i < qap_.size; ++i) {
      count += a.place_of_item[i] != b.place_of_item[i] ? 1 : 0;
    }
    return count;
  }

  /// Crossing says nothing new any more.
  [[nodiscard]] bool converged() const {
    if (population_.size() < 4) return true;
    uint64_t sum = 0;
    for (size_t i = 1; i < population_.size(); ++i) {
      sum += distance(population_[0], population_[i]);
    }
    return sum < (population_.size() - 1) * std::max(2U, qap_.size / 50);
  }

  const Qap& qap_;
  QapOptions options_;
  base::ThreadPool& pool_;
  Deadline deadline_;
  Random random_;
  uint64_t budget_ = 0;
  uint64_t run_length_ = 0;
  std::vector<Member> population_;
  QapResult best_;
};

}  // namespace

int64_t Qap::cost(std::span<const uint32_t> place_of_item) const {
  int64_t sum = 0;
  for (uint32_t i = 0; i < size; ++i) {
    const int64_t* from = a.data() + size_t{i} * size;
    const int64_t* place = b.data() + size_t{place_of_item[i]} * size;
    for (uint32_t j = 0; j < size; ++j) sum += from[j] * place[place_of_item[j]];
  }
  return sum;
}

bool Qap::symmetric() const {
  for (size_t i = 0; i < size; ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (a[i * size + j] != a[j * size + i] || b[i * size + j] != b[j * size + i]) return false;
    }
  }
  return true;
}

base::Status Qap::check() const {
  if (size > kMaxSize) {
    return base::Error{base::ErrorCode::kUnsupported,
                       fmt::format("{} items are too many for a dense assignment problem: at most "
                                   "{}",
                                   size, kMaxSize)};
  }
  if (a.size() != size_t{size} * size || b.size() != a.size()) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("matrices of {} and {} numbers do not fit to {} items", a.size(),
                                   b.size(), size)};
  }
  const auto largest = [](const std::vector<int64_t>& values) {
    double result = 0;
    for (const int64_t value : values) {
      result = std::max(result, std::abs(static_cast<double>(value)));
    }
    return result;
  };
  double sum = 0;
  for (const int64_t value : a) sum += std::abs(static_cast<double>(value));
  // What SwapTable adds up before it subtracts is the larger one for few and large numbers.
  const double most = std::max(8 * sum, 64 * largest(a)) * largest(b);
  if (most > std::ldexp(1.0, 61)) {
    return base::Error{base::ErrorCode::kUnsupported,
                       fmt::format("an assignment problem with costs up to {:.2g} is too large to "
                                   "add up",
                                   most)};
  }
  return {};
}

base::Result<QapResult> search_qap(const Qap& qap, std::span<const uint32_t> start,
                                   const QapOptions& options, base::ThreadPool& pool) {
  if (auto status = qap.check(); !status) return status.error();
  if (!start.empty() && !is_permutation(start, qap.size)) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("the start of a search is no permutation of {} places", qap.size)};
  }
  if (qap.size < 2) return QapResult{identity(qap.size), qap.cost(identity(qap.size)), 0, false};
  return MemeticSearch(qap, start, options, pool).run();
}

}  // namespace pathline::mapping
