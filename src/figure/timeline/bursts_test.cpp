// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/bursts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bundle/test_messages.hpp"

namespace pathline::figure {
namespace {

using testing::ElementsAre;

layout::Segments four_rows() {
  layout::Segments lines;
  lines.clip = {0, 0, 100, 40};
  // Row 0 sends to 1, 3 and 1 again within 6 px, later once more; row 2 in the meantime.
  lines.add(10, 5, 30, 15);
  lines.add(14, 5, 20, 35);
  lines.add(18, 5, 19, 15);
  lines.add(12, 25, 13, 5);
  lines.add(60, 5, 55, 35);  // clocks disagree
  return lines;
}

/// Of lines that end in the middle of rows.
std::vector<LineRows> rows_of(const layout::Segments& lines, size_t row_count) {
  const double row_px = lines.clip.h / static_cast<double>(row_count);
  std::vector<LineRows> rows;
  for (size_t i = 0; i < lines.size(); ++i) {
    rows.push_back({static_cast<uint32_t>((double{lines.y1[i]} - lines.clip.y) / row_px),
                    static_cast<uint32_t>((double{lines.y2[i]} - lines.clip.y) / row_px)});
  }
  return rows;
}

std::vector<Burst> find_bursts(const layout::Segments& lines, size_t row_count) {
  return figure::find_bursts(lines, rows_of(lines, row_count), 6);
}

TEST(FindBursts, GathersWhatOneRowSendsInQuickSuccession) {
  const auto bursts = find_bursts(four_rows(), 4);
  ASSERT_EQ(bursts.size(), 3U);
  EXPECT_EQ(bursts[0].row, 0U);
  EXPECT_EQ(bursts[0].begin_px, 10);
  EXPECT_EQ(bursts[0].end_px, 30) << "the last receive, not that of the last send";
  EXPECT_EQ(bursts[0].count, 3U);
  EXPECT_THAT(bursts[0].targets, ElementsAre(1, 3));
  EXPECT_EQ(bursts[1].begin_px, 60);
  EXPECT_EQ(bursts[1].end_px, 60);
  EXPECT_THAT(bursts[1].targets, ElementsAre(3));
  EXPECT_EQ(bursts[2].row, 2U);
}

TEST(FindBursts, CountsEveryMessageOnceInAnyOrder) {
  const layout::Segments lines = bundle::phased_messages(3000, 8, 600, 200, 40, 9, 20);
  const auto bursts = find_bursts(lines, 8);
  const auto other = find_bursts(bundle::shuffled(lines), 8);
  ASSERT_EQ(bursts.size(), other.size());
  uint64_t count = 0;
  for (size_t i = 0; i < bursts.size(); ++i) {
    count += bursts[i].count;
    EXPECT_EQ(bursts[i].count, other[i].count);
    EXPECT_EQ(bursts[i].targets, other[i].targets);
  }
  EXPECT_EQ(count, lines.size());
}

TEST(AddBursts, HaveNoReceiversAtTheEdgeWhenTheyBeganBeforeIt) {
  layout::Scene scene;
  layout::Segments lines;
  lines.clip = {0, 0, 100, 40};
  lines.add(-20, 5, 30, 35);
  const layout::Theme& theme = layout::light_theme();
  add_bursts(scene, find_bursts(lines, 4), lines.clip, 4, theme.messages, theme);
  ASSERT_EQ(scene.layers.size(), 4U);
  EXPECT_TRUE(std::get<layout::Polylines>(scene.layers[0]).lines.empty());
  EXPECT_EQ(std::get<layout::Boxes>(scene.layers[1]).x.size(), 1U);
  EXPECT_TRUE(std::get<layout::Boxes>(scene.layers[2]).x.empty());
}

TEST(AddBursts, StayInThePlot) {
  layout::Scene scene;
  const layout::Segments lines = bundle::phased_messages(300, 8, 600, 200, 40, 9, 900);
  const layout::Theme& theme = layout::light_theme();
  add_bursts(scene, find_bursts(lines, 8), lines.clip, 8, theme.messages, theme);
  for (const layout::Layer& layer : scene.layers) {
    const auto* boxes = std::get_if<layout::Boxes>(&layer);
    for (size_t i = 0; boxes != nullptr && i < boxes->x.size(); ++i) {
      EXPECT_GE(boxes->x[i], -3);
      EXPECT_LE(boxes->x[i] + boxes->w[i], 603);
    }
  }
}

}  // namespace
}  // namespace pathline::figure
