// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/thread_pool.hpp"
#include "bundle/router.hpp"
#include "layout/bspline.hpp"
#include "layout/scene.hpp"

namespace pathline::bundle {

/// How far bundled curves are from the straight lines they stand for (doc/figures.md, "The
/// measures"). Curves are C_i with lengths L_i, the straight lines S_i with lengths l_i and weights
/// w_i.
struct Shape {
  double detour_mean = 1;  ///< sum w L / sum w l
  double detour_p95 = 1;   ///< of L / l, over messages of at least 2 px, by weight
  double detour_max = 1;
  double reversal = 0;  ///< share of the length of all curves that runs against time
  /// Mean over messages and those of 16 points on each that are in the picture, of |C(u) - S(u)|.
  double displacement_px = 0;
};

/// cost  O(messages x length of their polygons), parallel; the same for any order of the messages
///       up to the rounding of 2^-40 of the sums.
Shape measure_shape(const layout::Segments& lines, const Router& router,
                    const layout::Spline& spline, base::ThreadPool& pool);

/// How often the picture suggests connections that are none. A reader who follows lines cannot tell
/// those apart that run through the same 8 x 8 px in the same direction (of 16): through such a
/// stretch k he sees the rows S_k (or pixels, where rows share one) that lines come from and T_k
/// that they go to, of whose pairs only E_k exchange messages: who talks to whom, whenever it may
/// be. Returned is the mean of 1 - |E_k| / (|S_k| |T_k|) over the stretches, weighted with the
/// messages in them, each once however often it passes: 0 when every connection that could be
/// inferred exists. Stretches outside `clip` do not count. Straight lines have an ambiguity as
/// well; only what bundling adds speaks against it.
///
/// router  nullptr for straight lines.
/// cost    O(n log n) in the length of all curves; meant for a sample of the messages.
double ambiguity(const layout::Segments& lines, const Router* router, const layout::Spline& spline);

}  // namespace pathline::bundle
