// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "figure/network/route_matrix.hpp"

// The hottest blocks of the route matrix, enlarged: where a cell of the matrix is few pixels, or
// stands for many nodes, these show single links.
namespace pathline::figure {

/// A link of the matrix as a lens shows it.
struct LensCell {
  uint32_t from = 0;  ///< Groups.
  uint32_t to = 0;
  double value = 0;  ///< The larger, the more it deserves a lens.
  layout::Color color;
  std::string text;  ///< Of the value.
};

/// A square part of the matrix, and where its enlargement is.
struct RouteLens {
  uint32_t first_row = 0;  ///< Items of the axes.
  uint32_t first_column = 0;
  uint32_t count = 0;  ///< Of rows, and of columns.
  layout::Rect place;
  std::string caption;

  [[nodiscard]] double item_px() const { return place.w / count; }
  /// Of the middle of an item, which may be outside.
  [[nodiscard]] double x_of(uint32_t item) const {
    return place.x + (static_cast<double>(item) + 0.5 - first_column) * item_px();
  }
  [[nodiscard]] double y_of(uint32_t item) const {
    return place.y + (static_cast<double>(item) + 0.5 - first_row) * item_px();
  }
};

/// Up to two blocks of nodes that agree in their first coordinates around the cells of largest
/// value, as large as cells of 7 px allow; none where the matrix has no room for lenses.
///
/// word  what the caption calls the largest value: "up to".
std::vector<RouteLens> choose_lenses(const RouteMatrix& matrix, std::span<const LensCell> cells,
                                     const char* word);

/// Numbered frames where the lenses are in the matrix.
void add_lens_frames(layout::Scene& scene, const layout::Theme& theme, const RouteMatrix& matrix,
                     std::span<const RouteLens> lenses);

/// The ground of a lens: its caption, coordinates and all links that are there.
///
/// links  of the network by items, row and column.
void add_lens_ground(layout::Scene& scene, const layout::Theme& theme, const RouteMatrix& matrix,
                     const RouteLens& lens, size_t number,
                     std::span<const std::pair<uint32_t, uint32_t>> links);
/// The links in use.
void add_lens_cells(layout::Scene& scene, const layout::Theme& theme, const RouteMatrix& matrix,
                    const RouteLens& lens, std::span<const LensCell> cells);

}  // namespace pathline::figure
