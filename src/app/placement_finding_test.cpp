// SPDX-License-Identifier: BSD-3-Clause
#include "app/placement_finding.hpp"

#include <algorithm>
#include <bit>
#include <random>

#include <gtest/gtest.h>

#include "findings/program_count.hpp"
#include "findings/test_program.hpp"

namespace pathline::app {
namespace {

constexpr uint32_t kRanks = 8;

/// Pairs of ranks that send each other much, and a ring of all that sends little, on two hosts of
/// four ranks each.
struct Placed {
  explicit Placed(uint32_t seed, bool apart) : random(seed) {
    std::vector<uint32_t> order(kRanks);
    for (uint32_t rank = 0; rank < kRanks; ++rank) order[rank] = rank;
    std::shuffle(order.begin(), order.end(), random);
    for (uint32_t i = 0; i < kRanks; i += 2) {
      const uint64_t much = 100'000 + random() % 100'000;
      bytes[order[i]][order[i + 1]] += much;
      bytes[order[i + 1]][order[i]] += much;
      // A pair on two hosts, or on one.
      hosts[order[i]] = apart || i < kRanks / 2 ? 0 : 1;
      hosts[order[i + 1]] = apart || i >= kRanks / 2 ? 1 : 0;
    }
    for (uint32_t rank = 0; rank < kRanks; ++rank) {
      bytes[rank][(rank + 1) % kRanks] += 100 + random() % 10'000;
    }
  }

  trace::Trace trace() {
    trace::TestTrace test(kRanks);
    test.define(trace::DefinitionKind::kSystemTreeNode,
                {41, test.text("n1"), test.text("node"), trace::kUndefined});
    findings::Simulation run(kRanks, 300, &test);
    for (int round = 0; round < 10; ++round) {
      for (uint32_t rank = 0; rank < kRanks; ++rank) run.work(rank, "work", 2000);
      for (uint32_t from = 0; from < kRanks; ++from) {
        for (uint32_t to = 0; to < kRanks; ++to) {
          if (bytes[from][to] > 0) run.send(from, to, bytes[from][to]);
        }
      }
      for (uint32_t from = 0; from < kRanks; ++from) {
        for (uint32_t to = 0; to < kRanks; ++to) {
          if (bytes[from][to] > 0) run.recv(from, to, bytes[from][to]);
        }
      }
    }
    run.finish();
    trace::Trace trace = test.finish();
    for (uint32_t rank = 0; rank < kRanks; ++rank) {
      trace.definitions.location_groups[rank].node = 40 + hosts[rank];
    }
    return trace;
  }

  /// Share of the bytes that cross hosts, if the ranks of `second` are on the second one.
  [[nodiscard]] double crossing(uint32_t second) const {
    uint64_t all = 0;
    uint64_t crosses = 0;
    for (uint32_t from = 0; from < kRanks; ++from) {
      for (uint32_t to = 0; to < kRanks; ++to) {
        all += bytes[from][to];
        if (((second >> from) & 1U) != ((second >> to) & 1U)) crosses += bytes[from][to];
      }
    }
    return static_cast<double>(crosses) / static_cast<double>(all);
  }
  [[nodiscard]] double crossing() const {
    uint32_t second = 0;
    for (uint32_t rank = 0; rank < kRanks; ++rank) second |= hosts[rank] << rank;
    return crossing(second);
  }
  /// Of all placements.
  [[nodiscard]] double least_crossing() const {
    double least = 1;
    for (uint32_t second = 0; second < 1U << kRanks; ++second) {
      if (std::popcount(second) == kRanks / 2) least = std::min(least, crossing(second));
    }
    return least;
  }

  std::mt19937 random;
  uint64_t bytes[kRanks][kRanks] = {};
  uint32_t hosts[kRanks] = {};
};

TEST(BadPlacement, IsFoundWhereAnotherOneLetsBytesStayInside) {
  base::ThreadPool pool(2);
  for (uint32_t seed = 0; seed < findings::program_count(40); ++seed) {
    SCOPED_TRACE(seed);
    for (const bool apart : {true, false}) {
      Placed placed(seed, apart);
      const trace::Trace trace = placed.trace();
      const comm::Dependencies all = comm::dependencies(trace, pool);
      const findings::Window program = findings::program_window(trace, all);
      const findings::Judgement judged =
          findings::judge(trace, all, {.program = program, .window = program}, pool);
      const auto found = bad_placement(trace, judged, pool);
      ASSERT_EQ(found.has_value(), apart);
      if (!found) continue;
      EXPECT_EQ(found->kind, findings::FindingKind::kBadPlacement);
      const findings::Efficiency& e = judged.efficiency;
      const double cost = static_cast<double>(e.measured_ticks - e.ideal_ticks);
      const double truth = cost * (placed.crossing() - placed.least_crossing());
      EXPECT_NEAR(found->recoverable_ticks, truth, 0.1 * truth);
    }
  }
}

}  // namespace
}  // namespace pathline::app
