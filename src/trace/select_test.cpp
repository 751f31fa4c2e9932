// SPDX-License-Identifier: BSD-3-Clause
#include "trace/select.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/test_trace.hpp"

namespace pathline::trace {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Four ranks; the run goes from tick 1000 to 11000, which are 10 µs.
Trace run() {
  TestTrace test(4);
  const Region main = test.region("main");
  test.on(0).enter(1000, main).leave(11'000, main);
  return test.finish();
}

std::vector<uint32_t> chosen(std::string_view list) {
  const auto selection = select(run(), {.ranks = list});
  EXPECT_TRUE(selection.ok()) << selection.error().message;
  std::vector<uint32_t> ranks;
  for (uint32_t rank = 0; selection.ok() && rank < 6; ++rank) {
    if (selection.value().has_rank(rank)) ranks.push_back(rank);
  }
  return ranks;
}

std::string message_of(const SelectionText& text,
                       base::ErrorCode code = base::ErrorCode::kInvalidArgument) {
  const auto selection = select(run(), text);
  if (selection.ok()) return "no error";
  EXPECT_EQ(selection.error().code, code) << selection.error().message;
  return selection.error().message;
}

TEST(Select, TakesEverythingWhenNothingIsAsked) {
  const auto selection = select(run(), {});
  ASSERT_TRUE(selection.ok());
  EXPECT_TRUE(selection.value().everything());
  EXPECT_TRUE(selection.value().has_time(0));
  EXPECT_TRUE(selection.value().has_rank(1'000'000));
}

TEST(Select, TurnsSecondsOfTheRunIntoTicks) {
  const auto selection = select(run(), {.from_s = 2e-6, .until_s = 3e-6});
  ASSERT_TRUE(selection.ok());
  EXPECT_EQ(selection.value().from_ticks, 3000U);
  EXPECT_EQ(selection.value().until_ticks, 4000U);
  EXPECT_FALSE(selection.value().everything());
  EXPECT_FALSE(selection.value().has_time(2999));
  EXPECT_TRUE(selection.value().has_time(3000));
  EXPECT_TRUE(selection.value().has_time(3999));
  EXPECT_FALSE(selection.value().has_time(4000));
}

TEST(Select, TakesTimesFarBehindTheEnd) {
  const auto selection = select(run(), {.until_s = 1e300});
  ASSERT_TRUE(selection.ok());
  EXPECT_EQ(selection.value().until_ticks, UINT64_MAX);
}

TEST(Select, ReadsRanksAndRanges) {
  using Ranks = std::vector<uint32_t>;
  EXPECT_EQ(chosen("2"), Ranks({2}));
  EXPECT_EQ(chosen("0-3"), Ranks({0, 1, 2, 3}));
  EXPECT_EQ(chosen("3,0-1"), Ranks({0, 1, 3}));
  EXPECT_EQ(chosen("1-1,1,0-2"), Ranks({0, 1, 2}));
}

TEST(Select, RefusesAListThatIsNone) {
  for (const std::string_view list : {"x", ",", "1,", ",1", "1-", "-1", "1-2-3", "2-1", "1 ", " 1",
                                      "0x1", "+1", "1.5", "99999999999999999999"}) {
    EXPECT_THAT(message_of({.ranks = list}),
                HasSubstr("cannot read rank list '" + std::string(list) + "'"));
  }
  EXPECT_EQ(message_of({.ranks = "0,1-x"}),
            "cannot read rank list '0,1-x': found '1-x', expected numbers and ranges as in "
            "0-31,64");
}

TEST(Select, RefusesARankThatTheRunDoesNotHave) {
  EXPECT_EQ(message_of({.ranks = "4"}, base::ErrorCode::kNotFound),
            "rank 4 of list '4' does not exist: the run has 4 ranks");
  EXPECT_THAT(message_of({.ranks = "0-4294967295"}, base::ErrorCode::kNotFound),
              HasSubstr("rank 4294967295"));
  const auto selection = select(TestTrace(1).finish(), {.ranks = "1"});
  ASSERT_FALSE(selection.ok());
  EXPECT_THAT(selection.error().message, HasSubstr("the run has 1 rank"));
  EXPECT_THAT(selection.error().message, Not(HasSubstr("1 ranks")));
}

TEST(Select, RefusesATimeThatIsNone) {
  EXPECT_THAT(message_of({.from_s = -1}), HasSubstr("--from is -1, expected seconds"));
  EXPECT_THAT(message_of({.until_s = std::nan("")}), HasSubstr("--until is nan"));
  EXPECT_THAT(message_of({.until_s = std::numeric_limits<double>::infinity()}),
              HasSubstr("--until is inf"));
}

TEST(Select, RefusesAnEmptyRange) {
  EXPECT_EQ(message_of({.from_s = 3e-6, .until_s = 3e-6}, base::ErrorCode::kNotFound),
            "--from 3e-06 is not before --until 3e-06");
  EXPECT_EQ(message_of({.from_s = 4e-6, .until_s = 3e-6}, base::ErrorCode::kNotFound),
            "--from 4e-06 is not before --until 3e-06");
  const auto selection = select(run(), {.from_s = 4e-6, .until_s = 3e-6});
  ASSERT_FALSE(selection.ok());
  EXPECT_EQ(selection.error().advice, "The run lasts 1e-05 s.");
}

TEST(Select, RefusesARangeThatEndsWhereTheRunStarts) {
  EXPECT_EQ(message_of({.until_s = 0}, base::ErrorCode::kNotFound),
            "nothing lies between the start and --until 0");
}

TEST(Select, RefusesARangeBehindTheEnd) {
  EXPECT_EQ(message_of({.from_s = 1e300}, base::ErrorCode::kNotFound),
            "nothing lies between --from 1e+300 and the end");
  EXPECT_EQ(message_of({.from_s = 1.1e-5, .until_s = 2}, base::ErrorCode::kNotFound),
            "nothing lies between --from 1.1e-05 and --until 2");
  EXPECT_TRUE(select(run(), {.from_s = 1e-5}).ok()) << "the last event lies at the end";
}

TEST(RequireStep, NamesTheStepsThereAre) {
  TestTrace test(2);
  const Region step = test.region("time step");
  const uint32_t parameter = 7;
  test.define(DefinitionKind::kParameter, {parameter, test.text("step"), 0});
  uint64_t ticks = 0;
  for (const uint32_t number : {0U, 1U, 2U, 5U, 7U, 8U}) {
    auto& thread = test.on(number % 2);
    thread.enter(ticks, step).add(EventKind::kParameterUnsignedInt, ticks, {parameter, number, 0});
    thread.leave(++ticks, step);
  }
  const Trace trace = test.finish();
  EXPECT_TRUE(require_step(trace, 5).ok());
  const auto status = require_step(trace, 6);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, base::ErrorCode::kNotFound);
  EXPECT_EQ(status.error().message, "there is no time step 6: the run has steps 0-2,5,7-8");
}

TEST(RequireStep, SaysWhenThereIsNone) {
  const auto status = require_step(run(), 0);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "there is no time step 0: the run marks none");
}

TEST(RequireStep, CutsALongList) {
  TestTrace test(1);
  const Region step = test.region("time step");
  const uint32_t parameter = 7;
  test.define(DefinitionKind::kParameter, {parameter, test.text("step"), 0});
  for (uint32_t i = 0; i < 10; ++i) {
    test.on(0).enter(i, step).add(EventKind::kParameterUnsignedInt, i, {parameter, 2 * i, 0});
    test.on(0).leave(i + 1, step);
  }
  const auto status = require_step(test.finish(), 1);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("the run has steps 0,2,4,6,8,10,12,14 ..."));
}

TEST(Selection, HoldsAMessageWhoseSendIsInsideAndOneOfWhoseRanksIs) {
  Messages messages;
  messages.resize(3);
  const uint32_t ends[3][2] = {{0, 1}, {1, 2}, {2, 3}};
  for (size_t i = 0; i < 3; ++i) {
    messages.sender.set(i, ends[i][0]);
    messages.receiver.set(i, ends[i][1]);
    messages.send_ticks.set(i, 10);
    messages.recv_ticks.set(i, 20);
  }
  Selection selection{.from_ticks = 10, .until_ticks = 20, .ranks = {true, false, true, false}};
  EXPECT_TRUE(selection.has_message(messages, 0));
  EXPECT_TRUE(selection.has_message(messages, 1));
  EXPECT_TRUE(selection.has_message(messages, 2));
  selection.ranks = {true, false, false, false};
  EXPECT_TRUE(selection.has_message(messages, 0));
  EXPECT_FALSE(selection.has_message(messages, 1));
  selection.from_ticks = 11;  // The receive alone lies inside.
  EXPECT_FALSE(selection.has_message(messages, 0));
}

}  // namespace
}  // namespace pathline::trace
