// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/phase_grid.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "bundle/test_messages.hpp"

namespace pathline::bundle {
namespace {

/// Bands must cover an axis without gap, overlap or a node outside.
void expect_seamless(const std::vector<Band>& bands) {
  for (size_t i = 0; i < bands.size(); ++i) {
    EXPECT_GT(bands[i].width(), 0) << i;
    EXPECT_GE(bands[i].node, bands[i].begin) << i;
    EXPECT_LE(bands[i].node, bands[i].end) << i;
    if (i > 0) {
      EXPECT_NEAR(bands[i].begin, bands[i - 1].end, 1e-9) << i;
    }
  }
}

TEST(PhaseColumns, StandInTheMiddleOfEachPhase) {
  // Bursts of 10 px every 60 px; nothing in between.
  const layout::Segments lines = phased_messages(5000, 8, 600, 200, 60, 10, 0);
  const auto columns = phase_columns(count_ends(lines), 12);
  expect_seamless(columns);
  for (int phase = 0; phase < 10; ++phase) {
    const double middle = phase * 60 + 5;
    const auto nearest =
        std::min_element(columns.begin(), columns.end(), [&](const Band& a, const Band& b) {
          return std::abs(a.node - middle) < std::abs(b.node - middle);
        });
    EXPECT_NEAR(nearest->node, middle, 1) << phase;
    EXPECT_LE(nearest->begin, phase * 60.0) << "the phase is not cut";
    EXPECT_GE(nearest->end, phase * 60 + 10.0) << "the phase is not cut";
  }
}

TEST(PhaseColumns, AreNeitherTooNarrowNorTooWide) {
  for (const double width_min : {4.0, 12.0, 32.0}) {
    for (const double period : {7.0, 45.0, 700.0}) {
      const layout::Segments lines = phased_messages(3000, 8, 800, 200, period, period / 3, 5);
      const auto columns = phase_columns(count_ends(lines), width_min);
      expect_seamless(columns);
      for (const Band& column : columns) {
        if (column.begin < 0 || column.end > 800) continue;
        EXPECT_LE(column.width(), 5 * width_min + 1e-9);
        EXPECT_GE(column.width(), 0.75 * width_min - 1e-9);
      }
    }
  }
}

TEST(PhaseColumns, CoverThePlotAndAsMuchOnEitherSide) {
  const auto columns = phase_columns(count_ends(phased_messages(100, 4, 500, 200, 50, 5, 9)), 8);
  EXPECT_LE(columns.front().begin, -500);
  EXPECT_GE(columns.back().end, 1000);
}

TEST(PhaseColumns, DoNotDependOnTheOrderOfTheMessages) {
  const layout::Segments lines = phased_messages(4000, 8, 700, 200, 33, 9, 20);
  const auto ordered = phase_columns(count_ends(lines), 8);
  const auto other = phase_columns(count_ends(shuffled(lines)), 8);
  ASSERT_EQ(ordered.size(), other.size());
  for (size_t i = 0; i < ordered.size(); ++i) {
    EXPECT_EQ(ordered[i].begin, other[i].begin);
    EXPECT_EQ(ordered[i].node, other[i].node);
  }
}

TEST(PhaseColumns, AreThereForNoMessagesAndForOnesThatAreNotFinite) {
  layout::Segments lines;
  lines.clip = {0, 0, 3, 100};
  expect_seamless(phase_columns(count_ends(lines), 12));
  lines.add(NAN, 1, INFINITY, 2);
  lines.add(-1e30F, 1, 1e30F, 2);
  const EndCounts ends = count_ends(lines);
  for (const int64_t count : ends.count) EXPECT_EQ(count, 0);
  expect_seamless(phase_columns(ends, 12));
}

TEST(RowBands, HaveANodeAtEachTallRowAndBetweenThem) {
  const auto bands = row_bands({4, {}}, 100, 400, 24);  // rows of 100 px: 4 nodes each
  expect_seamless(bands);
  EXPECT_EQ(bands.size(), 13U);
  for (size_t row = 0; row < 4; ++row) {
    EXPECT_NEAR(bands[4 * row].node, 150 + 100 * static_cast<double>(row), 1e-9);
  }
  EXPECT_EQ(bands.front().begin, 100);
  EXPECT_EQ(bands.back().end, 500);
}

TEST(RowBands, GatherLowRowsAndEndWhereABlockDoes) {
  // 100 rows of 4 px, hosts of 20 rows: bands of at least 6 rows, three to a host.
  const auto bands = row_bands({100, {0, 20, 40, 60, 80}}, 0, 400, 24);
  expect_seamless(bands);
  EXPECT_EQ(bands.size(), 15U);
  for (const double border : {80.0, 160.0, 240.0, 320.0}) {
    EXPECT_TRUE(std::any_of(bands.begin(), bands.end(), [&](const Band& band) {
      return std::abs(band.begin - border) < 1e-9;
    })) << border;
  }
  EXPECT_NEAR(bands.back().end, 400, 1e-9);
}

TEST(RowBands, AreNotLowerThanTheGapWhereverBlocksBegin) {
  for (const auto& blocks : {std::vector<uint32_t>{0, 1, 2, 60},
                             {0, 3, 17, 40},
                             {0, 3, 14, 40},
                             {0, 95},
                             {0, 50, 97, 99},
                             {0, 5, 10, 15, 20, 25, 30, 35, 40}}) {
    const auto bands = row_bands({100, blocks}, 0, 300, 24);
    expect_seamless(bands);
    EXPECT_NEAR(bands.back().end, 300, 1e-9);
    for (const Band& band : bands) EXPECT_GE(band.width(), 24 - 1e-9) << blocks.size();
  }
}

TEST(RowBands, KeepSmallBlocksWholeAndJoinThemWithTheNext) {
  const auto ends = [](const std::vector<Band>& bands) {
    std::vector<double> rows;
    for (const Band& band : bands) rows.push_back(std::round(band.end / 3));
    return rows;
  };
  // Rows of 3 px, bands of at least 8 rows. Blocks of 5 rows: two to a band.
  EXPECT_EQ(ends(row_bands({20, {0, 5, 10, 15}}, 0, 60, 24)), (std::vector<double>{10, 20}));
  // The first block takes rows of the second, of which enough remain for one band.
  EXPECT_EQ(ends(row_bands({40, {0, 3, 17}}, 0, 120, 24)), (std::vector<double>{8, 17, 29, 40}));
  // Here too few would remain.
  EXPECT_EQ(ends(row_bands({24, {0, 3, 14}}, 0, 72, 24)), (std::vector<double>{14, 24}));
  // The last block has none to be joined with but the one before.
  EXPECT_EQ(ends(row_bands({30, {0, 16, 26}}, 0, 90, 24)), (std::vector<double>{8, 16, 30}));
}

TEST(RowBands, AreThereForNoRowsAndForNoHeight) {
  for (const size_t row_count : {0U, 1U, 100U}) {
    for (const double height : {0.0, 10.0}) {
      const auto bands = row_bands({row_count, {}}, 7, height, 24);
      ASSERT_EQ(bands.size(), 1U) << row_count << ' ' << height;
      EXPECT_EQ(bands[0].begin, 7);
      EXPECT_EQ(bands[0].end, 7 + height);
      EXPECT_EQ(bands[0].node, 7 + height / 2);
      EXPECT_EQ(BandIndex(bands).at(9), 0U);
    }
  }
}

TEST(RowBands, AreThereForOneRowAndForMoreRowsThanPixels) {
  expect_seamless(row_bands({1, {}}, 0, 10, 24));
  expect_seamless(row_bands({1, {}}, 0, 900, 24));
  expect_seamless(row_bands({0, {}}, 0, 900, 24));
  const auto many = row_bands({100000, {}}, 0, 900, 24);
  expect_seamless(many);
  EXPECT_LE(many.size(), 38U);
  EXPECT_NEAR(many.back().end, 900, 1e-6);
}

TEST(BandIndex, FindsTheBandOfACoordinateAndTheNearestOutside) {
  const std::vector<Band> bands = {{-10, 0, -5}, {0, 3, 1}, {3, 3.5, 3.25}, {3.5, 40, 20}};
  const BandIndex index(bands);
  EXPECT_EQ(index.at(-4), 0U);
  EXPECT_EQ(index.at(0.1), 1U);
  EXPECT_EQ(index.at(3.2), 2U);
  EXPECT_EQ(index.at(39), 3U);
  EXPECT_EQ(index.at(-1e30), 0U);
  EXPECT_EQ(index.at(1e30), 3U);
  EXPECT_EQ(index.at(NAN), 0U);
}

}  // namespace
}  // namespace pathline::bundle
