// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/compare.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::campaign {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint32_t kRows = 40;
constexpr uint32_t kRepetitions = 5;

/// A campaign with one parameter n = 1, 2, ... and one column of numbers.
ResultTable table(const std::string& column, const std::vector<std::vector<std::string>>& values) {
  ResultTable table;
  table.columns = {{.name = "n", .title = "n", .kind = CellKind::kParameter, .is_number = true},
                   {.name = column, .title = column, .is_number = true}};
  for (uint32_t point = 0; point < values.size(); ++point) {
    for (uint32_t k = 0; k < values[point].size(); ++k) {
      table.rows.push_back({.point = point,
                            .repetition = k,
                            .cells = {std::to_string(point + 1), values[point][k]}});
    }
  }
  return table;
}

using Seconds = std::function<double(uint32_t row, std::mt19937_64& random)>;

/// 40 rows of 5 repetitions, each `seconds` of its row.
ResultTable measured(std::mt19937_64& random, const Seconds& seconds) {
  std::vector<std::vector<std::string>> values(kRows);
  for (uint32_t row = 0; row < kRows; ++row) {
    for (uint32_t k = 0; k < kRepetitions; ++k) {
      values[row].push_back(fmt::format("{:.6g}", seconds(row, random)));
    }
  }
  return table("time_s", values);
}

/// From a hundredth of a second to minutes, each with this standard deviation, in parts of it.
Seconds noisy(double deviation, double factor = 1) {
  return [=](uint32_t row, std::mt19937_64& random) {
    const double seconds = factor * 0.01 * std::pow(1.25, row);
    return seconds * (1 + deviation * std::normal_distribution<>()(random));
  };
}

std::vector<Comparison> compared(const ResultTable& before, const ResultTable& after,
                                 const CompareOptions& options = {}) {
  auto report = compare(before, after, options);
  EXPECT_TRUE(report.ok()) << report.error().message;
  return report.ok() ? report.value().rows : std::vector<Comparison>();
}

int64_t count(const std::vector<Comparison>& rows, std::string_view word) {
  return std::count_if(rows.begin(), rows.end(), [&](const auto& row) { return row.word == word; });
}

/// How many of 40 rows are called slower or faster, in each of many pairs of campaigns, ascending.
std::vector<int64_t> called(const Seconds& before, const Seconds& after, std::string_view word) {
  constexpr uint64_t kPairs = 200;  // Of fewer, the hundredth part is the worst one.
  std::vector<int64_t> counts;
  for (uint64_t seed = 0; seed < kPairs; ++seed) {
    std::mt19937_64 random(seed);
    const ResultTable first = measured(random, before);
    const std::vector<Comparison> rows = compared(first, measured(random, after));
    counts.push_back(word.empty() ? count(rows, "slower") + count(rows, "faster")
                                  : count(rows, word));
  }
  std::sort(counts.begin(), counts.end());
  return counts;
}

/// Of ascending counts: that which this share of them does not exceed.
int64_t quantile(const std::vector<int64_t>& counts, double share) {
  return counts[static_cast<size_t>(share * static_cast<double>(counts.size() - 1))];
}

TEST(Compare, CallsHardlyAnyOfEqualRunsDifferent) {
  for (const double deviation : {0.002, 0.02, 0.1}) {
    const std::vector<int64_t> counts = called(noisy(deviation), noisy(deviation), "");
    EXPECT_LE(quantile(counts, 0.99), 2) << deviation;
    EXPECT_EQ(quantile(counts, 0.9), 0) << deviation;
  }
}

TEST(Compare, FindsFivePercentInNoiseOfTwo) {
  const std::vector<int64_t> counts = called(noisy(0.02), noisy(0.02, 1.05), "slower");
  EXPECT_GE(quantile(counts, 0.01), 36);
  EXPECT_GE(quantile(called(noisy(0.02), noisy(0.02, 1 / 1.05), "faster"), 0.01), 36);
}

/// Rows that are noisier than others, and a repetition now and then that something disturbed.
Seconds disturbed(double factor) {
  return [=](uint32_t row, std::mt19937_64& random) {
    const double deviation = row % 2 == 0 ? 0.01 : 0.03;
    const double late = std::uniform_real_distribution<>()(random) < 0.05 ? 1.3 : 1;
    return late * noisy(deviation, factor)(row, random);
  };
}

TEST(Compare, KeepsItsWordWhereRowsSpreadDifferentlyAndSomeRunsAreDisturbed) {
  EXPECT_LE(quantile(called(disturbed(1), disturbed(1), ""), 0.99), 2);
}

TEST(Compare, DoesNotTakeTheSpreadOfAQuietRowForThatOfAll) {
  // One row in ten spreads by 20 %; what it shows is chance.
  const Seconds mixed = [](uint32_t row, std::mt19937_64& random) {
    return noisy(row % 10 == 0 ? 0.2 : 0.005)(row, random);
  };
  EXPECT_LE(quantile(called(mixed, mixed, ""), 0.95), 2);
}

TEST(Compare, SaysWhichOfManyRowsChanged) {
  std::mt19937_64 random(7);
  const ResultTable before = measured(random, noisy(0.01));
  const ResultTable after = measured(random, [](uint32_t row, std::mt19937_64& generator) {
    return noisy(0.01, row == 11 ? 1.2 : row == 30 ? 0.8 : 1)(row, generator);
  });
  const std::vector<Comparison> rows = compared(before, after);
  ASSERT_EQ(rows.size(), kRows);
  EXPECT_EQ(rows[11].word, "slower");
  EXPECT_NEAR(rows[11].change, 0.2, 0.03);
  EXPECT_EQ(rows[30].word, "faster");
  EXPECT_EQ(count(rows, "cannot tell"), kRows - 2);
  EXPECT_EQ(rows[11].parameters, (decltype(rows[11].parameters){{"n", "12"}}));
  EXPECT_TRUE(std::is_sorted(rows[11].before.begin(), rows[11].before.end()));
}

TEST(Compare, CallsNothingBelowTheLeastChange) {
  std::mt19937_64 random(3);
  const ResultTable before = measured(random, noisy(0.0001));
  const ResultTable after = measured(random, noisy(0.0001, 1.005));
  EXPECT_EQ(count(compared(before, after), "slower"), 0);
  EXPECT_EQ(count(compared(before, after, {.min_change = 0.002}), "slower"), kRows);
}

TEST(Compare, CountsEveryDifferenceOfNumbersThatNeverVary) {
  const std::vector<Comparison> rows =
      compared(table("iterations", {{"100", "100"}, {"7", "7"}, {"3000", "3000"}}),
               table("iterations", {{"100", "100"}, {"8", "8"}, {"2999", "2999"}}));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].word, "same");
  EXPECT_EQ(rows[1].word, "more");
  EXPECT_EQ(rows[2].word, "less");
}

TEST(Compare, SaysNothingOfSingleRuns) {
  const std::vector<Comparison> rows =
      compared(table("time_s", {{"1"}, {"2"}}), table("time_s", {{"1.5"}, {"2"}}));
  EXPECT_EQ(count(rows, "cannot tell"), 2);
}

TEST(Compare, KnowsWhatIsBetter) {
  const std::vector<std::vector<std::string>> low = {{"1.00", "1.01", "0.99"}};
  const std::vector<std::vector<std::string>> high = {{"2.00", "2.01", "1.99"}};
  const auto word = [&](const std::string& column, const std::string& better) {
    ResultTable before = table(column, low);
    ResultTable after = table(column, high);
    after.columns[1].better = better;
    return compared(before, after).at(0).word;
  };
  EXPECT_EQ(word("time_s", ""), "slower");
  EXPECT_EQ(word("gflops", "more"), "better");
  EXPECT_EQ(word("residual", "less"), "worse");
  EXPECT_EQ(word("cells", ""), "more");
}

TEST(Compare, TakesNumbersThatAreNotAboveZero) {
  const std::vector<Comparison> rows =
      compared(table("flux", {{"-1.0", "-1.01", "-0.99"}, {"0", "0", "0"}}),
               table("flux", {{"-2.0", "-2.01", "-1.99"}, {"0", "0", "0"}}));
  EXPECT_EQ(rows.at(0).word, "less");
  EXPECT_NEAR(rows[0].change, -1, 1e-9);
  EXPECT_EQ(rows[1].word, "same");
}

TEST(Compare, ComparesWhatBothHaveAndNamesTheRest) {
  ResultTable before = table("time_s", {{"1", "1.1"}, {"2", "2.1"}, {"", ""}});
  ResultTable after = table("time_s", {{"1", "1.1"}, {"2", "2.2"}, {"3", "3.1"}});
  after.rows.erase(after.rows.begin() + 2, after.rows.begin() + 4);
  const auto report = compare(before, after, {});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report.value().rows.size(), 1U);
  EXPECT_THAT(report.value().only_before, ElementsAre("n=2"));
  EXPECT_THAT(report.value().only_after, IsEmpty());
}

TEST(Compare, RefusesCampaignsThatHaveNothingInCommon) {
  const auto report = compare(table("time_s", {{"1"}}), table("cells", {{"1"}}), {});
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message, HasSubstr("no numbers"));
}

}  // namespace
}  // namespace pathline::campaign
