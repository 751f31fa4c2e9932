// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/bundling.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "base/test_scale.hpp"
#include "bundle/raster_quality.hpp"
#include "bundle/test_messages.hpp"
#include "render/raster.hpp"

namespace pathline::bundle {
namespace {

using layout::Density;
using layout::Segments;

constexpr std::array kModes = {Bundling::kHierarchy, Bundling::kGrid, Bundling::kQuadtree,
                               Bundling::kAuto};

Bundled draw(const Segments& lines, size_t rows, Bundling mode, unsigned threads = 1,
             bool measured = false) {
  base::ThreadPool pool(threads);
  return bundle_lines(lines, {rows, {}}, {.mode = mode, .measure = measured}, pool);
}

double sum(const base::Column<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

bool same(const Density& a, const Density& b) {
  return std::equal(a.n.begin(), a.n.end(), b.n.begin(), b.n.end()) &&
         std::equal(a.q.begin(), a.q.end(), b.q.begin(), b.q.end());
}

/// Messages of a few phases between far rows.
Segments phases(size_t count = 500) { return phased_messages(count, 64, 960, 600, 160, 8, 2); }

constexpr size_t kRows = 12;

/// Phases in each of which every row has many messages for every other one: what bundles are for.
Segments busy_phases() {
  constexpr int kTimes = 25;
  constexpr double kPhasePx = 8;
  constexpr double kFlightPx = 2;
  std::mt19937 random(1);
  const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
  const auto height_of = [](size_t row) {
    return static_cast<float>((static_cast<double>(row) + 0.5) * 600 / kRows);
  };
  Segments lines;
  lines.clip = {0, 0, 960, 600};
  for (size_t i = 0; i < 6 * kRows * kRows; ++i) {
    const size_t from = i / kRows % kRows;
    const size_t to = i % kRows;
    if (from == to) continue;
    const double x = 160 * static_cast<double>(i / (kRows * kRows)) + kPhasePx * uniform();
    const double until = x + kFlightPx * uniform();
    for (int time = 0; time < kTimes; ++time) {
      lines.add(static_cast<float>(x), height_of(from), static_cast<float>(until), height_of(to));
    }
  }
  return lines;
}

TEST(Bundle, IsDrawnWherePhasesAreClearAndKeepsItsPromises) {
  const Bundled bundled = draw(busy_phases(), kRows, Bundling::kAuto, 1, true);
  ASSERT_EQ(bundled.mode, "phases") << bundled.reason;
  EXPECT_LE(bundled.quality.ink_ratio, 0.6);
  EXPECT_LE(bundled.quality.detour_mean, 1.1);
  EXPECT_GE(bundled.quality.phase_fidelity, 0.9);
  EXPECT_LE(bundled.quality.ambiguity, bundled.quality.ambiguity_straight);
  EXPECT_NE(bundled.router, nullptr);
  EXPECT_TRUE(bundled.reason.empty());
  EXPECT_GT(bundled.quality.score(), 0);
}

TEST(Bundle, MeasuresThePictureThatItShows) {
  base::ThreadPool pool(1);
  const Segments lines = busy_phases();
  const Bundled bundled = draw(lines, kRows, Bundling::kAuto);
  ASSERT_EQ(bundled.mode, "phases");
  const Density straight = render::rasterize(lines, pool);
  EXPECT_DOUBLE_EQ(bundled.quality.ink_ratio, ink_ratio(*bundled.density, straight));
  EXPECT_DOUBLE_EQ(bundled.quality.phase_fidelity, phase_fidelity(*bundled.density, straight));
}

TEST(Bundle, StaysStraightWhereTheLinesAreFew) {
  const Bundled bundled = draw(phases(), 64, Bundling::kAuto);
  EXPECT_EQ(bundled.mode, "density");
  EXPECT_EQ(bundled.reason, "so few messages are told apart better as lines");
}

TEST(Bundle, StaysStraightWhereThereAreNoPhasesAndSaysWhy) {
  base::ThreadPool pool(1);
  // Messages all the time, between neighbours.
  Segments lines;
  lines.clip = {0, 0, 960, 600};
  for (int i = 0; i < 5000; ++i) {
    const auto x = static_cast<float>(i * 960) / 5000;
    const auto row = static_cast<float>(i * 37 % 63);
    lines.add(x, (row + 0.5F) * 600 / 64, x + 1, (row + 1.5F) * 600 / 64);
  }
  const Bundled bundled = draw(lines, 64, Bundling::kAuto);
  EXPECT_EQ(bundled.mode, "density");
  EXPECT_FALSE(bundled.reason.empty());
  EXPECT_EQ(bundled.router, nullptr);
  EXPECT_TRUE(same(*bundled.density, render::rasterize(lines, pool)));
  EXPECT_EQ(bundled.quality.score(), 0);
}

TEST(Bundle, StaysStraightWhereThePeriodIsTooShortForColumns) {
  // Upright messages every 7 px.
  const Bundled bundled =
      draw(phased_messages(20000, 64, 960, 600, 7, 1.5, 0), 64, Bundling::kAuto);
  EXPECT_EQ(bundled.mode, "density");
  EXPECT_FALSE(bundled.reason.empty());
}

TEST(Bundle, IsTheSameForAnyNumberOfThreads) {
  for (const Bundling mode : kModes) {
    const Segments lines = mode == Bundling::kAuto ? busy_phases() : phases();
    const Bundled alone = draw(lines, 64, mode, 1);
    for (const unsigned threads : {2U, 8U}) {
      if (base::kIsSanitized && threads == 2) continue;
      const Bundled together = draw(lines, 64, mode, threads);
      EXPECT_EQ(alone.mode, together.mode);
      EXPECT_TRUE(same(*alone.density, *together.density)) << alone.mode << " " << threads;
    }
  }
}

TEST(Bundle, IsTheSameForAnyOrderOfTheMessages) {
  for (const Bundling mode : kModes) {
    const Segments lines = mode == Bundling::kAuto ? busy_phases() : phases();
    const Bundled ordered = draw(lines, 64, mode);
    const Bundled other = draw(shuffled(lines), 64, mode);
    EXPECT_EQ(ordered.mode, other.mode);
    EXPECT_TRUE(same(*ordered.density, *other.density)) << ordered.mode;
  }
}

TEST(Bundle, OfMirroredTimeIsTheMirroredPicture) {
  Segments lines = busy_phases();
  Segments mirrored = lines;
  for (size_t i = 0; i < lines.size(); ++i) {
    mirrored.x1[i] = 960 - lines.x1[i];
    mirrored.x2[i] = 960 - lines.x2[i];
  }
  const Bundled forward = draw(lines, kRows, Bundling::kAuto);
  const Bundled backward = draw(mirrored, kRows, Bundling::kAuto);
  ASSERT_EQ(forward.mode, "phases");
  ASSERT_EQ(backward.mode, "phases");
  const Density& a = *forward.density;
  Density b;
  b.width = a.width;
  b.height = a.height;
  b.n.resize(a.n.size());
  for (uint32_t y = 0; y < a.height; ++y) {
    for (uint32_t x = 0; x < a.width; ++x) {
      b.n[b.index(x, y)] = backward.density->n[a.index(a.width - 1 - x, y)];
    }
  }
  // Ends are counted in whole pixel columns, which are not mirrored exactly.
  EXPECT_LT(difference(b, a, 8), 0.02);
}

TEST(Bundle, OfAnsweringMessagesHasTheirColoursTurnedRound) {
  base::ThreadPool pool(1);
  Segments lines = phased_messages(2000, 32, 960, 600, 160, 8, 0);
  // A message to itself is a point, which is drawn upright either way.
  for (size_t i = 0; i < lines.size(); ++i)
    if (lines.y1[i] == lines.y2[i]) lines.y2[i] += 50;
  Segments answers = lines;
  answers.y1.swap(answers.y2);
  const Density there = render::rasterize(lines, pool);
  const Density back = render::rasterize(answers, pool);
  for (size_t i = 0; i < there.n.size(); ++i) {
    ASSERT_NEAR(there.n[i], back.n[i], 1e-5F * (1 + there.n[i]));
    ASSERT_NEAR(there.q[i] + back.q[i], there.n[i], 1e-4F * (1 + there.n[i]));
  }
}

struct Degenerate {
  const char* name;
  std::function<void(Segments&)> add;
};

class DegenerateMessages : public testing::TestWithParam<Degenerate> {};

TEST_P(DegenerateMessages, GiveAPictureInEveryMode) {
  Segments lines;
  lines.clip = {0, 0, 320, 200};
  GetParam().add(lines);
  for (const Bundling mode : kModes) {
    const Bundled bundled = draw(lines, 8, mode, 1, true);
    ASSERT_NE(bundled.density, nullptr);
    EXPECT_GT(sum(bundled.density->n), 0) << bundled.mode;
    EXPECT_TRUE(std::isfinite(sum(bundled.density->q))) << bundled.mode;
    EXPECT_TRUE(std::isfinite(bundled.quality.score())) << bundled.mode;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Bundle, DegenerateMessages,
    testing::Values(Degenerate{"One", [](Segments& lines) { lines.add(20, 12, 90, 150); }},
                    Degenerate{"ToItself", [](Segments& lines) { lines.add(20, 12, 20, 12); }},
                    Degenerate{"OneRow",
                               [](Segments& lines) {
                                 for (int i = 0; i < 50; ++i) {
                                   lines.add(static_cast<float>(6 * i), 100,
                                             static_cast<float>(6 * i + 3), 100);
                                 }
                               }},
                    Degenerate{"OneInstant",
                               [](Segments& lines) {
                                 for (int i = 0; i < 50; ++i) {
                                   lines.add(160, static_cast<float>(4 * i), 160,
                                             static_cast<float>(200 - 4 * i));
                                 }
                               }},
                    Degenerate{"BackwardsInTime",
                               [](Segments& lines) {
                                 for (int i = 0; i < 50; ++i) {
                                   lines.add(static_cast<float>(100 + 2 * i), 20,
                                             static_cast<float>(2 * i), 180);
                                 }
                               }},
                    Degenerate{"AHundredThousandInOnePixel",
                               [](Segments& lines) {
                                 for (size_t i = 0; i < base::scaled(100000); ++i)
                                   lines.add(160.3F, 100.2F, 160.6F, 100.7F);
                               }},
                    Degenerate{"WeightsNearTheLargestIntegers",
                               [](Segments& lines) {
                                 for (int i = 0; i < 60; ++i) {
                                   lines.add(static_cast<float>(5 * i), 20,
                                             static_cast<float>(5 * i + 2), 180);
                                   lines.weight.push_back(i % 2 == 0 ? 0x1p53F : 1);
                                 }
                               }},
                    Degenerate{"FromAndToFarOutside",
                               [](Segments& lines) {
                                 for (int i = 0; i < 40; ++i) {
                                   lines.add(-1e9F, 20, 1e9F, static_cast<float>(180 - i));
                                 }
                               }}),
    [](const auto& parameters) { return parameters.param.name; });

TEST(Bundle, OfNothingIsEmptyAndOfWhatIsNotANumberTheRest) {
  Segments nothing;
  nothing.clip = {0, 0, 320, 200};
  for (const Bundling mode : kModes) EXPECT_EQ(draw(nothing, 8, mode).mode, "none");
  Segments some = nothing;
  some.add(NAN, 3, 4, 5);
  some.add(20, 12, 90, 150);
  for (const Bundling mode : kModes) {
    EXPECT_GT(sum(draw(some, 8, mode).density->n), 0);
  }
}

TEST(Bundle, CountsWhatCannotBeDrawnInEveryMode) {
  for (const Bundling mode : kModes) {
    Segments lines = phases();
    lines.add(NAN, 10, 20, 30);
    lines.add(10, 10, 20, INFINITY);
    const Bundled bundled = draw(lines, 64, mode);
    ASSERT_NE(bundled.density, nullptr);
    EXPECT_EQ(bundled.density->rejected_count, 2U) << bundled.mode;
  }
}

TEST(Bundle, OfManyWeightedMessagesDoesNotDependOnTheirOrder) {
  // So many that some of them, and a part of the picture, are judged first.
  Segments lines = phases(350000);
  for (size_t i = 0; i < lines.size(); ++i) {
    lines.weight.push_back(static_cast<float>(1 + i % 7) * 1e-3F);
  }
  const Bundled ordered = draw(lines, 64, Bundling::kAuto);
  const Bundled other = draw(shuffled(lines), 64, Bundling::kAuto);
  EXPECT_EQ(ordered.mode, other.mode);
  EXPECT_EQ(ordered.quality.ink_ratio, other.quality.ink_ratio);
  EXPECT_TRUE(same(*ordered.density, *other.density));
}

TEST(Bundle, WithStrictPaintingKeepsItsLines) {
  Segments lines = phases(500);
  lines.style.blend = layout::Blend::kOver;
  for (const Bundling mode : kModes) {
    const Bundled bundled = draw(lines, 64, mode);
    ASSERT_TRUE(bundled.segments.has_value()) << bundled.mode;
    EXPECT_GT(bundled.segments->size() + bundled.segments->curves.size(), 0U);
  }
}

TEST(ParseBundling, KnowsItsNames) {
  EXPECT_EQ(parse_bundling("quadtree").value(), Bundling::kQuadtree);
  EXPECT_FALSE(parse_bundling("hairball").ok());
}

}  // namespace
}  // namespace pathline::bundle
