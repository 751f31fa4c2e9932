// SPDX-License-Identifier: BSD-3-Clause
//
// Long because each test is one promise of the raster, many by the same slow reference.
#include "render/raster.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/test_scale.hpp"
#include "layout/bspline.hpp"

namespace pathline::render {
namespace {

using layout::Segments;

struct Reference {
  std::vector<double> n, q;  // row by row, as the raster
};

/// Every pixel of every line by the definition in raster.hpp, without runs or differences.
Reference slow_reference(const Segments& lines, int width, int height) {
  const auto pixel_count = static_cast<size_t>(width) * static_cast<size_t>(height);
  Reference result{std::vector<double>(pixel_count), std::vector<double>(pixel_count)};
  for (size_t i = 0; i < lines.size(); ++i) {
    double x1 = lines.x1[i] - lines.clip.x;
    double y1 = lines.y1[i] - lines.clip.y;
    double x2 = lines.x2[i] - lines.clip.x;
    double y2 = lines.y2[i] - lines.clip.y;
    const double weight = lines.weight.empty() ? 1 : lines.weight[i];
    const double length = std::max(std::abs(x2 - x1), std::abs(y2 - y1));
    if (length == 0) {
      y1 -= 0.5;
      y2 += 0.5;
    } else if (length < 1) {
      const double mid_x = (x1 + x2) / 2;
      const double mid_y = (y1 + y2) / 2;
      x1 = mid_x + (x1 - mid_x) / length;
      x2 = mid_x + (x2 - mid_x) / length;
      y1 = mid_y + (y1 - mid_y) / length;
      y2 = mid_y + (y2 - mid_y) / length;
    }
    const bool steep = std::abs(y2 - y1) >= std::abs(x2 - x1);
    for (int x = 0; x < width; ++x) {
      for (int y = 0; y < height; ++y) {
        const double major = steep ? y : x;
        const double minor = steep ? x : y;
        const double begin = steep ? y1 : x1;
        const double end = steep ? y2 : x2;
        const double from = std::max(major, std::min(begin, end));
        const double to = std::min(major + 1, std::max(begin, end));
        if (from >= to) continue;
        const double s = ((from + to) / 2 - begin) / (end - begin);
        const double across = steep ? x1 + s * (x2 - x1) : y1 + s * (y2 - y1);
        const double coverage =
            std::max(0.0, 1 - std::abs(minor + 0.5 - across)) * (to - from) * weight;
        const auto at =
            static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x);
        result.n[at] += coverage;
        result.q[at] += coverage * s;
      }
    }
  }
  return result;
}

void expect_equal(const layout::Density& raster, const Reference& reference, double tolerance) {
  ASSERT_EQ(raster.n.size(), reference.n.size());
  double worst_n = 0;
  double worst_q = 0;
  for (size_t i = 0; i < raster.n.size(); ++i) {
    // Sums are exact to far less; what is handed out is a float.
    const double allowed = 1e-7 * reference.n[i];
    worst_n = std::max(worst_n, std::abs(raster.n[i] - reference.n[i]) - allowed);
    worst_q = std::max(worst_q, std::abs(raster.q[i] - reference.q[i]) - allowed);
  }
  EXPECT_LT(worst_n, tolerance);
  EXPECT_LT(worst_q, tolerance);
}

Segments on(double width, double height) {
  Segments lines;
  lines.clip = {0, 0, width, height};
  return lines;
}

Segments random_lines(size_t count, double width, double height, double spread_x,
                      unsigned seed = 1) {
  std::mt19937 random(seed);
  const auto uniform = [&](double low, double high) {
    return static_cast<float>(low + (high - low) * static_cast<double>(random()) / 4294967296.0);
  };
  Segments lines = on(width, height);
  for (size_t i = 0; i < count; ++i) {
    const float x = uniform(-0.3 * width, 1.3 * width);
    lines.add(x, uniform(-0.4 * height, 1.4 * height), x + uniform(-spread_x, spread_x),
              uniform(-0.4 * height, 1.4 * height));
  }
  return lines;
}

double row_sum(const layout::Density& raster, uint32_t y) {
  double sum = 0;
  for (uint32_t x = 0; x < raster.width; ++x) sum += raster.n[raster.index(x, y)];
  return sum;
}

bool same(const base::Column<float>& a, const base::Column<float>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

TEST(Rasterize, AgreesWithTheSlowReferenceForLinesOfAnyDirection) {
  base::ThreadPool pool(1);
  for (const double spread : {0.001, 0.3, 4.0, 40.0, 400.0, 5000.0}) {
    const Segments lines = random_lines(400, 61, 47, spread);
    expect_equal(rasterize(lines, pool), slow_reference(lines, 61, 47), 1e-6);
  }
}

TEST(Rasterize, AgreesWithTheSlowReferenceForLinesOnPixelEdgesAndCentres) {
  base::ThreadPool pool(1);
  Segments lines = on(12, 9);
  for (int i = -4; i <= 30; ++i) {
    const auto at = static_cast<float>(i) / 2;
    lines.add(at, -3, at, 20);      // vertical
    lines.add(-3, at, 20, at);      // horizontal
    lines.add(at, 2, at, 7);        // between row edges
    lines.add(at, 2.5F, at, 6.5F);  // between row centres
    lines.add(at, 0, at + 9, 9);    // diagonal
    lines.add(at, 9, at + 9, 0);
    lines.add(at, 1, at + 4.5F, 8);  // through pixel corners
    lines.add(at, 3, at, 3.25F);     // shorter than a pixel
    lines.add(at, 3, at + 0.25F, 3);
    lines.add(at, at, at, at);  // a point
  }
  expect_equal(rasterize(lines, pool), slow_reference(lines, 12, 9), 1e-9);
}

TEST(Rasterize, AgreesWithTheSlowReferenceForUprightLinesByTheThousandInOrderOfTime) {
  base::ThreadPool pool(1);
  std::mt19937 random(5);
  // Nearly all upright on whole pixels: the way that looks at blocks of lines only.
  for (const unsigned others : {0U, 1U, 40U, 200U}) {
    Segments lines = on(150, 90);
    lines.clip.x = 10;
    lines.clip.y = 20;
    for (unsigned i = 0; i < base::scaled(3000); ++i) {
      const auto x = static_cast<float>(10 + i / (base::kIsSanitized ? 3 : 20));
      const auto from = static_cast<float>(random() % 130);
      const auto to =
          from + static_cast<float>(random() % 2 == 0 ? 1 + random() % 90
                                                      : -1 - static_cast<int>(random() % 90));
      lines.add(x + 0.5F, from, x + 0.5F, to);
      lines.weight.push_back(static_cast<float>(random() % 1000) / 8);
    }
    for (unsigned k = 0; k < others; ++k) {
      const size_t i = random() % lines.size();
      switch (random() % 6) {
        case 0: lines.x2[i] += 0.25F; break;  // slanted, perhaps across the border of a strip
        case 1: lines.x2[i] += 70; break;
        case 2: lines.x1[i] = lines.x2[i] += 0.25F; break;  // between two columns
        case 3: lines.y1[i] += 0.5F; break;
        case 4: lines.y2[i] = lines.y1[i]; break;  // a point
        default: lines.x1[i] = lines.x2[i] = static_cast<float>(random() % 200); break;
      }
    }
    expect_equal(rasterize(lines, pool), slow_reference(lines, 150, 90), 1e-6);
  }
}

TEST(Rasterize, GivesEveryRowOfASteepLineExactlyItsWeight) {
  base::ThreadPool pool(1);
  Segments lines = on(50, 40);
  lines.add(10.3F, -5, 31.7F, 60);
  const layout::Density raster = rasterize(lines, pool);
  for (uint32_t y = 0; y < raster.height; ++y) EXPECT_NEAR(row_sum(raster, y), 1, 1e-6);
}

TEST(Rasterize, GivesEveryColumnOfAFlatLineExactlyItsWeight) {
  base::ThreadPool pool(1);
  Segments lines = on(50, 40);
  lines.add(-5, 30.4F, 60, 10.1F);
  const layout::Density raster = rasterize(lines, pool);
  for (uint32_t x = 0; x < raster.width; ++x) {
    double sum = 0;
    for (uint32_t y = 0; y < raster.height; ++y) sum += raster.n[raster.index(x, y)];
    EXPECT_NEAR(sum, 1, 1e-6);
  }
}

TEST(Rasterize, ConservesTheWeightOfManyLinesInEveryRow) {
  base::ThreadPool pool(1);
  Segments lines = on(200, 100);
  std::mt19937 random(7);
  for (int i = 0; i < 5000; ++i) {
    const auto x = static_cast<float>(20 + static_cast<double>(random() % 16000) / 100);
    lines.add(x, -1, x + static_cast<float>(random() % 1000) / 100, 101);
  }
  const layout::Density raster = rasterize(lines, pool);
  for (uint32_t y = 0; y < raster.height; ++y) {
    EXPECT_NEAR(row_sum(raster, y), 5000, 5000 * 1e-7);
  }
}

TEST(Rasterize, CutsLinesAtTheEdgeButKeepsTheirParameter) {
  base::ThreadPool pool(1);
  Segments lines = on(10, 10);
  lines.add(5.5F, -90, 5.5F, 110);  // s = 0.45 .. 0.5 inside
  const layout::Density raster = rasterize(lines, pool);
  for (uint32_t y = 0; y < 10; ++y) {
    EXPECT_NEAR(raster.n[raster.index(5, y)], 1, 1e-6);
    EXPECT_NEAR(raster.q[raster.index(5, y)], (90.5 + y) / 200, 1e-6);
  }
}

TEST(Rasterize, ReversingALineMirrorsItsParameter) {
  base::ThreadPool pool(1);
  Segments lines = random_lines(200, 40, 30, 20);
  const layout::Density forward = rasterize(lines, pool);
  lines.x1.swap(lines.x2);
  lines.y1.swap(lines.y2);
  const layout::Density backward = rasterize(lines, pool);
  for (size_t i = 0; i < forward.n.size(); ++i) {
    EXPECT_NEAR(backward.n[i], forward.n[i], 1e-5);
    EXPECT_NEAR(forward.q[i] + backward.q[i], forward.n[i], 1e-5);
  }
}

TEST(Rasterize, IsTheSameForAnyOrderOfTheLines) {
  base::ThreadPool pool(1);
  for (const bool weighted : {false, true}) {
    Segments lines = random_lines(3000, 80, 60, 30);
    std::mt19937 random(3);
    for (size_t i = 0; weighted && i < lines.size(); ++i) {
      lines.weight.push_back(std::exp2(static_cast<float>(random() % 400) / 10 - 10));
    }
    const layout::Density ordered = rasterize(lines, pool);
    std::vector<size_t> order(lines.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    Segments shuffled = on(80, 60);
    for (const size_t i : order) {
      shuffled.add(lines.x1[i], lines.y1[i], lines.x2[i], lines.y2[i]);
      if (weighted) shuffled.weight.push_back(lines.weight[i]);
    }
    const layout::Density other = rasterize(shuffled, pool);
    EXPECT_TRUE(same(ordered.n, other.n));
    EXPECT_TRUE(same(ordered.q, other.q));
  }
}

TEST(Rasterize, IsTheSameForAnyNumberOfThreads) {
  const Segments lines = random_lines(600000, 80, 60, 3);
  const layout::Density alone = [&] {
    base::ThreadPool one(1);
    return rasterize(lines, one);
  }();
  for (const unsigned thread_count : {2U, 3U, 8U}) {
    base::ThreadPool pool(thread_count);
    const layout::Density together = rasterize(lines, pool);
    EXPECT_TRUE(same(alone.n, together.n));
    EXPECT_TRUE(same(alone.q, together.q));
    EXPECT_EQ(alone.histogram.quantile(0.9), together.histogram.quantile(0.9));
  }
}

TEST(Rasterize, LeavesOutAndCountsWhatIsNotFinite) {
  base::ThreadPool pool(1);
  const float infinity = std::numeric_limits<float>::infinity();
  Segments lines = on(10, 10);
  lines.add(1, 1, 1, 9);
  lines.add(NAN, 1, 1, 9);
  lines.add(1, infinity, 1, 9);
  lines.add(1, infinity, 1, -infinity);
  lines.add(1, 1, 1, 9);
  lines.add(1, 1, 1, 9);
  lines.weight = {1, 1, 1, 1, NAN, -2};
  const layout::Density raster = rasterize(lines, pool);
  EXPECT_EQ(raster.line_count, 1U);
  EXPECT_EQ(raster.rejected_count, 5U);
  EXPECT_NEAR(raster.n[raster.index(0, 5)], 0.5, 1e-6);
  EXPECT_NEAR(raster.n[raster.index(1, 5)], 0.5, 1e-6);
}

TEST(Rasterize, BearsCoordinatesFarAway) {
  base::ThreadPool pool(1);
  const float far = 3e38F;
  Segments lines = on(10, 10);
  for (const float x : {-far, -1e9F, 0.0F, 5.0F, 1e9F, far}) {
    for (const float y : {-far, -1e9F, 0.0F, 5.0F, 1e9F, far}) {
      for (const float to : {-far, 5.0F, far}) {
        lines.add(x, y, to, 5);
        lines.add(x, y, 5, to);
        lines.add(x, y, to, to);
      }
    }
  }
  EXPECT_EQ(rasterize(lines, pool).rejected_count, 0U);
}

TEST(Rasterize, HoldsAHundredThousandHeavyLinesInOnePixel) {
  base::ThreadPool pool(2);
  Segments lines = on(3, 5);
  for (int i = 0; i < 100000; ++i) lines.add(1.5F, 0, 1.5F, 5);
  lines.weight.assign(lines.size(), 0x1p53F);
  const layout::Density raster = rasterize(lines, pool);
  EXPECT_FLOAT_EQ(raster.n[raster.index(1, 2)], 100000 * 0x1p53F);
  EXPECT_NEAR(raster.q[raster.index(1, 2)] / raster.n[raster.index(1, 2)], 0.5, 1e-6);
}

TEST(Rasterize, KeepsLightLinesBesideHeavyOnes) {
  base::ThreadPool pool(1);
  Segments lines = on(40, 200);
  lines.add(5.5F, 0, 5.5F, 200);
  lines.add(20.2F, 0, 26.8F, 200);
  lines.weight = {1e9F, 1};
  const layout::Density raster = rasterize(lines, pool);
  EXPECT_EQ(raster.min_weight, 1);
  Segments light = on(40, 200);
  light.add(20.2F, 0, 26.8F, 200);
  const Reference reference = slow_reference(light, 40, 200);
  for (uint32_t x = 10; x < 40; ++x) {
    for (uint32_t y = 0; y < 200; ++y) {
      EXPECT_NEAR(raster.n[raster.index(x, y)], reference.n[raster.index(x, y)], 1e-3);
    }
  }
}

TEST(Rasterize, KeepsQBetweenZeroAndN) {
  base::ThreadPool pool(1);
  const layout::Density raster = rasterize(random_lines(2000, 30, 300, 10), pool);
  for (size_t i = 0; i < raster.n.size(); ++i) {
    EXPECT_GE(raster.q[i], 0);
    EXPECT_LE(raster.q[i], raster.n[i]);
  }
}

/// Curves as very many short chords, each of which is entered like a line by the definition.
Reference slow_curves(const layout::Curves& curves, int width, int height) {
  const auto pixel_count = static_cast<size_t>(width) * static_cast<size_t>(height);
  Reference result{std::vector<double>(pixel_count), std::vector<double>(pixel_count)};
  constexpr int kChords = 4000;
  for (size_t i = 0; i < curves.size(); ++i) {
    const layout::Bezier piece{
        {curves.x1[i], curves.y1[i]}, {curves.cx[i], curves.cy[i]}, {curves.x2[i], curves.y2[i]}};
    layout::Point from = piece.begin;
    for (int k = 1; k <= kChords; ++k) {
      const double t = (k - 0.5) / kChords;
      const layout::Point to = piece.at(static_cast<double>(k) / kChords);
      const double s = curves.s1[i] + t * (curves.s2[i] - curves.s1[i]);
      const bool steep = std::abs(to.y - from.y) >= std::abs(to.x - from.x);
      const double share = std::max(std::abs(to.y - from.y), std::abs(to.x - from.x));
      const double major = steep ? (from.y + to.y) / 2 : (from.x + to.x) / 2;
      const double minor = (steep ? (from.x + to.x) / 2 : (from.y + to.y) / 2) - 0.5;
      const double below = minor - std::floor(minor);
      for (const int next : {0, 1}) {
        const auto u = static_cast<int>(std::floor(major));
        const int v = static_cast<int>(std::floor(minor)) + next;
        const int x = steep ? v : u;
        const int y = steep ? u : v;
        if (x < 0 || y < 0 || x >= width || y >= height) continue;
        const size_t at =
            static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x);
        const double part = curves.weight[i] * share * (next == 1 ? below : 1 - below);
        result.n[at] += part;
        result.q[at] += part * s;
      }
      from = to;
    }
  }
  return result;
}

Segments random_curves(size_t count, int width, int height, double reach) {
  std::mt19937 random(11);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / 4294967296.0;
  };
  Segments segments = on(width, height);
  for (size_t i = 0; i < count; ++i) {
    const layout::Point from{uniform(-10, width + 10), uniform(-10, height + 10)};
    const layout::Point control{from.x + uniform(-reach, reach), from.y + uniform(-reach, reach)};
    const layout::Point to{control.x + uniform(-reach, reach), control.y + uniform(-reach, reach)};
    segments.curves.add(from, control, to, uniform(0, 0.5), uniform(0.5, 1), uniform(1, 3));
  }
  return segments;
}

TEST(Rasterize, DrawsCurvesWithinAQuarterOfAPixelOfWhatTheyAre) {
  base::ThreadPool pool(1);
  for (const double reach : {3.0, 12.0, 40.0}) {
    const Segments segments = random_curves(60, 70, 50, reach);
    const layout::Density raster = rasterize(segments, pool);
    const Reference reference = slow_curves(segments.curves, 70, 50);
    double difference = 0;
    double total = 0;
    for (size_t i = 0; i < raster.n.size(); ++i) {
      difference += std::abs(raster.n[i] - reference.n[i]);
      total += reference.n[i];
      EXPECT_NEAR(raster.q[i], reference.q[i], 0.5 + 0.2 * reference.n[i]);
    }
    // A line that is d px off differs by 2 d of its weight; a chord is 0.25 px off in its middle
    // and two thirds of that on average.
    EXPECT_LT(difference / total, 2 * 0.25 * 2 / 3) << reach;
  }
}

TEST(Rasterize, GivesACurveTheSameWeightAsItsChordsEverywhere) {
  base::ThreadPool pool(1);
  Segments curve = on(60, 400);
  // Nearly vertical: rows have the weight of the curve, the ends their share.
  curve.curves.add({20.3, 10.25}, {25, 200}, {22, 390.5}, 0, 1, 2);
  const layout::Density raster = rasterize(curve, pool);
  EXPECT_NEAR(row_sum(raster, 10), 2 * 0.75, 1e-5);
  for (uint32_t y = 11; y < 390; ++y) EXPECT_NEAR(row_sum(raster, y), 2, 1e-5) << y;
  EXPECT_NEAR(row_sum(raster, 390), 2 * 0.5, 1e-5);
  EXPECT_NEAR(row_sum(raster, 391), 0, 1e-5);
}

TEST(Rasterize, NeverLosesACurveSmallerThanAPixel) {
  base::ThreadPool pool(1);
  Segments point = on(9, 9);
  point.curves.add({4.5, 4.5}, {4.5, 4.5}, {4.5, 4.5}, 0, 1, 1);
  const layout::Density raster = rasterize(point, pool);
  EXPECT_NEAR(std::accumulate(raster.n.begin(), raster.n.end(), 0.0), 1, 1e-6);
}

TEST(Rasterize, CutsCurvesWithEndsFarAwayAndDrawsWhatIsSeenOfThem) {
  base::ThreadPool pool(1);
  for (const float far : {2e4F, 1e6F, 1e12F, 1e20F, 3e37F}) {
    // Through (60, 40) in its middle, flat there.
    Segments curve = on(120, 80);
    curve.curves.add({60 - far, 40 - far}, {60, 40 + far}, {60 + far, 40 - far}, 0, 1, 1);
    const layout::Density raster = rasterize(curve, pool);
    if (far > 1e7F) continue;  // floats are too coarse to say where it is
    for (uint32_t x = 0; x < 120; ++x) {
      double sum = 0;
      double s = 0;
      for (uint32_t y = 0; y < 80; ++y) {
        sum += raster.n[raster.index(x, y)];
        s += raster.q[raster.index(x, y)];
      }
      EXPECT_NEAR(sum, 1, 1e-5) << far << " " << x;
      EXPECT_NEAR(s, 0.5, 0.01);
    }
  }
}

TEST(Rasterize, OfCurvesDoesNotDependOnOrderOrThreads) {
  const Segments segments = random_curves(3000, 300, 200, 30);
  const layout::Density alone = [&] {
    base::ThreadPool one(1);
    return rasterize(segments, one);
  }();
  Segments reversed = on(300, 200);
  const layout::Curves& c = segments.curves;
  for (size_t i = c.size(); i-- > 0;) {
    reversed.curves.add({c.x1[i], c.y1[i]}, {c.cx[i], c.cy[i]}, {c.x2[i], c.y2[i]}, c.s1[i],
                        c.s2[i], c.weight[i]);
  }
  for (const unsigned thread_count : {1U, 2U, 8U}) {
    base::ThreadPool pool(thread_count);
    const layout::Density other = rasterize(reversed, pool);
    EXPECT_TRUE(same(alone.n, other.n));
    EXPECT_TRUE(same(alone.q, other.q));
  }
}

TEST(Rasterize, WidensTheClipToWholePixels) {
  base::ThreadPool pool(1);
  Segments lines;
  lines.clip = {10.5, 20.25, 5, 5};
  lines.add(12.5F, 0, 12.5F, 100);
  const layout::Density raster = rasterize(lines, pool);
  EXPECT_EQ(raster.width, 6U);
  EXPECT_EQ(raster.height, 6U);
  EXPECT_NEAR(raster.n[raster.index(2, 0)], 1, 1e-6);
}

TEST(Rasterize, OfNothingIsEmpty) {
  base::ThreadPool pool(1);
  EXPECT_TRUE(rasterize(on(0, 10), pool).n.empty());
  EXPECT_TRUE(rasterize(on(NAN, 10), pool).n.empty());
  EXPECT_TRUE(rasterize(on(1e6, 10), pool).n.empty());
  const layout::Density blank = rasterize(on(4, 4), pool);
  EXPECT_EQ(blank.n.size(), 16U);
  EXPECT_EQ(*std::max_element(blank.n.begin(), blank.n.end()), 0);
}

}  // namespace
}  // namespace pathline::render
