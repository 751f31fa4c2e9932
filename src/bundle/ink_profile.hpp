// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "bundle/phase_grid.hpp"
#include "layout/scene.hpp"

namespace pathline::bundle {

/// Ink along the time, estimated from where lines are and how tall: what could be bundled, and
/// what stays straight.
struct InkProfile {
  std::vector<double> movable;
  std::vector<double> fixed;
};

/// Of lines in `lines.clip`, a value for each column of pixels; independent of their order.
InkProfile ink_profile(const layout::Segments& lines, const BandIndex& row_index);

/// The phase fidelity of bundles in these columns, before any is drawn.
/// left  where the profile begins, on the axis of the columns.
double expected_fidelity(const InkProfile& profile, const std::vector<Band>& columns, double left);

/// The distance after which the profile is most like itself again, in pixels; 0 when it repeats
/// nothing. Only periods short enough to be mistaken for columns are looked for.
double dominant_period_px(const InkProfile& profile);

}  // namespace pathline::bundle
