// SPDX-License-Identifier: BSD-3-Clause
#include "layout/theme.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "base/choice.hpp"

namespace pathline::layout {
namespace {

/// Lightness, chroma and hue in degrees.
Oklab from_lch(double lightness, double chroma, double hue_deg) {
  const double hue = hue_deg * std::numbers::pi / 180;
  return {lightness, chroma * std::cos(hue), chroma * std::sin(hue)};
}

// Heat ramps run from near the background away from it, lightness monotone, hue from blue-violet
// over teal to yellow (the order viridis made familiar), so that they also work in grey.
Ramp light_heat() {
  return Ramp(std::array{from_lch(0.925, 0.08, 108), from_lch(0.82, 0.12, 138),
                         from_lch(0.69, 0.105, 185), from_lch(0.52, 0.105, 236),
                         from_lch(0.37, 0.125, 276), from_lch(0.22, 0.10, 300)});
}

Ramp dark_heat() {
  return Ramp(std::array{from_lch(0.27, 0.085, 292), from_lch(0.40, 0.125, 274),
                         from_lch(0.54, 0.105, 236), from_lch(0.69, 0.105, 188),
                         from_lch(0.83, 0.135, 140), from_lch(0.95, 0.13, 106)});
}

// From warm to cold, lightness and the blue-yellow axis both monotone: that is what is left of
// colour without red and green, and in grey.
Ramp light_row() {
  return Ramp(std::array{from_lch(0.66, 0.165, 52), from_lch(0.645, 0.135, 92),
                         from_lch(0.61, 0.14, 138), from_lch(0.57, 0.10, 190),
                         from_lch(0.51, 0.13, 245), from_lch(0.43, 0.19, 285),
                         from_lch(0.36, 0.17, 325)});
}

Ramp dark_row() {
  return Ramp(std::array{from_lch(0.86, 0.14, 65), from_lch(0.84, 0.16, 100),
                         from_lch(0.78, 0.17, 145), from_lch(0.71, 0.11, 195),
                         from_lch(0.65, 0.15, 245), from_lch(0.585, 0.19, 288),
                         from_lch(0.55, 0.21, 335)});
}

// The two categorical palettes were found by simulated annealing: the smallest OKLab distance of
// two colours, also as seen with protanopia, deuteranopia and tritanopia (simulated after Machado
// et al., IEEE TVCG 15, 2009), was maximised with blue and orange given and 3:1 on the background
// kept. The order is by hand: the first few differ most in hue. The shades of regions were found in
// the same way, each family within its hues.
Theme make_light() {
  const Color neutral = rgb(0xeceef1);
  return Theme{
      .background = rgb(0xffffff),
      .plot_background = rgb(0xf7f8fa),
      .text = rgb(0x1b1f26),
      .muted_text = rgb(0x5b6470),
      .axis = rgb(0x858d99),
      .grid = rgb(0xdfe3e8),
      .other = rgb(0x868d97),
      .highlight = rgb(0xc62828),
      .series = {rgb(0x2b78c9), rgb(0xd4620c), rgb(0x166963), rgb(0xae489d), rgb(0x698c64),
                 rgb(0x6d32b1), rgb(0x944c23), rgb(0x8b7fff), rgb(0x1e407b), rgb(0xa984a5),
                 rgb(0x553a09), rgb(0x701351)},
      .regions = {.program = {rgb(0x8ab8ff), rgb(0x0e91d6), rgb(0x6fab5d), rgb(0x516386),
                              rgb(0x32b4ca), rgb(0x0d7c61), rgb(0x6c62cd), rgb(0x99d07b),
                              rgb(0x01dace)},
                  .mpi = {rgb(0xf5af00), rgb(0xfd7757), rgb(0xca7201), rgb(0x916400), rgb(0xd33d57),
                          rgb(0xa6000b), rgb(0x770700), rgb(0x734145)},
                  .file_io = {rgb(0x9851e9), rgb(0x91037f), rgb(0x6c1bb9)}},
      .messages = {rgb(0x1565c8), rgb(0xd9600a)},
      .heat = light_heat(),
      .row = light_row(),
      .diverging =
          Ramp(std::array{rgb(0x12448f), rgb(0x5e9bdd), neutral, rgb(0xe58a45), rgb(0x94390a)}),
      .is_dark = false,
  };
}

Theme make_dark() {
  const Color neutral = rgb(0x2a2f38);
  return Theme{
      .background = rgb(0x14171c),
      .plot_background = rgb(0x1b1f26),
      .text = rgb(0xe9ecf1),
      .muted_text = rgb(0xa3acb9),
      .axis = rgb(0x767f8c),
      .grid = rgb(0x2d333d),
      .other = rgb(0x7d8591),
      .highlight = rgb(0xff6b62),
      .series = {rgb(0x4f9ff5), rgb(0xf58a3c), rgb(0x72cbaa), rgb(0xb74b60), rgb(0xcbd53a),
                 rgb(0x8363d4), rgb(0xb1c3ff), rgb(0xa37a0f), rgb(0x6cffff), rgb(0xb88db3),
                 rgb(0x417d94), rgb(0xfedfb7)},
      .regions = {.program = {rgb(0x8d91fe), rgb(0x03bed2), rgb(0x32b884), rgb(0x9eccb7),
                              rgb(0x0191c8), rgb(0x0c8852), rgb(0x6860ca), rgb(0x76ef9c),
                              rgb(0xcbcbff)},
                  .mpi = {rgb(0xffce48), rgb(0xff7e74), rgb(0xfa9f0d), rgb(0xb78e01), rgb(0xdc4860),
                          rgb(0xba5600), rgb(0xad0010), rgb(0x7d4a4e)},
                  .file_io = {rgb(0xdba1ff), rgb(0xa35ff9), rgb(0xa24a98)}},
      .messages = {rgb(0x4aa3ff), rgb(0xff9233)},
      .heat = dark_heat(),
      .row = dark_row(),
      .diverging =
          Ramp(std::array{rgb(0x9cc8ff), rgb(0x3b7dc4), neutral, rgb(0xc9681f), rgb(0xffc08a)}),
      .is_dark = true,
  };
}

}  // namespace

Color Theme::series_color(size_t category) const {
  return shade(series[category % kSeriesCount], category / kSeriesCount);
}

Color Theme::shade(Color color, size_t round) const {
  if (round == 0) return color;
  // Towards the background first, then towards the text, and so on with growing strength.
  const double strength = 0.22 + 0.12 * static_cast<double>(((round - 1) / 2) % 3);
  return mix(color, round % 2 == 1 ? background : text, strength);
}

const Theme& light_theme() {
  static const Theme theme = make_light();
  return theme;
}

const Theme& dark_theme() {
  static const Theme theme = make_dark();
  return theme;
}

const Theme& theme(ThemeName name) {
  return name == ThemeName::kDark ? dark_theme() : light_theme();
}

base::Result<ThemeName> parse_theme(std::string_view name) {
  static constexpr std::pair<std::string_view, ThemeName> kNames[] = {{"light", ThemeName::kLight},
                                                                      {"dark", ThemeName::kDark}};
  return base::choose("--theme", name, kNames);
}

base::Result<Gradient> message_gradient(std::string_view palette, ThemeName name) {
  const bool dark = name == ThemeName::kDark;
  const std::pair<std::string_view, Gradient> palettes[] = {
      {"auto", theme(name).messages},
      {"blue-orange", theme(name).messages},
      {"green-red",
       dark ? Gradient{rgb(0x41c96b), rgb(0xff5c50)} : Gradient{rgb(0x148a3c), rgb(0xd02a20)}},
      {"violet-gold",
       dark ? Gradient{rgb(0xb08cff), rgb(0xf0c020)} : Gradient{rgb(0x6a35c9), rgb(0xa07a00)}},
      {"ink-pink",
       dark ? Gradient{rgb(0xf4f6fa), rgb(0xff5cc8)} : Gradient{rgb(0x15181d), rgb(0xe0128f)}}};
  return base::choose("--palette", palette, palettes);
}

}  // namespace pathline::layout
