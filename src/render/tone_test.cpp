// SPDX-License-Identifier: BSD-3-Clause
#include "render/tone.hpp"

#include <cmath>
#include <optional>
#include <random>

#include <gtest/gtest.h>

#include "render/raster.hpp"

namespace pathline::render {
namespace {

using layout::Blend;
using layout::rgb;
using layout::Segments;

Segments columns(size_t count, double width, double height) {
  Segments lines;
  lines.clip = {0, 0, width, height};
  lines.style = {rgb(0x1565c8), rgb(0xd9600a)};
  std::mt19937 random(5);
  for (size_t i = 0; i < count; ++i) {
    // Dense on the left, sparse on the right.
    const double share = static_cast<double>(random()) / 4294967296.0;
    const auto x = static_cast<float>(0.5 + std::floor(share * share * (width - 1)));
    lines.add(x, 0, x, static_cast<float>(height));
  }
  return lines;
}

TEST(ChooseOpacity, ShowsALoneLineAndDoesNotHideWhatIsBelow) {
  base::ThreadPool pool(1);
  const layout::Density raster = rasterize(columns(1, 100, 50), pool);
  const Opacity opacity = choose_opacity(raster, {});
  EXPECT_NEAR(opacity.coverage(1), 0.85, 0.03);
}

TEST(ChooseOpacity, NearlyFillsThePercentileAndKeepsSingleLinesVisible) {
  base::ThreadPool pool(1);
  for (const size_t count : {1000U, 100000U, 1000000U}) {
    const layout::Density raster = rasterize(columns(count, 200, 20), pool);
    const Opacity opacity = choose_opacity(raster, {});
    const double densest = double{*std::max_element(raster.n.begin(), raster.n.end())};
    EXPECT_GT(opacity.coverage(densest), 0.94) << count;
    EXPECT_GE(opacity.coverage(1), 0.08 - 1e-12) << count;
    EXPECT_LT(opacity.coverage(densest / 20), 0.5) << count;
  }
}

TEST(ChooseOpacity, ShowsLoneLinesTheStrongerTheFewerPixelsHaveLines) {
  base::ThreadPool pool(1);
  // One column of a thousand lines, and a lone line, in ever wider pictures.
  double before = 0;
  for (const double width : {10.0, 20.0, 400.0}) {
    Segments lines;
    lines.clip = {0, 0, width, 50};
    for (int i = 0; i < 1000; ++i) lines.add(2.5F, 0, 2.5F, 50);
    lines.add(4.5F, 0, 4.5F, 50);
    const Opacity opacity = choose_opacity(rasterize(lines, pool), {});
    EXPECT_GE(opacity.coverage(1), before) << width;
    before = opacity.coverage(1);
  }
  EXPECT_NEAR(before, 0.45, 0.01);
}

TEST(ChooseOpacity, LetsWhatIsBelowBeSeenWhereLinesLieSideBySide) {
  base::ThreadPool pool(1);
  // A tenth of the picture without a gap, the rest empty.
  Segments lines;
  lines.clip = {0, 0, 640, 320};
  for (int i = 0; i < 64 * 5; ++i) {
    const float x = static_cast<float>(100 + i % 64) + 0.5F;
    lines.add(x, 0, x, 320);
  }
  const layout::Density raster = rasterize(lines, pool);
  const Opacity opacity = choose_opacity(raster, {});
  EXPECT_LT(opacity.coverage(5), 0.4);
  EXPECT_GT(opacity.coverage(5), 0.2);
  // The same lines with gaps may be strong.
  Segments apart;
  apart.clip = lines.clip;
  for (int i = 0; i < 64 * 5; ++i) {
    const float x = static_cast<float>(10 * (i % 64)) + 0.5F;
    apart.add(x, 0, x, 320);
  }
  EXPECT_GT(choose_opacity(rasterize(apart, pool), {}).coverage(5), 0.8);
}

TEST(ChooseOpacity, TakesWhatTheCallerAsksFor) {
  base::ThreadPool pool(1);
  const layout::Density raster = rasterize(columns(10, 20, 20), pool);
  const Opacity opacity = choose_opacity(raster, {.opacity = 0.5});
  EXPECT_NEAR(opacity.coverage(1), 0.5, 1e-12);
  EXPECT_NEAR(opacity.coverage(2), 0.75, 1e-12);
  EXPECT_EQ(opacity.coverage(0), 0);
}

TEST(ChooseOpacity, DoesNotDependOnTheUnitOfWeights) {
  base::ThreadPool pool(1);
  Segments lines = columns(5000, 100, 20);
  lines.weight.assign(lines.size(), 1);
  const Opacity ones = choose_opacity(rasterize(lines, pool), {});
  // Microseconds in seconds, kibibytes in bytes.
  for (const float unit : {1e-9F, 1e-6F, 4096.0F, 1e12F}) {
    lines.weight.assign(lines.size(), unit);
    const Opacity scaled = choose_opacity(rasterize(lines, pool), {});
    for (const double count : {0.5, 1.0, 3.0, 40.0, 900.0}) {
      EXPECT_NEAR(ones.coverage(count), scaled.coverage(count * double{unit}), 0.01)
          << unit << " " << count;
    }
    EXPECT_NEAR(choose_opacity(rasterize(lines, pool), {.opacity = 0.25}).coverage(double{unit}),
                0.25, 1e-6);
  }
}

TEST(Shade, BearsTheHeaviestWeightsThereAre) {
  base::ThreadPool pool(1);
  Segments lines = columns(300, 30, 10);
  lines.weight.assign(lines.size(), 3e38F);  // more than a float can hold together
  const layout::Density raster = rasterize(lines, pool);
  for (const std::optional<double> opacity : {std::optional<double>(), std::optional(0.0)}) {
    lines.style.opacity = opacity;
    const Image image =
        shade(raster, lines.style, choose_opacity(raster, lines.style), rgb(0xffffff), pool);
    const uint32_t x = 0;  // the densest
    EXPECT_EQ(image.pixel(x, 5)[3] > 40, !opacity);
  }
}

TEST(Shade, GivesTheGradientsColourAtTheEnds) {
  base::ThreadPool pool(1);
  Segments lines;
  lines.clip = {0, 0, 3, 256};
  lines.style = {rgb(0x0000ff), rgb(0xff8000), 1.0};
  lines.add(1.5F, 0, 1.5F, 256);
  const layout::Density raster = rasterize(lines, pool);
  const Image image =
      shade(raster, lines.style, choose_opacity(raster, lines.style), rgb(0xffffff), pool);
  EXPECT_EQ(image.pixel(1, 0)[2], 255);
  EXPECT_EQ(image.pixel(1, 0)[3], 255);
  EXPECT_EQ(image.pixel(1, 255)[0], 255);
  EXPECT_EQ(image.pixel(1, 255)[2], 0);
  EXPECT_EQ(image.pixel(0, 9)[3], 0);
}

TEST(Shade, AgreesWithPaintersOverWhereLinesHaveOneColour) {
  base::ThreadPool pool(1);
  Segments lines = columns(300, 30, 10);
  lines.style = {rgb(0x336699), rgb(0x336699), 0.2};
  const layout::Density raster = rasterize(lines, pool);
  const Opacity opacity = choose_opacity(raster, lines.style);
  const Image fast = shade(raster, lines.style, opacity, rgb(0xffffff), pool);
  const Image slow = paint_over(lines, opacity);
  ASSERT_EQ(fast.rgba.size(), slow.rgba.size());
  for (size_t i = 0; i < fast.rgba.size(); ++i) {
    ASSERT_NEAR(fast.rgba[i], slow.rgba[i], 1) << i;
  }
}

TEST(Shade, AddsLightOnDarkAndInkOnLight) {
  base::ThreadPool pool(1);
  Segments lines = columns(2000, 60, 10);
  lines.style.blend = Blend::kAdditive;
  const layout::Density raster = rasterize(lines, pool);
  // Alpha follows density on both.
  for (const auto background : {rgb(0x000000), rgb(0xffffff)}) {
    const Image image = shade(raster, lines.style, {}, background, pool);
    for (uint32_t x = 0; x < 60; ++x) {
      for (uint32_t other = 0; other < 60; ++other) {
        if (raster.n[raster.index(x, 5)] >= raster.n[raster.index(other, 5)]) {
          EXPECT_GE(image.pixel(x, 5)[3], image.pixel(other, 5)[3]);
        }
      }
    }
  }
}

TEST(Shade, OfNoLinesIsTransparent) {
  base::ThreadPool pool(1);
  for (const Blend blend : {Blend::kAlpha, Blend::kAdditive}) {
    Segments lines = columns(0, 8, 8);
    lines.style.blend = blend;
    const layout::Density raster = rasterize(lines, pool);
    const Image image =
        shade(raster, lines.style, choose_opacity(raster, lines.style), rgb(0), pool);
    EXPECT_EQ(image.rgba, std::vector<uint8_t>(size_t{256}));
  }
}

TEST(PaintOver, LetsTheLastLineWin) {
  Segments lines;
  lines.clip = {0, 0, 4, 4};
  lines.style = {rgb(0xff0000), rgb(0x0000ff), 1.0};
  lines.add(1.5F, 0, 1.5F, 4000);   // red here
  lines.add(1.5F, -4000, 1.5F, 4);  // blue here
  const Image image = paint_over(lines, {1 - 1e-9, 0, 1});
  EXPECT_GT(image.pixel(1, 2)[2], 250);
  EXPECT_LT(image.pixel(1, 2)[0], 5);
}

}  // namespace
}  // namespace pathline::render
