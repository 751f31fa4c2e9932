// SPDX-License-Identifier: BSD-3-Clause
#include "trace/ranks.hpp"

#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/test_trace.hpp"

namespace pathline::trace {
namespace {

using ::testing::ElementsAre;

/// Definitions of processes and threads by hand, where TestTrace has its own idea of them.
class Processes {
 public:
  void process(uint32_t group, uint32_t creator = kUndefined,
               LocationGroupType type = LocationGroupType::kProcess) {
    add(DefinitionKind::kLocationGroup,
        {group, kUndefined, static_cast<uint32_t>(type), kUndefined, creator});
  }
  void location(uint32_t id, uint32_t group, LocationType type = LocationType::kCpuThread) {
    add(DefinitionKind::kLocation, {id, 0, kUndefined, static_cast<uint32_t>(type), 0, 0, group});
  }
  void list(uint32_t id, uint32_t paradigm, const std::vector<uint32_t>& locations) {
    std::vector<uint32_t> words = {id,       kUndefined, 4 /* locations of communicators */,
                                   paradigm, 0,          static_cast<uint32_t>(locations.size())};
    for (const uint32_t location : locations) {
      words.push_back(location);
      words.push_back(0);
    }
    add(DefinitionKind::kGroup, words);
  }
  Trace ranked() {
    Trace trace;
    EXPECT_TRUE(definitions_.finish().ok());
    trace.definitions = std::move(definitions_);
    for (const LocationDefinition& definition : trace.definitions.locations) {
      trace.locations.emplace_back().id = definition.id;
      trace.locations.back().type = definition.type;
    }
    assign_ranks(trace);
    return trace;
  }

 private:
  void add(DefinitionKind kind, const std::vector<uint32_t>& words) {
    definitions_.add(kind, words);
  }
  Definitions definitions_;
};

std::vector<uint32_t> ranks_of(const Trace& trace) {
  std::vector<uint32_t> ranks;
  for (const Location& location : trace.locations) ranks.push_back(location.rank);
  return ranks;
}

constexpr uint32_t kNone = UINT32_MAX;

TEST(AssignRanks, FollowsMpisListOfLocationsAndNotTheOrderOfDefinitions) {
  Processes processes;
  processes.process(50);
  processes.process(51);
  processes.location(100, 50);
  processes.location(101, 51);
  processes.location(102, 51);  // A second thread, not in the list.
  processes.list(7, /*SHMEM*/ 13, {100, 101});
  processes.list(8, kParadigmMpi, {101, 100});
  const Trace trace = processes.ranked();
  EXPECT_EQ(trace.rank_count, 2U);
  EXPECT_THAT(ranks_of(trace), ElementsAre(1, 0, 0));
  EXPECT_THAT(trace.rank_location, ElementsAre(1, 0));
}

TEST(AssignRanks, TakesAnotherLibrarysListWithoutMpi) {
  Processes processes;
  processes.process(50);
  processes.process(51);
  processes.location(100, 50);
  processes.location(101, 51);
  processes.list(7, /*SHMEM*/ 13, {101, 100});
  EXPECT_THAT(ranks_of(processes.ranked()), ElementsAre(1, 0));
}

TEST(AssignRanks, TakesTheOrderOfProcessesWithoutAnyList) {
  Processes processes;
  processes.process(51);
  processes.process(50);
  processes.location(99, 50, LocationType::kMetric);
  processes.location(100, 50);
  processes.location(101, 51);
  const Trace trace = processes.ranked();
  EXPECT_EQ(trace.rank_count, 2U);
  EXPECT_THAT(ranks_of(trace), ElementsAre(1, 1, 0));
  EXPECT_THAT(trace.rank_location, ElementsAre(2, 1)) << "a recorder of metrics is no thread";
}

TEST(AssignRanks, GivesStreamsOfAnAcceleratorToTheProcessThatCreatedThem) {
  Processes processes;
  processes.process(50);
  processes.process(51);
  processes.process(60, 51, LocationGroupType::kAccelerator);
  processes.process(61, kUndefined, LocationGroupType::kAccelerator);
  processes.location(100, 50);
  processes.location(101, 51);
  processes.location(200, 60, LocationType::kAcceleratorStream);
  processes.location(201, 61, LocationType::kAcceleratorStream);
  processes.list(8, kParadigmMpi, {100, 101});
  EXPECT_THAT(ranks_of(processes.ranked()), ElementsAre(0, 1, 1, kNone));
}

TEST(AssignRanks, CountsARankWhoseLocationIsMissing) {
  Processes processes;
  processes.process(50);
  processes.location(100, 50);
  processes.location(101, 99);  // Its process is not defined.
  processes.list(8, kParadigmMpi, {777, 100});
  const Trace trace = processes.ranked();
  EXPECT_EQ(trace.rank_count, 2U);
  EXPECT_THAT(ranks_of(trace), ElementsAre(1, kNone));
  EXPECT_THAT(trace.rank_location, ElementsAre(kNone, 0));
}

TEST(AssignRanks, FindsNoneInATraceWithoutProcesses) {
  Processes processes;
  processes.location(100, 50);
  const Trace trace = processes.ranked();
  EXPECT_EQ(trace.rank_count, 0U);
  EXPECT_THAT(ranks_of(trace), ElementsAre(kNone));
}

class CommunicatorRanksTest : public ::testing::Test {
 protected:
  /// Rank 0, 1, 2 ... of a communicator as `location` means them, one more than there are.
  std::vector<uint32_t> members(const Trace& trace, uint32_t comm_id, size_t location) {
    const CommunicatorRanks ranks(trace);
    std::vector<uint32_t> result;
    for (uint32_t peer = 0; peer < 10; ++peer) {
      const Rank rank = ranks.resolve(trace.definitions.communicator_index(comm_id), peer,
                                      trace.locations[location]);
      result.push_back(rank);
      if (!rank.valid()) break;
    }
    return result;
  }

  TestTrace test{4};
};

TEST_F(CommunicatorRanksTest, KnowTheWorld) {
  EXPECT_THAT(members(test.build(), TestTrace::kWorld, 2), ElementsAre(0, 1, 2, 3, kNone));
}

TEST_F(CommunicatorRanksTest, FollowTheOrderOfASplitCommunicator) {
  const uint32_t comm = test.communicator({3, 1});
  EXPECT_THAT(members(test.build(), comm, 3), ElementsAre(3, 1, kNone));
}

TEST_F(CommunicatorRanksTest, KnowNothingOfARankThatDoesNotExist) {
  const uint32_t comm = test.communicator({2, 9, 0});
  const Trace trace = test.build();
  const CommunicatorRanks ranks(trace);
  const uint32_t index = trace.definitions.communicator_index(comm);
  EXPECT_EQ(ranks.resolve(index, 0, trace.locations[0]), Rank(2));
  EXPECT_FALSE(ranks.resolve(index, 1, trace.locations[0]).valid());
  EXPECT_EQ(ranks.resolve(index, 2, trace.locations[0]), Rank(0));
  EXPECT_FALSE(ranks.resolve(index, UINT32_MAX, trace.locations[0]).valid());
}

TEST_F(CommunicatorRanksTest, TakeMembersAsLocationsWhereTheGroupSaysSo) {
  const uint32_t group = test.group(GroupType::kCommGroup,
                                    {test.location_id(2, 0), test.location_id(0, 0)}, /*global*/ 1);
  test.define(DefinitionKind::kComm, {300, test.text("c"), group, kUndefined, 0});
  EXPECT_THAT(members(test.build(), 300, 0), ElementsAre(2, 0, kNone));
}

TEST_F(CommunicatorRanksTest, MeanTheLocationItselfInSelf) {
  const uint32_t comm = test.self_communicator();
  const Trace trace = test.build();
  EXPECT_THAT(members(trace, comm, 0), ElementsAre(0, kNone));
  EXPECT_THAT(members(trace, comm, 3), ElementsAre(3, kNone));
}

TEST_F(CommunicatorRanksTest, MeanTheOtherGroupOfAnInterCommunicator) {
  const uint32_t comm = test.inter_communicator({0, 2}, {3, 1});
  const Trace trace = test.build();
  EXPECT_THAT(members(trace, comm, 0), ElementsAre(3, 1, kNone));
  EXPECT_THAT(members(trace, comm, 2), ElementsAre(3, 1, kNone));
  EXPECT_THAT(members(trace, comm, 1), ElementsAre(0, 2, kNone));
  EXPECT_THAT(members(trace, comm, 3), ElementsAre(0, 2, kNone));
}

TEST_F(CommunicatorRanksTest, KnowNobodyWithoutTheGroup) {
  test.define(DefinitionKind::kComm, {300, test.text("c"), /*no such group*/ 999, kUndefined, 0});
  EXPECT_THAT(members(test.build(), 300, 0), ElementsAre(kNone));
}

TEST_F(CommunicatorRanksTest, KnowNobodyInAGroupOfRegions) {
  const uint32_t group = test.group(GroupType::kRegions, {0, 1});
  test.define(DefinitionKind::kComm, {300, test.text("c"), group, kUndefined, 0});
  EXPECT_THAT(members(test.build(), 300, 0), ElementsAre(kNone));
}

}  // namespace
}  // namespace pathline::trace
