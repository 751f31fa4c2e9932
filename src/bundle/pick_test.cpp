// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/pick.hpp"

#include <gtest/gtest.h>

#include "bundle/phase_router.hpp"
#include "bundle/superpose.hpp"
#include "bundle/test_messages.hpp"
#include "render/raster.hpp"

namespace pathline::bundle {
namespace {

using layout::Segments;

constexpr double kWidth = 160;
constexpr double kHeight = 120;

/// Each message drawn alone: which of them give a pixel weight.
std::vector<std::vector<uint32_t>> by_drawing_each(const Segments& lines, const Router* router) {
  base::ThreadPool pool(1);
  std::vector<std::vector<uint32_t>> behind(static_cast<size_t>(kWidth * kHeight));
  for (uint32_t i = 0; i < lines.size(); ++i) {
    Segments one;
    one.clip = lines.clip;
    one.add(lines.x1[i], lines.y1[i], lines.x2[i], lines.y2[i]);
    const layout::Density density =
        render::rasterize(router != nullptr ? draw_each(one, *router, {}) : one, pool);
    for (size_t at = 0; at < behind.size(); ++at) {
      if (density.n[at] > 1e-6F) behind[at].push_back(i);
    }
  }
  return behind;
}

void expect_same_everywhere(const Segments& lines, const Router* router) {
  const auto expected = by_drawing_each(lines, router);
  size_t pixels_with_messages = 0;
  for (uint32_t y = 0; y < kHeight; ++y) {
    for (uint32_t x = 0; x < kWidth; ++x) {
      const auto& behind = expected[y * static_cast<size_t>(kWidth) + x];
      if (behind.empty() && x % 7 != 0) continue;
      pixels_with_messages += behind.empty() ? 0 : 1;
      auto found = lines_at_pixel(lines, router, {}, x, y);
      // A weight too small for the raster may be found or not.
      if (found.size() > behind.size()) {
        std::erase_if(found, [&](uint32_t i) {
          return std::find(behind.begin(), behind.end(), i) == behind.end();
        });
        EXPECT_LE(found.size() - behind.size(), 1U);
      }
      ASSERT_EQ(found, behind) << x << " " << y;
    }
  }
  EXPECT_GT(pixels_with_messages, 500U);
}

TEST(LinesAtPixel, AreThoseThatGiveItWeightWhenTheyAreDrawnAlone) {
  const Segments lines = phased_messages(120, 12, kWidth, kHeight, 30, 9, 40);
  expect_same_everywhere(lines, nullptr);
}

TEST(LinesAtPixel, ComeApartFromTheBundlesThatTheyAreIn) {
  const Segments lines = phased_messages(150, 12, kWidth, kHeight, 40, 12, 10);
  const PhaseRouter router(phase_columns(count_ends(lines), 8),
                           row_bands({12, {}}, 0, kHeight, 10));
  expect_same_everywhere(lines, &router);
}

TEST(LinesAtPixel, HaveTogetherTheWeightOfTheBundledPicture) {
  base::ThreadPool pool(1);
  const Segments lines = phased_messages(400, 12, kWidth, kHeight, 40, 12, 10);
  const PhaseRouter router(phase_columns(count_ends(lines), 8),
                           row_bands({12, {}}, 0, kHeight, 10));
  const layout::Density density = render::rasterize(superpose(lines, router), pool);
  for (uint32_t y = 3; y < kHeight; y += 11) {
    for (uint32_t x = 2; x < kWidth; x += 5) {
      const auto found = lines_at_pixel(lines, &router, {}, x, y);
      if (density.n[density.index(x, y)] > 1e-4F) {
        EXPECT_FALSE(found.empty()) << x << " " << y;
      }
      if (found.empty()) {
        EXPECT_LT(density.n[density.index(x, y)], 1e-4F) << x << " " << y;
      }
    }
  }
}

}  // namespace
}  // namespace pathline::bundle
