// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/phase_router.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pathline::bundle {
namespace {

uint32_t distance(uint32_t a, uint32_t b) { return a < b ? b - a : a - b; }

/// `steps` from `from` towards `to`, no further.
uint32_t toward(uint32_t from, uint32_t to, uint32_t steps) {
  return from < to ? from + std::min(steps, to - from) : from - std::min(steps, from - to);
}

}  // namespace

PhaseRouter::PhaseRouter(std::vector<Band> columns, std::vector<Band> rows)
    : columns_(std::move(columns)),
      rows_(std::move(rows)),
      column_index_(columns_),
      row_index_(rows_) {}

uint32_t PhaseRouter::steps_between(Cell from, Cell to) {
  return std::max(distance(from.column, to.column), distance(from.row, to.row));
}

PhaseRouter::Cell PhaseRouter::cell_on(const Route& route, uint32_t i) {
  return {toward(route.from.column, route.to.column, i), toward(route.from.row, route.to.row, i)};
}

PhaseRouter::Route PhaseRouter::route_of(layout::Point from, layout::Point to) const {
  Route route{{column_index_.at(from.x), row_index_.at(from.y)},
              {column_index_.at(to.x), row_index_.at(to.y)}};
  const uint32_t steps = steps_between(route.from, route.to);
  if (steps < 2) return route;
  // Only the columns of the ends can lie outside the time between them.
  const double low = std::min(from.x, to.x);
  const double high = std::max(from.x, to.x);
  for (const uint32_t i : {uint32_t{1}, steps - 1}) {
    const Band& column = columns_[cell_on(route, i).column];
    if (column.node < low - column.width() / 2 || column.node > high + column.width() / 2) {
      return route;
    }
  }
  route.steps = steps;
  return route;
}

void PhaseRouter::route(layout::Point from, layout::Point to,
                        std::vector<layout::Point>& control) const {
  const Route route = route_of(from, to);
  control.clear();
  control.push_back(from);
  for (uint32_t i = 1; i < route.steps; ++i) control.push_back(node(cell_on(route, i)));
  control.push_back(to);
}

std::vector<Router::Node> PhaseRouter::nodes() const {
  std::vector<Node> nodes;
  for (const Band& column : columns_) {
    for (const Band& row : rows_) nodes.push_back({{column.node, row.node}, 0});
  }
  return nodes;
}

}  // namespace pathline::bundle
