// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/result_table.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "campaign/test_study.hpp"

namespace pathline::campaign {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Cells = std::vector<std::vector<std::string>>;

std::string short_number(double number) { return fmt::format("{:.3g}", number); }

/// A campaign of which a test says what became of it.
class ResultTableTest : public testing::Test {
 protected:
  void begin(const std::string& text) {
    study_.emplace(text);
    std::filesystem::create_directory(campaign());
    auto state = State::create(campaign(), study_->study, {}, study_->plan);
    ASSERT_TRUE(state.ok()) << state.error().message;
    state_.emplace(std::move(state).value());
  }
  std::filesystem::path campaign() { return study_->folder.path() / "campaign"; }
  std::string folder_of(int64_t run) {
    return "campaign/" + state_->runs().value()[run - 1].folder;
  }

  /// The run is done, and all columns of its step have been read from what it printed.
  void done(int64_t run, const std::string& printed) {
    study_->folder.write(folder_of(run) + "/stdout", printed);
    const auto extractor = Extractor::make(study_->study, study_->plan);
    ASSERT_TRUE(extractor.ok()) << extractor.error().message;
    const Extracted extracted = extractor.value().read(
        study_->plan.packages[run - 1], study_->folder.path() / folder_of(run), pool_);
    ASSERT_TRUE(state_->finish(run, 1, extracted.values, nullptr).ok());
  }

  ResultTable table(bool may_write = true) {
    const auto extractor = Extractor::make(study_->study, study_->plan);
    EXPECT_TRUE(extractor.ok());
    auto table =
        result_table(*state_, study_->study, study_->plan, extractor.value(), may_write, pool_);
    EXPECT_TRUE(table.ok()) << table.error().message;
    return table.ok() ? std::move(table).value() : ResultTable{};
  }
  static Cells cells(const ResultTable& table) {
    Cells all;
    for (const ResultRow& row : table.rows) all.push_back(row.cells);
    return all;
  }
  static std::vector<std::string> names(const ResultTable& table) {
    std::vector<std::string> all;
    for (const ResultColumn& column : table.columns) all.push_back(column.name);
    return all;
  }

  base::ThreadPool pool_{1};
  std::optional<TestStudy> study_;
  std::optional<State> state_;
};

const std::string kThree =
    "[parameters]\np = [1, 2, 10]\nname = \"x\"\n[[steps]]\nname = \"run\"\n"
    "[results]\nt = { step = \"run\", pattern = 't=(\\S+)' }\n";

TEST_F(ResultTableTest, HasARowForEachRunThatIsDoneInTheOrderOfThePlan) {
  begin(kThree);
  done(3, "t=30");
  done(1, "t=10");
  const ResultTable result = table();
  EXPECT_THAT(names(result), ElementsAre("p", "name", "t"));
  EXPECT_EQ(cells(result), (Cells{{"1", "x", "10"}, {"10", "x", "30"}}));
  EXPECT_EQ(result.missing, 1U);
  EXPECT_EQ(result.holes, 0U);
  EXPECT_TRUE(result.columns[0].varies);
  EXPECT_FALSE(result.columns[1].varies);
  EXPECT_EQ(result.columns[0].kind, CellKind::kParameter);
  EXPECT_EQ(result.columns[2].kind, CellKind::kValue);
}

TEST_F(ResultTableTest, CountsValuesThatWereNotFound) {
  begin(kThree);
  done(1, "t=10");
  done(2, "nothing");
  const ResultTable result = table();
  EXPECT_EQ(cells(result), (Cells{{"1", "x", "10"}, {"2", "x", ""}}));
  EXPECT_EQ(result.holes, 1U);
  EXPECT_TRUE(result.columns[2].is_number) << "all that there is";
  EXPECT_FALSE(result.columns[1].is_number);
}

TEST_F(ResultTableTest, OfNothingDoneHasNoRows) {
  begin(kThree);
  ASSERT_TRUE(state_->fail(1, RunState::kFailed, "exit status 1", 1).ok());
  const ResultTable result = table();
  EXPECT_THAT(result.rows, IsEmpty());
  EXPECT_EQ(result.missing, 3U);
  EXPECT_FALSE(result.columns[2].is_number);
}

TEST_F(ResultTableTest, HasARowForEachRepetition) {
  begin("[campaign]\nrepetitions = 2\n" + kThree);
  done(1, "t=10");
  done(2, "t=11");
  done(4, "t=21");
  const ResultTable result = table();
  EXPECT_THAT(names(result), ElementsAre("p", "name", "repetition", "t"));
  EXPECT_EQ(cells(result),
            (Cells{{"1", "x", "1", "10"}, {"1", "x", "2", "11"}, {"2", "x", "2", "21"}}));
  EXPECT_EQ(result.missing, 3U);
}

TEST_F(ResultTableTest, JoinsStepsOfWhichOneIsNotRepeated) {
  begin(
      "[campaign]\nrepetitions = 2\n[[steps]]\nname = \"a\"\nrepeat = false\n[[steps]]\nname = "
      "\"b\"\nafter = \"a\"\n[results]\nx = { step = \"a\", pattern = '\\d' }\n"
      "y = { step = \"b\", pattern = '\\d' }\n");
  done(1, "7");
  done(2, "8");
  EXPECT_EQ(cells(table()), (Cells{{"1", "7", "8"}, {"2", "7", ""}}));
}

TEST_F(ResultTableTest, IsSortedByNumbersThenByTexts) {
  begin(kThree);
  done(1, "t=9");
  done(2, "t=100");
  done(3, "t=20");
  study_->study.sorted_by = {"t"};
  EXPECT_EQ(cells(table()), (Cells{{"1", "x", "9"}, {"10", "x", "20"}, {"2", "x", "100"}}));
  study_->study.sorted_by = {"name", "nonsense", "t"};
  EXPECT_EQ(cells(table())[1][2], "20") << "by the next column where the first is alike";
}

TEST_F(ResultTableTest, SortsNumbersBeforeTextsWhateverTheirOrder) {
  // As texts 10 < 5x < 9, as numbers 9 < 10.
  const std::vector<std::vector<std::string>> orders = {
      {"10", "5x", "9"}, {"9", "10", "5x"}, {"5x", "9", "10"}};
  for (const std::vector<std::string>& order : orders) {
    begin(kThree);
    for (int64_t run = 1; run <= 3; ++run) done(run, "t=" + order[run - 1]);
    study_->study.sorted_by = {"t"};
    std::vector<std::string> sorted;
    for (const ResultRow& row : table().rows) sorted.push_back(row.cells[2]);
    EXPECT_THAT(sorted, ElementsAre("9", "10", "5x"));
  }
}

TEST_F(ResultTableTest, ShowsWhatIsAskedForAsItIsAskedFor) {
  begin(kThree);
  done(1, "t=3.14159");
  study_->study.shown = {{.name = "t", .title = "time", .format = "8.2f"},
                         {.name = "t", .title = "", .format = "d"},
                         {.name = "gone"},
                         {.name = "name", .format = ".1f"},
                         {.name = "p", .format = "03d"}};
  const ResultTable result = table();
  EXPECT_THAT(names(result), ElementsAre("t", "t", "name", "p"));
  EXPECT_EQ(result.columns[0].title, "time");
  EXPECT_EQ(result.columns[1].title, "t");
  EXPECT_EQ(cells(result), (Cells{{"    3.14", "3", "x", "001"}}));
}

TEST_F(ResultTableTest, KeepsNumbersThatTheFormatCannotHold) {
  begin(kThree);
  done(1, "t=1e300");
  done(2, "t=-1e19");
  done(3, "t=1e18");
  study_->study.shown = {{.name = "t", .format = "d"}};
  EXPECT_EQ(cells(table()), (Cells{{"1e300"}, {"-1e19"}, {"1000000000000000000"}}));
  study_->study.shown = {{.name = "t", .format = "600.1f"}};
  EXPECT_EQ(cells(table())[0][0], "1e300");
}

TEST_F(ResultTableTest, TellsRepetitionsApartWhateverItShows) {
  begin("[campaign]\nrepetitions = 2\n" + kThree);
  done(1, "t=1");
  study_->study.shown = {{.name = "t"}};
  EXPECT_THAT(names(table()), ElementsAre("t", "repetition"));
}

TEST_F(ResultTableTest, ReadsAValueAgainWhoseColumnHasChanged) {
  begin(kThree);
  done(1, "t=10 u=20");
  std::string text = kThree;
  text.replace(text.find("t=("), 3, "u=(");
  study_->change(text);
  EXPECT_EQ(cells(table(false)), (Cells{{"1", "x", "20"}}));
  std::filesystem::remove(campaign() / ".." / folder_of(1) / "stdout");
  EXPECT_EQ(cells(table(false)), (Cells{{"1", "x", ""}})) << "it was not to be kept";
}

TEST_F(ResultTableTest, KeepsWhatItReadAgain) {
  begin(kThree);
  done(1, "t=10 u=20");
  study_->change(kThree + "u = { step = \"run\", pattern = 'u=(\\d+)' }\n");
  EXPECT_EQ(cells(table()), (Cells{{"1", "x", "10", "20"}}));
  std::filesystem::remove_all(campaign() / ".." / folder_of(1));
  EXPECT_EQ(cells(table()), (Cells{{"1", "x", "10", "20"}}));
}

TEST_F(ResultTableTest, KeepsValuesOfARunWhoseFolderIsGone) {
  begin(kThree);
  done(1, "t=10");
  std::filesystem::remove_all(campaign() / ".." / folder_of(1));
  study_->change(kThree + "u = { step = \"run\", pattern = 'u=(\\d+)' }\n");
  EXPECT_EQ(cells(table()), (Cells{{"1", "x", "10", ""}}));
  EXPECT_EQ(cells(table()), (Cells{{"1", "x", "10", ""}})) << "in the file, too";
}

/// A table of one parameter and one value, and whether there are repetitions.
ResultTable repeated(const std::vector<std::pair<uint32_t, std::string>>& values) {
  ResultTable table;
  table.columns = {{.name = "p", .kind = CellKind::kParameter, .is_number = true},
                   {.name = "repetition", .kind = CellKind::kRepetition, .is_number = true},
                   {.name = "t", .is_number = true}};
  std::vector<uint32_t> seen(100, 0);
  for (const auto& [point, value] : values) {
    table.rows.push_back({.point = point,
                          .repetition = seen[point],
                          .cells = {std::to_string(point), std::to_string(++seen[point]), value}});
  }
  return table;
}

Cells summary(const ResultTable& table) {
  Cells all;
  for (const ResultRow& row : over_repetitions(table, short_number).rows) all.push_back(row.cells);
  return all;
}

TEST(OverRepetitions, HasTheMedianWithTheLeastAndTheMost) {
  EXPECT_EQ(summary(repeated({{1, "5"}, {1, "1"}, {1, "3"}, {2, "4"}, {2, "8"}})),
            (Cells{{"1", "3 (1-5)"}, {"2", "6 (4-8)"}}));
}

TEST(OverRepetitions, HasOneNumberWhereAllLookAlike) {
  EXPECT_EQ(summary(repeated({{1, "2.0001"}, {1, "2.0002"}})), (Cells{{"1", "2"}}));
  EXPECT_EQ(summary(repeated({{1, "7"}})), (Cells{{"1", "7"}}));
}

TEST(OverRepetitions, LeavesOutWhatIsMissing) {
  EXPECT_EQ(summary(repeated({{1, ""}, {1, "4"}, {1, "2"}, {2, ""}, {2, ""}})),
            (Cells{{"1", "3 (2-4)"}, {"2", ""}}));
}

TEST(OverRepetitions, KeepsTextsThatAreAlike) {
  ResultTable table = repeated({{1, "cg"}, {1, "cg"}, {2, "cg"}, {2, "mg"}});
  table.columns[2].is_number = false;
  EXPECT_EQ(summary(table), (Cells{{"1", "cg"}, {"2", ""}}));
}

TEST(OverRepetitions, FindsThoseThatDoNotStandTogether) {
  // Sorted by the value.
  EXPECT_EQ(summary(repeated({{1, "1"}, {2, "2"}, {1, "3"}, {2, "4"}})),
            (Cells{{"1", "2 (1-3)"}, {"2", "3 (2-4)"}}));
}

TEST(OverRepetitions, TellsWhatIsMissingAsBefore) {
  ResultTable table = repeated({});
  table.missing = 3;
  table.holes = 4;
  const ResultTable result = over_repetitions(table, short_number);
  EXPECT_EQ(result.missing, 3U);
  EXPECT_EQ(result.holes, 4U);
  EXPECT_EQ(result.columns.size(), 2U);
}

}  // namespace
}  // namespace pathline::campaign
