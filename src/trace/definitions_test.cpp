// SPDX-License-Identifier: BSD-3-Clause
#include "trace/definitions.hpp"

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void add(Definitions& definitions, DefinitionKind kind, std::initializer_list<uint32_t> words) {
  definitions.add(kind, std::vector<uint32_t>(words));
}

void add_clock(Definitions& definitions, uint32_t ticks_per_second = 1000) {
  add(definitions, DefinitionKind::kClockProperties, {ticks_per_second, 0, 5, 0, 90, 0, 7, 1});
}

TEST(Definitions, ResolveNamesThatStandBehindThem) {
  Definitions definitions;
  add_clock(definitions);
  add(definitions, DefinitionKind::kRegion, {30, 8, 8, kUndefined, 28, 4, 0, 9, 55, 60});
  definitions.add_string(9, "main.c");
  definitions.add_string(8, "MPI_Send");
  ASSERT_TRUE(definitions.finish().ok());
  ASSERT_EQ(definitions.regions.size(), 1U);
  const RegionDefinition& region = definitions.regions[0];
  EXPECT_EQ(region.id, 30U);
  EXPECT_EQ(region.name, "MPI_Send");
  EXPECT_EQ(region.role, RegionRole::kPointToPoint);
  EXPECT_EQ(region.paradigm, kParadigmMpi);
  EXPECT_EQ(region.file, "main.c");
  EXPECT_EQ(region.line, 55U);
  EXPECT_EQ(definitions.region(30), Region(0));
  EXPECT_FALSE(definitions.region(0).valid());
  EXPECT_EQ(definitions.string(8), "MPI_Send");
  EXPECT_THAT(definitions.warnings(), IsEmpty());
}

TEST(Definitions, TakeAnUnknownLineAsZero) {
  Definitions definitions;
  add(definitions, DefinitionKind::kRegion,
      {1, kUndefined, 0, 0, 0, 0, 0, kUndefined, kUndefined, kUndefined});
  ASSERT_TRUE(definitions.finish().ok());
  EXPECT_EQ(definitions.regions[0].line, 0U);
  EXPECT_EQ(definitions.regions[0].name, "");
  EXPECT_EQ(definitions.regions[0].file, "");
}

TEST(Definitions, KeepTheProcessTree) {
  Definitions definitions;
  definitions.add_string(1, "node");
  definitions.add_string(2, "n17");
  add(definitions, DefinitionKind::kSystemTreeNode, {4, 2, 1, kUndefined});
  add(definitions, DefinitionKind::kLocationGroup, {6, 2, 1, 4, kUndefined});
  add(definitions, DefinitionKind::kLocationGroup, {7, 2, 2, 4, 6});
  add(definitions, DefinitionKind::kLocation, {1, 9, 2, 1, 12, 1, 6});
  ASSERT_TRUE(definitions.finish().ok());
  ASSERT_NE(definitions.node(4), nullptr);
  EXPECT_EQ(definitions.node(4)->name, "n17");
  EXPECT_EQ(definitions.node(4)->class_name, "node");
  EXPECT_EQ(definitions.node(4)->parent, kUndefined);
  EXPECT_EQ(definitions.node(5), nullptr);
  EXPECT_EQ(definitions.location_group_index(7), 1U);
  EXPECT_EQ(definitions.location_groups[1].type, LocationGroupType::kAccelerator);
  EXPECT_EQ(definitions.location_groups[1].creator, 6U);
  const uint64_t id = 0x9'0000'0001;
  EXPECT_EQ(definitions.location_index(id), 0U);
  EXPECT_EQ(definitions.location_index(1), base::IdMap::kNone) << "the id was cut to 32 bits";
  EXPECT_EQ(definitions.locations[0].id, id);
  EXPECT_EQ(definitions.locations[0].type, LocationType::kCpuThread);
  EXPECT_EQ(definitions.locations[0].event_count, 0x1'0000'000cU);
  EXPECT_EQ(definitions.locations[0].group, 6U);
}

TEST(Definitions, KeepGroupsAndCommunicators) {
  Definitions definitions;
  definitions.add_string(1, "world");
  add(definitions, DefinitionKind::kGroup, {20, 1, 5, 4, 1, 2, 7, 0, 8, 1});
  add(definitions, DefinitionKind::kComm, {31, 1, 20, kUndefined, 0});
  add(definitions, DefinitionKind::kInterComm, {33, 1, 20, 21, 31, 0});
  ASSERT_TRUE(definitions.finish().ok());
  const Group& group = definitions.groups[definitions.group_index(20)];
  EXPECT_EQ(group.type, GroupType::kCommGroup);
  EXPECT_EQ(group.paradigm, kParadigmMpi);
  EXPECT_TRUE(group.global_members);
  EXPECT_THAT(group.members, ElementsAre(7, 0x1'0000'0008));
  EXPECT_EQ(definitions.communicator_index(31), 0U);
  EXPECT_EQ(definitions.communicator_index(33), 1U);
  EXPECT_EQ(definitions.communicator_index(32), base::IdMap::kNone);
  EXPECT_EQ(definitions.communicators[0].remote_group, kUndefined);
  EXPECT_EQ(definitions.communicators[1].group, 20U);
  EXPECT_EQ(definitions.communicators[1].remote_group, 21U);
}

TEST(Definitions, GiveAMetricInstanceTheMembersOfItsClass) {
  Definitions definitions;
  definitions.add_string(1, "PAPI_TOT_CYC");
  definitions.add_string(2, "cycles");
  // The instances stand before and behind the class; one has a class that does not exist.
  add(definitions, DefinitionKind::kMetricInstance, {50, 52, 0, 0, 0, 0});
  add(definitions, DefinitionKind::kMetricClass, {52, 2, 60, 61, 0, 0});
  add(definitions, DefinitionKind::kMetricInstance, {51, 52, 0, 0, 0, 0});
  add(definitions, DefinitionKind::kMetricInstance, {53, 99, 0, 0, 0, 0});
  add(definitions, DefinitionKind::kMetricMember,
      {60, 1, kUndefined, 0, 2, 6, 1, 0xffff'fffd, 0xffff'ffff, 2});
  ASSERT_TRUE(definitions.finish().ok());
  ASSERT_NE(definitions.metric(50), nullptr);
  EXPECT_THAT(definitions.metric(50)->members, ElementsAre(60, 61));
  EXPECT_THAT(definitions.metric(51)->members, ElementsAre(60, 61));
  EXPECT_THAT(definitions.metric(53)->members, IsEmpty());
  EXPECT_EQ(definitions.metric(60), nullptr);
  const MetricMember* member = definitions.metric_member(60);
  ASSERT_NE(member, nullptr);
  EXPECT_EQ(member->name, "PAPI_TOT_CYC");
  EXPECT_EQ(member->unit, "cycles");
  EXPECT_EQ(member->mode, 2);
  EXPECT_EQ(member->base, 1);
  EXPECT_EQ(member->exponent, -3);
}

TEST(Definitions, GiveARegionToACallingContext) {
  Definitions definitions;
  add(definitions, DefinitionKind::kCallingContext, {80, 30, kUndefined, kUndefined});
  add(definitions, DefinitionKind::kCallingContext, {81, 31, kUndefined, 80});  // No such region.
  add(definitions, DefinitionKind::kRegion, {30, kUndefined, 0, 0, 0, 0, 0, kUndefined, 0, 0});
  ASSERT_TRUE(definitions.finish().ok());
  EXPECT_EQ(definitions.calling_context_region(80), Region(0));
  EXPECT_FALSE(definitions.calling_context_region(81).valid());
  EXPECT_FALSE(definitions.calling_context_region(82).valid());
}

TEST(Definitions, NameParametersAndAttributes) {
  Definitions definitions;
  definitions.add_string(1, "step");
  definitions.add_string(2, "colour");
  add(definitions, DefinitionKind::kParameter, {7, 1, 1});
  add(definitions, DefinitionKind::kAttribute, {7, 2, kUndefined, 4});
  ASSERT_TRUE(definitions.finish().ok());
  EXPECT_EQ(definitions.parameter_name(7), "step");
  EXPECT_EQ(definitions.attribute_name(7), "colour");
  EXPECT_EQ(definitions.parameter_name(8), "");
  EXPECT_EQ(definitions.attribute_name(8), "");
}

TEST(Definitions, KeepEveryWordForWritingItAgain) {
  Definitions definitions;
  definitions.add_string(3, "text");
  add(definitions, DefinitionKind::kCartDimension, {1, 3, 4, 1});
  add(definitions, DefinitionKind::kCallpath, {});
  ASSERT_TRUE(definitions.finish().ok());
  ASSERT_EQ(definitions.size(), 3U);
  EXPECT_EQ(definitions.kind(0), DefinitionKind::kString);
  EXPECT_THAT(definitions.words(0), ElementsAre(3, 0));
  EXPECT_EQ(definitions.text(0), "text");
  EXPECT_EQ(definitions.kind(1), DefinitionKind::kCartDimension);
  EXPECT_THAT(definitions.words(1), ElementsAre(1, 3, 4, 1));
  EXPECT_THAT(definitions.words(2), IsEmpty());
}

TEST(Definitions, SayOnceThatANameIsNotDefined) {
  Definitions definitions;
  add_clock(definitions);
  add(definitions, DefinitionKind::kSystemTreeNode, {1, 77, kUndefined, kUndefined});
  add(definitions, DefinitionKind::kSystemTreeNode, {2, 78, kUndefined, kUndefined});
  ASSERT_TRUE(definitions.finish().ok());
  EXPECT_EQ(definitions.nodes[0].name, "<string 77 is not defined>");
  EXPECT_EQ(definitions.nodes[1].name, "<string 78 is not defined>");
  EXPECT_EQ(definitions.nodes[0].class_name, "");
  EXPECT_THAT(definitions.warnings(),
              ElementsAre("a name refers to string 77, which is not defined"));
  EXPECT_EQ(definitions.string(kUndefined), "");
  EXPECT_EQ(definitions.string(79), "<undefined string>");
}

TEST(Definitions, StayValidWhenTheyAreMoved) {
  Definitions definitions;
  definitions.add_string(1, "a");  // Short enough to live inside the string object.
  add(definitions, DefinitionKind::kSystemTreeNode, {1, 1, 1, kUndefined});
  ASSERT_TRUE(definitions.finish().ok());
  const Definitions moved = std::move(definitions);
  EXPECT_EQ(moved.nodes[0].name, "a");
  EXPECT_EQ(moved.nodes[0].name.data(), moved.text(0).data());
}

TEST(Definitions, TellTimeInNanosecondsWithoutAClock) {
  Definitions without;
  ASSERT_TRUE(without.finish().ok());
  EXPECT_EQ(without.clock.ticks_per_second, 1'000'000'000U);
  EXPECT_THAT(without.warnings(), ElementsAre(HasSubstr("no clock properties")));

  Definitions with;
  add_clock(with, 1000);
  ASSERT_TRUE(with.finish().ok());
  EXPECT_EQ(with.clock.ticks_per_second, 1000U);
  EXPECT_EQ(with.clock.global_offset, 5U);
  EXPECT_EQ(with.clock.trace_length, 90U);
  EXPECT_EQ(with.clock.realtime_ns, 0x1'0000'0007U);
}

TEST(Definitions, RefuseAClockThatDoesNotTick) {
  Definitions definitions;
  add_clock(definitions, 0);
  const base::Status status = definitions.finish();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, base::ErrorCode::kCorrupt);
  EXPECT_EQ(status.error().message, "the clock has 0 ticks per second, expected at least 1");
}

struct Twice {
  DefinitionKind kind;
  std::vector<uint32_t> words;  // With id 5.
};

TEST(Definitions, RefuseAnIdThatIsDefinedTwice) {
  const std::vector<Twice> all = {
      {DefinitionKind::kRegion, {5, kUndefined, 0, 0, 0, 0, 0, kUndefined, 0, 0}},
      {DefinitionKind::kSystemTreeNode, {5, kUndefined, kUndefined, kUndefined}},
      {DefinitionKind::kLocationGroup, {5, kUndefined, 1, kUndefined, kUndefined}},
      {DefinitionKind::kLocation, {5, 0, kUndefined, 1, 0, 0, 0}},
      {DefinitionKind::kGroup, {5, kUndefined, 5, 4, 0, 0}},
      {DefinitionKind::kComm, {5, kUndefined, 0, kUndefined, 0}},
      {DefinitionKind::kInterComm, {5, kUndefined, 0, 0, 0, 0}},
      {DefinitionKind::kMetricMember, {5, kUndefined, 0, 0, 0, 0, 0, 0, 0, kUndefined}},
      {DefinitionKind::kMetricClass, {5, 0, 0, 0}},
      {DefinitionKind::kMetricInstance, {5, 5, 0, 0, 0, 0}},
      {DefinitionKind::kCallingContext, {5, 0, 0, 0}},
      {DefinitionKind::kParameter, {5, kUndefined, 0}},
      {DefinitionKind::kAttribute, {5, kUndefined, 0, 0}},
  };
  for (const Twice& twice : all) {
    SCOPED_TRACE(definition_name(twice.kind));
    Definitions definitions;
    definitions.add(twice.kind, twice.words);
    definitions.add(twice.kind, twice.words);
    const base::Status status = definitions.finish();
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, base::ErrorCode::kCorrupt);
    EXPECT_EQ(status.error().message,
              std::string(definition_name(twice.kind)) + " 5 is defined twice");
  }
  Definitions strings;
  strings.add_string(5, "a");
  strings.add_string(5, "a");
  ASSERT_FALSE(strings.finish().ok());
}

TEST(Definitions, AcceptTheListOfLocationsUnderTheIdOfAGroup) {
  // As EZTrace 2.0 writes it: nothing refers to that list, so the id means the other.
  constexpr auto kLocations = static_cast<uint32_t>(GroupType::kCommLocations);
  constexpr auto kGroup = static_cast<uint32_t>(GroupType::kCommGroup);
  Definitions definitions;
  definitions.add(DefinitionKind::kGroup, std::vector<uint32_t>{0, 0, kLocations, 4, 0, 1, 77, 0});
  definitions.add(DefinitionKind::kGroup, std::vector<uint32_t>{0, 0, kGroup, 4, 0, 1, 0, 0});
  ASSERT_TRUE(definitions.finish().ok());
  EXPECT_EQ(definitions.group_index(0), 1U);
}

TEST(Definitions, LetDifferentKindsUseTheSameId) {
  Definitions definitions;
  definitions.add_string(5, "a");
  add(definitions, DefinitionKind::kGroup, {5, 5, 5, 4, 0, 0});
  add(definitions, DefinitionKind::kLocationGroup, {5, 5, 1, kUndefined, kUndefined});
  add(definitions, DefinitionKind::kComm, {5, 5, 5, kUndefined, 0});
  add(definitions, DefinitionKind::kParameter, {5, 5, 0});
  add(definitions, DefinitionKind::kAttribute, {5, 5, 0, 0});
  add(definitions, DefinitionKind::kMetricMember, {5, 5, 0, 0, 0, 0, 0, 0, 0, kUndefined});
  add(definitions, DefinitionKind::kMetricClass, {5, 0, 0, 0});
  EXPECT_TRUE(definitions.finish().ok());
}

TEST(Definitions, RefuseACommunicatorWithTheIdOfAnInterCommunicator) {
  Definitions definitions;
  add(definitions, DefinitionKind::kComm, {5, kUndefined, 0, kUndefined, 0});
  add(definitions, DefinitionKind::kInterComm, {5, kUndefined, 0, 0, 0, 0});
  EXPECT_FALSE(definitions.finish().ok());
}

}  // namespace
}  // namespace pathline::trace
