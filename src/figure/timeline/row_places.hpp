// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "layout/scene.hpp"
#include "layout/theme.hpp"

namespace pathline::figure {

/// What a row does, as far as it must be compared with others: shares of its time, regions with the
/// same number modulo the size in one place.
using RowSignature = std::array<float, 16>;

/// Where rows stand that are too many to be seen one by one: those unlike their neighbours - a
/// master, one slow rank - are higher and keep a place of their own.
struct RowPlaces {
  std::vector<uint32_t> tops;    ///< Pixel of the plot where each row begins, and the last ends.
  std::vector<uint32_t> unlike;  ///< Rows, ascending.
};

/// A row is unlike the others when its shares differ from the median of the 64 rows around it by
/// more than a quarter of the time in sum, and by six times what is usual there; at most one in
/// forty pixels has a place of its own.
///
/// height_px  of the plot, in pixels of the finished picture.
/// own_px     of a row with a place of its own.
/// returns    nothing where rows are at least two thirds as high, or none is unlike the others.
std::optional<RowPlaces> places_of_rows(const std::vector<RowSignature>& signatures,
                                        uint32_t height_px, uint32_t own_px);

/// Names beside the rows: those with a place of their own, and of the others as many as find room.
///
/// scale  pixels of the finished picture for one of the plot.
void add_row_names(layout::Scene& scene, const layout::Theme& theme, const layout::Rect& plot,
                   double scale, std::span<const std::string> names, const RowPlaces& places,
                   double max_width_px);

}  // namespace pathline::figure
