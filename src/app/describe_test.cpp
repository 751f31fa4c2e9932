// SPDX-License-Identifier: BSD-3-Clause
#include "app/describe.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/application_file.hpp"
#include "app/test_stencil.hpp"
#include "base/scratch_folder.hpp"

namespace pathline::app {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using trace::TestTrace;

base::Result<Description> described(const trace::Trace& trace, std::vector<uint32_t> grid,
                                    std::optional<std::vector<uint32_t>> rank_grid = std::nullopt) {
  base::ThreadPool pool(2);
  return describe(trace, {.run = "run7", .grid = std::move(grid), .rank_grid = rank_grid}, pool);
}

Description of(const Stencil& stencil) {
  auto found = described(stencil.record(), stencil.cells);
  EXPECT_TRUE(found) << found.error().message;
  return found ? std::move(found).value() : Description();
}

std::string fault(const base::Result<Description>& found) {
  EXPECT_FALSE(found);
  return found ? "" : found.error().message + " | " + found.error().advice;
}

std::vector<std::string> names(const predict::Phase& phase) {
  std::vector<std::string> names;
  for (const predict::Kernel& kernel : phase.kernels) names.push_back(kernel.name);
  return names;
}

/// "x up 2 [0, 1]": axis, direction, values per cell, extra.
std::vector<std::string> texts(const predict::Phase& phase) {
  std::vector<std::string> texts;
  for (const predict::Shift& shift : phase.shifts) {
    std::string text(1, "xyz"[shift.axis]);
    text += shift.upwards ? " up " : " down ";
    text += std::to_string(shift.values_per_cell);
    for (const uint32_t extra : shift.extra) text += " +" + std::to_string(extra);
    texts.push_back(text);
  }
  return texts;
}

/// Both ways along each axis.
std::vector<Stencil::Shift> all_ways(uint32_t axes, bool own_tags = false) {
  std::vector<Stencil::Shift> shifts;
  for (uint32_t axis = 0; axis < axes; ++axis) {
    for (const bool up : {false, true}) {
      shifts.push_back(
          {.axis = axis, .up = up, .tag = own_tags ? static_cast<uint32_t>(shifts.size()) : 0});
    }
  }
  return shifts;
}

TEST(Describe, SendsAfterEachOtherAreOnePhase) {
  const Stencil stencil{.cells = {64, 48},
                        .ranks = {4, 4},
                        .periodic = {true, true},
                        .shifts = {{.axis = 0, .up = false},
                                   {.axis = 1, .up = true, .extra = {1, 0}},
                                   {.axis = 1, .up = false, .extra = {2, 0}, .values = 3}}};
  const Description found = of(stencil);
  EXPECT_THAT(found.rank_grid, ElementsAre(4, 4));
  EXPECT_THAT(found.application.periodic, ElementsAre(true, true));
  EXPECT_EQ(found.steps, 4U);
  ASSERT_EQ(found.application.phases.size(), 2U);
  EXPECT_THAT(names(found.application.phases[0]), ElementsAre("update"));
  EXPECT_NEAR(found.application.phases[0].kernels.at(0).seconds_per_cell, 1e-8, 1e-15);
  EXPECT_THAT(texts(found.application.phases[1]),
              ElementsAre("x down 1 +0 +0", "y up 1 +1 +0", "y down 3 +2 +0"));
  EXPECT_THAT(found.remarks,
              Contains(HasSubstr("432 bytes along y are taken for 3 values in each of 18 cells")));
  EXPECT_FALSE(found.application.phases[1].at_once);
  EXPECT_EQ(found.application.phases[1].shifts[0].layout, "strided");
  EXPECT_EQ(found.application.phases[1].shifts[1].layout, "contiguous");
}

TEST(Describe, SendsThatAreUnderWayTogetherAreAtOnce) {
  for (const Stencil::By by :
       {Stencil::By::kIsend, Stencil::By::kIrecvAndSend, Stencil::By::kIsendAndRecv}) {
    const Stencil stencil{.cells = {24, 18, 12},
                          .ranks = {3, 3, 3},
                          .periodic = {false, true, false},
                          .shifts = all_ways(3),
                          .by = by};
    const Description found = of(stencil);
    EXPECT_THAT(found.rank_grid, ElementsAre(3, 3, 3));
    EXPECT_THAT(found.application.periodic, ElementsAre(false, true, false));
    ASSERT_EQ(found.application.phases.size(), 2U);
    EXPECT_TRUE(found.application.phases[1].at_once);
    EXPECT_THAT(texts(found.application.phases[1]),
                ElementsAre("x down 1 +0 +0 +0", "x up 1 +0 +0 +0", "y down 1 +0 +0 +0",
                            "y up 1 +0 +0 +0", "z down 1 +0 +0 +0", "z up 1 +0 +0 +0"));
  }
}

TEST(Describe, UnevenlyDividedCellsAreNoObstacle) {
  for (const bool spread : {false, true}) {
    Stencil stencil{.cells = {23, 17, 20},
                    .ranks = {3, 4, 3},
                    .periodic = {true, false, true},
                    .shifts = all_ways(3),
                    .by = Stencil::By::kIsend};
    stencil.spread = spread;
    stencil.shifts[0].extra = {0, 1, 2};
    stencil.shifts[3].values = 5;
    const Description found = of(stencil);
    EXPECT_THAT(found.rank_grid, ElementsAre(3, 4, 3));
    ASSERT_EQ(found.application.phases.size(), 2U);
    EXPECT_THAT(texts(found.application.phases[1]),
                ElementsAre("x down 1 +0 +1 +2", "x up 1 +0 +0 +0", "y down 1 +0 +0 +0",
                            "y up 5 +0 +0 +0", "z down 1 +0 +0 +0", "z up 1 +0 +0 +0"));
    EXPECT_THAT(found.remarks, Not(Contains(HasSubstr("are taken for"))));
    EXPECT_NEAR(found.application.phases[0].kernels.at(0).seconds_per_cell, 1e-8, 1e-15);
  }
}

TEST(Describe, NeedsMarkedSteps) {
  Stencil stencil{
      .cells = {8, 8}, .ranks = {2, 2}, .periodic = {true, true}, .shifts = all_ways(2)};
  stencil.marked = false;
  EXPECT_THAT(fault(described(stencil.record(), {8, 8})),
              testing::AllOf(HasSubstr("no time steps are marked"), HasSubstr("pathline_step()"),
                             HasSubstr("--step-marker")));
  stencil.marked = true;
  stencil.steps = 2;
  EXPECT_THAT(fault(described(stencil.record(), {8, 8})),
              HasSubstr("2 time steps are marked, expected three or more"));
  stencil.steps = 3;
  EXPECT_EQ(of(stencil).steps, 1U);
}

/// Steps in which each rank sends 80 bytes to the ranks that `to` names.
trace::Trace trace_of(uint32_t rank_count,
                      const std::vector<std::pair<uint32_t, uint32_t>>& pairs) {
  TestTrace test(rank_count);
  const trace::Region step = test.region("time step");
  const trace::Region send = test.region("MPI_Send");
  const trace::Region receive = test.region("MPI_Recv");
  for (uint32_t rank = 0; rank < rank_count; ++rank) {
    uint64_t now = 0;
    for (int i = 0; i < 4; ++i) {
      test.on(rank).enter(now, step);
      for (const auto& [from, to] : pairs) {
        now += 10;
        if (from == rank) test.on(rank).enter(now, send).send(now, to, 80).leave(now + 5, send);
        if (to == rank)
          test.on(rank).enter(now, receive).recv(now, from, 80).leave(now + 5, receive);
      }
      now += 10;
      test.on(rank).leave(now, step);
    }
  }
  return test.finish();
}

TEST(Describe, RanksThatFormNoGridAreRefused) {
  // A star: at best the centre has neighbours on all sides.
  std::vector<std::pair<uint32_t, uint32_t>> star;
  for (uint32_t rank = 1; rank < 8; ++rank) star.emplace_back(0, rank);
  EXPECT_THAT(fault(described(trace_of(8, star), {64, 64})),
              testing::AllOf(HasSubstr("the 8 ranks form no grid"),
                             HasSubstr("% go between neighbours along one axis, expected 95 %"),
                             HasSubstr("--rank-grid PXxPY")));
  EXPECT_THAT(fault(described(trace_of(4, {{0, 1}}), {64, 64})), HasSubstr("exchange nothing"));
  EXPECT_THAT(fault(described(trace_of(4, {}), {64, 64})), HasSubstr("no messages are sent"));
  EXPECT_THAT(fault(described(trace_of(7, star), {3, 2})), HasSubstr("cannot divide --grid 3x2"));
}

TEST(Describe, RankGridIsBelieved) {
  const auto trace = trace_of(4, {{0, 1}, {1, 0}, {2, 3}, {3, 2}});
  const auto found = described(trace, {20, 20}, {{2, 2}});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(found.value().rank_grid, ElementsAre(2, 2));
  EXPECT_THAT(fault(described(trace, {20, 20}, {{2, 3}})),
              HasSubstr("--rank-grid 2x3 is for 6 ranks, but the run has 4"));
  EXPECT_THAT(fault(described(trace, {20, 3}, {{1, 4}})),
              HasSubstr("--rank-grid 1x4 has more ranks along an axis than --grid 20x3 has cells"));
}

TEST(Describe, MessagesThatGoToNoNeighbourAreLeftOut) {
  const auto found = described(
      trace_of(4, {{0, 1}, {1, 0}, {2, 3}, {3, 2}, {0, 3}, {1, 2}, {3, 0}}), {20, 20}, {{2, 2}});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(found.value().remarks, Contains(HasSubstr("1 message of rank 0 in a step go")));
}

TEST(Describe, SlabsAreToldByTheirSides) {
  const Stencil stencil{.cells = {60, 40},
                        .ranks = {1, 4},
                        .periodic = {false, false},
                        .shifts = {{.axis = 1, .up = true}, {.axis = 1, .up = false}}};
  const Description found = of(stencil);
  EXPECT_THAT(found.rank_grid, ElementsAre(1, 4));
  EXPECT_THAT(found.remarks, Contains(HasSubstr("with one rank along x no messages are seen")));
  const Stencil square{
      .cells = {40, 40}, .ranks = {1, 4}, .periodic = {false, false}, .shifts = stencil.shifts};
  EXPECT_THAT(of(square).remarks, Contains(HasSubstr("arranged as 4x1 or 1x4; the first")));
}

TEST(Describe, TwoRanksAlongAnAxisMayTellWhetherItIsPeriodic) {
  constexpr const char* kUnknown = "do not tell whether it is periodic";
  Stencil stencil{
      .cells = {20, 20}, .ranks = {2, 2}, .periodic = {true, false}, .shifts = all_ways(2)};
  // MPI_Sendrecv shows it.
  Description found = of(stencil);
  EXPECT_THAT(found.application.periodic, ElementsAre(true, false));
  EXPECT_THAT(found.remarks, Contains(HasSubstr("which is which is a guess")));
  ASSERT_EQ(found.application.phases.size(), 2U);
  EXPECT_EQ(found.application.phases[1].shifts.size(), 4U);
  EXPECT_FALSE(found.application.phases[1].at_once);
  // All that is known is one message each way.
  stencil.by = Stencil::By::kIsend;
  stencil.periodic = {false, false};
  found = of(stencil);
  EXPECT_THAT(found.application.periodic, ElementsAre(false, false));
  EXPECT_THAT(found.remarks, Contains(testing::AllOf(HasSubstr("along x"), HasSubstr(kUnknown))));
  EXPECT_THAT(found.remarks, Contains(testing::AllOf(HasSubstr("along y"), HasSubstr(kUnknown))));
  ASSERT_EQ(found.application.phases.size(), 2U);
  EXPECT_TRUE(found.application.phases[1].at_once);
  EXPECT_THAT(texts(found.application.phases[1]),
              testing::UnorderedElementsAre("x down 1 +0 +0", "x up 1 +0 +0", "y down 1 +0 +0",
                                            "y up 1 +0 +0"));
  // Tags of their own for each side tell.
  for (const bool periodic : {false, true}) {
    stencil.periodic = {periodic, periodic};
    stencil.shifts = all_ways(2, true);
    found = of(stencil);
    EXPECT_THAT(found.application.periodic, ElementsAre(periodic, periodic));
    EXPECT_THAT(found.remarks, Not(Contains(HasSubstr(kUnknown))));
    ASSERT_EQ(found.application.phases.size(), 2U);
    EXPECT_EQ(found.application.phases[1].shifts.size(), 4U);
  }
}

TEST(Describe, TwoRanksAreComparedWithAxesOfMore) {
  for (const bool periodic : {false, true}) {
    const Stencil stencil{.cells = {20, 21},
                          .ranks = {2, 3},
                          .periodic = {periodic, false},
                          .shifts = all_ways(2),
                          .by = Stencil::By::kIsend};
    const Description found = of(stencil);
    EXPECT_THAT(found.rank_grid, ElementsAre(2, 3));
    EXPECT_THAT(found.application.periodic, ElementsAre(periodic, false));
    EXPECT_THAT(found.remarks, Not(Contains(HasSubstr("do not tell"))));
    ASSERT_EQ(found.application.phases.size(), 2U);
    EXPECT_THAT(texts(found.application.phases[1]),
                testing::UnorderedElementsAre("x down 1 +0 +0", "x up 1 +0 +0", "y down 1 +0 +0",
                                              "y up 1 +0 +0"));
  }
}

TEST(Describe, OneRankAlongAnAxisSendsToItself) {
  const Stencil stencil{.cells = {30, 20},
                        .ranks = {1, 1},
                        .periodic = {true, true},
                        .shifts = {{.axis = 1, .up = true, .extra = {1, 0}}, {.axis = 0}}};
  const Description found = of(stencil);
  EXPECT_THAT(found.application.periodic, ElementsAre(true, true));
  ASSERT_EQ(found.application.phases.size(), 2U);
  EXPECT_THAT(texts(found.application.phases[1]), ElementsAre("y up 1 +1 +0", "x up 1 +0 +0"));
  EXPECT_THAT(found.remarks, Contains(HasSubstr("messages go to the rank itself")));
}

TEST(Describe, BytesThatFitNoSideAreRoundedAndRemarked) {
  const Stencil stencil{.cells = {64, 48},
                        .ranks = {4, 4},
                        .periodic = {true, true},
                        .shifts = {{.axis = 0, .values = 2, .more_bytes = 4}, {.axis = 1}}};
  const Description found = of(stencil);
  ASSERT_EQ(found.application.phases.size(), 2U);
  EXPECT_THAT(texts(found.application.phases[1]), ElementsAre("x up 2 +0 +0", "y up 1 +0 +0"));
  EXPECT_THAT(found.remarks, Contains(HasSubstr("messages of 196 bytes along x are no whole "
                                                "number of values for each of 12 cells")));
}

TEST(Describe, AxesInTheOtherOrderAreNoticed) {
  Stencil stencil{.cells = {64, 48, 27},
                  .ranks = {3, 3, 3},
                  .periodic = {false, false, false},
                  .shifts = all_ways(3),
                  .by = Stencil::By::kIsend};
  EXPECT_THAT(of(stencil).remarks, Not(Contains(HasSubstr("would fit"))));
  const auto found = described(stencil.record(), {27, 48, 64});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(found.value().remarks, Contains(HasSubstr("the messages would fit --grid 64x48x27")));
}

TEST(Describe, TimeOutsideOfMpiBecomesKernels) {
  Stencil stencil{.cells = {40, 40},
                  .ranks = {4, 4},
                  .periodic = {true, true},
                  .shifts = {{.axis = 0}, {.axis = 1}}};
  // 100 cells a rank: 'update' takes 1 us.
  stencil.before = [](TestTrace&, Stencil::Thread&, uint64_t& now) { now += 6000; };
  std::map<std::string, trace::Region> regions;
  stencil.after = [&](TestTrace& test, Stencil::Thread& thread, uint64_t& now) {
    for (const char* name : {"filter", "copies", "filter", "tiny"}) {
      if (!regions.contains(name)) regions[name] = test.region(name);
      thread.enter(now, regions[name]);
      now += name[0] == 't' ? 1 : 500;
      thread.leave(now, regions[name]);
    }
  };
  Description found = of(stencil);
  ASSERT_EQ(found.application.phases.size(), 3U);
  EXPECT_THAT(names(found.application.phases[0]), ElementsAre("work 1", "update"));
  EXPECT_NEAR(found.application.phases[0].kernels[0].seconds_per_cell, 6.027e-8, 1e-15);
  EXPECT_THAT(texts(found.application.phases[1]), ElementsAre("x up 1 +0 +0", "y up 1 +0 +0"));
  EXPECT_THAT(names(found.application.phases[2]), ElementsAre("filter", "copies"));
  EXPECT_NEAR(found.application.phases[2].kernels[0].seconds_per_cell, 1e-8, 1e-15);

  // Between the sends only what is long parts them.
  regions.clear();
  stencil.among = [](TestTrace&, Stencil::Thread&, uint64_t& now) { now += 7000; };
  found = of(stencil);
  ASSERT_EQ(found.application.phases.size(), 5U);
  EXPECT_THAT(names(found.application.phases[2]), ElementsAre("work 2"));
  EXPECT_THAT(texts(found.application.phases[3]), ElementsAre("y up 1 +0 +0"));

  regions.clear();
  stencil.among = [](TestTrace&, Stencil::Thread&, uint64_t& now) { now += 4900; };
  found = of(stencil);
  EXPECT_EQ(found.application.phases.size(), 3U);

  regions.clear();
  stencil.among = [](TestTrace&, Stencil::Thread&, uint64_t& now) { now += 7000; };
  stencil.by = Stencil::By::kIsend;
  found = of(stencil);
  ASSERT_EQ(found.application.phases.size(), 3U);
  EXPECT_TRUE(found.application.phases[1].at_once);
  EXPECT_EQ(names(found.application.phases[2]).front(), "work 2");
  EXPECT_THAT(found.remarks, Contains(HasSubstr("work 2 computed while messages were under way")));
}

TEST(Describe, WhatIsNotDescribedIsRemarked) {
  Stencil stencil{.cells = {40, 40},
                  .ranks = {4, 4},
                  .periodic = {true, true},
                  .shifts = {{.axis = 0}, {.axis = 1}}};
  std::optional<trace::Region> reduce;
  stencil.after = [&](TestTrace& test, Stencil::Thread& thread, uint64_t& now) {
    if (!reduce) reduce = test.region("MPI_Allreduce");
    for (int i = 0; i < 2; ++i) {
      thread.enter(now, *reduce).collective(now, now + 5000, 11, 8, 8);
      now += 5000;
      thread.leave(now, *reduce);
    }
  };
  const Description found = of(stencil);
  EXPECT_THAT(found.remarks, Contains("MPI_Allreduce is not described: 2 per step and rank"));
  // Its time is no kernel.
  EXPECT_EQ(found.application.phases.size(), 2U);
  EXPECT_THAT(found.remarks, Contains(HasSubstr("layouts are a guess")));
}

TEST(Describe, TheMostCommonSequenceIsDescribed) {
  Stencil stencil{.cells = {40, 40},
                  .ranks = {4, 4},
                  .periodic = {true, true},
                  .shifts = {{.axis = 0}, {.axis = 1}}};
  stencil.steps = 9;
  std::map<const Stencil::Thread*, int> step;
  std::optional<trace::Region> send;
  stencil.after = [&](TestTrace& test, Stencil::Thread& thread, uint64_t& now) {
    if (!send) send = test.region("MPI_Bsend");
    // Only rank 0, and in two steps of those that count.
    if (&thread != &test.on(0)) return;
    if (const int number = step[&thread]++; number != 3 && number != 5) return;
    thread.enter(now, *send).send(now, 1, 8, 99).leave(now + 5, *send);
    now += 5;
  };
  const Description found = of(stencil);
  ASSERT_EQ(found.application.phases.size(), 2U);
  EXPECT_EQ(found.application.phases[1].shifts.size(), 2U);
}

TEST(Describe, ItsTextIsReadAsTheSame) {
  const Stencil stencil{.cells = {24, 18, 12},
                        .ranks = {3, 3, 3},
                        .periodic = {false, true, false},
                        .shifts = all_ways(3),
                        .by = Stencil::By::kIsend};
  const Description found = of(stencil);
  const std::string text = description_text(found);
  EXPECT_THAT(text, testing::StartsWith("# What run7 does in a time step"));
  EXPECT_THAT(text, HasSubstr("27 ranks as 3x3x3, 4 time steps"));
  EXPECT_THAT(text, HasSubstr("# - layouts are a guess"));
  base::ScratchFolder folder;
  const auto again = read_application(folder.write("app.toml", text));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(application_text(again.value()), application_text(found.application));
}

}  // namespace
}  // namespace pathline::app
