// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "layout/scene.hpp"
#include "layout/theme.hpp"

namespace pathline::layout {

/// Straight map from values to pixels; px_begin > px_end for an axis that grows upwards.
struct LinearScale {
  double value_begin = 0;
  double value_end = 1;
  double px_begin = 0;
  double px_end = 1;

  double px(double value) const {
    const double span = value_end - value_begin;
    return span == 0 ? px_begin : px_begin + (value - value_begin) / span * (px_end - px_begin);
  }
};

struct Tick {
  double value = 0;
  std::string label;  ///< with the unit
};

/// Labelled ticks and the unlabelled ones between them, ascending, inside the range asked for.
struct Ticks {
  std::vector<Tick> major;
  std::vector<double> minor;
};

/// Ticks at round times: steps of 1, 2, 5 x 10^k in ns, µs, ms, s; above 120 s in minutes and
/// hours with steps of 1, 2, 5, 10, 15, 30. One unit for all, no more decimals than the step
/// needs: "1.5 s", "20 ms", "300 µs", "2:30 min", "1:15 h".
///
/// max_count  no more major ticks than this (>= 2 for a useful axis).
/// returns    no ticks when the range is empty or not finite.
Ticks time_ticks(double begin_ns, double end_ns, size_t max_count);

/// Ticks at 1, 2, 5 x 10^k with SI multiples: "250", "1.5 k", "20 M". `unit` is put behind.
Ticks count_ticks(double begin, double end, size_t max_count, std::string_view unit = "");

/// Ticks for a logarithmic axis: powers of ten (of 1024 for bytes), thinned to `max_count`.
/// begin  must be > 0.
Ticks log_ticks(double begin, double end, size_t max_count, bool bytes);

/// Ticks, their labels and vertical grid lines for a horizontal axis along the bottom of `plot`.
/// Needs 24 px below the plot, 44 px with a title. Labels that would touch are left out.
/// Grid lines cross the plot: call it after the plot's background and before its data.
void add_bottom_axis(Scene& scene, const Theme& theme, const Rect& plot, const LinearScale& scale,
                     const Ticks& ticks, std::string_view title = "");

/// The same for a vertical axis at the left of `plot`; the title stands above it.
void add_left_axis(Scene& scene, const Theme& theme, const Rect& plot, const LinearScale& scale,
                   const Ticks& ticks, std::string_view title = "");

/// Names of equally high rows beside the left edge of `plot`, right-aligned and cut in the middle
/// to `max_width_px`. Every `every`-th row is labelled; 0 stands for row_label_distance().
void add_row_labels(Scene& scene, const Theme& theme, const Rect& plot,
                    std::span<const std::string> names, double max_width_px, size_t every = 0);

/// Names of equally wide columns below `plot`; `every` as above, with column_label_distance().
void add_column_labels(Scene& scene, const Theme& theme, const Rect& plot,
                       std::span<const std::string> names, size_t every = 0);

/// 1, 2, 5, 10, ...: every how many rows (columns) a label finds room. A matrix looks better with
/// the larger of the two on both sides.
size_t row_label_distance(const Theme& theme, const Rect& plot, size_t row_count);
size_t column_label_distance(const Theme& theme, const Rect& plot,
                             std::span<const std::string> names);

/// Width the labels of add_row_labels want, at most `max_width_px`.
double row_label_width_px(const Theme& theme, std::span<const std::string> names,
                          double max_width_px);

/// Title and muted subtitle at the top left, cut to the picture's width; also sets scene.title
/// and the background of the scene from the theme. returns the first free y below them.
double add_title(Scene& scene, const Theme& theme, std::string_view title,
                 std::string_view subtitle = "");

/// A remark in the middle of a plot that has nothing to show.
void add_remark(Scene& scene, const Theme& theme, const Rect& plot, std::string_view text);

}  // namespace pathline::layout
