// SPDX-License-Identifier: BSD-3-Clause
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "findings/critical_path.hpp"
#include "findings/delay_costs.hpp"
#include "findings/efficiency.hpp"
#include "findings/program_count.hpp"
#include "findings/test_run.hpp"

namespace pathline::findings {
namespace {

using trace::EventKind;
using trace::Region;
using trace::TestTrace;

/// Events that no program makes: any kind anywhere, calls that never end or never began, messages
/// before they were sent, groups of which only some are there.
trace::Trace nonsense(uint32_t seed) {
  std::mt19937 random(seed);
  const auto number = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
  const uint32_t ranks = 1 + number(4);
  const uint32_t threads = 1 + number(2);
  TestTrace test(ranks, threads);
  std::vector<Region> regions;
  for (const char* name :
       {"main",         "work",           "time step",    "MPI_Init",      "MPI_Finalize",
        "MPI_Send",     "MPI_Ssend",      "MPI_Recv",     "MPI_Isend",     "MPI_Irecv",
        "MPI_Waitall",  "MPI_Test",       "MPI_Iprobe",   "MPI_Allreduce", "MPI_Win_fence",
        "MPI_Win_lock", "MPI_Win_unlock", "MPI_Win_post", "MPI_Win_start", "MPI_Win_complete",
        "MPI_Win_wait", "MPI_Comm_rank"}) {
    regions.push_back(test.region(name));
  }
  regions.push_back(test.region("!$omp barrier", trace::RegionRole::kBarrier, "", 0, 3));
  const uint32_t some = test.communicator({0, ranks - 1});
  const uint32_t group = test.group(trace::GroupType::kCommGroup, {0, ranks - 1, 9});
  const uint32_t comms[] = {TestTrace::kWorld, some, 4711};
  constexpr uint32_t kCount = 77;
  test.define(trace::DefinitionKind::kParameter, {kCount, test.text("count"), 2});
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    for (uint32_t thread = 0; thread < threads; ++thread) {
      auto& on = test.on(rank, thread);
      uint64_t at = number(50);
      std::vector<Region> open;
      for (uint32_t i = number(200); i > 0; --i) {
        at += number(3) == 0 ? number(30) : 0;
        const uint32_t peer = number(ranks + 1);
        const uint32_t comm = comms[number(3)];
        const uint32_t request = number(6);
        switch (number(22)) {
          case 0:
          case 1:
          case 2:
          case 3:
            open.push_back(regions[number(static_cast<uint32_t>(regions.size()))]);
            on.enter(at, open.back());
            break;
          case 4:
          case 5:
          case 6:
            if (open.empty()) break;
            on.leave(at, open.back());
            open.pop_back();
            break;
          case 7: on.leave(at, regions[number(6)]); break;
          case 8: on.send(at, peer, 8, 0, comm); break;
          case 9: on.recv(at, peer, 8, 0, comm); break;
          case 10: on.isend(at, request, peer, 8, 0, comm); break;
          case 11: on.isend_complete(at, request); break;
          case 12: on.irecv_request(at, request); break;
          case 13: on.irecv(at, request, peer, 8, 0, comm); break;
          case 14: {
            const uint64_t begin = at;
            on.collective(begin, at += number(5), number(24), 8, 8, comm, peer);
            break;
          }
          case 15: on.add(EventKind::kNonBlockingCollectiveRequest, at, {request, 0}); break;
          case 16:
            on.add(EventKind::kNonBlockingCollectiveComplete, at,
                   {number(20), comm, peer, 8, 0, 8, 0, request, 0});
            break;
          case 17: on.add(EventKind::kRmaWinCreate, at, {number(2)}); break;
          case 18:
            on.add(EventKind::kRmaCollectiveEnd, at, {0, 3, number(2), peer, 0, 0, 0, 0});
            break;
          case 19: on.add(EventKind::kRmaGroupSync, at, {1, number(2), group + number(2)}); break;
          case 20:
            on.add(number(2) == 0 ? EventKind::kRmaAcquireLock : EventKind::kRmaRequestLock, at,
                   {number(2), peer, 0, 0, number(2)});
            on.add(EventKind::kRmaReleaseLock, at += number(4), {number(2), peer, 0, 0});
            break;
          default:
            on.add(EventKind::kParameterUnsignedInt, at, {kCount, number(9), 0});
            on.add(number(2) == 0 ? EventKind::kThreadFork : EventKind::kThreadJoin, at, {3, 2});
            break;
        }
      }
    }
  }
  return test.finish();
}

void check(TestRun& run) {
  const uint64_t ticks = run.model.window.ticks();
  uint64_t waits = 0;
  const std::vector<LaneTime> times = lane_times(run.model);
  for (size_t lane = 0; lane < times.size(); ++lane) {
    const LaneTime& time = times[lane];
    waits += time.wait_ticks;
    ASSERT_EQ(time.useful_ticks + time.wait_ticks + time.rest_ticks + time.polling_ticks,
              run.model.lanes[lane].recorded ? ticks : 0);
  }
  if (run.measured.replayed.forced == 0) {
    ASSERT_EQ(run.measured.replayed.ticks, ticks);
  }
  const DelayCosts costs = delay_costs(run.model, run.measured);
  uint64_t sum = 0;
  for (const DelayCost& cost : costs.rows) sum += cost.short_ticks + cost.long_ticks;
  ASSERT_EQ(sum, costs.wait_ticks);
  ASSERT_EQ(costs.wait_ticks + costs.unknown_ticks, waits);
  uint64_t length = 0;
  const CriticalPath path = critical_path(run.model);
  for (const CriticalPart& part : path.parts) length += part.ticks;
  if (run.model.rank_count() > 0) {
    ASSERT_EQ(length, ticks);
  }
  const Efficiency found = efficiency(run.model, run.replay, run.measured, run.pool);
  ASSERT_LE(found.load_balance, 1);
}

TEST(DamagedTraces, KeepTheirAccounts) {
  uint64_t waits = 0;
  uint64_t violations = 0;
  for (uint32_t seed = 0; seed < program_count(2000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    TestRun run(nonsense(seed));
    check(run);
    if (testing::Test::HasFatalFailure()) return;
    for (uint32_t call = 0; call < run.all.calls.size(); ++call) {
      waits += run.all.wait_ticks(call);
    }
    violations += run.all.violations;
  }
  // There was something to look at.
  EXPECT_GT(waits, 1000U);
  EXPECT_GT(violations, 100U);
}

}  // namespace
}  // namespace pathline::findings
