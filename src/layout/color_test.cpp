// SPDX-License-Identifier: BSD-3-Clause
#include "layout/color.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

namespace pathline::layout {
namespace {

TEST(Oklab, AgreesWithTheValuesPublishedForWhiteRedAndBlue) {
  // Ottosson 2020: white is L = 1 without chroma; red and blue as in CSS Color 4.
  EXPECT_NEAR(to_oklab(rgb(0xffffff)).lightness, 1, 1e-4);
  EXPECT_NEAR(to_oklab(rgb(0xffffff)).a, 0, 1e-4);
  const Oklab red = to_oklab(rgb(0xff0000));
  EXPECT_NEAR(red.lightness, 0.62796, 1e-4);
  EXPECT_NEAR(red.a, 0.22486, 1e-4);
  EXPECT_NEAR(red.b, 0.12585, 1e-4);
  const Oklab blue = to_oklab(rgb(0x0000ff));
  EXPECT_NEAR(blue.lightness, 0.45201, 1e-4);
  EXPECT_NEAR(blue.b, -0.31153, 1e-4);
}

TEST(Oklab, ComesBackToTheSameColour) {
  for (uint32_t r = 0; r < 256; r += 51) {
    for (uint32_t g = 0; g < 256; g += 51) {
      for (uint32_t b = 0; b < 256; b += 51) {
        const Color color = rgb(r << 16 | g << 8 | b);
        EXPECT_EQ(from_oklab(to_oklab(color)), color) << hex(color);
      }
    }
  }
}

TEST(Oklab, KeepsLightnessAndHueOfColoursOutsideTheGamut) {
  const Oklab wanted{0.7, 0.3, 0.3};
  const Oklab got = to_oklab(from_oklab(wanted));
  EXPECT_NEAR(got.lightness, wanted.lightness, 0.01);
  EXPECT_NEAR(std::atan2(got.b, got.a), std::atan2(wanted.b, wanted.a), 0.02);
}

TEST(Contrast, IsThatOfWcag) {
  EXPECT_NEAR(contrast(rgb(0x000000), rgb(0xffffff)), 21, 1e-9);
  EXPECT_NEAR(contrast(rgb(0x777777), rgb(0xffffff)), 4.48, 0.005);  // the well-known near miss
  EXPECT_EQ(readable_on(rgb(0xffff00), rgb(0x000000), rgb(0xffffff)), rgb(0x000000));
}

TEST(Mix, EndsAtItsEndsAndInterpolatesAlpha) {
  const Color from = rgb(0x1565c8);
  const Color to = with_alpha(rgb(0xd9600a), 0.5);
  EXPECT_EQ(mix(from, to, 0), from);
  EXPECT_EQ(mix(from, to, 2), to);
  EXPECT_EQ(mix(from, to, 0.5).a, 192);
  EXPECT_EQ(hex(from), "#1565c8");
}

TEST(Ramp, StepsEvenlyThoughItsControlPointsAreUneven) {
  const Ramp ramp(std::array{Oklab{0, 0, 0}, Oklab{0.1, 0, 0}, Oklab{1, 0, 0}});
  EXPECT_EQ(ramp.at(-1), rgb(0x000000));
  EXPECT_EQ(ramp.at(NAN), rgb(0x000000));
  EXPECT_EQ(ramp.at(2), rgb(0xffffff));
  EXPECT_NEAR(to_oklab(ramp.at(0.5)).lightness, 0.5, 0.005);
  EXPECT_NEAR(to_oklab(ramp.at(0.25)).lightness, 0.25, 0.005);
}

TEST(Ramp, OfOnePointIsConstant) {
  const Ramp ramp(std::array{rgb(0x336699)});
  EXPECT_EQ(ramp.at(0), rgb(0x336699));
  EXPECT_EQ(ramp.at(1), rgb(0x336699));
}

}  // namespace
}  // namespace pathline::layout
