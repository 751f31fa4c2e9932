// SPDX-License-Identifier: BSD-3-Clause
#include "findings/what_if.hpp"

#include <gtest/gtest.h>

#include "findings/test_program.hpp"
#include "findings/test_run.hpp"

namespace pathline::findings {
namespace {

using Operation = Simulation::Operation;

/// Two functions of rank 1 that rank 0 waits for.
uint64_t two_faults(Simulation run, uint64_t a, uint64_t b) {
  for (uint32_t step = 0; step < 4; ++step) {
    run.work(0, "work", 100);
    run.work(1, "a", a);
    run.work(1, "b", b);
    run.collective(Operation::kBarrier);
  }
  return run.finish();
}

TEST(WhatIf, RepairsOneAfterTheOther) {
  trace::TestTrace test(2);
  const uint64_t ticks = two_faults(Simulation(2, 3, &test), 150, 70);
  const TestRun run(test.finish());
  const WhatIf what_if(run.model, run.replay);
  EXPECT_EQ(what_if.ticks(), ticks);
  const Repair a{.paths = {run.path("main/a")}, .change = Change::kRemove, .ranks = {}};
  const Repair b{.paths = {run.path("main/b")}, .change = Change::kRemove, .ranks = {}};
  EXPECT_EQ(what_if.gain(a), ticks - two_faults(Simulation(2), 0, 70));
  EXPECT_EQ(what_if.gain(b), ticks - two_faults(Simulation(2), 150, 0));
  WhatIf::Repaired repaired(what_if);
  EXPECT_EQ(repaired.add(b), ticks - two_faults(Simulation(2), 150, 0));
  // Then rank 0 is the one to wait for.
  EXPECT_EQ(repaired.add(a), ticks - two_faults(Simulation(2), 0, 0));
}

/// Half of the ranks have something to do that the others do not have, in each step.
uint64_t with_extra(Simulation run, const std::vector<uint64_t>& extra) {
  for (uint32_t step = 0; step < 4; ++step) {
    for (uint32_t rank = 0; rank < 4; ++rank) {
      run.begin_step(rank, step);
      run.work(rank, "work", 100 + 10 * rank);
      if (extra[rank] > 0) run.work(rank, "extra", extra[rank]);
    }
    run.collective(Operation::kBarrier);
    for (uint32_t rank = 0; rank < 4; ++rank) run.end_step(rank);
  }
  return run.finish();
}

TEST(WhatIf, LosesNoWorkOfASharedPath) {
  trace::TestTrace test(4);
  const uint64_t ticks = with_extra(Simulation(4, 3, &test), {80, 80, 0, 0});
  const TestRun run(test.finish());
  const WhatIf what_if(run.model, run.replay);
  const uint64_t evened = with_extra(Simulation(4), {40, 40, 40, 40});
  for (const Change change : {Change::kStep, Change::kStatic}) {
    const Repair repair{.paths = {run.path("main/time step/extra")}, .change = change, .ranks = {}};
    EXPECT_EQ(what_if.gain(repair), ticks - evened);
  }
}

/// Neighbours that do something of their own behind the last step; rank 0 is slow.
uint64_t with_clean_up(Simulation run, uint64_t more) {
  constexpr uint32_t kRanks = 6;
  for (uint32_t step = 0; step < 3; ++step) {
    for (uint32_t rank = 0; rank < kRanks; ++rank) {
      run.begin_step(rank, step);
      run.work(rank, "work", 1000);
      if (rank == 0 && more > 0) run.work(rank, "more", more);
    }
    run.ring();
    for (uint32_t rank = 0; rank < kRanks; ++rank) run.end_step(rank);
  }
  for (uint32_t rank = 0; rank < kRanks; ++rank) run.work(rank, "clean up", 600);
  run.collective(Operation::kBarrier);
  return run.finish();
}

TEST(WhatIf, EndsEachRankWithItsLastStep) {
  trace::TestTrace test(6);
  const uint64_t ticks = with_clean_up(Simulation(6, 3, &test), 200);
  const trace::Trace trace = test.finish();
  base::ThreadPool pool(1);
  const comm::Dependencies all = comm::dependencies(trace, pool);
  const Window window = steps_window(trace::marked_steps(trace), program_window(trace, all));
  const Model in_steps = model(trace, all, window, trace::marked_steps(trace), pool);
  uint32_t more = 0;
  while (trace.definitions.regions[in_steps.call_paths[more].region].name != "more") ++more;
  const Repair repair{.paths = {more}, .change = Change::kRemove, .ranks = {}};
  const Replay replay(in_steps);
  const WhatIf what_if(in_steps, replay, true);
  EXPECT_EQ(what_if.ticks(), window.ticks());
  EXPECT_EQ(what_if.gain(repair), ticks - with_clean_up(Simulation(6), 0));
  // Rank 3, which the delay has not reached, would be in the way with its clean-up.
  EXPECT_LT(WhatIf(in_steps, replay).gain(repair), what_if.gain(repair));
}

uint64_t in_turn(Simulation run, bool alone) {
  for (uint32_t step = 0; step < 3; ++step) {
    for (uint32_t rank = 0; rank < 4; ++rank) run.work(rank, "work", 50 + 10 * (rank ^ step));
    run.locked("update", {100, 20, 70, 30}, alone);
    run.collective(Operation::kBarrier);
  }
  return run.finish();
}

TEST(WhatIf, LetsAllHaveALockAtOnce) {
  trace::TestTrace test(4);
  const uint64_t ticks = in_turn(Simulation(4, 3, &test), true);
  const TestRun run(test.finish());
  const WhatIf what_if(run.model, run.replay);
  EXPECT_EQ(what_if.ticks(), ticks);
  EXPECT_EQ(what_if.gain_without(comm::WaitKind::kLock), ticks - in_turn(Simulation(4), false));
  EXPECT_EQ(what_if.gain_without(comm::WaitKind::kLateSender), 0);
}

}  // namespace
}  // namespace pathline::findings
