// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "base/result.hpp"
#include "layout/color.hpp"
#include "layout/scene.hpp"

namespace pathline::layout {

/// Two colours for a line from its sender to its receiver.
struct Gradient {
  Color begin;
  Color end;
};

/// Colours and sizes of a picture, by the role they play. Kept by tests: text >= 4.5:1 on the
/// background and >= 4.5:1 when muted, series, gradients and the row >= 3:1 (WCAG 2.1, 1.4.3
/// and 1.4.11), series told apart also with protanopia, deuteranopia and tritanopia.
struct Theme {
  static constexpr size_t kSeriesCount = 12;

  Color background;
  Color plot_background;  ///< behind data, a little off the background
  Color text;
  Color muted_text;  ///< units, secondary remarks
  Color axis;        ///< frame and tick marks
  Color grid;        ///< grid lines, below data
  Color other;       ///< "everything else", idle, unknown
  Color highlight;   ///< one thing to look at: a warning, a limit
  std::array<Color, kSeriesCount> series;
  Gradient messages;  ///< the gradient of --palette
  Ramp heat;          ///< heat maps: from near the background (little) to the strongest (much)
  Ramp row;           ///< things in a row, as ranks: told apart, and near ones alike
  Ramp diverging;     ///< negative to positive around a neutral middle at 0.5
  bool is_dark = false;

  double title_size_px = 17;
  double text_size_px = 12;
  double small_size_px = 11;

  /// Series colour of a category; beyond kSeriesCount they repeat, lighter then darker.
  Color series_color(size_t category) const;

  /// A tint of `color`: a large area that others are drawn upon. `strength` 1 leaves it as it is.
  Color tint(Color color, double strength) const { return mix(background, color, strength); }
};

enum class ThemeName : unsigned char { kLight, kDark };

const Theme& light_theme();
const Theme& dark_theme();
const Theme& theme(ThemeName name);

/// "light" or "dark".
/// errors  kInvalidArgument for another name; the message lists the known ones.
base::Result<ThemeName> parse_theme(std::string_view name);

/// "blue-orange" (the default; told apart with every common colour vision), "green-red" (as in
/// Brendel et al., VPA 2016), "violet-gold".
/// errors  kInvalidArgument for another name; the message lists the known ones.
base::Result<Gradient> message_gradient(std::string_view palette, ThemeName name);

}  // namespace pathline::layout
