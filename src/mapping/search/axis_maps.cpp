// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/search/axis_maps.hpp"

#include <algorithm>
#include <limits>

#include "network/torus.hpp"

namespace pathline::mapping {
namespace {

constexpr size_t kMostPairs = 20000;
constexpr size_t kGridPairs = 4096;      // Looked at to guess the grid.
constexpr double kNeighbourShare = 0.3;  // Of the weight; less is no grid.

/// Axes taken apart into prime digits.
struct Digits {
  struct Digit {
    uint32_t axis;
    uint32_t radix;
  };
  std::vector<Digit> digits;  // By axis, in an axis the highest first.

  explicit Digits(const std::vector<uint32_t>& sizes) {
    for (uint32_t axis = 0; axis < sizes.size(); ++axis) {
      uint32_t rest = sizes[axis];
      for (uint32_t prime = 2; rest > 1; ++prime) {
        if (prime * prime > rest) prime = rest;
        for (; rest % prime == 0; rest /= prime) digits.push_back({axis, prime});
      }
    }
  }

  /// The reflected code of row-major number `value`.
  void encode(uint32_t value, std::vector<uint32_t>& code) const {
    code.resize(digits.size());
    for (size_t i = digits.size(); i-- > 0;) {
      code[i] = value % digits[i].radix;
      value /= digits[i].radix;
    }
    reflect(code, true);
  }
  [[nodiscard]] uint32_t decode(std::vector<uint32_t>& code) const {
    reflect(code, false);
    uint32_t value = 0;
    for (size_t i = 0; i < digits.size(); ++i) value = value * digits[i].radix + code[i];
    return value;
  }

 private:
  /// Counts a digit backwards where the number that the higher digits of its axis make is odd.
  void reflect(std::vector<uint32_t>& code, bool encoding) const {
    uint32_t prefix = 0;
    for (size_t i = 0; i < digits.size(); ++i) {
      if (i == 0 || digits[i].axis != digits[i - 1].axis) prefix = 0;
      const uint32_t old = code[i];
      if (prefix % 2 == 1) code[i] = digits[i].radix - 1 - code[i];
      prefix = prefix * digits[i].radix + (encoding ? old : code[i]);
    }
  }
};

}  // namespace

AxisMaps::AxisMaps(const Problem& problem, std::span<const uint32_t> number_of_item)
    : problem_(problem) {
  const auto* torus = dynamic_cast<const network::Torus*>(&problem.network());
  if (torus == nullptr || torus->node_count() != problem.size() || problem.size() < 4) return;
  torus_ = torus->shape().sizes;
  keep_heavy_pairs(number_of_item);
  guess_grid();
}

void AxisMaps::keep_heavy_pairs(std::span<const uint32_t> number_of_item) {
  for (uint32_t item = 0; item < problem_.size(); ++item) {
    for (const Problem::Partner& partner : problem_.partners(item)) {
      if (partner.item >= item) continue;
      pairs_.push_back(
          {number_of_item[item], number_of_item[partner.item], static_cast<float>(partner.weight)});
    }
  }
  std::stable_sort(pairs_.begin(), pairs_.end(),
                   [](const Pair& a, const Pair& b) { return a.weight > b.weight; });
  if (pairs_.size() > kMostPairs) pairs_.resize(kMostPairs);
}

double AxisMaps::share_of_neighbours(const std::vector<uint32_t>& grid) const {
  double whole = 0;
  double near = 0;
  for (size_t i = 0; i < std::min(kGridPairs, pairs_.size()); ++i) {
    uint32_t a = pairs_[i].a;
    uint32_t b = pairs_[i].b;
    uint32_t steps = 0;
    for (size_t axis = grid.size(); axis-- > 0;) {
      const uint32_t size = grid[axis];
      const uint32_t apart = (a % size > b % size) ? a % size - b % size : b % size - a % size;
      steps += std::min(apart, size - apart);
      a /= size;
      b /= size;
    }
    whole += pairs_[i].weight;
    if (steps == 1) near += pairs_[i].weight;
  }
  return whole > 0 ? near / whole : 0;
}

void AxisMaps::guess_grid() {
  double best = kNeighbourShare;
  const uint32_t count = problem_.size();
  for (uint32_t first = 1; first <= count; ++first) {
    if (count % first != 0) continue;
    for (uint32_t second = 1; second <= count / first; ++second) {
      if (count / first % second != 0) continue;
      const std::vector<uint32_t> grid = {first, second, count / first / second};
      const double share = share_of_neighbours(grid);
      if (share <= best) continue;
      best = share;
      grid_ = grid;
    }
  }
}

/// One choice: which prime comes first in an axis, and which digit becomes which.
class AxisSearch {
 public:
  AxisSearch(const AxisMaps& maps, uint32_t evaluations, Random& random, Deadline& deadline)
      : maps_(maps),
        left_(evaluations),
        random_(random),
        deadline_(deadline),
        choice_{Digits(maps.grid_), Digits(maps.torus_), {}} {}

  Permutation run() {
    do {
      shuffle();
      evaluate();
      descend();
      if (cost_ < best_cost_) {
        best_cost_ = cost_;
        best_ = choice_;
      }
    } while (left_ > 0 && !deadline_.passed());
    choice_ = best_;
    evaluate();
    return std::move(place_);
  }

 private:
  struct Choice {
    Digits grid;
    Digits torus;
    std::vector<uint32_t> torus_digit;  // Per digit of the grid.
  };

  void shuffle() {
    for (Digits* digits : {&choice_.grid, &choice_.torus}) {
      std::vector<Digits::Digit>& all = digits->digits;
      random_.shuffle(all);
      std::stable_sort(all.begin(), all.end(), [](const Digits::Digit& a, const Digits::Digit& b) {
        return a.axis < b.axis;
      });
    }
    std::vector<uint32_t> free = identity(static_cast<uint32_t>(choice_.torus.digits.size()));
    random_.shuffle(free);
    choice_.torus_digit.clear();
    for (const Digits::Digit& digit : choice_.grid.digits) {
      const auto fits = std::find_if(free.begin(), free.end(), [&](uint32_t i) {
        return choice_.torus.digits[i].radix == digit.radix;
      });
      choice_.torus_digit.push_back(*fits);
      free.erase(fits);
    }
  }

  /// Takes exchanges of two digits of one prime that help until none does.
  void descend() {
    const size_t count = choice_.torus_digit.size();
    for (bool better = true; better;) {
      better = false;
      for (size_t i = 0; i < count; ++i) {
        for (size_t j = i + 1; j < count; ++j) {
          if (choice_.grid.digits[i].radix != choice_.grid.digits[j].radix) continue;
          if (left_ == 0 || deadline_.passed()) return;
          const double before = cost_;
          std::swap(choice_.torus_digit[i], choice_.torus_digit[j]);
          evaluate();
          if (cost_ < before) {
            better = true;
          } else {
            std::swap(choice_.torus_digit[i], choice_.torus_digit[j]);
            cost_ = before;
          }
        }
      }
    }
  }

  void evaluate() {
    left_ -= left_ > 0 ? 1 : 0;
    const uint32_t count = maps_.problem_.size();
    place_.resize(count);
    to_.resize(choice_.torus_digit.size());
    for (uint32_t item = 0; item < count; ++item) {
      choice_.grid.encode(item, from_);
      for (size_t i = 0; i < from_.size(); ++i) to_[choice_.torus_digit[i]] = from_[i];
      place_[item] = choice_.torus.decode(to_);
    }
    cost_ = 0;
    for (const AxisMaps::Pair& pair : maps_.pairs_) {
      cost_ += double{pair.weight} * maps_.problem_.distance(place_[pair.a], place_[pair.b]);
    }
  }

  const AxisMaps& maps_;
  uint32_t left_;
  Random& random_;
  Deadline& deadline_;
  Choice choice_;
  Choice best_ = choice_;
  double cost_ = 0;
  double best_cost_ = std::numeric_limits<double>::infinity();
  Permutation place_;
  std::vector<uint32_t> from_;
  std::vector<uint32_t> to_;
};

Permutation AxisMaps::search(uint32_t evaluations, Random& random, Deadline& deadline) const {
  return AxisSearch(*this, evaluations, random, deadline).run();
}

}  // namespace pathline::mapping
