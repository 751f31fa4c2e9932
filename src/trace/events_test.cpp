// SPDX-License-Identifier: BSD-3-Clause
#include "trace/events.hpp"

#include <cstdint>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/arena.hpp"
#include "trace/test_trace.hpp"

namespace pathline::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Region kMain(0);
constexpr Region kSolve(1);
constexpr Region kSend(2);

TEST(EventsBuilder, LinksEachLeaveToItsEnter) {
  EventsBuilder builder;
  builder.enter(10, kMain);
  builder.enter(11, kSolve);
  builder.enter(12, kSolve);  // Recursion: the leaves belong to the inner one first.
  EXPECT_EQ(builder.depth(), 3U);
  builder.leave(13, kSolve);
  builder.leave(14, kSolve);
  builder.leave(15, kMain);
  EXPECT_EQ(builder.depth(), 0U);
  EXPECT_EQ(builder.last_ticks(), 15U);
  const Events events = builder.finish();
  EXPECT_THAT(events.ticks, ElementsAre(10, 11, 12, 13, 14, 15));
  EXPECT_THAT(events.kind, ElementsAre(EventKind::kEnter, EventKind::kEnter, EventKind::kEnter,
                                       EventKind::kLeave, EventKind::kLeave, EventKind::kLeave));
  EXPECT_THAT(events.ref, ElementsAre(0, 1, 1, 2, 1, 0));
  EXPECT_EQ(events.region(4), kSolve);
  EXPECT_EQ(events.region(5), kMain);
  EXPECT_EQ(events.misplaced_leaves, 0U);
  EXPECT_EQ(events.open_calls, 0U);
  EXPECT_THAT(events.leaves_of_earlier_calls, IsEmpty());
}

TEST(EventsBuilder, GivesWhatItHasUnpackedAndServesAgain) {
  const auto fill = [](EventsBuilder& builder, uint64_t from) {
    builder.enter(from, kMain);
    builder.add(EventKind::kMeasurementOnOff, from + 1, 1);
    uint32_t* const words = builder.add_words(EventKind::kMpiIsendComplete, from + 2, 2);
    words[0] = 7;
    words[1] = static_cast<uint32_t>(from);
    builder.attribute(3, 10, from);
    builder.leave(from + 3, kSolve);  // Of no call.
    builder.enter(from + 4, kSolve);
  };
  base::Arena arena;
  EventsBuilder again;
  for (const uint64_t from : {100, 200}) {
    fill(again, from);
    const Events events = again.finish_unpacked(arena);
    EventsBuilder once;
    fill(once, from);
    const Events expected = once.finish();
    EXPECT_EQ(events.ticks.plain().size(), 5U);
    EXPECT_THAT(events.ticks, ::testing::ElementsAreArray(expected.ticks));
    EXPECT_THAT(events.kind, ::testing::ElementsAreArray(expected.kind));
    EXPECT_THAT(events.ref, ::testing::ElementsAreArray(expected.ref));
    EXPECT_THAT(events.words, ElementsAre(7, from));
    EXPECT_THAT(events.attributes.value, ElementsAre(from));
    EXPECT_EQ(events.misplaced_leaves, 1U);
    EXPECT_EQ(events.open_calls, 2U);
    EXPECT_EQ(again.size(), 0U);
    EXPECT_EQ(again.depth(), 0U);
  }
}

TEST(EventsBuilder, EndsTheCallsInsideWhoseLeavesGotLost) {
  EventsBuilder builder;
  builder.enter(1, kMain);
  builder.enter(2, kSolve);
  builder.enter(3, kSend);
  builder.leave(9, kMain);
  EXPECT_EQ(builder.depth(), 0U);
  const Events events = builder.finish();
  EXPECT_EQ(events.kind[3], EventKind::kLeave);
  EXPECT_EQ(events.ref[3], 0U);
  EXPECT_EQ(events.misplaced_leaves, 1U);
  EXPECT_EQ(events.open_calls, 2U);  // Solve and send.
}

TEST(EventsBuilder, EndsTheInnermostCallOfTheRegionWhenLeavesGotLost) {
  EventsBuilder builder;
  builder.enter(1, kSolve);
  builder.enter(2, kSolve);
  builder.enter(3, kSend);
  builder.leave(4, kSolve);
  EXPECT_EQ(builder.depth(), 1U);
  builder.leave(5, kSolve);
  const Events events = builder.finish();
  EXPECT_THAT(events.ref, ElementsAre(1, 1, 2, 1, 0));
  EXPECT_EQ(events.misplaced_leaves, 1U);
  EXPECT_EQ(events.open_calls, 1U);
}

TEST(EventsBuilder, RemembersLeavesOfCallsThatBeganEarlier) {
  EventsBuilder builder;
  builder.leave(5, kSend);
  builder.enter(6, kSend);
  builder.leave(7, kSend);
  builder.leave(8, kMain);
  const Events events = builder.finish();
  EXPECT_THAT(events.leaves_of_earlier_calls, ElementsAre(0, 3));
  EXPECT_EQ(events.kind[0], EventKind::kUnmatchedLeave);
  EXPECT_EQ(events.region(0), kSend);
  EXPECT_EQ(events.region(3), kMain);
  EXPECT_EQ(events.misplaced_leaves, 0U);
  EXPECT_EQ(events.open_calls, 0U);
}

TEST(EventsBuilder, CountsALeaveThatNoCallAsksFor) {
  EventsBuilder builder;
  builder.enter(1, kMain);
  builder.leave(2, kSend);  // Main is open and send was never entered.
  builder.leave(3, kMain);
  const Events events = builder.finish();
  EXPECT_EQ(events.kind[1], EventKind::kUnmatchedLeave);
  EXPECT_EQ(events.misplaced_leaves, 1U);
  EXPECT_EQ(events.open_calls, 0U);
  EXPECT_THAT(events.leaves_of_earlier_calls, IsEmpty());
  EXPECT_EQ(events.ref[2], 0U);
}

TEST(EventsBuilder, CountsCallsThatAreStillOpen) {
  EventsBuilder builder;
  builder.enter(1, kMain);
  builder.enter(2, kSolve);
  const Events events = builder.finish();
  EXPECT_EQ(events.open_calls, 2U);
}

TEST(EventsBuilder, IsEmptyAgainWhenItHasFinished) {
  EventsBuilder builder;
  builder.enter(1, kMain);
  builder.add(EventKind::kRmaWinCreate, 2, 9);
  builder.add_words(EventKind::kMpiIsendComplete, 3, 2)[0] = 1;
  builder.attribute(1, 2, 3);
  EXPECT_EQ(builder.finish().size(), 3U);
  EXPECT_EQ(builder.size(), 0U);
  EXPECT_EQ(builder.depth(), 0U);
  EXPECT_EQ(builder.word_count(), 0U);
  EXPECT_EQ(builder.last_ticks(), 0U);
  builder.leave(5, kSend);
  const Events events = builder.finish();
  EXPECT_THAT(events.leaves_of_earlier_calls, ElementsAre(0));
  EXPECT_EQ(events.attributes.event.size(), 0U);
  EXPECT_EQ(events.open_calls, 0U);
}

TEST(EventsBuilder, KeepsTheWordsOfEarlierLocationsInTheArena) {
  base::Arena arena;
  EventsBuilder builder(&arena);
  std::vector<Events> locations;
  for (uint32_t location = 0; location < 3; ++location) {
    for (uint32_t i = 0; i < 100 * (3 - location); ++i) {
      uint32_t* words = builder.add_words(EventKind::kMpiIsendComplete, i, 2);
      words[0] = i;
      words[1] = location;
    }
    locations.push_back(builder.finish());
  }
  for (uint32_t location = 0; location < 3; ++location) {
    const Events& events = locations[location];
    ASSERT_EQ(events.size(), 100 * (3 - location));
    for (uint32_t i = 0; i < events.size(); ++i) {
      ASSERT_EQ(events.word64(i), i | uint64_t{location} << 32U) << location;
    }
  }
}

TEST(EventsBuilder, FinishesWithoutAnyEvent) {
  const Events events = EventsBuilder().finish();
  EXPECT_EQ(events.size(), 0U);
  EXPECT_EQ(events.open_calls, 0U);
}

TEST(EventsBuilder, KeepsEventsAndWordsWhileItGrows) {
  // Kinds of none, one, two and seven words in turn, without and with an announced number.
  for (const size_t announced : {0U, 10U, 100'000U}) {
    SCOPED_TRACE(testing::Message() << announced << " events announced");
    EventsBuilder builder;
    builder.reserve(announced);
    constexpr uint32_t kRounds = 1000;
    for (uint32_t i = 0; i < kRounds; ++i) {
      builder.add(EventKind::kMpiCollectiveBegin, 4 * i);
      builder.add(EventKind::kRmaWinCreate, 4 * i + 1, i);
      uint32_t* two = builder.add_words(EventKind::kMpiIrecvRequest, 4 * i + 2, 2);
      two[0] = i;
      two[1] = i + 1;
      uint32_t* seven = builder.add_words(EventKind::kMpiIsend, 4 * i + 3, 7);
      for (uint32_t w = 0; w < 7; ++w) seven[w] = 10 * i + w;
    }
    const Events events = builder.finish();
    ASSERT_EQ(events.size(), 4 * kRounds);
    EXPECT_EQ(events.kind.capacity(), events.size()) << "memory was not given back";
    EXPECT_EQ(events.ticks.plain().size(), events.size());
    EXPECT_EQ(events.words.plain().size(), 9 * kRounds);
    for (uint32_t i = 0; i < kRounds; ++i) {
      ASSERT_EQ(events.ticks[4 * i + 3], 4 * i + 3);
      ASSERT_THAT(events.fields(4 * i), IsEmpty());
      ASSERT_THAT(events.fields(4 * i + 1), ElementsAre(i));
      ASSERT_THAT(events.fields(4 * i + 2), ElementsAre(i, i + 1));
      ASSERT_EQ(events.fields(4 * i + 3).size(), 7U);
      ASSERT_EQ(events.fields(4 * i + 3)[6], 10 * i + 6);
    }
  }
}

TEST(EventsBuilder, AttachesAttributesToTheEventAddedLast) {
  EventsBuilder builder;
  builder.enter(1, kMain);
  builder.attribute(7, 3, UINT64_MAX);
  builder.attribute(8, 4, 5);
  builder.leave(2, kMain);
  builder.attribute(7, 3, 6);
  const Events events = builder.finish();
  EXPECT_THAT(events.attributes.event, ElementsAre(0, 0, 1));
  EXPECT_THAT(events.attributes.attribute, ElementsAre(7, 8, 7));
  EXPECT_THAT(events.attributes.type, ElementsAre(3, 4, 3));
  EXPECT_THAT(events.attributes.value, ElementsAre(UINT64_MAX, 5, 6));
}

TEST(EventsBuilder, RefusesMoreEventsThanAnIndexCanName) {
  EventsBuilder builder;
  EXPECT_THROW(builder.reserve(size_t{UINT32_MAX} + 1), std::length_error);
}

TEST(Events, ListsTheItemsOfVariableKinds) {
  TestTrace::Thread thread;
  thread.add(EventKind::kMetric, 1, {5, 2, /*type*/ 1, 11, 12, /*type*/ 3, 13, 14});
  thread.add(EventKind::kMetric, 2, {6, 0});
  thread.add(EventKind::kProgramBegin, 3, {7, 3, 20, 21, 22});
  thread.add(EventKind::kProgramEnd, 4, {0xffffffff, 0xffffffff});
  const Events events = thread.events.finish();
  EXPECT_THAT(events.fields(0), ElementsAre(5, 2, 1, 11, 12, 3, 13, 14));
  EXPECT_THAT(events.fields(1), ElementsAre(6, 0));
  EXPECT_THAT(events.fields(2), ElementsAre(7, 3, 20, 21, 22));
  EXPECT_EQ(events.word64(3), UINT64_MAX);
}

TEST(Events, GivesTheFieldsOfMessagesInTheOrderOfTheFile) {
  constexpr uint64_t kBytes = 0x1'2345'6789;
  constexpr uint64_t kRequest = 0xfedc'ba98'7654'3210;
  TestTrace::Thread thread;
  thread.send(1, 4, kBytes, 6, 5).isend(2, kRequest, 4, kBytes, 6, 5);
  thread.recv(3, 4, kBytes, 6, 5).irecv(4, kRequest, 4, kBytes, 6, 5);
  const Events events = thread.events.finish();
  for (size_t i = 0; i < 4; ++i) {
    SCOPED_TRACE(event_name(events.kind[i]));
    const PointToPoint point = events.point_to_point(i);
    EXPECT_EQ(point.peer, 4U);
    EXPECT_EQ(point.comm, 5U);
    EXPECT_EQ(point.tag, 6U);
    EXPECT_EQ(point.bytes, kBytes);
    EXPECT_EQ(point.request, i % 2 == 0 ? 0 : kRequest);
    EXPECT_EQ(events.word64(i, 3), kBytes);
  }
}

TEST(WordReader, ReadsBackWhatAWordWriterPut) {
  std::vector<uint32_t> words(5);
  WordWriter writer(words.data());
  writer.put(7, 1);
  writer.put(0x0102'0304'0506'0708, 2);
  writer.put(8, 1);
  writer.put(9, 1);
  EXPECT_THAT(words, ElementsAre(7, 0x0506'0708, 0x0102'0304, 8, 9));
  WordReader reader(words);
  EXPECT_EQ(reader.u32(), 7U);
  EXPECT_EQ(reader.u64(), 0x0102'0304'0506'0708U);
  EXPECT_THAT(reader.rest(), ElementsAre(8, 9));
}

}  // namespace
}  // namespace pathline::trace
