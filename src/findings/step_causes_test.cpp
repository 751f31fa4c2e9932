// SPDX-License-Identifier: BSD-3-Clause
#include "findings/step_causes.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "findings/test_program.hpp"
#include "findings/test_run.hpp"

namespace pathline::findings {
namespace {

using Operation = Simulation::Operation;

/// In each step another rank of four works 100 to 400 longer before a barrier, in step 3 nobody.
trace::Trace late_by_turns() {
  trace::TestTrace test(4);
  Simulation run(4, 10, &test);
  for (uint32_t step = 0; step < 4; ++step) {
    for (uint32_t rank = 0; rank < 4; ++rank) {
      run.begin_step(rank, 7 + step);
      run.work(rank, "work", 1000);
      if (step != 3 && rank == step) run.work(rank, "more", 100 * (step + 1));
    }
    run.collective(Operation::kBarrier);
    for (uint32_t rank = 0; rank < 4; ++rank) run.end_step(rank);
  }
  run.finish();
  return test.finish();
}

TEST(StepCauses, AreOfTheRankThatIsLateInThisStep) {
  TestRun run(late_by_turns());
  const Efficiency of_run = efficiency(run.model, run.replay, run.measured, run.pool);
  const auto causes = step_causes(run.model, of_run.steps, critical_path(run.model));
  ASSERT_EQ(causes.size(), 4U);
  for (uint32_t step = 0; step < 3; ++step) {
    SCOPED_TRACE(step);
    const StepCause& cause = causes[step];
    EXPECT_EQ(cause.step, 7 + step);
    EXPECT_EQ(cause.ticks, 1010 + 100 * (step + 1));
    EXPECT_EQ(cause.lane, step);
    EXPECT_EQ(run.path_name(cause.path), "main/time step/more");
    EXPECT_DOUBLE_EQ(cause.beyond_ticks, 100 * (step + 1) * 0.75);
    EXPECT_EQ(cause.waits[static_cast<size_t>(comm::WaitKind::kBarrier)], 3 * 100 * (step + 1));
  }
  EXPECT_EQ(causes[3].lane, kNone);
  EXPECT_EQ(std::accumulate(causes[3].waits.begin(), causes[3].waits.end(), uint64_t{0}), 0U);
}

/// A sweep through all ranks is on the path as a whole, and of a rank only its part.
TEST(StepsOfAModel, AreThoseOfItsWindow) {
  TestRun run(late_by_turns());
  const StepWindows marked = trace::marked_steps(run.trace);
  const trace::StepWindow& second = marked[0][1];
  const Window window{second.begin_ticks + 1, second.end_ticks - 1};
  const Model part = model(run.trace, run.all, window, marked, run.pool);
  EXPECT_EQ(part.steps, std::vector<uint32_t>{8});
  EXPECT_EQ(run.model.steps.size(), 4U);
}

TEST(StepCauses, OfAChainAreAllOfIt) {
  trace::TestTrace test(4);
  Simulation run(4, 10, &test);
  for (uint32_t step = 0; step < 3; ++step) {
    for (uint32_t rank = 0; rank < 4; ++rank) run.begin_step(rank, step);
    for (uint32_t rank = 0; rank < 4; ++rank) {
      if (rank > 0) run.recv(rank - 1, rank);
      run.work(rank, "sweep", 1000);
      if (rank < 3) run.send(rank, rank + 1);
    }
    run.collective(Operation::kBarrier);
    for (uint32_t rank = 0; rank < 4; ++rank) run.end_step(rank);
  }
  run.finish();
  TestRun of(test.finish());
  const Efficiency efficiency_of = efficiency(of.model, of.replay, of.measured, of.pool);
  for (const StepCause& cause :
       step_causes(of.model, efficiency_of.steps, critical_path(of.model))) {
    EXPECT_EQ(of.path_name(cause.path), "main/time step/sweep");
    EXPECT_DOUBLE_EQ(cause.beyond_ticks, 3 * 1000);
  }
}

}  // namespace
}  // namespace pathline::findings
