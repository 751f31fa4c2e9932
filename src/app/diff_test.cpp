// SPDX-License-Identifier: BSD-3-Clause
#include "app/diff.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "input/message_csv.hpp"
#include "trace/finish.hpp"

namespace pathline::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class DiffOfMessages : public testing::Test {
 protected:
  RunNumbers sent(const std::string& lines) {
    auto trace = input::parse_message_csv(fmt::format("{}\n{}", input::kMessageHeader, lines), {});
    EXPECT_TRUE(trace.ok()) << trace.error().message;
    base::Progress progress;
    trace::finish(trace.value(), pool_, progress);
    return run_numbers(trace.value(), {}, pool_);
  }
  static std::vector<std::string> pairs(const RunNumbers& a, const RunNumbers& b) {
    std::vector<std::string> lines;
    for (const Difference& row : diff({a}, {b}, {}).rows) {
      if (row.kind != "pair") continue;
      lines.push_back(fmt::format("{} {}: {} {}", row.name, row.metric, row.a, row.b));
    }
    return lines;
  }
  base::ThreadPool pool_;
};

TEST_F(DiffOfMessages, ListsWhatDiffersAndWhatOnlyOneHas) {
  const RunNumbers a = sent("0,1,0.1,0.2,8,0\n1,0,0.2,0.3,8,0\n");
  const RunNumbers b = sent("0,1,0.1,0.3,9,0\n0,2,0.1,0.2,4,0\n");
  EXPECT_THAT(pairs(a, b), ElementsAre("1->0 bytes: 8 ", "1->0 messages: 1 ", "0->2 bytes:  4",
                                       "0->2 messages:  1", "0->1 bytes: 8 9"));
  EXPECT_THAT(pairs(a, a), IsEmpty());
}

/// A run of 8 ranks with regions that take so long, and one second less in MPI_Init.
RunNumbers run_of(const std::map<std::string, double>& regions) {
  RunNumbers run{.ranks = 8, .root = "main"};
  double sum = 0;
  for (const auto& [name, seconds] : regions) {
    run.numbers[{"region", name, "exclusive_s"}] = {seconds, fmt::format("{:.9f}", seconds)};
    run.numbers[{"region", name, "visits"}] = {10, "10"};
    sum += seconds;
  }
  run.inside_s = sum / 8;
  run.wall_s = sum / 8 + 1;
  run.numbers[{"run", "wall time", "duration_s"}] = {run.wall_s, fmt::format("{:.9f}", run.wall_s)};
  run.numbers[{"run", "from MPI_Init to MPI_Finalize", "duration_s"}] = {
      run.inside_s, fmt::format("{:.9f}", run.inside_s)};
  return run;
}

/// "name verdict" of the rows that count.
std::vector<std::string> counted(const DiffReport& report) {
  std::vector<std::string> lines;
  for (const Difference& row : report.rows) {
    if (row.counts) lines.push_back(fmt::format("{} {}", row.name, row.verdict));
  }
  return lines;
}

TEST(DiffOfRuns, CountsWithoutALeastChangeWhateverDiffers) {
  const RunNumbers a = run_of({{"solve", 8}, {"load", 1}});
  RunNumbers b = a;
  EXPECT_THAT(diff({a}, {b}, {}).rows, IsEmpty());
  b.numbers[{"region", "load", "visits"}] = {11, "11"};
  const DiffReport report = diff({a}, {b}, {});
  ASSERT_EQ(report.rows.size(), 1U);
  EXPECT_TRUE(report.rows[0].counts);
  EXPECT_EQ(report.rows[0].percent, 10);
}

TEST(DiffOfRuns, LeavesOutWhatIsLittleOrOnlyTheStart) {
  const RunNumbers a = run_of({{"solve", 80}, {"load", 1}, {"MPI_Init", 8}});
  const RunNumbers b = run_of({{"solve", 81}, {"load", 2}, {"MPI_Init", 16}});
  EXPECT_THAT(counted(diff({a}, {b}, {.min_change = 0.2})), IsEmpty());
  const RunNumbers c = run_of({{"solve", 100}, {"load", 2}, {"MPI_Init", 8}});
  EXPECT_THAT(counted(diff({a}, {c}, {.min_change = 0.1})),
              ElementsAre("from MPI_Init to MPI_Finalize slower", "solve slower"));
  EXPECT_THAT(counted(diff({c}, {a}, {.min_change = 0.1})),
              ElementsAre("from MPI_Init to MPI_Finalize faster", "solve faster"));
}

TEST(DiffOfRuns, TakesTheMainRegionsOfTwoProgramsForOne) {
  RunNumbers a = run_of({{"old", 8}, {"solve", 80}});
  RunNumbers b = run_of({{"new", 9}, {"solve", 80}});
  a.root = "old";
  b.root = "new";
  const DiffReport report = diff({a}, {b}, {});
  EXPECT_EQ(report.renamed, "old | new");
  for (const Difference& row : report.rows) {
    EXPECT_TRUE(row.kind == "run" || row.name == "old | new") << row.name;
  }
  b.numbers[{"region", "old", "visits"}] = {1, "1"};
  EXPECT_EQ(diff({a}, {b}, {}).renamed, "") << "b has a region of that name";
}

/// Three runs a side of 12 regions with 2 % noise; one region took `factor` as long on side b.
/// returns  how often that region was called so, of 100; for "" how often none was called
/// different.
int right(double factor, const std::string& expected) {
  int right = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(0, 0.02);
    const auto side = [&](double of_five) {
      std::vector<RunNumbers> runs;
      for (int run = 0; run < 3; ++run) {
        std::map<std::string, double> regions;
        for (int r = 0; r < 12; ++r) {
          regions["r" + std::to_string(r)] =
              10.0 / (r + 1) * (r == 5 ? of_five : 1) * std::exp(noise(random));
        }
        runs.push_back(run_of(regions));
      }
      return runs;
    };
    std::vector<std::string> found;
    for (const Difference& row : diff(side(1), side(factor), {}).rows) {
      if (row.counts && row.kind == "region") found.push_back(row.name + " " + row.verdict);
    }
    right += expected.empty() ? found.empty()
                              : std::find(found.begin(), found.end(), expected) != found.end();
  }
  return right;
}

TEST(DiffOfRuns, TellsAChangeFromChanceWithSeveralRuns) {
  EXPECT_GE(right(1, ""), 90);
  EXPECT_GE(right(1.1, "r5 slower"), 97);
  EXPECT_GE(right(0.9, "r5 faster"), 97);
}

}  // namespace
}  // namespace pathline::app
