// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "bundle/phase_grid.hpp"
#include "bundle/router.hpp"

namespace pathline::bundle {

/// Routes over a grid of columns and rows that follow the data: straight vertical and horizontal
/// trunks, closed form, no search.
///
/// With m the larger of the distances in columns and in rows between the cells of the two ends:
/// m < 2 is a straight line; otherwise the polygon goes from the one end over m - 1 nodes to the
/// other. The ends' own cells contribute no node, which would draw hooks. Diagonal steps come
/// first, then the straight ones, so that messages end in the trunk of the phase that receives
/// them. A route that would leave the time between its ends by more than half a column is straight.
class PhaseRouter : public Router {
 public:
  /// What cells have in common: a message's way between the pieces at its ends.
  struct Cell {
    uint32_t column = 0;
    uint32_t row = 0;
  };
  struct Route {
    Cell from;
    Cell to;
    uint32_t steps = 0;  ///< m; 0 for a straight line
  };

  PhaseRouter(std::vector<Band> columns, std::vector<Band> rows);

  void route(layout::Point from, layout::Point to,
             std::vector<layout::Point>& control) const override;
  std::vector<Node> nodes() const override;

  /// cost  constant
  Route route_of(layout::Point from, layout::Point to) const;

  /// The larger of the distances in columns and in rows.
  static uint32_t steps_between(Cell from, Cell to);

  /// The i-th cell on the way, 0 being `from` and route.steps being `to`.
  static Cell cell_on(const Route& route, uint32_t i);

  layout::Point node(Cell cell) const { return {columns_[cell.column].node, rows_[cell.row].node}; }

  const std::vector<Band>& columns() const { return columns_; }
  const std::vector<Band>& rows() const { return rows_; }

 private:
  std::vector<Band> columns_;
  std::vector<Band> rows_;
  BandIndex column_index_;
  BandIndex row_index_;
};

}  // namespace pathline::bundle
