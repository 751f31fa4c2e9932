// SPDX-License-Identifier: BSD-3-Clause
#include "figure/model/outcomes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::figure {
namespace {

/// Two grids, two mappings, three numbers of ranks; one prediction was refused.
std::vector<OutcomePoint> points() {
  std::vector<OutcomePoint> all;
  for (const char* grid : {"64x64", "128x128"}) {
    for (const char* mapping : {"smp", "block"}) {
      for (const double ranks : {64.0, 256.0, 1024.0}) {
        const double seconds = 1 / ranks;
        all.push_back({grid, mapping, ranks, seconds, 1.1 * seconds, seconds, 1.3 * seconds});
      }
    }
  }
  all.back().predicted_s = 0;
  return all;
}

/// Texts of a picture, in their order.
std::vector<std::string> texts(const layout::Scene& scene) {
  std::vector<std::string> found;
  for (const auto& layer : scene.layers) {
    if (const auto* labels = std::get_if<layout::Labels>(&layer)) {
      for (const auto& item : labels->items) found.push_back(item.text);
    }
  }
  return found;
}

/// Closed circles of a picture: filled, and of more than a corner or two.
size_t circles(const layout::Scene& scene) {
  size_t count = 0;
  for (const auto& layer : scene.layers) {
    if (const auto* lines = std::get_if<layout::Polylines>(&layer)) {
      for (const auto& line : lines->lines) {
        count += line.fill && line.points.size() > 10 && line.stroke.a > 0 ? 1 : 0;
      }
    }
  }
  return count;
}

TEST(Outcomes, ShowEachRunInItsPanelAndThoseThatWerePredictedOnTheDiagonal) {
  const auto scene = outcomes(points(), {.title = "shallow on torus", .subtitle = "12 runs"});
  ASSERT_TRUE(scene) << scene.error().message;
  const auto found = texts(scene.value());
  for (const char* text : {"shallow on torus", "12 runs", "64x64", "128x128", "smp", "block",
                           "measured", "predicted", "predicted, 90 % interval"}) {
    EXPECT_THAT(found, testing::Contains(text));
  }
  // Twelve in panels, eleven in the square, and one in the legend.
  EXPECT_EQ(circles(scene.value()), 12U + 11U + 1U);
}

TEST(Outcomes, ShowASingleRun) {
  const std::vector<OutcomePoint> one = {{"64x64", "smp", 2, 1e-3, 0.9e-3, 0.8e-3, 1e-3}};
  EXPECT_TRUE(outcomes(one, {}));
}

TEST(Outcomes, HaveNoPictureOfNothingAndNoneWithoutRoom) {
  EXPECT_FALSE(outcomes({}, {}));
  EXPECT_FALSE(outcomes(points(), {.width_px = 300, .height_px = 200}));
  EXPECT_TRUE(outcomes(points(), {.width_px = 480, .height_px = 320}));
}

}  // namespace
}  // namespace pathline::figure
