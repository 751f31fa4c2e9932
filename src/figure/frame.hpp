// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "layout/scene.hpp"
#include "layout/theme.hpp"

namespace pathline::figure {

/// Free at each edge of a picture, px.
inline constexpr double kMargin = 16;

/// What all pictures have: a scene with its size and colours, a title, the ground of a plot, and
/// the words for a picture without room. A figure derives from it and adds what is its own.
class Frame {
 protected:
  /// options  those of any figure.
  template <class Options>
  explicit Frame(const Options& options) : theme_(layout::theme(options.theme)) {
    scene_.width_px = options.width_px;
    scene_.height_px = options.height_px;
    scene_.scale = options.scale;
  }

  /// own      what the options ask for; "" for the usual title of the figure.
  /// returns  the first free y.
  double add_title(const std::string& own, const std::string& usual, const std::string& subtitle);

  /// "a picture of 40x40 pixels is too small for a matrix".
  [[nodiscard]] base::Error too_small(const char* figure) const;
  /// The same with ": the smallest is 480x320".
  [[nodiscard]] base::Error too_small(const char* figure, double least_width_px,
                                      double least_height_px) const;

  /// Comes before all that is in the plot.
  void add_ground(const layout::Rect& plot);

  /// From margin to margin.
  [[nodiscard]] double inner_width() const { return scene_.width_px - 2 * kMargin; }

  /// How many pixels of the finished picture lie side by side in a length.
  [[nodiscard]] uint32_t pixels_in(double length_px) const {
    return static_cast<uint32_t>(length_px * scene_.scale + 1e-6);
  }

  layout::Scene scene_;
  const layout::Theme& theme_;
};

}  // namespace pathline::figure
