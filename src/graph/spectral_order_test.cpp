// SPDX-License-Identifier: BSD-3-Clause
#include "graph/spectral_order.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::graph {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using Pairs = std::map<std::pair<uint32_t, uint32_t>, uint64_t>;  // Sender and receiver to bytes.

Traffic traffic_of(uint32_t rank_count, const Pairs& pairs) {
  Traffic traffic;
  traffic.row.assign(size_t{rank_count} + 1, 0);
  for (const auto& [ends, bytes] : pairs) {
    ++traffic.row[ends.first + 1];
    traffic.receiver.push_back(ends.second);
    traffic.messages.push_back(1);
    traffic.bytes.push_back(bytes);
  }
  std::partial_sum(traffic.row.begin(), traffic.row.end(), traffic.row.begin());
  return traffic;
}

std::vector<uint32_t> positions(const std::vector<uint32_t>& order) {
  std::vector<uint32_t> position(order.size(), UINT32_MAX);
  for (uint32_t at = 0; at < order.size(); ++at) position.at(order[at]) = at;
  return position;
}

double score(const Traffic& traffic, const std::vector<uint32_t>& order) {
  return order_score(traffic, Weight::kBytes, positions(order));
}

std::vector<uint32_t> fiedler(const Traffic& traffic) {
  return spectral_order(traffic, Weight::kBytes);
}

std::vector<uint32_t> ranks(uint32_t count) {
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

std::vector<uint32_t> shuffled(uint32_t count, unsigned seed) {
  std::vector<uint32_t> order = ranks(count);
  std::mt19937 random(seed);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

Pairs renamed(const Pairs& pairs, const std::vector<uint32_t>& name) {
  Pairs result;
  for (const auto& [ends, bytes] : pairs) result[{name[ends.first], name[ends.second]}] = bytes;
  return result;
}

Pairs path(uint32_t count) {
  Pairs pairs;
  for (uint32_t rank = 0; rank + 1 < count; ++rank) pairs[{rank, rank + 1}] = 10;
  return pairs;
}

/// Halo exchange on a grid, both directions.
Pairs grid(uint32_t width, uint32_t height) {
  Pairs pairs;
  for (uint32_t y = 0; y < height; ++y) {
    for (uint32_t x = 0; x < width; ++x) {
      const uint32_t rank = y * width + x;
      if (x + 1 < width) pairs[{rank, rank + 1}] = pairs[{rank + 1, rank}] = 8;
      if (y + 1 < height) pairs[{rank, rank + width}] = pairs[{rank + width, rank}] = 8;
    }
  }
  return pairs;
}

/// Neighbours along a line up to `reach` away, and some long ways, as after load balancing.
Pairs band_with_long_ways(uint32_t count, uint32_t reach, uint32_t long_ways, unsigned seed) {
  Pairs pairs;
  std::mt19937 random(seed);
  for (uint32_t rank = 0; rank < count; ++rank) {
    for (uint32_t d = 1; d <= reach && rank + d < count; ++d) pairs[{rank, rank + d}] = 100;
    for (uint32_t i = 0; i < long_ways; ++i) pairs[{rank, random() % count}] = 1 + random() % 20;
  }
  return pairs;
}

TEST(SpectralOrder, OfAPathIsThePathWhateverTheRanksAreCalled) {
  for (const uint32_t count : {3U, 10U, 47U, 48U, 49U, 50U, 500U, 2000U}) {
    const Traffic traffic = traffic_of(count, path(count));
    EXPECT_EQ(fiedler(traffic), ranks(count)) << count;
    const std::vector<uint32_t> name = shuffled(count, 7);
    std::vector<uint32_t> order = fiedler(traffic_of(count, renamed(path(count), name)));
    if (order.front() != name.front()) std::reverse(order.begin(), order.end());
    EXPECT_EQ(order, name) << count;
  }
}

TEST(SpectralOrder, PutsTheSmallerRankFirst) {
  // The path 3 - 0 - 1 - 2: of its two directions that in which rank 0 lies on the left.
  const Traffic traffic = traffic_of(4, {{{3, 0}, 1}, {{0, 1}, 1}, {{1, 2}, 1}});
  EXPECT_THAT(fiedler(traffic), ElementsAre(3, 0, 1, 2));
}

TEST(SpectralOrder, FoldsARing) {
  // Both halves of the ring interleaved: no neighbour is farther than 2 positions.
  for (const uint32_t count : {12U, 32U, 200U, 1024U}) {
    Pairs pairs = path(count);
    pairs[{count - 1, 0}] = 10;
    const std::vector<uint32_t> name = shuffled(count, 3);
    const Traffic traffic = traffic_of(count, renamed(pairs, name));
    const std::vector<uint32_t> position = positions(fiedler(traffic));
    for (uint32_t rank = 0; rank < count; ++rank) {
      const auto a = static_cast<int>(position[name[rank]]);
      const auto b = static_cast<int>(position[name[(rank + 1) % count]]);
      EXPECT_LE(std::abs(a - b), 3) << count << ' ' << rank;
    }
    EXPECT_LT(order_score(traffic, Weight::kBytes, position), 2.0);
  }
}

TEST(SpectralOrder, SweepsAGridAlongItsLongSide) {
  // 40 x 5: the Fiedler vector is a cosine along x, so columns of 5 ranks follow one another.
  const std::vector<uint32_t> order = fiedler(traffic_of(200, grid(40, 5)));
  for (uint32_t at = 0; at < 200; ++at) {
    EXPECT_EQ(order[at] % 40, at / 5) << at;
    EXPECT_EQ(order[at] / 40, at % 5) << "ties by rank";
  }
}

TEST(SpectralOrder, RecoversTheScoreOfShuffledRanks) {
  struct Case {
    const char* name;
    uint32_t count;
    Pairs pairs;
    double allowed;
  };
  const Case cases[] = {{"grid 16 x 4", 64, grid(16, 4), 1.3},  // Ties by rank shuffle a column.
                        {"grid 64 x 16", 1024, grid(64, 16), 1.3},
                        {"band", 1024, band_with_long_ways(1024, 4, 0, 1), 1.02},
                        {"band, few long ways", 1024, band_with_long_ways(1024, 6, 2, 5), 1.1}};
  for (const Case& c : cases) {
    const Traffic plain = traffic_of(c.count, c.pairs);
    const double best = score(plain, fiedler(plain));
    for (const unsigned seed : {1U, 2U, 3U}) {
      const Traffic traffic = traffic_of(c.count, renamed(c.pairs, shuffled(c.count, seed)));
      EXPECT_NEAR(score(traffic, fiedler(traffic)), best, (c.allowed - 1) * best) << c.name;
      EXPECT_GT(score(traffic, ranks(c.count)), 4 * best) << c.name;
    }
  }
}

TEST(SpectralOrder, IsAsGoodAsTheBestOrderOfSmallPathsAndCliques) {
  // Two cliques of 4 joined by one edge: every order of the best score keeps them apart.
  Pairs pairs;
  for (uint32_t a = 0; a < 4; ++a) {
    for (uint32_t b = a + 1; b < 4; ++b) pairs[{2 * a, 2 * b}] = pairs[{2 * a + 1, 2 * b + 1}] = 5;
  }
  pairs[{6, 1}] = 5;
  const Traffic traffic = traffic_of(8, pairs);
  std::vector<uint32_t> order = ranks(8);
  double best = score(traffic, order);
  while (std::next_permutation(order.begin(), order.end())) {
    best = std::min(best, score(traffic, order));
  }
  EXPECT_DOUBLE_EQ(score(traffic, fiedler(traffic)), best);
}

/// Fiedler vector by power iteration on c I - Laplacian, with no library.
std::vector<double> slow_fiedler(uint32_t count, const Pairs& pairs) {
  std::vector<std::vector<double>> matrix(count, std::vector<double>(count, 0));
  for (const auto& [ends, bytes] : pairs) {
    const auto [a, b] = ends;
    if (a == b) continue;
    const auto w = static_cast<double>(bytes);
    matrix[a][b] -= w, matrix[b][a] -= w, matrix[a][a] += w, matrix[b][b] += w;
  }
  double shift = 0;
  for (uint32_t i = 0; i < count; ++i) shift = std::max(shift, 2 * matrix[i][i]);
  std::vector<double> x(count);
  for (uint32_t i = 0; i < count; ++i) x[i] = i + 0.3 * ((i * 37) % 11);
  for (int step = 0; step < 8000; ++step) {
    const double mean = std::accumulate(x.begin(), x.end(), 0.0) / count;
    std::vector<double> y(count);
    double norm = 0;
    for (uint32_t i = 0; i < count; ++i) {
      y[i] = shift * (x[i] - mean);
      for (uint32_t k = 0; k < count; ++k) y[i] -= matrix[i][k] * (x[k] - mean);
      norm = std::hypot(norm, y[i]);
    }
    for (uint32_t i = 0; i < count; ++i) x[i] = y[i] / norm;
  }
  return x;
}

TEST(SpectralOrder, AgreesWithPowerIteration) {
  for (const unsigned seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    // Below and above the size at which the method changes.
    const uint32_t count = seed % 2 == 0 ? 30 : 60;
    const Pairs pairs = band_with_long_ways(count, 3, 1, seed);
    std::vector<double> vector = slow_fiedler(count, pairs);
    if (vector[0] > 0) std::for_each(vector.begin(), vector.end(), [](double& v) { v = -v; });
    std::vector<uint32_t> expected = ranks(count);
    std::stable_sort(expected.begin(), expected.end(),
                     [&](uint32_t a, uint32_t b) { return vector[a] < vector[b]; });
    EXPECT_EQ(fiedler(traffic_of(count, pairs)), expected) << "seed " << seed;
  }
}

TEST(SpectralOrder, OfDenseTrafficIsFoundWithoutAFactorisation) {
  // 60,000 pairs of 1024 ranks that form four groups; the factorisation would be dense.
  std::mt19937 random(11);
  Pairs pairs;
  while (pairs.size() < 60'000) {
    const uint32_t a = random() % 1024;
    const uint32_t any = random() % 1024;
    const uint32_t b = random() % 16 == 0 ? any : any / 4 * 4 + a % 4;
    pairs[{a, b}] = 1 + random() % 3;
  }
  const Traffic traffic = traffic_of(1024, pairs);
  const std::vector<uint32_t> order = fiedler(traffic);
  EXPECT_LT(score(traffic, order), 0.75 * score(traffic, ranks(1024)));
  EXPECT_EQ(order, fiedler(traffic)) << "not the same twice";
}

TEST(SpectralOrder, TakesEachComponentOnItsOwnByItsSmallestRank) {
  // 5 - 1 - 3, 0 alone, 2 - 4, 6 sends to itself only.
  const Traffic traffic =
      traffic_of(7, {{{5, 1}, 4}, {{1, 3}, 4}, {{2, 4}, 1}, {{6, 6}, 100}, {{4, 2}, 1}});
  EXPECT_THAT(fiedler(traffic), ElementsAre(0, 3, 1, 5, 2, 4, 6));
  EXPECT_THAT(rcm_order(traffic, Weight::kBytes), ElementsAre(0, 5, 1, 3, 4, 2, 6));
}

TEST(SpectralOrder, OfNothingIsTheOrderOfTheRanks) {
  EXPECT_TRUE(fiedler(Traffic()).empty());
  EXPECT_THAT(fiedler(traffic_of(1, {})), ElementsAre(0));
  EXPECT_THAT(fiedler(traffic_of(1, {{{0, 0}, 3}})), ElementsAre(0));
  EXPECT_THAT(fiedler(traffic_of(4, {})), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(fiedler(traffic_of(3, {{{0, 2}, 0}})), ElementsAre(0, 1, 2));
  EXPECT_THAT(rcm_order(traffic_of(4, {}), Weight::kMessages), ElementsAre(0, 1, 2, 3));
}

TEST(SpectralOrder, OfAStarFollowsTheRanks) {
  // Workers that all send to rank 0: any order of theirs is as good.
  for (const uint32_t count : {20U, 300U}) {
    Pairs pairs;
    for (uint32_t rank = 1; rank < count; ++rank) pairs[{rank, 0}] = 5;
    const std::vector<uint32_t> order = fiedler(traffic_of(count, pairs));
    const std::vector<uint32_t> position = positions(order);
    uint32_t descents = 0;
    for (uint32_t rank = 2; rank < count; ++rank) {
      descents += position[rank] < position[rank - 1] ? 1 : 0;
    }
    EXPECT_LT(descents, count / 4) << count;
  }
}

TEST(SpectralOrder, StandsWeightsOfAnySize) {
  constexpr uint64_t kHuge = UINT64_C(1) << 53;
  Pairs pairs = path(100);
  for (auto& [ends, bytes] : pairs) bytes = kHuge;
  EXPECT_EQ(fiedler(traffic_of(100, pairs)), ranks(100));
  // Pairs that are tied together by huge weights, and to each other by small ones.
  for (auto& [ends, bytes] : pairs) bytes = ends.first % 2 == 0 ? kHuge : 1;
  const std::vector<uint32_t> order = fiedler(traffic_of(100, pairs));
  EXPECT_LT(score(traffic_of(100, pairs), order), 1.01);
  std::vector<uint32_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, ranks(100));
}

TEST(SpectralOrder, StandsCliquesWhoseWeightsLieFarApart) {
  // Weights from 1 byte to 2^59: no double holds their sums, and Spectra gives up on some.
  for (const auto& [count, bits] : {std::pair{72U, 52U}, {72U, 60U}, {100U, 60U}}) {
    for (uint32_t seed = 1; seed <= 20; ++seed) {
      std::mt19937 random(seed);
      Pairs pairs;
      for (uint32_t a = 0; a < count; ++a) {
        for (uint32_t b = 0; b < count; ++b) {
          const bool in_clique = a != b && (a < count / 2) == (b < count / 2);
          const bool is_bridge = a == 0 && b == count - 1;
          if (in_clique || is_bridge) pairs[{a, b}] = UINT64_C(1) << random() % bits;
        }
      }
      std::vector<uint32_t> order;
      ASSERT_NO_THROW(order = fiedler(traffic_of(count, pairs))) << count << ' ' << seed;
      std::sort(order.begin(), order.end());
      EXPECT_EQ(order, ranks(count)) << seed;
    }
  }
}

TEST(SpectralOrder, WeighsByMessagesOrBytes) {
  // By messages the path is 0 - 1 - 2, by bytes 0 - 2 - 1.
  Traffic traffic = traffic_of(3, {{{0, 1}, 1}, {{0, 2}, 1000}, {{1, 2}, 1000}});
  traffic.messages = {1000, 1, 1000};
  EXPECT_THAT(spectral_order(traffic, Weight::kMessages), ElementsAre(0, 1, 2));
  EXPECT_THAT(spectral_order(traffic, Weight::kBytes), ElementsAre(0, 2, 1));
}

TEST(RcmOrder, OfAPathIsThePath) {
  const std::vector<uint32_t> name = shuffled(300, 9);
  const Traffic traffic = traffic_of(300, renamed(path(300), name));
  EXPECT_DOUBLE_EQ(score(traffic, rcm_order(traffic, Weight::kBytes)), 1);
}

TEST(RcmOrder, HasTheBandwidthOfAGrid) {
  // A grid of 20 x 4 has a bandwidth of 4 when swept along its long side; level by level from a
  // corner it can only be a little larger.
  const Traffic traffic = traffic_of(80, renamed(grid(20, 4), shuffled(80, 4)));
  const std::vector<uint32_t> position = positions(rcm_order(traffic, Weight::kBytes));
  for (uint32_t sender = 0; sender < 80; ++sender) {
    for (size_t i = traffic.row[sender]; i < traffic.row[sender + 1]; ++i) {
      EXPECT_LE(std::abs(static_cast<int>(position[sender]) -
                         static_cast<int>(position[traffic.receiver[i]])),
                5);
    }
  }
}

TEST(OrderScore, IsTheMeanDistanceOfAByte) {
  Traffic traffic = traffic_of(4, {{{0, 3}, 10}, {{1, 1}, 10}, {{2, 1}, 20}});
  traffic.messages = {1, 1, 2};
  EXPECT_DOUBLE_EQ(score(traffic, ranks(4)), (10 * 3.0 + 20 * 1.0) / 40);
  const std::vector<uint32_t> position = {3, 0, 1, 2};
  EXPECT_DOUBLE_EQ(order_score(traffic, Weight::kMessages, position), (1 * 1.0 + 2 * 1.0) / 4);
  EXPECT_DOUBLE_EQ(order_score(Traffic(), Weight::kBytes, {}), 0);
}

}  // namespace
}  // namespace pathline::graph
