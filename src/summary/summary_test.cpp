// SPDX-License-Identifier: BSD-3-Clause
//
// A run in windows of any size has the tables of the same run in one piece.

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "base/test_data.hpp"
#include "base/test_scale.hpp"
#include "otf2/reader.hpp"
#include "otf2/writer.hpp"
#include "summary/reduce.hpp"
#include "summary/test_lines.hpp"
#include "summary/test_random_run.hpp"
#include "summary/test_reduce.hpp"
#include "trace/test_trace.hpp"

namespace pathline::summary {
namespace {

RunSummary in_one_piece(const std::filesystem::path& anchor) {
  base::ThreadPool pool(2);
  base::Progress progress;
  auto trace = otf2::read(anchor, {}, pool, progress);
  EXPECT_TRUE(trace.ok()) << trace.error().message;
  return reduce(std::move(trace).value(), pool);
}

/// The lines that only one of them has.
std::vector<std::string> differences(std::vector<std::string> a, std::vector<std::string> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::vector<std::string> result;
  std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

/// returns  false if it has to be read in one piece
bool expect_the_same(const std::filesystem::path& anchor, const WindowSize& size,
                     unsigned processes) {
  SCOPED_TRACE(testing::Message() << anchor << ", windows of " << size.events << " events");
  const auto summary = in_windows(anchor, size);
  if (!summary && summary.error().code == base::ErrorCode::kUnsupported) {
    std::cerr << anchor << ": " << summary.error().message << "\n";
    return false;
  }
  EXPECT_TRUE(summary.ok()) << summary.error().message;
  if (!summary) return false;
  const auto expected = lines(in_one_piece(anchor));
  EXPECT_TRUE(lines(summary.value()) == expected)
      << testing::PrintToString(differences(lines(summary.value()), expected));
  const auto shared = in_processes(processes, anchor, size);
  // What became of a message after it had arrived, only the sender knows.
  if (!shared && shared.error().code == base::ErrorCode::kUnsupported) return false;
  EXPECT_TRUE(shared.ok()) << shared.error().message;
  if (!shared) return false;
  EXPECT_TRUE(lines(shared.value()) == expected)
      << processes
      << " processes: " << testing::PrintToString(differences(lines(shared.value()), expected));
  EXPECT_EQ(archive_lines(shared.value()), archive_lines(summary.value()));
  return true;
}

TEST(Windows, EndWithAnEventAtTheLastOfAllTimes) {
  const base::ScratchFolder folder;
  base::Progress progress;
  trace::TestTrace test(2);
  const trace::Region main = test.region("main");
  for (const uint32_t rank : {0U, 1U}) {
    test.on(rank).enter(5, main).leave(UINT64_MAX - rank, main);
  }
  ASSERT_TRUE(otf2::write(test.finish(1), folder.path(), "traces", progress).ok());
  EXPECT_TRUE(expect_the_same(folder.path() / "traces.otf2", {.events = 300}, 2));
}

TEST(Windows, GiveTheTablesOfTheWholeForArchivesOfOthers) {
  const auto folder = base::third_party_data("otf2");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << base::kNeedsThirdPartyData;
  size_t archives = 0;
  unsigned processes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".otf2") continue;
    if (std::filesystem::file_size(entry.path()) == 0) continue;
    for (const uint64_t events : {300U, 20'000U, 4'000'000U}) {
      const WindowSize size{.events = events, .first_ticks = 1000};
      archives += expect_the_same(entry.path(), size, 2 + processes++ % 6) ? 1 : 0;
    }
  }
  EXPECT_EQ(archives, 36U);
}

TEST(Windows, GiveTheTablesOfTheWholeForAnyProgram) {
  size_t compared = 0;
  const size_t seeds = base::scaled(40);
  for (uint32_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const base::ScratchFolder folder;
    base::Progress progress;
    const trace::Trace trace = RandomRun(seed).trace();
    ASSERT_TRUE(otf2::write(trace, folder.path(), "traces", progress).ok());
    for (const uint64_t events : {1U, 7U, 60U, 1'000'000U}) {
      // Some in a single window.
      const uint64_t first_ticks = events > 60 && seed % 2 == 0 ? 5000 : 1 + seed % 40;
      const bool done = expect_the_same(folder.path() / "traces.otf2",
                                        {.events = events, .first_ticks = first_ticks},
                                        static_cast<unsigned>(2 + (seed + events) % 4));
      compared += done ? 1 : 0;
    }
  }
  EXPECT_GE(compared, 3 * seeds);
}

/// Waits of all kinds but those of one-sided communication.
TEST(Windows, GiveTheWaitsOfTheWholeForAnyProgramWithCalls) {
  size_t compared = 0;
  const size_t seeds = base::scaled(30);
  for (uint32_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const base::ScratchFolder folder;
    base::Progress progress;
    const trace::Trace trace = RandomRun(seed, true).trace();
    ASSERT_TRUE(otf2::write(trace, folder.path(), "traces", progress).ok());
    for (const uint64_t events : {1U, 7U, 60U, 1'000'000U}) {
      const bool done = expect_the_same(folder.path() / "traces.otf2",
                                        {.events = events, .first_ticks = 1 + seed % 40},
                                        static_cast<unsigned>(2 + (seed + events) % 4));
      compared += done ? 1 : 0;
    }
  }
  EXPECT_GE(compared, 2 * seeds);
}

/// Three ranks of three threads that send in a ring; what is odd about them stands in its name.
TestTrace ring(uint64_t skew, bool tags, bool early, bool sends_first, bool lost) {
  constexpr uint32_t kRanks = 3;
  constexpr uint32_t kRounds = 24;
  TestTrace test(kRanks, 3);
  const Region main = test.region("main");
  const Region send = test.region("MPI_Send");
  const Region recv = test.region("MPI_Recv");
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    const uint64_t clock = rank == 1 ? skew : 0;
    const uint64_t later = sends_first ? 20 * kRounds : 0;
    auto& on = test.on(rank).enter(clock, main);
    if (early) on.irecv_request(clock + 1, 1);
    const auto receive = [&](uint32_t i) {
      const uint64_t t = clock + later + 20 * i;
      on.enter(t + 12, recv).recv(t + 14 + rank, (rank + 2) % kRanks, 8, tags ? i : 0);
      on.leave(t + 18, recv);
    };
    for (uint32_t i = 0; i < kRounds; ++i) {
      const uint64_t t = clock + 20 * i;
      on.enter(t + 2, send).send(t + 3, (rank + 1) % kRanks, 8, tags ? i : 0).leave(t + 5, send);
      if (!sends_first && !(lost && i == 7)) receive(i);
    }
    for (uint32_t i = 0; sends_first && i < kRounds; ++i) receive(i);
    const uint64_t end = clock + later + 20 * kRounds;
    if (lost) on.recv(end, (rank + 2) % kRanks, 8, 1000);
    if (early)
      on.send(end + 1, (rank + 1) % kRanks, 4, 9).irecv(end + 5, 1, (rank + 2) % kRanks, 4, 9);
    on.leave(end + 9, main);
    test.on(rank, 2).enter(clock + 5, main).leave(end, main);
  }
  return test;
}

TEST(Windows, GiveTheTablesOfTheWholeForOddClocksTagsAndOrders) {
  constexpr uint64_t kSecond = 1'000'000'000;
  constexpr uint64_t kSkews[] = {0, 130, kSecond, 100 * kSecond};
  for (unsigned odd = 0; odd < 16; ++odd) {
    const uint64_t skew = kSkews[(odd + odd / 4) % 4];
    SCOPED_TRACE(testing::Message() << "skew " << skew << ", odd " << odd);
    const base::ScratchFolder folder;
    base::Progress progress;
    TestTrace test = ring(skew, odd & 1U, odd & 2U, odd & 4U, odd & 8U);
    ASSERT_TRUE(otf2::write(test.finish(1), folder.path(), "traces", progress).ok());
    for (const uint64_t events : {40U, 1'000'000U}) {
      EXPECT_TRUE(expect_the_same(folder.path() / "traces.otf2",
                                  {.events = events, .first_ticks = 50}, 2 + odd % 3));
    }
  }
}

/// Numbered steps, calls of MPI and of files in and around them and over their borders, and a step
/// in which a Leave got lost: the calls of what stands in one window with it do not nest.
TEST(Windows, GiveTheStepsOfTheWhole) {
  constexpr uint32_t kStep = 1;
  constexpr uint32_t kUnsigned = 2;
  constexpr uint32_t kOff = 2;
  TestTrace test(3);
  const Region main = test.region("main");
  const Region step = test.region("time step");
  const Region work = test.region("work");
  const Region send = test.region("MPI_Send");
  const Region write = test.region("MPI_File_write_all");
  const Region flush = test.region("fwrite", trace::RegionRole::kFileIo);
  test.define(trace::DefinitionKind::kParameter, {kStep, test.text("step"), kUnsigned});
  for (uint32_t rank = 0; rank < 3; ++rank) {
    auto& on = test.on(rank).enter(0, main).enter(1, send);
    for (uint32_t i = 0; i < 12; ++i) {
      const uint64_t t = 10 + 40 * uint64_t{i} + rank;
      if (i == 3) on.leave(t - 5, send);  // The calls so far lie in one.
      on.enter(t, step);
      if (i != 5) {
        on.add(trace::EventKind::kParameterUnsignedInt, t + 1, {kStep, 7 + 2 * i, 0});
      }
      on.enter(t + 2, work);
      if (rank == 1 && i == 6) {
        on.leave(t + 35, step);  // That of `work` got lost.
        continue;
      }
      on.leave(t + 9, work).enter(t + 9, send).leave(t + 13, send);
      on.enter(t + 13, write).enter(t + 14, send).leave(t + 19, send).leave(t + 22, write);
      on.enter(t + 25, flush).leave(t + 31, flush).leave(t + 35, step);
      on.enter(t + 35, send).leave(t + 35, send);
      if (i == 9) on.add(trace::EventKind::kMeasurementOnOff, t + 36, {kOff});
    }
    on.enter(600, step).enter(610, rank == 0 ? send : write);
    if (rank == 2) on.leave(650, write).leave(651, step).leave(652, main);
  }
  const base::ScratchFolder folder;
  base::Progress progress;
  ASSERT_TRUE(otf2::write(test.finish(1), folder.path(), "traces", progress).ok());
  for (const uint64_t events : {1U, 20U, 1000U}) {
    for (const uint64_t first_ticks : {7U, 50U, 5000U}) {
      SCOPED_TRACE(testing::Message() << events << " events, " << first_ticks << " ticks");
      EXPECT_TRUE(expect_the_same(folder.path() / "traces.otf2",
                                  {.events = events, .first_ticks = first_ticks}, 2));
    }
  }
}

TEST(Windows, LeaveToTheWholeWhatTheLastOfThemShows) {
  constexpr uint32_t kOff = 2;
  constexpr uint32_t kOn = 1;
  const auto expect_whole = [](TestTrace test) {
    const base::ScratchFolder folder;
    base::Progress progress;
    ASSERT_TRUE(otf2::write(test.finish(1), folder.path(), "traces", progress).ok());
    const auto summary =
        in_windows(folder.path() / "traces.otf2", {.events = 1, .first_ticks = 10});
    ASSERT_FALSE(summary.ok());
    EXPECT_EQ(summary.error().code, base::ErrorCode::kUnsupported);
    EXPECT_THAT(summary.error().message, testing::HasSubstr("recording was switched on in it"));
  };
  TestTrace resumed(2);
  resumed.on(0).send(1, 1, 8).add(trace::EventKind::kMeasurementOnOff, 2, {kOff});
  resumed.on(0).add(trace::EventKind::kMeasurementOnOff, 500, {kOn}).send(501, 1, 9);
  resumed.on(1).add(trace::EventKind::kMeasurementOnOff, 2, {kOff});
  resumed.on(1).add(trace::EventKind::kMeasurementOnOff, 500, {kOn}).recv(502, 0, 9);
  expect_whole(std::move(resumed));
  TestTrace cancelled(2);
  cancelled.on(0).isend(1, 7, 1, 8);
  cancelled.on(1).recv(2, 0, 8);
  cancelled.on(0).cancelled(900, 7);
  expect_whole(std::move(cancelled));
}

}  // namespace
}  // namespace pathline::summary
