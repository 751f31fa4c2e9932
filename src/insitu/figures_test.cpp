// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/figures.hpp"

#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/matrix.hpp"
#include "insitu/scene.hpp"
#include "trace/calls.hpp"
#include "trace/test_trace.hpp"

namespace pathline::insitu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using trace::EventKind;
using trace::Region;
using trace::TestTrace;

base::Result<Figures> read(const trace::Trace& trace, const FigureOptions& options = {}) {
  base::ThreadPool pool(2);
  return figures_of(trace, trace::marked_steps(trace), options, pool);
}

const vtk::Array& array(const std::vector<vtk::Array>& arrays, const std::string& name) {
  for (const vtk::Array& one : arrays) {
    if (one.name == name) return one;
  }
  ADD_FAILURE() << "no array " << name;
  return arrays.front();
}

TEST(Figures, HoldRegionsMessagesAndCollectivesOfEachStep) {
  TestTrace test(2);
  const Region step = test.region("time step");
  const Region solve = test.region("solve");
  const Region send = test.region("MPI_Send");
  const Region isend = test.region("MPI_Isend");
  const Region recv = test.region("MPI_Recv");
  const Region all = test.region("MPI_Allreduce");
  test.on(0).enter(0, solve).enter(10, step).enter(11, solve).leave(15, solve);
  test.on(0).enter(15, send).send(16, 1, 100).leave(17, send).enter(17, isend);
  test.on(0).isend(18, 5, 1, 0).leave(18, isend).isend_complete(18, 5).leave(20, step);
  test.on(0).enter(20, step).enter(22, all).collective(22, 26, 11, 8, 8).leave(26, all);
  test.on(0).leave(30, step).leave(40, solve);
  test.on(1).enter(10, step).enter(11, recv).recv(18, 0, 100).recv(18, 0, 0).leave(19, recv);
  test.on(1).leave(20, step).enter(20, step).enter(21, all).collective(21, 26, 11, 8, 8);
  test.on(1).leave(26, all).leave(30, step);
  const auto read_figures = read(test.finish());
  ASSERT_TRUE(read_figures.ok()) << read_figures.error().message;
  const Figures& figures = read_figures.value();
  EXPECT_THAT(figures.regions, ElementsAre("solve"));
  EXPECT_THAT(figures.functions, ElementsAre("MPI_Isend", "MPI_Send"));
  ASSERT_THAT(figures.steps, SizeIs(2));
  const Step& first = figures.steps[0];
  ASSERT_THAT(first.pairs, SizeIs(2));
  EXPECT_EQ(first.pairs[0].function, 0U);  // An empty message is one.
  EXPECT_EQ(first.pairs[0].calls, 1U);
  EXPECT_EQ(first.pairs[0].bytes, 0U);
  EXPECT_EQ(first.pairs[1].bytes, 100U);
  EXPECT_EQ(first.pairs[1].destination, 1U);
  EXPECT_EQ(first.ranks[0].sent_messages, 2U);
  EXPECT_EQ(first.ranks[1].received_bytes, 100U);
  EXPECT_DOUBLE_EQ(first.ranks[0].mpi_s, 3e-9);
  // The call around all steps adds its time to each, but that inside adds nothing again.
  EXPECT_EQ(first.regions[0].visits, 1U);
  EXPECT_DOUBLE_EQ(first.regions[0].seconds, 10e-9);
  EXPECT_DOUBLE_EQ(figures.steps[1].regions[0].seconds, 10e-9);
  EXPECT_THAT(figures.steps[1].pairs, IsEmpty());
  EXPECT_EQ(figures.steps[1].ranks[0].collective_calls, 1U);
  EXPECT_EQ(figures.steps[1].ranks[0].collective_bytes, 8U);
  EXPECT_DOUBLE_EQ(figures.steps[1].time_s, 20e-9);
  EXPECT_FALSE(figures.simulated_time);
}

TEST(Figures, OneSidedOperationsHaveTheirTarget) {
  TestTrace test(3);
  const uint32_t comm = test.communicator({2, 0});
  constexpr uint32_t kWindow = 9;
  test.define(trace::DefinitionKind::kRmaWin, {kWindow, test.text("window"), comm, 0});
  const Region put = test.region("MPI_Put");
  const Region swap = test.region("MPI_Compare_and_swap");
  test.on(2).enter(10, put).add(EventKind::kRmaPut, 11, {kWindow, 1, 64, 0, 1, 0}).leave(12, put);
  test.on(2).enter(13, swap);
  test.on(2).add(EventKind::kRmaAtomic, 14, {kWindow, 0, 3, 8, 0, 8, 0, 2, 0}).leave(15, swap);
  test.on(0).enter(10, put).leave(20, put);
  test.on(1).enter(10, put).leave(20, put);
  const auto figures = read(test.finish());
  ASSERT_TRUE(figures.ok());
  ASSERT_THAT(figures.value().steps, SizeIs(1));  // The whole run.
  const auto& pairs = figures.value().steps[0].pairs;
  ASSERT_THAT(pairs, SizeIs(2));
  EXPECT_EQ(pairs[0].source, 2U);
  EXPECT_EQ(pairs[0].destination, 0U);
  EXPECT_EQ(pairs[0].bytes, 64U);
  EXPECT_EQ(figures.value().functions[pairs[0].function], "MPI_Put");
  EXPECT_EQ(pairs[1].destination, 2U);
  EXPECT_EQ(pairs[1].bytes, 16U);
}

TEST(Figures, EveryAndStepChoose) {
  TestTrace test(1);
  const Region step = test.region("time step");
  for (uint64_t i = 0; i < 10; ++i) test.on(0).enter(10 * i, step).leave(10 * i + 10, step);
  const trace::Trace trace = test.finish();
  const auto numbers = [&](const FigureOptions& options) {
    std::vector<uint32_t> found;
    const auto figures = read(trace, options);
    for (const Step& one : figures.value().steps) found.push_back(one.number);
    return found;
  };
  EXPECT_THAT(numbers({.every = 4}), ElementsAre(0, 4, 8));
  EXPECT_THAT(numbers({.step = 7}), ElementsAre(7));
  const auto none = read(trace, {.step = 10});
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message, HasSubstr("no time step 10"));
}

TEST(Figures, StepsThatNobodyRecordedAreLeftOut) {
  TestTrace test(2);
  const Region step = test.region("time step");
  for (uint32_t rank = 0; rank < 2; ++rank) {
    test.on(rank).enter(10, step).leave(20, step).add(EventKind::kMeasurementOnOff, 20, {2});
    test.on(rank).enter(20, step).leave(30, step);
    if (rank == 1) test.on(rank).add(EventKind::kMeasurementOnOff, 30, {1});
    test.on(rank).enter(30, step).leave(40, step);
  }
  const trace::Trace trace = test.finish();
  const auto figures = read(trace);
  ASSERT_THAT(figures.value().steps, SizeIs(2));
  EXPECT_EQ(figures.value().steps[1].number, 2U);
  EXPECT_FALSE(figures.value().steps[1].ranks[0].recorded);
  EXPECT_TRUE(figures.value().steps[1].ranks[1].recorded);
  EXPECT_EQ(read(trace, {.step = 1}).value().steps.size(), 1U);
}

TEST(Figures, ARegionThatNobodyCalledIsNamedWithTheNearest) {
  TestTrace test(1);
  const Region solve = test.region("solve");
  test.on(0).enter(1, solve).leave(2, solve);
  const auto figures = read(test.finish(), {.regions = {"slove"}});
  ASSERT_FALSE(figures.ok());
  EXPECT_THAT(figures.error().message, HasSubstr("'slove'"));
  EXPECT_THAT(figures.error().advice, HasSubstr("'solve'"));
}

TEST(Figures, AddUpToTheMatrixAndTheTableOfSteps) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    constexpr uint32_t kRanks = 5;
    TestTrace test(kRanks);
    const Region step = test.region("time step");
    const Region send = test.region("MPI_Send");
    const Region isend = test.region("MPI_Isend");
    for (uint64_t turn = 0; turn < 6; ++turn) {
      const uint64_t begin = 1000 * turn;
      for (uint32_t rank = 0; rank < kRanks; ++rank) test.on(rank).enter(begin, step);
      for (uint64_t i = 0; i < 20; ++i) {
        const uint64_t at = begin + 10 * i;
        const auto from = static_cast<uint32_t>(random() % kRanks);
        const auto to = static_cast<uint32_t>(random() % kRanks);
        const uint64_t bytes = random() % 3 * 10;
        const Region call = random() % 2 == 0 ? send : isend;
        test.on(from).enter(at + 1, call).send(at + 2, to, bytes).leave(at + 3, call);
        if (random() % 8 != 0) test.on(to).recv(at + 5, from, bytes);  // Some get lost.
      }
      for (uint32_t rank = 0; rank < kRanks; ++rank) test.on(rank).leave(begin + 900, step);
    }
    const trace::Trace trace = test.finish();
    base::ThreadPool pool(1);
    const Figures figures = read(trace).value();
    for (const Step& one : figures.steps) {
      std::vector<graph::Pair> pairs;
      for (const PairFigures& pair : one.pairs) {
        pairs.push_back({pair.source, pair.destination, pair.calls, pair.bytes});
      }
      const graph::Traffic found = graph::traffic_of(kRanks, pairs);
      const graph::Traffic expected = comm::matrix(trace, {}, one.number, pool).traffic;
      EXPECT_EQ(found.row, expected.row);
      EXPECT_EQ(found.receiver, expected.receiver);
      EXPECT_EQ(found.messages, expected.messages);
      EXPECT_EQ(found.bytes, expected.bytes);
      for (uint32_t rank = 0; rank < kRanks; ++rank) {
        uint64_t sent = 0;
        for (size_t i = found.row[rank]; i < found.row[rank + 1]; ++i) sent += found.bytes[i];
        EXPECT_EQ(one.ranks[rank].sent_bytes, sent);
      }
    }
  }
}

TEST(RankArrays, AreOnePerFigureAndAsLongAsThereAreRanks) {
  Figures figures{.regions = {"solve"}, .functions = {"MPI_Send"}};
  Step step{.ranks = {{.step_s = 3, .mpi_s = 1}, {.step_s = 3}},
            .regions = {{2, 0.5}, {1, 1.5}},
            .pairs = {{0, 1, 0, 3, 30}}};
  step.ranks[1].recorded = false;
  const auto arrays = rank_arrays(figures, step);
  for (const vtk::Array& one : arrays) EXPECT_EQ(one.tuple_count(), 2U) << one.name;
  EXPECT_THAT(std::get<std::vector<double>>(array(arrays, "computation : time").values)[0], 2);
  EXPECT_TRUE(
      std::isnan(std::get<std::vector<double>>(array(arrays, "computation : time").values)[1]));
  EXPECT_THAT(std::get<std::vector<uint32_t>>(array(arrays, "MPI_Send : counter").values),
              ElementsAre(3, 0));
  EXPECT_THAT(std::get<std::vector<double>>(array(arrays, "solve : time").values),
              ElementsAre(0.5, 1.5));
}

TEST(Statistics, OfNumbersOnly) {
  const Statistics s = statistics_of({.name = "x", .values = std::vector<double>{1, NAN, 3}});
  EXPECT_DOUBLE_EQ(s.mean, 2);
  EXPECT_DOUBLE_EQ(s.deviation, 1);
  EXPECT_DOUBLE_EQ(s.min, 1);
  EXPECT_DOUBLE_EQ(s.max, 3);
  EXPECT_DOUBLE_EQ(s.imbalance, 0.5);
  EXPECT_DOUBLE_EQ(statistics_of({.name = "x", .values = std::vector<double>{NAN}}).max, 0);
}

}  // namespace
}  // namespace pathline::insitu
