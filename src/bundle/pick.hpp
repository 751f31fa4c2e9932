// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "bundle/router.hpp"
#include "layout/bspline.hpp"
#include "layout/scene.hpp"

namespace pathline::bundle {

/// The messages behind a pixel: those whose own line or curve gives it any weight. What
/// superpose() drew together comes apart again here.
///
/// lines    straight, from send to receive, as they were bundled.
/// router   what they were bundled with; nullptr for straight lines.
/// x, y     of the pixel, from the first one of `lines.clip`, widened to whole pixels.
/// returns  indices of lines, ascending.
/// cost     O(lines), and a curve for each whose control polygon comes near.
std::vector<uint32_t> lines_at_pixel(const layout::Segments& lines, const Router* router,
                                     const layout::Spline& spline, uint32_t x, uint32_t y);

}  // namespace pathline::bundle
