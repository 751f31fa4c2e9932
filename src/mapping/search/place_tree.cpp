// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/search/place_tree.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>

#include "mapping/search/random.hpp"
#include "network/torus.hpp"

namespace pathline::mapping {
namespace {

/// Reorders the places of one part; those before the returned index are the first half.
class Halver {
 public:
  Halver() = default;
  virtual ~Halver() = default;
  Halver(const Halver&) = delete;
  Halver& operator=(const Halver&) = delete;
  virtual uint32_t halve(std::span<uint32_t> part, uint32_t depth) = 0;
};

/// Cuts between two coordinates of the dimension in which the places are farthest apart.
class TorusHalver : public Halver {
 public:
  TorusHalver(const Problem& problem, const network::TorusShape& shape, uint64_t variant)
      : shape_(shape), variant_(variant), dimension_count_(shape.sizes.size()) {
    coordinate_.resize(size_t{problem.size()} * dimension_count_);
    for (uint32_t place = 0; place < problem.size(); ++place) {
      problem.network().coordinates(
          problem.places()[place],
          {coordinate_.data() + place * dimension_count_, dimension_count_});
    }
  }

  uint32_t halve(std::span<uint32_t> part, uint32_t depth) override {
    size_t best = 0;
    double widest = -1;
    Span best_span;
    for (size_t d = 0; d < dimension_count_; ++d) {
      const Span span = span_along(part, d);
      double width = span.distinct < 2 ? 0 : span.width;
      if (variant_ > 0) width *= 1 + 0.7 * Random(variant_, depth * 64 + d).unit();
      if (width > widest) {
        widest = width;
        best = d;
        best_span = span;
      }
    }
    return cut(part, best, best_span);
  }

 private:
  struct Span {
    uint32_t start = 0;     // The coordinate to count from, after the widest gap of a ring.
    uint32_t distinct = 0;  // Coordinates that occur.
    double width = 0;       // About the mean distance of two places.
  };

  [[nodiscard]] uint32_t coordinate(uint32_t place, size_t d) const {
    return coordinate_[place * dimension_count_ + d];
  }

  Span span_along(std::span<const uint32_t> part, size_t d) {
    const uint32_t size = shape_.sizes[d];
    seen_.assign(size, 0);
    for (const uint32_t place : part) seen_[coordinate(place, d)] = 1;
    std::vector<uint32_t> present;
    for (uint32_t c = 0; c < size; ++c) {
      if (seen_[c] != 0) present.push_back(c);
    }
    Span span;
    span.distinct = static_cast<uint32_t>(present.size());
    span.start = present.front();
    uint32_t extent = present.back() - present.front() + 1;
    if (shape_.wrap[d]) {
      for (size_t i = 1; i < present.size(); ++i) {
        const uint32_t without_gap = size - (present[i] - present[i - 1]) + 1;
        if (without_gap < extent) {
          extent = without_gap;
          span.start = present[i];
        }
      }
    }
    // Two random places of a line are a third of it apart, of a ring a quarter.
    const bool ring = shape_.wrap[d] && extent == size;
    span.width = extent / (ring ? 4.0 : 3.0) - (ring ? 0.0 : 1.0 / (3.0 * extent));
    return span;
  }

  uint32_t cut(std::span<uint32_t> part, size_t d, const Span& span) {
    const uint32_t size = shape_.sizes[d];
    const auto along = [&](uint32_t place) {
      return (coordinate(place, d) + size - span.start) % size;
    };
    std::stable_sort(part.begin(), part.end(),
                     [&](uint32_t a, uint32_t b) { return along(a) < along(b); });
    const auto half = static_cast<uint32_t>(part.size() / 2);
    if (span.distinct < 2) return half;
    uint32_t below = half;
    while (below > 0 && along(part[below - 1]) == along(part[half])) --below;
    uint32_t above = half;
    while (above < part.size() && along(part[above]) == along(part[half])) ++above;
    const bool take_below = below > 0 && (above == part.size() || half - below <= above - half);
    return take_below ? below : above;
  }

  const network::TorusShape& shape_;
  uint64_t variant_;
  size_t dimension_count_;
  std::vector<uint32_t> coordinate_;
  std::vector<uint8_t> seen_;
};

/// Looks at distances only: starts from places near to one or the other of two far ones, and
/// exchanges places between the halves while that puts more distance between them and less into
/// them (Kernighan and Lin's gain).
class DistanceHalver : public Halver {
 public:
  DistanceHalver(const Problem& problem, uint64_t variant) : problem_(problem), variant_(variant) {}

  uint32_t halve(std::span<uint32_t> part, uint32_t depth) override {
    const auto size = static_cast<uint32_t>(part.size());
    const uint32_t half = size / 2;
    if (size <= 2) return half;
    std::sort(part.begin(), part.end());
    Random random(variant_, depth);
    uint32_t a = farthest(part, variant_ == 0 ? part[0] : part[random.below(size)]);
    const uint32_t b = farthest(part, a);
    const uint16_t* from_a = problem_.distances(a);
    const uint16_t* from_b = problem_.distances(b);
    std::stable_sort(part.begin(), part.end(), [&](uint32_t x, uint32_t y) {
      return int{from_a[x]} - int{from_b[x]} < int{from_a[y]} - int{from_b[y]};
    });
    exchange(part, half);
    return half;
  }

 private:
  [[nodiscard]] uint32_t farthest(std::span<const uint32_t> part, uint32_t from) const {
    const uint16_t* distance = problem_.distances(from);
    return *std::max_element(part.begin(), part.end(),
                             [&](uint32_t x, uint32_t y) { return distance[x] < distance[y]; });
  }

  void exchange(std::span<uint32_t> part, uint32_t half) {
    const size_t size = part.size();
    // What moving a place to the other half takes out of the halves, less what it puts in.
    std::vector<int64_t> gain(size, 0);
    for (size_t i = 0; i < size; ++i) {
      const uint16_t* distance = problem_.distances(part[i]);
      for (size_t j = 0; j < size; ++j) {
        gain[i] += (i < half) == (j < half) ? distance[part[j]] : -int64_t{distance[part[j]]};
      }
    }
    for (size_t round = 0; round < size; ++round) {
      const auto middle = gain.begin() + half;
      const auto i = static_cast<size_t>(std::max_element(gain.begin(), middle) - gain.begin());
      const auto j = static_cast<size_t>(std::max_element(middle, gain.end()) - gain.begin());
      const uint16_t* from_i = problem_.distances(part[i]);
      const uint16_t* from_j = problem_.distances(part[j]);
      // Each exchange makes the sum of distances inside the halves smaller, so this ends.
      if (gain[i] + gain[j] + 2 * int64_t{from_i[part[j]]} <= 0) break;
      for (size_t k = 0; k < size; ++k) {
        const int64_t change = 2 * (int64_t{from_j[part[k]]} - int64_t{from_i[part[k]]});
        gain[k] += k < half ? change : -change;
      }
      std::swap(part[i], part[j]);
      gain[i] = own_gain(part, half, i);
      gain[j] = own_gain(part, half, j);
    }
  }

  [[nodiscard]] int64_t own_gain(std::span<const uint32_t> part, uint32_t half, size_t i) const {
    const uint16_t* distance = problem_.distances(part[i]);
    int64_t sum = 0;
    for (size_t j = 0; j < part.size(); ++j) {
      sum += (i < half) == (j < half) ? distance[part[j]] : -int64_t{distance[part[j]]};
    }
    return sum;
  }

  const Problem& problem_;
  uint64_t variant_;
};

std::unique_ptr<Halver> halver_for(const Problem& problem, uint64_t variant) {
  const auto* torus = dynamic_cast<const network::Torus*>(&problem.network());
  if (torus != nullptr) return std::make_unique<TorusHalver>(problem, torus->shape(), variant);
  return std::make_unique<DistanceHalver>(problem, variant);
}

}  // namespace

PlaceTree PlaceTree::make(const Problem& problem, uint64_t variant, bool with_distances) {
  PlaceTree tree;
  tree.halve(problem, variant);
  if (with_distances) tree.add_distances(problem);
  return tree;
}

void PlaceTree::halve(const Problem& problem, uint64_t variant) {
  const std::unique_ptr<Halver> halver = halver_for(problem, variant);
  order_ = identity(problem.size());
  levels_.push_back({.begin = {0, problem.size()}});
  while (levels_.back().part_count() < problem.size()) {
    Level& level = levels_.back();
    Level next;
    for (uint32_t part = 0; part < level.part_count(); ++part) {
      level.first_child.push_back(static_cast<uint32_t>(next.begin.size()));
      next.begin.push_back(level.begin[part]);
      if (level.size_of(part) < 2) continue;
      const std::span<uint32_t> places{order_.data() + level.begin[part], level.size_of(part)};
      next.begin.push_back(level.begin[part] +
                           halver->halve(places, static_cast<uint32_t>(levels_.size())));
    }
    level.first_child.push_back(static_cast<uint32_t>(next.begin.size()));
    next.begin.push_back(problem.size());
    levels_.push_back(std::move(next));
  }
}

void PlaceTree::add_distances(const Problem& problem) {
  const size_t n = problem.size();
  std::vector<float>& leaf = levels_.back().distance;
  leaf.resize(n * n);
  for (size_t a = 0; a < n; ++a) {
    const uint16_t* distance = problem.distances(order_[a]);
    for (size_t b = 0; b < n; ++b) leaf[a * n + b] = distance[order_[b]];
  }
  for (size_t depth = levels_.size() - 1; depth-- > 0;) {
    const Level& fine = levels_[depth + 1];
    Level& level = levels_[depth];
    const uint32_t count = level.part_count();
    level.distance.assign(size_t{count} * count, 0);
    for (uint32_t a = 0; a < count; ++a) {
      for (uint32_t b = 0; b < count; ++b) {
        double sum = 0;
        double pairs = 0;
        for (uint32_t x = level.first_child[a]; x < level.first_child[a + 1]; ++x) {
          for (uint32_t y = level.first_child[b]; y < level.first_child[b + 1]; ++y) {
            const double weight =
                double{1} * fine.size_of(x) * (fine.size_of(y) - (x == y ? 1 : 0));
            sum += weight * fine.between(x, y);
            pairs += weight;
          }
        }
        level.distance[size_t{a} * count + b] = pairs > 0 ? static_cast<float>(sum / pairs) : 0;
      }
    }
  }
}

}  // namespace pathline::mapping
