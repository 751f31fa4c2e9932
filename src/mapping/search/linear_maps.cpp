// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/search/linear_maps.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "mapping/search/place_tree.hpp"
#include "network/torus.hpp"

namespace pathline::mapping {
namespace {

// Of all weight; the pairs beyond are many and hardly tell the maps apart.
constexpr double kHeavyShare = 0.97;
constexpr size_t kGridPairs = 4096;    // Looked at to guess the process grid.
constexpr uint32_t kMostGrids = 1024;  // Guesses.

/// Reflected binary code of each group of bits; a bit set in `borders` is the highest of a group.
uint32_t gray_code(uint32_t number, uint32_t borders) {
  return number ^ ((number >> 1) & ~borders);
}

}  // namespace

LinearMaps::LinearMaps(const Problem& problem, std::span<const uint32_t> number_of_item)
    : problem_(problem) {
  const uint32_t count = problem.size();
  bit_count_ = count < 2 ? 0 : static_cast<uint32_t>(std::bit_width(count - 1));
  keep_heavy_pairs(number_of_item);
  split_distances();
  const Permutation in_order = places_in_order();
  plain_ = {identity(count), halves(in_order)};
  gray_.place = halves(places_by_gray_code(in_order));
  const uint32_t borders = process_grid();
  for (uint32_t item = 0; item < count; ++item) {
    gray_.code_of_number.push_back(gray_code(item, borders));
  }
}

void LinearMaps::keep_heavy_pairs(std::span<const uint32_t> number_of_item) {
  double whole = 0;
  for (uint32_t item = 0; item < problem_.size(); ++item) {
    for (const Problem::Partner& partner : problem_.partners(item)) {
      if (partner.item >= item) continue;
      pairs_.push_back(
          {number_of_item[item], number_of_item[partner.item], static_cast<float>(partner.weight)});
      whole += static_cast<double>(partner.weight);
    }
  }
  std::stable_sort(pairs_.begin(), pairs_.end(),
                   [](const Pair& a, const Pair& b) { return a.weight > b.weight; });
  double kept = 0;
  size_t count = 0;
  while (count < pairs_.size() && kept < kHeavyShare * whole) kept += pairs_[count++].weight;
  pairs_.resize(count);
}

void LinearMaps::split_distances() {
  low_count_ = std::max(1U, problem_.size());
  low_ = problem_.distances(0);
  high_ = {0};
  const auto* torus = dynamic_cast<const network::Torus*>(&problem_.network());
  if (torus == nullptr || torus->node_count() != problem_.size()) return;
  const std::vector<uint32_t>& sizes = torus->shape().sizes;
  uint32_t low_count = 1;
  for (size_t d = sizes.size(); d-- > 1 && low_count * low_count < problem_.size();) {
    low_count *= sizes[d];
  }
  low_count_ = low_count;
  high_count_ = problem_.size() / low_count;
  high_.clear();
  for (uint32_t a = 0; a < high_count_; ++a) {
    for (uint32_t b = 0; b < high_count_; ++b) {
      high_.push_back(static_cast<uint16_t>(problem_.distance(a * low_count, b * low_count)));
    }
  }
  for (uint32_t a = 0; a < low_count; ++a) {
    low_table_.insert(low_table_.end(), problem_.distances(a), problem_.distances(a) + low_count);
  }
  low_ = low_table_.data();
}

std::vector<LinearMaps::Halves> LinearMaps::halves(const Permutation& places) const {
  std::vector<Halves> halves;
  halves.reserve(places.size());
  for (const uint32_t place : places) halves.push_back({place / low_count_, place % low_count_});
  return halves;
}

/// Neighbouring numbers should be places near to each other.
Permutation LinearMaps::places_in_order() const {
  const auto* torus = dynamic_cast<const network::Torus*>(&problem_.network());
  if (torus != nullptr && torus->node_count() == problem_.size()) return identity(problem_.size());
  const PlaceTree tree = PlaceTree::make(problem_, 0, false);
  Permutation places(problem_.size());
  for (uint32_t slot = 0; slot < problem_.size(); ++slot) places[slot] = tree.place_of_slot(slot);
  return places;
}

Permutation LinearMaps::places_by_gray_code(const Permutation& in_order) const {
  const auto* torus = dynamic_cast<const network::Torus*>(&problem_.network());
  if (torus == nullptr || torus->node_count() != problem_.size()) return in_order;
  uint32_t borders = 0;
  uint32_t bit = 0;
  for (size_t d = torus->shape().sizes.size(); d-- > 0;) {
    if (!std::has_single_bit(torus->shape().sizes[d])) return in_order;
    bit += static_cast<uint32_t>(std::countr_zero(torus->shape().sizes[d]));
    if (bit > 0) borders |= 1U << (bit - 1);
  }
  Permutation places(problem_.size());
  for (uint32_t place = 0; place < problem_.size(); ++place) {
    places[gray_code(place, borders)] = place;
  }
  return places;
}

/// The borders between axes that let most of the weight go between items whose Gray codes differ
/// by one bit.
uint32_t LinearMaps::process_grid() const {
  if (bit_count_ < 2) return 0;
  const size_t pairs = std::min<size_t>(pairs_.size(), kGridPairs);
  const uint32_t choices = std::min(1U << (bit_count_ - 1), kMostGrids);
  uint32_t best = 0;
  double most = -1;
  for (uint32_t borders = 0; borders < choices; ++borders) {
    double weight = 0;
    for (size_t i = 0; i < pairs; ++i) {
      const uint32_t differ = gray_code(pairs_[i].a, borders) ^ gray_code(pairs_[i].b, borders);
      if (std::has_single_bit(differ)) weight += pairs_[i].weight;
    }
    if (weight > most) {
      most = weight;
      best = borders;
    }
  }
  return best;
}

/// One map and its cost, changed and changed back.
class LinearSearch {
 public:
  LinearSearch(const LinearMaps& maps, uint32_t start, std::vector<uint32_t> image,
               uint32_t evaluations, Random& random, Deadline& deadline)
      : maps_(maps),
        frame_(start % 2 == 0 ? maps.plain_ : maps.gray_),
        start_(start),
        bits_(maps.bit_count_),
        left_(evaluations),
        random_(random),
        deadline_(deadline),
        image_(std::move(image)),
        place_(maps.problem_.size()) {
    cost_ = evaluate(false, 0);
  }

  /// Anneals, then takes what helps until nothing does. `hottest` is a share of the cost.
  LinearMaps::Found run(double hottest) {
    best_ = image_;
    best_cost_ = cost_;
    anneal(hottest);
    image_ = best_;
    cost_ = best_cost_;
    descend();
    evaluate(false, 0);
    LinearMaps::Found found{{}, cost_.whole, start_, image_};
    found.place_of_number.reserve(place_.size());
    for (const LinearMaps::Halves& place : place_) {
      found.place_of_number.push_back(place.high * maps_.low_count_ + place.low);
    }
    return found;
  }

 private:
  struct Cost {
    double heavy = 0;  // Of the first quarter of the pairs.
    double whole = 0;
  };

  /// An elementary change of the matrix, of 3 * bits^2; false if it changes nothing.
  bool change(uint32_t number) {
    const uint32_t kind = number / (bits_ * bits_);
    const uint32_t i = number / bits_ % bits_;
    const uint32_t j = number % bits_;
    if (i == j || (kind == 0 && i < j)) return false;
    if (kind == 0) {
      std::swap(image_[i], image_[j]);
    } else if (kind == 1) {
      image_[i] ^= image_[j];
    } else {
      for (uint32_t& image : image_) image ^= ((image >> j) & 1U) << i;
    }
    return true;
  }

  void anneal(double hottest) {
    constexpr double kCooling = 1.0 / 24;
    constexpr double kShare = 0.7;  // Of the evaluations; the rest are for descend().
    const auto steps = bits_ < 2 ? 0U : static_cast<uint32_t>(left_ * kShare);
    std::vector<uint32_t> old;
    for (uint32_t step = 0; step < steps; ++step) {
      if (step % 16 == 0 && deadline_.passed()) break;
      const double done = static_cast<double>(step) / steps;
      const double temperature = best_cost_.whole * hottest * std::pow(kCooling, done);
      old = image_;
      if (!change(random_.below(3 * bits_ * bits_))) continue;
      const double room = temperature * random_.exponential();
      const Cost cost = evaluate(true, room);
      if (cost.whole >= cost_.whole + room) {
        image_ = old;
        continue;
      }
      cost_ = cost;
      if (cost.whole < best_cost_.whole) {
        best_ = image_;
        best_cost_ = cost;
      }
    }
  }

  /// Takes every change that helps until none does.
  void descend() {
    std::vector<uint32_t> order(size_t{3} * bits_ * bits_);
    std::iota(order.begin(), order.end(), 0U);
    uint32_t since_better = 0;
    std::vector<uint32_t> old;
    while (since_better < order.size()) {
      random_.shuffle(order);
      for (const uint32_t number : order) {
        if (left_ == 0 || deadline_.seen()) return;
        if (++since_better > order.size()) return;
        old = image_;
        if (!change(number)) continue;
        const Cost cost = evaluate(true, 0);
        if (cost.whole < cost_.whole * (1 - 1e-9)) {
          cost_ = cost;
          since_better = 0;
        } else {
          image_ = old;
        }
      }
      if (deadline_.passed()) return;
    }
  }

  /// may_give_up  when the heavy pairs became so much worse that the rest will hardly make up.
  /// room         by how much the cost may rise.
  Cost evaluate(bool may_give_up, double room) {
    left_ -= left_ > 0 ? 1 : 0;
    fill();
    const std::vector<LinearMaps::Pair>& pairs = maps_.pairs_;
    const uint16_t* high = maps_.high_.data();
    const uint16_t* low = maps_.low_;
    const auto add = [&](size_t begin, size_t end) {
      double sum = 0;
      for (size_t i = begin; i < end; ++i) {
        const LinearMaps::Pair& pair = pairs[i];
        const LinearMaps::Halves a = place_[pair.a];
        const LinearMaps::Halves b = place_[pair.b];
        const int distance = low[size_t{a.low} * maps_.low_count_ + b.low] +
                             high[a.high * maps_.high_count_ + b.high];
        sum += double{pair.weight} * distance;
      }
      return sum;
    };
    const size_t quarter = pairs.size() / 4;
    Cost cost;
    cost.heavy = add(0, quarter);
    cost.whole = cost.heavy;
    if (may_give_up && cost.heavy > cost_.heavy + room + 0.1 * (cost_.whole - cost_.heavy)) {
      cost.whole = std::numeric_limits<double>::infinity();
      return cost;
    }
    cost.whole += add(quarter, pairs.size());
    return cost;
  }

  void fill() {
    image_of_code_.resize(size_t{1} << bits_);
    image_of_code_[0] = 0;
    for (uint32_t code = 1; code < image_of_code_.size(); ++code) {
      image_of_code_[code] =
          image_of_code_[code & (code - 1)] ^ image_[static_cast<size_t>(std::countr_zero(code))];
    }
    const bool gaps = place_.size() < image_of_code_.size();
    if (gaps) rank();
    for (size_t item = 0; item < place_.size(); ++item) {
      place_[item] = frame_.place[image_of_code_[frame_.code_of_number[item]]];
    }
  }

  /// Closes the gaps between the images.
  void rank() {
    rank_.assign(image_of_code_.size(), 0);
    for (const uint32_t code : frame_.code_of_number) rank_[image_of_code_[code]] = 1;
    uint32_t next = 0;
    for (uint32_t& rank : rank_) {
      const uint32_t here = next;
      next += rank;
      rank = here;
    }
    for (uint32_t& image : image_of_code_) image = rank_[image];
  }

  const LinearMaps& maps_;
  const LinearMaps::Frame& frame_;
  uint32_t start_;
  uint32_t bits_;
  uint32_t left_;  // Evaluations.
  Random& random_;
  Deadline& deadline_;
  std::vector<uint32_t> image_;            // Per bit of an item's number.
  std::vector<LinearMaps::Halves> place_;  // Per item.
  std::vector<uint32_t> image_of_code_;
  std::vector<uint32_t> rank_;
  Cost cost_;
  std::vector<uint32_t> best_;
  Cost best_cost_;
};

LinearMaps::Found LinearMaps::search(uint32_t start, uint32_t evaluations, Random& random,
                                     Deadline& deadline) const {
  constexpr double kHottest = 0.012;
  std::vector<uint32_t> image;
  for (uint32_t bit = 0; bit < bit_count_; ++bit) image.push_back(1U << bit);
  if (start > 0) random.shuffle(image);
  return LinearSearch(*this, start, std::move(image), evaluations, random, deadline).run(kHottest);
}

LinearMaps::Found LinearMaps::improve(const Found& found, uint32_t evaluations, Random& random,
                                      Deadline& deadline) const {
  constexpr double kHottest = 0.006;
  LinearSearch search(*this, found.start, found.image, evaluations, random, deadline);
  return search.run(kHottest);
}

}  // namespace pathline::mapping
