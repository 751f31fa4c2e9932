// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "layout/scene.hpp"
#include "render/image.hpp"

namespace pathline::render {

/// What drawing found out; for `figure --stats` and for the legend's remarks.
struct DrawStats {
  uint64_t segment_count = 0;
  uint64_t rejected_segment_count = 0;  ///< not finite or of negative weight; not drawn
  double opacity = 0;                   ///< of the lightest line, as used (last layer)
  double raster_cpu_ms = 0;             ///< density raster and its colours
};

/// The scene as pixels. The same scene gives the same bytes for any number of threads (with the
/// same fonts and version of cairo). Text is DejaVu Sans, or the system's sans-serif.
///
/// errors  kInvalidArgument if the size is not within 1 to 16384 px per side, or columns of a
///         layer differ in length.
/// cost    O(pixels + cells + what render/raster.hpp says of segments).
base::Result<Image> draw(const layout::Scene& scene, base::ThreadPool& pool,
                         DrawStats* stats = nullptr);

/// The scene as SVG 1.1: text stays text and lines stay lines; only density, and cell grids of
/// many colours, are embedded as PNG.
///
/// errors  as draw.
base::Result<std::string> draw_svg(const layout::Scene& scene, base::ThreadPool& pool,
                                   DrawStats* stats = nullptr);

}  // namespace pathline::render
