// SPDX-License-Identifier: BSD-3-Clause
#include "layout/color.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

namespace pathline::layout {
namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

Vector times(const Matrix& matrix, const Vector& v) {
  Vector result{};
  for (size_t row = 0; row < 3; ++row) {
    result[row] = matrix[row][0] * v[0] + matrix[row][1] * v[1] + matrix[row][2] * v[2];
  }
  return result;
}

// Ottosson 2020: linear sRGB to cone responses, their cube roots to OKLab, and the way back.
constexpr Matrix kRgbToCones{{{0.4122214708, 0.5363325363, 0.0514459929},
                              {0.2119034982, 0.6806995451, 0.1073969566},
                              {0.0883024619, 0.2817188376, 0.6299787005}}};
constexpr Matrix kConesToLab{{{0.2104542553, 0.7936177850, -0.0040720468},
                              {1.9779984951, -2.4285922050, 0.4505937099},
                              {0.0259040371, 0.7827717662, -0.8086757660}}};
constexpr Matrix kLabToCones{{{1.0, 0.3963377774, 0.2158037573},
                              {1.0, -0.1055613458, -0.0638541728},
                              {1.0, -0.0894841775, -1.2914855480}}};
constexpr Matrix kConesToRgb{{{4.0767416621, -3.3077115913, 0.2309699292},
                              {-1.2684380046, 2.6097574011, -0.3413193965},
                              {-0.0041960863, -0.7034186147, 1.7076147010}}};

double linear_from_srgb(uint8_t value) {
  const double c = value / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

uint8_t srgb_from_linear(double value) {
  const double c = std::clamp(value, 0.0, 1.0);
  const double encoded = c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
  return static_cast<uint8_t>(std::lround(encoded * 255));
}

Vector linear_rgb(const Oklab& lab) {
  Vector cones = times(kLabToCones, {lab.lightness, lab.a, lab.b});
  for (double& cone : cones) cone = cone * cone * cone;
  return times(kConesToRgb, cones);
}

bool in_gamut(const Vector& rgb) {
  constexpr double kTolerance = 1e-4;  // below half a step of 8 bits
  return std::all_of(rgb.begin(), rgb.end(),
                     [](double c) { return c >= -kTolerance && c <= 1 + kTolerance; });
}

double relative_luminance(Color color) {
  return 0.2126 * linear_from_srgb(color.r) + 0.7152 * linear_from_srgb(color.g) +
         0.0722 * linear_from_srgb(color.b);
}

double distance(const Oklab& x, const Oklab& y) {
  return std::hypot(x.lightness - y.lightness, x.a - y.a, x.b - y.b);
}

Oklab between(const Oklab& from, const Oklab& to, double t) {
  return {from.lightness + t * (to.lightness - from.lightness), from.a + t * (to.a - from.a),
          from.b + t * (to.b - from.b)};
}

std::vector<Oklab> to_oklab(std::span<const Color> colors) {
  std::vector<Oklab> result;
  for (const Color& color : colors) result.push_back(to_oklab(color));
  return result;
}

}  // namespace

Oklab to_oklab(Color color) {
  Vector cones = times(kRgbToCones, {linear_from_srgb(color.r), linear_from_srgb(color.g),
                                     linear_from_srgb(color.b)});
  for (double& cone : cones) cone = std::cbrt(cone);
  const Vector lab = times(kConesToLab, cones);
  return {lab[0], lab[1], lab[2]};
}

Color from_oklab(const Oklab& lab, uint8_t alpha) {
  Vector rgb = linear_rgb(lab);
  if (!in_gamut(rgb)) {
    double inside = 0;
    double outside = 1;
    for (int i = 0; i < 20; ++i) {
      const double chroma = (inside + outside) / 2;
      rgb = linear_rgb({lab.lightness, lab.a * chroma, lab.b * chroma});
      (in_gamut(rgb) ? inside : outside) = chroma;
    }
    rgb = linear_rgb({lab.lightness, lab.a * inside, lab.b * inside});
  }
  return {srgb_from_linear(rgb[0]), srgb_from_linear(rgb[1]), srgb_from_linear(rgb[2]), alpha};
}

Color with_alpha(Color color, double alpha) {
  color.a = static_cast<uint8_t>(std::lround(std::clamp(alpha, 0.0, 1.0) * 255));
  return color;
}

std::string hex(Color color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.r, color.g, color.b);
}

Color mix(Color from, Color to, double t) {
  t = std::clamp(t, 0.0, 1.0);
  const auto alpha = static_cast<uint8_t>(std::lround(from.a + t * (to.a - from.a)));
  return from_oklab(between(to_oklab(from), to_oklab(to), t), alpha);
}

double difference(Color first, Color second) { return distance(to_oklab(first), to_oklab(second)); }

double contrast(Color first, Color second) {
  const double one = relative_luminance(first) + 0.05;
  const double two = relative_luminance(second) + 0.05;
  return std::max(one, two) / std::min(one, two);
}

Color readable_on(Color background, Color dark, Color light) {
  return contrast(background, dark) >= contrast(background, light) ? dark : light;
}

Ramp::Ramp(std::span<const Oklab> control_points) {
  assert(!control_points.empty());
  std::vector<double> length{0};
  for (size_t i = 1; i < control_points.size(); ++i) {
    length.push_back(length.back() + distance(control_points[i - 1], control_points[i]));
  }
  constexpr size_t kSteps = 256;
  size_t piece = 1;
  for (size_t step = 0; step < kSteps; ++step) {
    const double at = length.back() * static_cast<double>(step) / (kSteps - 1);
    while (piece + 1 < control_points.size() && length[piece] < at) ++piece;
    if (control_points.size() == 1) piece = 0;
    const size_t before = piece == 0 ? 0 : piece - 1;
    const double span = length[piece] - length[before];
    const double t = span > 0 ? std::min(1.0, (at - length[before]) / span) : 0;
    steps_.push_back(from_oklab(between(control_points[before], control_points[piece], t)));
  }
}

Ramp::Ramp(std::span<const Color> control_points) : Ramp(to_oklab(control_points)) {}

Color Ramp::at(double t) const {
  if (!(t > 0)) return steps_.front();
  return steps_[static_cast<size_t>(std::lround(std::min(t, 1.0) * 255))];
}

}  // namespace pathline::layout
