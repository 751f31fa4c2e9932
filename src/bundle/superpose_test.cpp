// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/superpose.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "bundle/raster_quality.hpp"
#include "bundle/test_messages.hpp"
#include "render/raster.hpp"

// Whether sharing pieces changes the picture can only be seen in pixels.
namespace pathline::bundle {
namespace {

struct Case {
  const char* name;
  size_t rows;
  double flight_px;
  double width_min;
  bool weighted;
};

class Superpose : public testing::TestWithParam<Case> {
 protected:
  static constexpr double kWidth = 640;
  static constexpr double kHeight = 400;

  static layout::Segments messages() {
    layout::Segments lines =
        phased_messages(6000, GetParam().rows, kWidth, kHeight, 80, 25, GetParam().flight_px);
    for (size_t i = 0; GetParam().weighted && i < lines.size(); ++i) {
      lines.weight.push_back(static_cast<float>(1 + i % 1000));
    }
    return lines;
  }
  static PhaseRouter router(const layout::Segments& lines) {
    return {phase_columns(count_ends(lines), GetParam().width_min),
            row_bands({GetParam().rows, {}}, 0, kHeight, 24)};
  }
};

TEST_P(Superpose, DrawsWhatEveryMessagesOwnCurveDraws) {
  base::ThreadPool pool(1);
  const layout::Segments lines = messages();
  const PhaseRouter router = Superpose::router(lines);
  const layout::Density each = render::rasterize(draw_each(lines, router, {}), pool);
  const layout::Segments shared = superpose(lines, router);
  const layout::Density together = render::rasterize(shared, pool);
  EXPECT_LT(difference(together, each, 1), 1e-5);
  double worst_q = 0;
  for (size_t i = 0; i < each.q.size(); ++i) {
    worst_q = std::max(
        worst_q, std::abs(double{each.q[i]} - together.q[i]) / std::max(1.0, double{each.n[i]}));
  }
  EXPECT_LT(worst_q, 1e-5);
}

TEST_P(Superpose, DoesNotDependOnTheOrderOfTheMessages) {
  base::ThreadPool pool(1);
  const layout::Segments lines = messages();
  const PhaseRouter router = Superpose::router(lines);
  const layout::Density ordered = render::rasterize(superpose(lines, router), pool);
  const layout::Density other = render::rasterize(superpose(shuffled(lines), router), pool);
  EXPECT_TRUE(std::equal(ordered.n.begin(), ordered.n.end(), other.n.begin()));
  EXPECT_TRUE(std::equal(ordered.q.begin(), ordered.q.end(), other.q.begin()));
}

INSTANTIATE_TEST_SUITE_P(Views, Superpose,
                         testing::Values(Case{"Upright", 32, 0, 8, false},
                                         Case{"Sloped", 64, 300, 6, false},
                                         Case{"FewRows", 4, 90, 12, false},
                                         Case{"Weighted", 64, 60, 8, true}),
                         [](const auto& parameters) { return parameters.param.name; });

TEST(SuperposeMessages, DrawsInnerPiecesOnceHoweverManyMessagesShareThem) {
  layout::Segments lines;
  lines.clip = {0, 0, 200, 400};
  for (int i = 0; i < 1000; ++i) lines.add(95, 10, 96, 390);
  const PhaseRouter router(phase_columns(count_ends(lines), 16), row_bands({20, {}}, 0, 400, 20));
  const layout::Segments shared = superpose(lines, router);
  const size_t inner = router.route_of({95, 10}, {96, 390}).steps - 3;
  EXPECT_EQ(shared.curves.size(), 2 * 1000 + inner);
  float heaviest = 0;
  for (const float weight : shared.curves.weight) heaviest = std::max(heaviest, weight);
  EXPECT_EQ(heaviest, 1000);
}

TEST(SuperposeMessages, LeavesOutWhatCannotBeDrawn) {
  layout::Segments lines;
  lines.clip = {0, 0, 200, 400};
  lines.add(5, 10, 6, 390);
  lines.add(NAN, 10, 6, 390);
  lines.add(5, 10, 6, 390);
  lines.weight = {1, 1, -1};
  const PhaseRouter router(phase_columns(count_ends(lines), 16), row_bands({20, {}}, 0, 400, 20));
  const layout::Segments shared = superpose(lines, router);
  for (const float weight : shared.curves.weight) EXPECT_EQ(weight, 1);
}

TEST(SuperposeMessages, KeepsWeightsNearTheLargestIntegersOfADouble) {
  layout::Segments lines;
  lines.clip = {0, 0, 200, 400};
  for (int i = 0; i < 10; ++i) {
    lines.add(95, 10, 96, 390);
    lines.weight.push_back(0x1p53F);
  }
  const PhaseRouter router(phase_columns(count_ends(lines), 16), row_bands({20, {}}, 0, 400, 20));
  const layout::Segments shared = superpose(lines, router);
  float heaviest = 0;
  for (const float weight : shared.curves.weight) heaviest = std::max(heaviest, weight);
  EXPECT_FLOAT_EQ(heaviest, 10 * 0x1p53F);
}

TEST(SuperposeMessages, ScalesWithTheUnitOfWeights) {
  base::ThreadPool pool(1);
  layout::Segments lines = phased_messages(3000, 32, 640, 400, 80, 25, 40);
  const PhaseRouter router(phase_columns(count_ends(lines), 8), row_bands({32, {}}, 0, 400, 24));
  const layout::Density each = render::rasterize(draw_each(lines, router, {}), pool);
  for (const float unit : {1e-9F, 1e-30F, 1e12F}) {
    lines.weight.assign(lines.size(), unit);
    layout::Density scaled = render::rasterize(superpose(lines, router), pool);
    for (float& n : scaled.n) n /= unit;
    EXPECT_LT(difference(scaled, each, 1), 1e-5) << unit;
  }
}

TEST(SuperposeMessages, KeepsAllPiecesOfLightMessagesBesideHeavyOnes) {
  layout::Segments lines;
  lines.clip = {0, 0, 400, 400};
  for (int i = 0; i < 100000; ++i) {
    lines.add(95, 10, 96, 390);
    lines.weight.push_back(0x1p40F);
  }
  lines.add(305, 10, 306, 390);
  lines.weight.push_back(8);
  const PhaseRouter router(phase_columns(count_ends(lines), 16), row_bands({20, {}}, 0, 400, 20));
  const layout::Segments shared = superpose(lines, router);
  const auto light = std::count(shared.curves.weight.begin(), shared.curves.weight.end(), 8.0F);
  EXPECT_EQ(static_cast<size_t>(light), router.route_of({305, 10}, {306, 390}).steps - 1);
}

}  // namespace
}  // namespace pathline::bundle
