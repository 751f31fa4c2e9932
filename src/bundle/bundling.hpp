// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "bundle/phase_grid.hpp"
#include "bundle/router.hpp"
#include "layout/density.hpp"
#include "layout/scene.hpp"

// Bundles of message lines: which ones, how they are drawn, and whether they may be believed.
namespace pathline::bundle {

enum class Bundling : uint8_t {
  kNone,       ///< Straight lines.
  kHierarchy,  ///< Through the tree of clusters of ends, as in Brendel et al., VPA 2016, V.A.
  kGrid,       ///< Over a uniform grid, as there.
  kQuadtree,   ///< Over a graph that is finer where there are more messages (Lambert et al. 2010).
  kAuto        ///< In columns that follow the phases; straight where that would mislead.
};

/// "none", "hierarchy", "grid", "quadtree", "auto".
/// errors  kInvalidArgument naming them.
base::Result<Bundling> parse_bundling(std::string_view name);

struct BundleOptions {
  Bundling mode = Bundling::kAuto;
  size_t degree = 2;           ///< Of the B-splines.
  std::optional<double> beta;  ///< Strength in [0,1]; absent: 1.
  size_t levels = 3;           ///< Of the hierarchy, without its root.
  std::array<uint32_t, 2> grid = {0,
                                  0};  ///< Columns and rows of the uniform grid; 0: from the size.
  bool show_nodes = false;             ///< What curves are led along (--show-hierarchy).
  double scale = 1;  ///< Pixels of the finished picture for one of the lines; see layout::Scene.
  bool measure = false;  ///< All of BundleQuality, also where it decides nothing.
};

/// How good a picture of bundles is (doc/figures.md, "The measures"); that of straight lines is all
/// defaults.
struct BundleQuality {
  double ink_ratio = 1;    ///< Pixels covered, as a share of those of the straight lines.
  double detour_mean = 1;  ///< Length of all curves over that of the straight lines.
  double detour_p95 = 1;
  double detour_max = 1;
  double displacement_px = 0;     ///< Mean distance of a curve's points from those of its line.
  double reversal = 0;            ///< Share of the curves' length that runs against time.
  double ambiguity = 0;           ///< Share of connections that a reader could infer and are none.
  double ambiguity_straight = 0;  ///< The same of the straight lines.
  double phase_fidelity = 1;      ///< Correlation of ink along the time with that of the lines.

  /// (1 - ink) less penalties for what misleads; 0 for straight lines, at most 1.
  double score() const;
};

struct Bundled {
  std::string mode;    ///< "none", "hierarchy", "grid", "quadtree", "phases"; "density" where auto
                       ///< found straight lines to be better.
  std::string reason;  ///< Why auto chose straight lines; "" otherwise.
  double column_px = 0;  ///< Of "phases": the smallest width of a column.
  size_t columns = 0;
  size_t rows = 0;
  double beta = 1;
  BundleQuality quality;
  std::unique_ptr<Router> router;  ///< nullptr for straight lines.
  /// Without bundling, and for Blend::kOver, which needs the lines one by one; else `density`.
  std::optional<layout::Segments> segments;
  std::shared_ptr<const layout::Density> density;
  double bundle_ms = 0;  ///< CPU time.
  double raster_ms = 0;
};

/// Draws the messages as bundles. Auto tries columns from the widest on, and keeps the first whose
/// picture has an ink ratio of at most 0.6, a mean detour of at most 1.1, a phase fidelity of at
/// least 0.9 and no more ambiguity than the lines; of two numbers of rows the one with the better
/// score. Three typical parts of the picture are drawn to find it, and one whole one to be sure.
/// Lines stay straight where none is found, where there are fewer than 3 on 100 px, which are told
/// apart better as lines, or where the program's period is below two columns.
///
/// lines   straight from send to receive, `clip` the plot, `style` set. The result does not depend
///         on their order.
/// rows    which rows of the plot belong together.
Bundled bundle_lines(layout::Segments lines, const RowBands& rows, const BundleOptions& options,
                     base::ThreadPool& pool);

}  // namespace pathline::bundle
