// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pathline::layout {

/// sRGB with straight (not premultiplied) alpha, eight bits each.
struct Color {
  uint8_t r = 0;
  uint8_t g = 0;
  uint8_t b = 0;
  uint8_t a = 255;

  friend bool operator==(const Color&, const Color&) = default;
};

inline constexpr Color kTransparent{0, 0, 0, 0};

/// A point of OKLab (B. Ottosson, "A perceptual color space for image processing", 2020), in which
/// Euclidean distance follows perceived difference: 0.02 is just visible side by side.
struct Oklab {
  double lightness = 0;  ///< 0 black to 1 white
  double a = 0;          ///< green (negative) to red
  double b = 0;          ///< blue (negative) to yellow
};

Oklab to_oklab(Color color);

/// The sRGB colour nearest in hue: outside the gamut, chroma is reduced and lightness kept.
Color from_oklab(const Oklab& lab, uint8_t alpha = 255);

/// Opaque colour from 0xRRGGBB.
constexpr Color rgb(uint32_t hex) {
  return {static_cast<uint8_t>(hex >> 16), static_cast<uint8_t>(hex >> 8),
          static_cast<uint8_t>(hex), 255};
}

/// `color` with another alpha, in [0,1].
Color with_alpha(Color color, double alpha);

/// "#rrggbb"; alpha is not written.
std::string hex(Color color);

/// Colour a share `t` in [0,1] of the way from `from` to `to`, straight through OKLab (alpha is
/// interpolated linearly); t outside is clamped.
Color mix(Color from, Color to, double t);

/// Perceived difference: distance in OKLab, alpha ignored.
double difference(Color first, Color second);

/// WCAG 2.1 contrast ratio, 1 to 21; alpha is ignored.
double contrast(Color first, Color second);

/// Whichever of `dark` and `light` reads better on `background`.
Color readable_on(Color background, Color dark, Color light);

/// A colour ramp over [0,1] in equal perceptual steps. The control points are joined by straight
/// OKLab lines and the ramp is then re-parametrised by OKLab length, so that equal steps in value
/// are equal steps in perceived colour. Immutable; may be shared between threads.
class Ramp {
 public:
  /// At least one control point, the first at 0 and the last at 1.
  explicit Ramp(std::span<const Oklab> control_points);
  explicit Ramp(std::span<const Color> control_points);

  /// One of 256 precomputed steps; t outside [0,1] is clamped, NaN gives the first.
  Color at(double t) const;

 private:
  std::vector<Color> steps_;
};

}  // namespace pathline::layout
