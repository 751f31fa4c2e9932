// SPDX-License-Identifier: BSD-3-Clause
#include "figure/frame.hpp"

#include <fmt/format.h>

#include "layout/axis.hpp"

namespace pathline::figure {

double Frame::add_title(const std::string& own, const std::string& usual,
                        const std::string& subtitle) {
  return layout::add_title(scene_, theme_, own.empty() ? usual : own, subtitle);
}

base::Error Frame::too_small(const char* figure) const {
  return {base::ErrorCode::kInvalidArgument,
          fmt::format("a picture of {}x{} pixels is too small for {}", scene_.width_px,
                      scene_.height_px, figure)};
}

base::Error Frame::too_small(const char* figure, double least_width_px,
                             double least_height_px) const {
  base::Error error = too_small(figure);
  error.message += fmt::format(": the smallest is {}x{}", least_width_px, least_height_px);
  return error;
}

void Frame::add_ground(const layout::Rect& plot) {
  layout::Boxes ground;
  ground.add(plot, theme_.plot_background);
  scene_.layers.emplace_back(std::move(ground));
}

}  // namespace pathline::figure
