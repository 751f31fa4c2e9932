// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/mean_shift.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "bundle/router_input.hpp"

namespace pathline::bundle {
namespace {

constexpr layout::Rect kArea = {0, 0, 800, 600};

struct Points {
  std::vector<float> x, y;
  std::vector<uint64_t> weight;

  void add(double px, double py, uint64_t w = 1) {
    x.push_back(static_cast<float>(px));
    y.push_back(static_cast<float>(py));
    weight.push_back(w);
  }
  size_t size() const { return x.size(); }
  layout::Point at(size_t i) const { return {x[i], y[i]}; }
};

Clusters cluster(const Points& points, double radius_px, const layout::Rect& area = kArea,
                 unsigned threads = 1) {
  base::ThreadPool pool(threads);
  const WeightedPoints parts[] = {{points.x, points.y, points.weight}};
  return mean_shift(parts, area, radius_px, pool);
}

/// The method of the header without cells: every point has a trajectory over all points.
struct Direct {
  std::vector<layout::Point> centres;
  std::vector<size_t> of_point;
};

Direct directly(const Points& points, double radius_px) {
  struct Mode {
    layout::Point at;
    size_t point;
  };
  std::vector<Mode> modes;
  for (size_t i = 0; i < points.size(); ++i) {
    layout::Point at = points.at(i);
    for (int step = 0; step < 64; ++step) {
      layout::Point sum;
      double weight = 0;
      for (size_t k = 0; k < points.size(); ++k) {
        if (distance(at, points.at(k)) > radius_px) continue;
        const auto w = static_cast<double>(points.weight[k]);
        sum = {sum.x + w * points.at(k).x, sum.y + w * points.at(k).y};
        weight += w;
      }
      const layout::Point before = at;
      at = {sum.x / weight, sum.y / weight};
      if (distance(before, at) < 1e-3 * radius_px) break;
    }
    modes.push_back({at, i});
  }
  std::sort(modes.begin(), modes.end(), [](const Mode& a, const Mode& b) {
    return a.at.x != b.at.x ? a.at.x < b.at.x : a.at.y < b.at.y;
  });
  Direct result;
  result.of_point.resize(points.size());
  std::vector<layout::Point> sums;
  std::vector<double> weights;
  for (const Mode& mode : modes) {
    size_t nearest = result.centres.size();
    double least = radius_px / 2;
    for (size_t c = 0; c < result.centres.size(); ++c) {
      if (distance(result.centres[c], mode.at) < least) {
        nearest = c;
        least = distance(result.centres[c], mode.at);
      }
    }
    if (nearest == result.centres.size()) {
      result.centres.push_back(mode.at);
      sums.emplace_back();
      weights.push_back(0);
    }
    const auto w = static_cast<double>(points.weight[mode.point]);
    sums[nearest] = {sums[nearest].x + w * mode.at.x, sums[nearest].y + w * mode.at.y};
    weights[nearest] += w;
    result.of_point[mode.point] = nearest;
  }
  for (size_t c = 0; c < sums.size(); ++c) {
    result.centres[c] = {sums[c].x / weights[c], sums[c].y / weights[c]};
  }
  return result;
}

/// Same partition and centres, whatever their order.
void expect_like(const Direct& expected, const Clusters& clusters, const Points& points,
                 double tolerance_px) {
  ASSERT_EQ(clusters.centres().size(), expected.centres.size());
  std::set<std::pair<size_t, size_t>> pairs;
  for (size_t i = 0; i < points.size(); ++i) {
    const uint32_t centre = clusters.of(points.at(i));
    ASSERT_LT(centre, clusters.centres().size());
    pairs.insert({expected.of_point[i], centre});
  }
  ASSERT_EQ(pairs.size(), expected.centres.size());
  for (const auto& [e, c] : pairs) {
    EXPECT_NEAR(clusters.centres()[c].at.x, expected.centres[e].x, tolerance_px);
    EXPECT_NEAR(clusters.centres()[c].at.y, expected.centres[e].y, tolerance_px);
  }
}

Points blobs(const std::vector<layout::Point>& middles, int count, double spread_px,
             unsigned seed) {
  std::mt19937 random(seed);
  Points points;
  for (const layout::Point& middle : middles) {
    for (int i = 0; i < count; ++i) {
      const double angle = static_cast<double>(random() % 6283) / 1000;
      const double away = spread_px * static_cast<double>(random() % 1000) / 1000;
      points.add(middle.x + away * std::cos(angle), middle.y + away * std::sin(angle),
                 1 + random() % 3);
    }
  }
  return points;
}

TEST(MeanShift, GathersWhatIsWithinTheRadiusAtTheWeightedMean) {
  Points points;
  points.add(100, 100, 1);
  points.add(110, 100, 3);
  const Clusters near = cluster(points, 15);
  ASSERT_EQ(near.centres().size(), 1U);
  EXPECT_NEAR(near.centres()[0].at.x, 107.5, 0.01);
  EXPECT_NEAR(near.centres()[0].at.y, 100, 0.01);
  EXPECT_EQ(near.centres()[0].weight, 4U);

  const Clusters apart = cluster(points, 8);
  ASSERT_EQ(apart.centres().size(), 2U);
  EXPECT_EQ(apart.centres()[0].weight, 1U);
  EXPECT_EQ(apart.centres()[1].weight, 3U);
  EXPECT_NEAR(apart.centroid().x, 107.5, 0.01);
}

TEST(MeanShift, IsTheDirectMethodWhereEachPointHasItsOwnCell) {
  constexpr double kRadius = 40;  // 40 x 30 cells of 20 px
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    Points points;
    for (int column = 0; column < 40; ++column) {
      for (int row = 0; row < 30; ++row) {
        if (random() % 6 != 0) continue;
        points.add(column * 20 + 1 + static_cast<double>(random() % 18000) / 1000,
                   row * 20 + 1 + static_cast<double>(random() % 18000) / 1000, 1 + random() % 5);
      }
    }
    SCOPED_TRACE(seed);
    expect_like(directly(points, kRadius), cluster(points, kRadius), points, 0.05);
  }
}

TEST(MeanShift, FindsTheGroupsThatTheDirectMethodFinds) {
  const Points points =
      blobs({{100, 100}, {300, 120}, {110, 400}, {500, 500}, {700, 50}}, 60, 15, 3);
  const Direct expected = directly(points, 40);
  ASSERT_EQ(expected.centres.size(), 5U);
  expect_like(expected, cluster(points, 40), points, 5);
}

TEST(MeanShift, LosesNoWeight) {
  std::mt19937 random(5);
  Points points;
  uint64_t total = 0;
  for (int i = 0; i < 5000; ++i) {
    points.add(static_cast<double>(random() % 1000) - 100, static_cast<double>(random() % 800),
               random() % 100);
    total += points.weight.back();
  }
  const Clusters clusters = cluster(points, 30);
  uint64_t sum = 0;
  for (const auto& centre : clusters.centres()) sum += centre.weight;
  EXPECT_EQ(sum, total);
}

TEST(MeanShift, OrdersCentresFromLeftToRight) {
  const Points points = blobs({{700, 100}, {300, 120}, {100, 400}, {100, 200}}, 1, 0, 3);
  const Clusters clusters = cluster(points, 20);
  ASSERT_EQ(clusters.centres().size(), 4U);
  EXPECT_FLOAT_EQ(static_cast<float>(clusters.centres()[0].at.y), 200);
  EXPECT_FLOAT_EQ(static_cast<float>(clusters.centres()[1].at.y), 400);
  EXPECT_FLOAT_EQ(static_cast<float>(clusters.centres()[2].at.x), 300);
  EXPECT_FLOAT_EQ(static_cast<float>(clusters.centres()[3].at.x), 700);
}

TEST(MeanShift, DoesNotDependOnOrderOrThreads) {
  std::mt19937 random(8);
  std::vector<size_t> order;
  Points points;
  for (size_t i = 0; i < 140000; ++i) {
    points.add(static_cast<double>(random() % 80000) / 100,
               300 + 250 * std::sin(static_cast<double>(random() % 600)), random() % 1000);
    order.push_back(i);
  }
  const Clusters expected = cluster(points, 25);  // its pool is gone before the next is made
  for (const unsigned threads : {1U, 2U, 8U}) {
    std::shuffle(order.begin(), order.end(), random);
    Points other;
    for (const size_t i : order) other.add(points.x[i], points.y[i], points.weight[i]);
    const Clusters clusters = cluster(other, 25, kArea, threads);
    ASSERT_EQ(clusters.centres().size(), expected.centres().size());
    for (size_t c = 0; c < clusters.centres().size(); ++c) {
      ASSERT_EQ(clusters.centres()[c].at.x, expected.centres()[c].at.x);
      ASSERT_EQ(clusters.centres()[c].at.y, expected.centres()[c].at.y);
      ASSERT_EQ(clusters.centres()[c].weight, expected.centres()[c].weight);
    }
    for (size_t i = 0; i < 2000; ++i) {
      ASSERT_EQ(clusters.of(points.at(i)), expected.of(points.at(i)));
    }
  }
}

TEST(MeanShift, OfAMirroredPictureIsTheMirrorImage) {
  const Points points = blobs({{101, 100}, {303, 120}, {110, 400}, {505, 500}}, 40, 12, 6);
  Points mirror;
  for (size_t i = 0; i < points.size(); ++i)
    mirror.add(800 - points.x[i], points.y[i], points.weight[i]);
  const Clusters a = cluster(points, 37);
  const Clusters b = cluster(mirror, 37);
  ASSERT_EQ(a.centres().size(), 4U);
  ASSERT_EQ(b.centres().size(), 4U);
  for (size_t i = 0; i < points.size(); ++i) {
    const auto& p = a.centres()[a.of(points.at(i))];
    const auto& q = b.centres()[b.of(mirror.at(i))];
    EXPECT_NEAR(p.at.x, 800 - q.at.x, 0.05);
    EXPECT_NEAR(p.at.y, q.at.y, 0.05);
    EXPECT_EQ(p.weight, q.weight);
  }
}

TEST(MeanShift, GivesPlacesWithoutPointsTheNearestCentre) {
  const Points points = blobs({{100, 100}, {300, 120}, {110, 400}, {500, 500}}, 1, 0, 3);
  const Clusters clusters = cluster(points, 20);
  for (int x = -200; x <= 1000; x += 17) {
    for (int y = -200; y <= 800; y += 13) {
      const layout::Point p = {static_cast<double>(x), static_cast<double>(y)};
      double least = HUGE_VAL;
      for (const auto& centre : clusters.centres()) least = std::min(least, distance(centre.at, p));
      ASSERT_LT(clusters.of(p), 4U);
      ASSERT_NEAR(distance(clusters.centres()[clusters.of(p)].at, p), least, 10) << x << " " << y;
    }
  }
  EXPECT_EQ(clusters.of({NAN, 5}), Clusters::kNone);
  EXPECT_EQ(clusters.of({5, HUGE_VAL}), Clusters::kNone);
}

TEST(MeanShift, TakesTheFirstOfTwoEquallyNearCentres) {
  Points points;
  points.add(100, 300);
  points.add(300, 300);
  points.add(200, 200);
  const Clusters clusters = cluster(points, 20);
  EXPECT_EQ(clusters.of({200, 300}), 0U);
}

TEST(MeanShift, WorksForAnyRadius) {
  const Points points = blobs({{100, 100}, {300, 120}, {110, 400}}, 50, 5, 3);
  for (const double radius : {0.0, -1.0, 1e-9, static_cast<double>(NAN)}) {
    const Clusters clusters = cluster(points, radius);
    EXPECT_GE(clusters.centres().size(), 3U) << radius;
    EXPECT_LE(clusters.centres().size(), points.size()) << radius;
  }
  for (const double radius : {1e4, 1e300, HUGE_VAL}) {
    const Clusters clusters = cluster(points, radius);
    ASSERT_EQ(clusters.centres().size(), 1U) << radius;
    EXPECT_NEAR(clusters.centres()[0].at.x, clusters.centroid().x, 0.5) << radius;
  }
}

TEST(MeanShift, OfNothingHasNoCentres) {
  Points points;
  points.add(NAN, 5, 0);
  const Clusters clusters = cluster(points, 20);
  EXPECT_TRUE(clusters.centres().empty());
  EXPECT_EQ(clusters.of({5, 5}), Clusters::kNone);
}

TEST(DefaultRadius, IsAFortyEighthOfTheWidthAtSixteenToNine) {
  EXPECT_DOUBLE_EQ(default_radius_px({0, 0, 1920, 1080}), 40);
  EXPECT_EQ(default_radius_px({0, 0, 1, 1}), 4);
}

}  // namespace
}  // namespace pathline::bundle
