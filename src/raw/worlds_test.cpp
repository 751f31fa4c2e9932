// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators that many processes define, within a world and between worlds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "raw/test_run.hpp"

namespace pathline::raw {
namespace {

using ::testing::IsEmpty;

class WorldsTest : public ::testing::Test, protected Recording {};

TEST_F(WorldsTest, NamesCommunicatorsOnceForAllTheirMembers) {
  constexpr uint64_t kOdd = 9;
  for (uint32_t rank = 0; rank < 4; ++rank) {
    auto writer = process({.rank = rank, .rank_count = 4});
    writer.define(Kind::kCommunicator, {rank + 20ULL, rank, 1, 0});  // MPI_COMM_SELF
    // Ranks 3 and 1, in this order, made by rank 3 as its second; each numbers it otherwise.
    if (rank % 2 == 1) {
      writer.define(Kind::kCommunicator, {kOdd + rank, 3, 2, 0});
      if (rank == 3) {
        writer.define_list(Kind::kMembers, {kOdd + 3, 0}, {3, base::zigzag(-2), 2});
        writer.define(Kind::kCommunicatorName, {kOdd + 3}, "odd");
      }
      writer.define(Kind::kWindow, {rank, kOdd + rank}).define(Kind::kWindow, {7, kOdd + rank});
    }
    if (rank == 3) writer.event(100, Kind::kSend, kOdd + 3, 1, 0, 8);
    if (rank == 1) writer.event(200, Kind::kRecv, kOdd + 1, 0, 0, 8);
    if (rank == 1) writer.event(300, Kind::kRmaPut, 7, 0, 64, 1);
    writer.event(400, Kind::kSend, rank + 20, 0, 0, 1).event(401, Kind::kRecv, rank + 20, 0, 0, 1);
    writer.finish();
  }
  const raw::Run run = read();
  const trace::Trace& trace = run.trace;
  EXPECT_THAT(trace.warnings, IsEmpty());
  ASSERT_EQ(trace.definitions.communicators.size(), 3U) << "world, self and odd";
  EXPECT_EQ(trace.definitions.communicators[2].name, "odd");
  ASSERT_EQ(trace.messages.size(), 5U);
  EXPECT_EQ(trace.messages.sender[0], 3U) << "its rank 0";
  EXPECT_EQ(trace.messages.receiver[0], 1U) << "its rank 1";
  for (size_t i = 1; i < 5; ++i) EXPECT_EQ(trace.messages.sender[i], trace.messages.receiver[i]);
  size_t windows = 0;
  for (size_t i = 0; i < trace.definitions.size(); ++i) {
    windows += trace.definitions.kind(i) == trace::DefinitionKind::kRmaWin ? 1 : 0;
  }
  EXPECT_EQ(windows, 2U) << "both members have the same two";
  const trace::Events& events = trace.locations[1].events;
  EXPECT_EQ(events.kind[1], EventKind::kRmaPut);
  EXPECT_EQ(events.fields(1)[0], 1U) << "the second one";
}

TEST_F(WorldsTest, MatchesAcrossAnInterCommunicator) {
  for (uint32_t rank = 0; rank < 3; ++rank) {
    auto writer = process({.rank = rank, .rank_count = 3});
    writer.define(Kind::kCommunicator, {11, 0, 5, 1});
    if (rank == 0) writer.define_list(Kind::kMembers, {11, 0}, {0, 0, 1});
    if (rank == 1) writer.define_list(Kind::kMembers, {11, 1}, {1, base::zigzag(1), 2});
    if (rank == 0) writer.event(100, Kind::kSend, 11, 1, 0, 8);
    if (rank == 2) writer.event(200, Kind::kRecv, 11, 0, 0, 8);
    if (rank == 1) writer.event(0, Kind::kEnter, kMain);
    writer.finish();
  }
  const raw::Run run = read();
  ASSERT_EQ(run.trace.messages.size(), 1U);
  EXPECT_EQ(run.trace.messages.sender[0], 0U);
  EXPECT_EQ(run.trace.messages.receiver[0], 2U);
}

TEST_F(WorldsTest, PutsSpawnedWorldsBehindTheFirst) {
  const auto write = [&](uint32_t world, uint32_t rank, uint64_t wall_ns) {
    ProcessWriter writer(folder_.path(),
                         {.rank = rank, .rank_count = 2, .world = world, .host = "node1"});
    writer.region(kMain, "main").world(kWorld, rank, 2).clock_pair(0, kZero, wall_ns);
    if (rank == 0) writer.event(0, Kind::kSend, kWorld, 1, 0, world);
    if (rank == 1) writer.event(9, Kind::kRecv, kWorld, 0, 0, world);
    writer.finish();
  };
  // The world of process 5 began later than that of 800.
  for (const uint32_t rank : {0U, 1U}) write(5, rank, kWall + 1'000'000);
  for (const uint32_t rank : {0U, 1U}) write(800, rank, kWall + rank);
  const raw::Run run = read();
  EXPECT_EQ(run.trace.rank_count, 4U);
  ASSERT_EQ(run.trace.messages.size(), 2U);
  EXPECT_EQ(run.trace.messages.sender[0], 0U);
  EXPECT_EQ(run.trace.messages.bytes[0], 800U);
  EXPECT_EQ(run.trace.messages.sender[1], 2U);
  EXPECT_EQ(run.trace.messages.receiver[1], 3U);
  EXPECT_EQ(run.trace.messages.bytes[1], 5U);
  EXPECT_EQ(run.trace.definitions.location_groups[3].name, "MPI Rank 1 of world 1");
  EXPECT_EQ(run.processes[3].world, 1U);
  EXPECT_EQ(run.processes[3].world_rank, 1U);
  EXPECT_TRUE(run.trace.complete);
}

TEST_F(WorldsTest, JoinsWorldsByTheCommunicatorsBetweenThem) {
  // One process that spawns two and then two again, which send to it; nothing but their number and
  // the time tells which communicator of the one is which of the others.
  ProcessWriter parent(folder_.path(), {.rank = 0, .rank_count = 1, .world = 1});
  parent.region(kMain, "main").world(kWorld, 0, 1).clock_pair(0, kZero, kWall);
  for (uint64_t spawn = 1; spawn <= 2; ++spawn) {
    parent.define(Kind::kCommunicator, {10 + spawn, 0, 100 + spawn, 1});
    parent.define_list(Kind::kMembers, {10 + spawn, 0}, {0, 0, 1});
    parent.define(Kind::kOtherWorld, {10 + spawn, 0, 2, kWall + 1000 * spawn + 10});
    parent.event(1000 * spawn, Kind::kRecv, 10 + spawn, 1, 7, spawn);
  }
  parent.finish();
  for (uint32_t spawn = 1; spawn <= 2; ++spawn) {
    for (const uint32_t rank : {0U, 1U}) {
      ProcessWriter child(folder_.path(), {.rank = rank, .rank_count = 2, .world = 10 * spawn});
      child.region(kMain, "main").world(kWorld, rank, 2);
      child.clock_pair(0, kZero, kWall + uint64_t{spawn} * 1000);
      child.define(Kind::kCommunicator, {9, 0, 2, 1});
      if (rank == 0) child.define_list(Kind::kMembers, {9, 0}, {0, base::zigzag(1), 2});
      if (rank == 0) child.define(Kind::kOtherWorld, {9, 1, 1, kWall + uint64_t{spawn} * 1000});
      if (rank == 1) child.event(0, Kind::kSend, 9, 0, 7, spawn);
      if (rank == 0) child.event(0, Kind::kEnter, kMain);
      child.finish();
    }
  }
  const raw::Run run = read();
  EXPECT_TRUE(run.trace.complete) << testing::PrintToString(run.trace.warnings);
  ASSERT_EQ(run.trace.messages.size(), 2U);
  for (uint32_t i = 0; i < 2; ++i) {
    EXPECT_EQ(run.trace.messages.receiver[i], 0U);
    EXPECT_EQ(run.trace.messages.sender[i], 2 * run.trace.messages.bytes[i]);
  }
}

}  // namespace
}  // namespace pathline::raw
