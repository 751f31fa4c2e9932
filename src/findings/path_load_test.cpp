// SPDX-License-Identifier: BSD-3-Clause
#include "findings/path_load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "findings/test_program.hpp"
#include "findings/test_run.hpp"

namespace pathline::findings {
namespace {

using testing::ElementsAre;

PathLoad load_of(std::vector<std::vector<uint64_t>> steps) {
  PathLoad load;
  load.by_rank.assign(steps.front().size(), 0);
  for (const auto& step : steps) {
    for (size_t rank = 0; rank < step.size(); ++rank) load.by_rank[rank] += step[rank];
  }
  load.steps = std::move(steps);
  return load;
}

TEST(PathLoad, KnowsOneRankThatIsAlwaysLate) {
  const PathLoad load = load_of(std::vector<std::vector<uint64_t>>(6, {10, 10, 40}));
  EXPECT_DOUBLE_EQ(load.mean(), 120);
  EXPECT_EQ(load.top(), 2U);
  EXPECT_DOUBLE_EQ(load.same_rank(), 1);
  EXPECT_TRUE(load.is_steady());
  EXPECT_FALSE(load.grows());
}

TEST(PathLoad, KnowsRanksThatAreLateInTurn) {
  const PathLoad load = load_of({{40, 10, 10}, {10, 40, 10}, {10, 10, 40}});
  // Each has as much as the others.
  EXPECT_DOUBLE_EQ(load.same_rank(), 0);
}

TEST(PathLoad, IsNotSteadyForASingleInterruption) {
  std::vector<std::vector<uint64_t>> steps(10, {10, 9});
  EXPECT_TRUE(load_of(steps).is_steady());
  steps[4][0] = 500;
  EXPECT_FALSE(load_of(steps).is_steady());
  // Late in seven of ten steps is not often enough.
  steps = std::vector<std::vector<uint64_t>>(10, {20, 9});
  steps[0] = steps[1] = steps[2] = {9, 10};
  EXPECT_FALSE(load_of(steps).is_steady());
  // With few steps nobody can tell.
  EXPECT_TRUE(load_of({{10, 9}, {500, 9}, {10, 9}}).is_steady());
}

TEST(PathLoad, GrowsWhenTheLastThirdHasTwiceAsMuch) {
  EXPECT_TRUE(load_of({{12, 10}, {12, 10}, {13, 10}, {13, 10}, {14, 10}, {14, 10}}).grows());
  EXPECT_FALSE(load_of({{13, 10}, {13, 10}, {13, 10}, {14, 10}, {14, 10}, {14, 10}}).grows());
  // It is the excess that counts, not the load.
  EXPECT_FALSE(load_of({{2, 1}, {3, 2}, {4, 3}, {5, 4}, {6, 5}, {7, 6}}).grows());
}

TEST(PathLoad, HasThoseAsParticipantsWhoHaveATwentiethOfTheMost) {
  EXPECT_EQ(load_of({{100, 5, 4, 0}}).participants(), 2U);
  EXPECT_EQ(load_of({{0, 0, 1}}).participants(), 1U);
  EXPECT_EQ(load_of({{0, 0, 0}}).participants(), 0U);
}

TEST(PathLoads, AreOfStepsAndTheIoInside) {
  trace::TestTrace test(2);
  Simulation run(2, 3, &test);
  run.work(0, "output", 5);  // Outside of the steps, at another path.
  for (uint32_t step = 7; step < 9; ++step) {
    for (uint32_t rank = 0; rank < 2; ++rank) {
      run.begin_step(rank, step);
      run.enter(rank, "output");
      run.work(rank, "format", 20);
      if (rank == 1) run.write(rank, "fwrite", 100 * step, 4096);
      run.leave(rank, "output");
      run.end_step(rank);
    }
    run.collective(Simulation::Operation::kBarrier);
  }
  run.finish();
  const TestRun of(test.finish());
  const uint32_t path = of.path("main/time step/output");
  ASSERT_NE(path, kNone);
  const std::vector<PathLoad> loads = path_loads(of.model, {path});
  ASSERT_EQ(loads.size(), 1U);
  EXPECT_THAT(loads[0].by_rank, ElementsAre(0, 1500));
  EXPECT_THAT(loads[0].steps, ElementsAre(ElementsAre(0, 700), ElementsAre(0, 800)));
  EXPECT_THAT(loads[0].step_numbers, ElementsAre(7, 8));
  EXPECT_EQ(loads[0].io_ticks, 1500U);
  EXPECT_EQ(io_bytes(of.model, loads[0].paths, 1), 8192U);
  EXPECT_EQ(io_bytes(of.model, loads[0].paths, 0), 0U);
}

}  // namespace
}  // namespace pathline::findings
