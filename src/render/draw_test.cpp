// SPDX-License-Identifier: BSD-3-Clause
#include "render/draw.hpp"

#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "layout/axis.hpp"
#include "layout/legend.hpp"
#include "layout/theme.hpp"

namespace pathline::render {
namespace {

using layout::Boxes;
using layout::CellGrid;
using layout::Color;
using layout::Labels;
using layout::Layer;
using layout::Polylines;
using layout::rgb;
using layout::Scene;
using layout::Segments;
using testing::HasSubstr;
using testing::Not;

Color at(const Image& image, uint32_t x, uint32_t y) {
  const uint8_t* pixel = image.pixel(x, y);
  return {pixel[0], pixel[1], pixel[2], pixel[3]};
}

Scene blank(double width, double height) {
  Scene scene;
  scene.width_px = width;
  scene.height_px = height;
  return scene;
}

/// One of everything.
Scene full_scene() {
  const layout::Theme& theme = layout::dark_theme();
  Scene scene = blank(400, 300);
  const double top = add_title(scene, theme, "Timeline <of> \"it\" & all", "4 ranks");
  const layout::Rect plot{60, top, 300, 180};
  add_bottom_axis(scene, theme, plot, {0, 1e9, plot.x, plot.right()}, layout::time_ticks(0, 1e9, 5),
                  "time");
  CellGrid grid{.area = plot, .column_count = 30, .row_count = 4, .cells = {}, .row_gap_px = 2};
  for (size_t i = 0; i < 120; ++i) grid.cells.push_back(theme.series_color(i * 7 % 12));
  scene.layers.emplace_back(grid);
  Segments lines;
  lines.clip = plot;
  lines.style = {theme.messages.begin, theme.messages.end};
  std::mt19937 random(11);
  for (int i = 0; i < 200000; ++i) {
    const auto x = static_cast<float>(60 + static_cast<double>(random() % 3000) / 10);
    lines.add(x, static_cast<float>(60 + random() % 180), x + 2,
              static_cast<float>(60 + random() % 180));
  }
  scene.layers.emplace_back(lines);
  add_row_labels(scene, theme, plot, std::vector<std::string>{"a", "b", "c", "d"}, 50);
  add_legend(scene, theme, {60, 280, 300, 20},
             std::vector<layout::LegendEntry>{{"wait", theme.series[0]}});
  return scene;
}

TEST(Draw, GivesTheSameBytesForAnyNumberOfThreads) {
  const Scene scene = full_scene();
  base::ThreadPool one(1);
  base::ThreadPool four(4);
  EXPECT_EQ(draw(scene, one).value().rgba, draw(scene, four).value().rgba);
  EXPECT_EQ(draw_svg(scene, one).value(), draw_svg(scene, four).value());
}

TEST(Draw, ReportsWhatBecameOfSegments) {
  Scene scene = full_scene();
  for (Layer& layer : scene.layers) {
    if (auto* lines = std::get_if<Segments>(&layer)) lines->add(NAN, 0, 1, 1);
  }
  base::ThreadPool pool(1);
  DrawStats stats;
  ASSERT_TRUE(draw(scene, pool, &stats).ok());
  EXPECT_EQ(stats.segment_count, 200000U);
  EXPECT_EQ(stats.rejected_segment_count, 1U);
  EXPECT_GT(stats.opacity, 0);
}

TEST(Draw, GivesEachCellItsExactPixels) {
  Scene scene = blank(20, 20);
  const Color red = rgb(0xff0000);
  const Color blue = rgb(0x0000ff);
  scene.layers.emplace_back(CellGrid{.area = {4, 4, 10, 10},
                                     .column_count = 2,
                                     .row_count = 2,
                                     .cells = {red, blue, blue, layout::kTransparent}});
  base::ThreadPool pool(1);
  const Image image = draw(scene, pool).value();
  for (uint32_t y = 0; y < 20; ++y) {
    for (uint32_t x = 0; x < 20; ++x) {
      const bool inside = x >= 4 && x < 14 && y >= 4 && y < 14;
      const bool right = x >= 9;
      const bool lower = y >= 9;
      const Color expected = !inside || (right && lower) ? rgb(0xffffff)
                             : right != lower            ? blue
                                                         : red;
      ASSERT_EQ(at(image, x, y), expected) << x << ' ' << y;
    }
  }
}

TEST(Draw, LeavesTheGapBelowEachRowFree) {
  Scene scene = blank(10, 20);
  scene.layers.emplace_back(CellGrid{.area = {0, 0, 10, 20},
                                     .column_count = 1,
                                     .row_count = 2,
                                     .cells = {rgb(0), rgb(0)},
                                     .row_gap_px = 3});
  base::ThreadPool pool(1);
  const Image image = draw(scene, pool).value();
  for (uint32_t y = 0; y < 20; ++y) {
    EXPECT_EQ(at(image, 5, y), y % 10 < 7 ? rgb(0) : rgb(0xffffff)) << y;
  }
}

TEST(Draw, MakesEvenAThinBoxVisible) {
  Scene scene = blank(10, 10);
  Boxes boxes;
  boxes.add({4.2, 2, 0.01, 5}, rgb(0));
  boxes.add({8, 2, -1, 5}, rgb(0));
  scene.layers.emplace_back(boxes);
  base::ThreadPool pool(1);
  const Image image = draw(scene, pool).value();
  EXPECT_EQ(at(image, 4, 4), rgb(0));
  EXPECT_EQ(at(image, 5, 4), rgb(0xffffff));
  EXPECT_EQ(at(image, 7, 4), rgb(0xffffff));
}

TEST(Draw, StartsALineAtItsOwnFirstPointAfterALabel) {
  Scene scene = blank(60, 60);
  Labels labels;
  labels.items.push_back({.text = "x", .at = {1, 10}, .color = rgb(0), .size_px = 8});
  scene.layers.emplace_back(labels);
  Polylines lines;
  lines.add_rule({0, 50}, {60, 50}, rgb(0xff0000));
  scene.layers.emplace_back(lines);
  base::ThreadPool pool(1);
  const Image image = draw(scene, pool).value();
  for (uint32_t x = 0; x < 60; ++x) {
    EXPECT_EQ(at(image, x, 30), rgb(0xffffff)) << x;
    EXPECT_EQ(at(image, x, 50), rgb(0xff0000)) << x;
  }
}

TEST(Draw, TakesTextThatIsNotUtf8) {
  Scene scene = blank(60, 20);
  Labels labels;
  labels.items.push_back({.text = "\xff\xfe \x01", .at = {1, 15}, .color = rgb(0)});
  labels.items.push_back({.text = "ok", .at = {30, 15}, .color = rgb(0)});
  scene.layers.emplace_back(labels);
  base::ThreadPool pool(1);
  const auto image = draw(scene, pool);
  ASSERT_TRUE(image.ok()) << image.error().message;
  EXPECT_NE(image.value().rgba, std::vector<uint8_t>(image.value().rgba.size(), 255));
  EXPECT_THAT(draw_svg(scene, pool).value(), Not(HasSubstr("\xff")));
}

TEST(Draw, RefusesSizesAndColumnsThatMakeNoSense) {
  base::ThreadPool pool(1);
  EXPECT_FALSE(draw(blank(0, 10), pool).ok());
  EXPECT_FALSE(draw(blank(10, 1e6), pool).ok());
  EXPECT_FALSE(draw_svg(blank(NAN, 10), pool).ok());
  for (const Layer& layer :
       {Layer(Boxes{.x = {1}, .y = {}, .w = {}, .h = {}, .color = {}}),
        Layer(CellGrid{.area = {0, 0, 5, 5}, .column_count = 2, .row_count = 2, .cells = {}}),
        Layer(Segments{.x1 = {1}, .y1 = {1}, .x2 = {1}, .y2 = {1}, .weight = {1, 2}})}) {
    Scene scene = blank(10, 10);
    scene.layers.push_back(layer);
    const auto image = draw(scene, pool);
    ASSERT_FALSE(image.ok());
    EXPECT_EQ(image.error().code, base::ErrorCode::kInvalidArgument);
  }
}

TEST(DrawSvg, KeepsTextAsTextAndEscapesIt) {
  base::ThreadPool pool(1);
  const std::string svg = draw_svg(full_scene(), pool).value();
  EXPECT_THAT(svg, HasSubstr("<title>Timeline &lt;of&gt; &quot;it&quot; &amp; all</title>"));
  EXPECT_THAT(svg, HasSubstr(">4 ranks</text>"));
  EXPECT_THAT(svg, HasSubstr(">wait</text>"));
}

TEST(DrawSvg, EmbedsOnlyTheDensityOfASmallGrid) {
  base::ThreadPool pool(1);
  const std::string svg = draw_svg(full_scene(), pool).value();
  const size_t first = svg.find("<image ");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(svg.find("<image ", first + 1), std::string::npos);
}

TEST(DrawSvg, EmbedsAGridOfManyColoursAsAnImage) {
  Scene scene = blank(300, 300);
  CellGrid grid{.area = {0, 0, 300, 300}, .column_count = 200, .row_count = 200, .cells = {}};
  for (uint32_t i = 0; i < 40000; ++i) grid.cells.push_back(rgb(i * 419));
  scene.layers.emplace_back(grid);
  base::ThreadPool pool(1);
  const std::string svg = draw_svg(scene, pool).value();
  EXPECT_THAT(svg, HasSubstr("data:image/png;base64,iVBORw0KGgo"));
  EXPECT_LT(svg.size(), 400000U);
}

}  // namespace
}  // namespace pathline::render
