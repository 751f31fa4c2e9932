// SPDX-License-Identifier: BSD-3-Clause
#include "layout/legend.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "layout/text.hpp"

namespace pathline::layout {
namespace {

std::vector<LegendEntry> entries(size_t count) {
  std::vector<LegendEntry> result;
  for (size_t i = 0; i < count; ++i) {
    result.push_back({"region " + std::to_string(i), light_theme().series_color(i)});
  }
  return result;
}

std::vector<Label> texts(const Scene& scene) {
  std::vector<Label> result;
  for (const Layer& layer : scene.layers) {
    if (const auto* labels = std::get_if<Labels>(&layer)) {
      result.insert(result.end(), labels->items.begin(), labels->items.end());
    }
  }
  return result;
}

TEST(Legend, FlowsInColumnsThatDoNotOverlap) {
  Scene scene;
  const auto list = entries(9);
  const size_t rows = legend_row_count(light_theme(), list, 400);
  const double height = static_cast<double>(rows) * legend_row_height_px(light_theme());
  const Rect used = add_legend(scene, light_theme(), {10, 20, 400, height}, list);
  EXPECT_LE(used.w, 400);
  EXPECT_DOUBLE_EQ(used.h, height);
  const auto drawn = texts(scene);
  ASSERT_EQ(drawn.size(), 9U);
  for (size_t i = 1; i < drawn.size(); ++i) {
    if (drawn[i].at.y != drawn[i - 1].at.y) continue;
    EXPECT_GT(drawn[i].at.x,
              drawn[i - 1].at.x + text_width_px(drawn[i - 1].text, drawn[i - 1].size_px));
  }
}

TEST(Legend, SaysHowManyFoundNoRoom) {
  Scene scene;
  const Rect area{0, 0, 100, 2 * legend_row_height_px(light_theme())};
  add_legend(scene, light_theme(), area, entries(10));
  const auto drawn = texts(scene);
  ASSERT_EQ(drawn.size(), 2U);
  EXPECT_EQ(drawn[1].text, "+ 9 more");
}

TEST(Legend, PutsEntriesBehindEachOtherWhereColumnsWouldBeFew) {
  // One long entry must not cost the others their room.
  std::vector<LegendEntry> list = entries(8);
  list[0].text = "as lines when zoomed to 28.9 ms or less";
  const Theme& theme = light_theme();
  Scene scene;
  const Rect area{0, 0, 370, 3 * legend_row_height_px(theme)};
  EXPECT_EQ(legend_row_count(theme, list, area.w), 3U);
  add_legend(scene, theme, area, list);
  const auto drawn = texts(scene);
  ASSERT_EQ(drawn.size(), list.size());
  for (size_t i = 0; i < drawn.size(); ++i) {
    EXPECT_EQ(drawn[i].text, list[i].text);
    EXPECT_LE(drawn[i].at.x + text_width_px(drawn[i].text, drawn[i].size_px), area.w);
  }
}

TEST(Legend, CutsLongNamesInTheMiddleAndKeepsTheValue) {
  Scene scene;
  const std::vector<LegendEntry> list{
      {.text = "void some::quite::long_name<with, many, parameters>::operator()(int) const",
       .color = rgb(0),
       .value = "38 %"}};
  add_legend(scene, light_theme(), {0, 0, 200, 30}, list);
  const auto drawn = texts(scene);
  ASSERT_EQ(drawn.size(), 2U);
  EXPECT_THAT(drawn[0].text, testing::HasSubstr("\u2026"));
  EXPECT_EQ(drawn[1].text, "38 %");
  EXPECT_LE(drawn[1].at.x + text_width_px("38 %", drawn[1].size_px), 200);
}

TEST(Legend, OfNothingUsesNothing) {
  Scene scene;
  EXPECT_EQ(legend_row_count(light_theme(), {}, 400), 0U);
  EXPECT_EQ(add_legend(scene, light_theme(), {0, 0, 400, 100}, {}).h, 0);
}

TEST(BarTicks, LieWhereTheirValuesDo) {
  const auto linear = bar_ticks(count_ticks(0, 100, 3), 0, 100, false);
  ASSERT_EQ(linear.size(), 3U);
  EXPECT_DOUBLE_EQ(linear[1].position, 0.5);
  const auto logarithmic = bar_ticks(log_ticks(1, 10000, 9, false), 1, 10000, true);
  ASSERT_EQ(logarithmic.size(), 5U);
  EXPECT_NEAR(logarithmic[1].position, 0.25, 1e-12);
}

/// A title that is wider than what is right of the bar begins left of it.
TEST(ColorBar, HasItsTitleInsideOfTheScene) {
  const std::string title = "bytes of a cell of 2.28 x 2.28 ranks, log scale";
  for (const double scene_width : {1000.0, 700.0, 300.0}) {
    Scene scene;
    scene.width_px = scene_width;
    const Rect bar{scene_width - 140, 100, 16, 300};
    add_color_bar(scene, light_theme(), bar, light_theme().heat, {}, title);
    const auto drawn = texts(scene);
    ASSERT_EQ(drawn.size(), 1U);
    const double width = text_width_px(title, light_theme().small_size_px);
    EXPECT_LT(drawn[0].at.x, bar.x);
    EXPECT_GE(drawn[0].at.x, 0);
    EXPECT_LE(drawn[0].at.x + width, scene_width);
    EXPECT_GT(drawn[0].max_width_px, width);
  }
  Scene wide;
  wide.width_px = 1000;
  add_color_bar(wide, light_theme(), {500, 100, 16, 300}, light_theme().heat, {}, title);
  EXPECT_EQ(texts(wide)[0].at.x, 500);
}

TEST(ColorBar, HasTheLargestValueAtTheTop) {
  Scene scene;
  const Ramp ramp(std::array{rgb(0x000000), rgb(0xffffff)});
  add_color_bar(scene, light_theme(), {100, 100, 16, 300}, ramp, {}, "bytes");
  const auto& grid = std::get<CellGrid>(scene.layers.at(0));
  EXPECT_EQ(grid.cells.front(), rgb(0xffffff));
  EXPECT_EQ(grid.cells.back(), rgb(0x000000));
}

}  // namespace
}  // namespace pathline::layout
