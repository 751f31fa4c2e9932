// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/superpose.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/column.hpp"
#include "base/radix_sort.hpp"

namespace pathline::bundle {
namespace {

__extension__ using Wide = __int128;

layout::Segments empty_like(const layout::Segments& lines) {
  layout::Segments result;
  result.clip = lines.clip;
  result.style = lines.style;
  return result;
}

bool drawable(const layout::Segments& lines, size_t i) {
  const double weight = lines.weight_of(i);
  return std::isfinite(double{lines.x1[i]} + lines.y1[i] + lines.x2[i] + lines.y2[i] + weight) &&
         weight >= 0;
}

void add_straight(const layout::Segments& lines, size_t i, layout::Segments& result) {
  result.add(lines.x1[i], lines.y1[i], lines.x2[i], lines.y2[i]);
  result.weight.push_back(static_cast<float>(lines.weight_of(i)));
}

/// Weights as integers, so that their sum does not depend on the order: multiples of 2^-48 of the
/// largest, or a little less exact with very many messages. No weight becomes nothing.
class WeightScale {
 public:
  explicit WeightScale(const layout::Segments& lines) {
    double largest = 0;
    for (size_t i = 0; i < lines.size(); ++i) {
      if (drawable(lines, i)) largest = std::max(largest, lines.weight_of(i));
    }
    if (!(largest > 0)) return;
    // All together below 2^62.
    const int bits = std::min(48, 61 - static_cast<int>(std::bit_width(lines.size())));
    exponent_ = bits - 1 - std::ilogb(largest);
  }
  int64_t units(double weight) const {
    return weight > 0 ? std::max<int64_t>(1, std::llround(std::ldexp(weight, exponent_))) : 0;
  }
  double weight(int64_t units) const { return std::ldexp(static_cast<double>(units), -exponent_); }

 private:
  int exponent_ = 0;
};

/// What the messages on a piece have in sum: their weight, and where on their way they enter and
/// leave it, times weight.
struct Load {
  int64_t units = 0;
  int64_t begin = 0;
  int64_t end = 0;
};

// Ways through a node: straight on in 8 directions, or from one of 4 diagonals into one of its two
// straight neighbours.
constexpr size_t kWays = 16;

int sign(int64_t value) { return value < 0 ? -1 : value > 0 ? 1 : 0; }

struct Step {
  int columns;
  int rows;

  Step(PhaseRouter::Cell from, PhaseRouter::Cell to)
      : columns(sign(int64_t{to.column} - from.column)), rows(sign(int64_t{to.row} - from.row)) {}
  bool is_diagonal() const { return columns != 0 && rows != 0; }
};

/// 0..7 straight on, 8..15 turns.
size_t way_of(Step in, Step out) {
  const auto diagonal = [](Step step) {
    return static_cast<size_t>((step.columns > 0 ? 1 : 0) + (step.rows > 0 ? 2 : 0));
  };
  if (in.columns == out.columns && in.rows == out.rows) {
    if (in.is_diagonal()) return diagonal(in);
    return 4 + (in.columns != 0 ? (in.columns > 0 ? 1U : 0U) : (in.rows > 0 ? 3U : 2U));
  }
  return 8 + 2 * diagonal(in) + (out.columns != 0 ? 0 : 1);
}

/// Where the B-spline enters and leaves the neighbourhood of a node that `way` passes.
struct Passage {
  int in_columns, in_rows, out_columns, out_rows;
};

Passage passage_of(size_t way) {
  const auto diagonal = [](size_t code) {
    return std::pair{(code & 1) != 0 ? 1 : -1, (code & 2) != 0 ? 1 : -1};
  };
  if (way < 4) {
    const auto [columns, rows] = diagonal(way);
    return {columns, rows, columns, rows};
  }
  if (way < 6) {
    const int columns = way == 5 ? 1 : -1;
    return {columns, 0, columns, 0};
  }
  if (way < 8) {
    const int rows = way == 7 ? 1 : -1;
    return {0, rows, 0, rows};
  }
  const auto [columns, rows] = diagonal((way - 8) / 2);
  if (way % 2 == 0) return {columns, rows, columns, 0};
  return {columns, rows, 0, rows};
}

uint64_t pair_key(const PhaseRouter::Route& route) {
  return uint64_t{route.from.column} << 48 | uint64_t{route.from.row} << 32 |
         uint64_t{route.to.column} << 16 | route.to.row;
}

/// What a message adds to all between two cells.
struct PairUnits {
  uint64_t key;
  int64_t units;
};

PhaseRouter::Route route_of_key(uint64_t key) {
  PhaseRouter::Route route;
  route.from = {static_cast<uint32_t>(key >> 48), static_cast<uint32_t>(key >> 32 & 0xffff)};
  route.to = {static_cast<uint32_t>(key >> 16 & 0xffff), static_cast<uint32_t>(key & 0xffff)};
  route.steps = PhaseRouter::steps_between(route.from, route.to);
  return route;
}

/// The first and the last piece of a message's curve, or its only one.
void add_ends(layout::Point from, layout::Point to, const PhaseRouter::Route& route,
              const PhaseRouter& router, double weight, layout::Curves& curves) {
  const auto node = [&](uint32_t i) { return router.node(PhaseRouter::cell_on(route, i)); };
  const layout::Point first = node(1);
  if (route.steps == 2) {
    curves.add(from, first, to, 0, 1, weight);
    return;
  }
  const double piece = 1 / static_cast<double>(route.steps - 1);
  const layout::Point last = node(route.steps - 1);
  curves.add(from, first, layout::between(first, node(2)), 0, piece, weight);
  curves.add(layout::between(node(route.steps - 2), last), last, to, 1 - piece, 1, weight);
}

/// Loads of the inner pieces of all messages from one cell to another.
void add_inner(const PhaseRouter::Route& route, int64_t units, const PhaseRouter& router,
               std::vector<Load>& loads) {
  const auto pieces = static_cast<int64_t>(route.steps - 1);
  PhaseRouter::Cell before = PhaseRouter::cell_on(route, 1);
  PhaseRouter::Cell at = PhaseRouter::cell_on(route, 2);
  for (uint32_t i = 2; i + 1 < route.steps; ++i) {
    const PhaseRouter::Cell next = PhaseRouter::cell_on(route, i + 1);
    const size_t node = at.column * router.rows().size() + at.row;
    Load& load = loads[node * kWays + way_of({before, at}, {at, next})];
    load.units += units;
    load.begin += static_cast<int64_t>(Wide{units} * (i - 1) / pieces);
    load.end += static_cast<int64_t>(Wide{units} * i / pieces);
    before = at;
    at = next;
  }
}

}  // namespace

layout::Segments draw_each(const layout::Segments& lines, const Router& router,
                           const layout::Spline& spline) {
  layout::Segments result = empty_like(lines);
  std::vector<layout::Point> control;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!drawable(lines, i)) continue;
    router.route({lines.x1[i], lines.y1[i]}, {lines.x2[i], lines.y2[i]}, control);
    if (control.size() < 3) {
      add_straight(lines, i, result);
    } else {
      layout::add_spline(control, spline, lines.weight_of(i), result.curves);
    }
  }
  return result;
}

layout::Segments superpose(const layout::Segments& lines, const PhaseRouter& router) {
  layout::Segments result = empty_like(lines);
  const WeightScale scale(lines);
  base::Column<PairUnits> pairs;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!drawable(lines, i)) continue;
    const layout::Point from{lines.x1[i], lines.y1[i]};
    const layout::Point to{lines.x2[i], lines.y2[i]};
    const PhaseRouter::Route route = router.route_of(from, to);
    if (route.steps == 0) {
      add_straight(lines, i, result);
      continue;
    }
    const double weight = lines.weight_of(i);
    add_ends(from, to, route, router, weight, result.curves);
    if (route.steps > 3) pairs.push_back({pair_key(route), scale.units(weight)});
  }

  std::vector<Load> loads(router.columns().size() * router.rows().size() * kWays);
  base::radix_sort(pairs, [](const PairUnits& pair) { return pair.key; });
  for (size_t i = 0; i < pairs.size();) {
    int64_t units = 0;
    const uint64_t key = pairs[i].key;
    for (; i < pairs.size() && pairs[i].key == key; ++i) units += pairs[i].units;
    add_inner(route_of_key(key), units, router, loads);
  }
  for (size_t k = 0; k < loads.size(); ++k) {
    const Load& load = loads[k];
    if (load.units == 0) continue;
    const size_t node = k / kWays;
    const auto column = static_cast<int64_t>(node / router.rows().size());
    const auto row = static_cast<int64_t>(node % router.rows().size());
    const Passage way = passage_of(k % kWays);
    const auto node_at = [&](int64_t columns, int64_t rows) {
      return router.node(
          {static_cast<uint32_t>(column + columns), static_cast<uint32_t>(row + rows)});
    };
    const layout::Point at = node_at(0, 0);
    const auto units = static_cast<double>(load.units);
    result.curves.add(layout::between(node_at(-way.in_columns, -way.in_rows), at), at,
                      layout::between(at, node_at(way.out_columns, way.out_rows)),
                      static_cast<double>(load.begin) / units,
                      static_cast<double>(load.end) / units, scale.weight(load.units));
  }
  return result;
}

}  // namespace pathline::bundle
