// SPDX-License-Identifier: BSD-3-Clause
#include "trace/calls.hpp"

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <random>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/test_trace.hpp"

namespace pathline::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Call {
  uint32_t region;
  uint64_t begin;
  uint64_t end;
  size_t depth;  // Calls around it.
  friend bool operator==(const Call&, const Call&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Call& call) {
    return out << "{region " << call.region << ", " << call.begin << " to " << call.end
               << ", depth " << call.depth << "}";
  }
};

/// The calls in the order of their beginning. Fails where they do not nest or time runs backwards.
std::vector<Call> calls_of(const Definitions& definitions, const Events& events) {
  std::vector<Call> calls;
  std::vector<size_t> open;
  uint64_t now = 0;
  walk_calls(
      definitions, events,
      [&](Region region, uint64_t ticks) {
        EXPECT_GE(ticks, now);
        now = ticks;
        calls.push_back({region, ticks, UINT64_MAX, open.size()});
        open.push_back(calls.size() - 1);
      },
      [&](uint64_t ticks) {
        EXPECT_GE(ticks, now);
        now = ticks;
        if (open.empty()) {
          ADD_FAILURE() << "leave at " << ticks << " without a call";
          return;
        }
        calls[open.back()].end = ticks;
        open.pop_back();
      });
  EXPECT_TRUE(open.empty()) << open.size() << " calls were never left";
  return calls;
}

TEST(WalkCalls, FollowsNestedCalls) {
  TestTrace::Thread thread;
  thread.enter(1, Region(0)).enter(2, Region(1)).leave(3, Region(1));
  thread.enter(3, Region(1)).leave(5, Region(1)).leave(6, Region(0));
  thread.enter(7, Region(2)).leave(8, Region(2));
  EXPECT_THAT(calls_of({}, thread.events.finish()),
              ElementsAre(Call{0, 1, 6, 0}, Call{1, 2, 3, 1}, Call{1, 3, 5, 1}, Call{2, 7, 8, 0}));
}

TEST(WalkCalls, HasNothingToSayAboutNoEvents) { EXPECT_THAT(calls_of({}, Events()), IsEmpty()); }

TEST(WalkCalls, EntersCallsThatBeganEarlierAtTheFirstEvent) {
  TestTrace::Thread thread;
  thread.enter(10, Region(2)).leave(11, Region(2));
  thread.leave(12, Region(1)).leave(15, Region(0));  // The outer one ends last.
  EXPECT_THAT(calls_of({}, thread.events.finish()),
              ElementsAre(Call{0, 10, 15, 0}, Call{1, 10, 12, 1}, Call{2, 10, 11, 2}));
}

TEST(WalkCalls, LeavesOpenCallsAtTheLastEvent) {
  TestTrace::Thread thread;
  thread.enter(1, Region(0)).enter(2, Region(1)).add(EventKind::kRmaWinCreate, 9, {1});
  EXPECT_THAT(calls_of({}, thread.events.finish()),
              ElementsAre(Call{0, 1, 9, 0}, Call{1, 2, 9, 1}));
}

TEST(WalkCalls, LeavesCallsWithALostLeaveTogetherWithTheCallAround) {
  TestTrace::Thread thread;
  thread.enter(1, Region(0)).enter(2, Region(1)).enter(3, Region(2)).leave(7, Region(0));
  thread.enter(8, Region(3)).leave(9, Region(3));
  EXPECT_THAT(calls_of({}, thread.events.finish()),
              ElementsAre(Call{0, 1, 7, 0}, Call{1, 2, 7, 1}, Call{2, 3, 7, 2}, Call{3, 8, 9, 0}));
}

TEST(WalkCalls, IgnoresALeaveThatNoCallAsksFor) {
  TestTrace::Thread thread;
  thread.enter(1, Region(0)).leave(2, Region(1)).leave(3, Region(0));
  EXPECT_THAT(calls_of({}, thread.events.finish()), ElementsAre(Call{0, 1, 3, 0}));
}

/// Calling contexts 80 and 81 of the regions 0 and 1.
Definitions sampling_definitions() {
  TestTrace test(1);
  test.region("main");
  test.region("solve");
  test.define(DefinitionKind::kCallingContext,
              {80, TestTrace::kFirstRegion, kUndefined, kUndefined});
  test.define(DefinitionKind::kCallingContext, {81, TestTrace::kFirstRegion + 1, kUndefined, 80});
  return std::move(test.build().definitions);
}

TEST(WalkCalls, TakesCallingContextsOfSamplingTracesAsCalls) {
  const Definitions definitions = sampling_definitions();
  TestTrace::Thread thread;
  thread.add(EventKind::kCallingContextEnter, 1, {80, 1});
  thread.add(EventKind::kCallingContextEnter, 2, {81, 1});
  thread.add(EventKind::kCallingContextSample, 3, {81, 2, 0});
  thread.add(EventKind::kCallingContextLeave, 4, {81});
  thread.add(EventKind::kCallingContextEnter, 5, {99, 1});  // Not defined.
  EXPECT_THAT(calls_of(definitions, thread.events.finish()),
              ElementsAre(Call{0, 1, 5, 0}, Call{1, 2, 4, 1}, Call{kUndefined, 5, 5, 1}));
}

TEST(WalkCalls, DoesNotLetACallingContextEndACall) {
  TestTrace::Thread thread;
  thread.enter(1, Region(0));
  thread.add(EventKind::kCallingContextLeave, 2, {80});
  thread.leave(3, Region(0));
  EXPECT_THAT(calls_of({}, thread.events.finish()), ElementsAre(Call{0, 1, 3, 0}));
}

TEST(WalkCalls, EndsACallingContextWithTheEarlierCallAroundIt) {
  const Definitions definitions = sampling_definitions();
  TestTrace::Thread thread;
  thread.add(EventKind::kCallingContextEnter, 1, {81, 1});
  thread.leave(2, Region(0));  // Began before the recording, so around the context.
  thread.add(EventKind::kCallingContextLeave, 3, {81});
  EXPECT_THAT(calls_of(definitions, thread.events.finish()),
              ElementsAre(Call{0, 1, 2, 0}, Call{1, 1, 2, 1}));
}

struct Action {
  bool enter;
  uint32_t region;
  uint64_t ticks;
};

/// The calls that a list of enters and leaves means, found in quadratic time: for each leave the
/// latest open call of its region, with it all that began later.
std::vector<Call> slow_calls(const std::vector<Action>& actions) {
  std::vector<Call> calls;
  std::vector<Call> earlier;
  constexpr uint64_t kOpen = UINT64_MAX;
  for (const Action& action : actions) {
    if (action.enter) {
      calls.push_back({action.region, action.ticks, kOpen, 0});
      continue;
    }
    size_t match = calls.size();
    bool any_open = false;
    for (size_t i = calls.size(); i-- > 0;) {
      any_open = any_open || calls[i].end == kOpen;
      if (match == calls.size() && calls[i].end == kOpen && calls[i].region == action.region) {
        match = i;
      }
    }
    if (match == calls.size() && !any_open) {
      earlier.insert(earlier.begin(), {action.region, actions[0].ticks, action.ticks, 0});
    }
    for (size_t i = match; i < calls.size(); ++i) {
      if (calls[i].end == kOpen) calls[i].end = action.ticks;
    }
  }
  for (Call& call : calls) call.end = std::min(call.end, actions.back().ticks);
  calls.insert(calls.begin(), earlier.begin(), earlier.end());
  return calls;
}

TEST(WalkCalls, AgreesWithASlowSearchForAnyEntersAndLeaves) {
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    std::vector<Action> actions;
    TestTrace::Thread thread;
    uint64_t ticks = 100;
    const size_t count = 1 + random() % 60;
    const uint32_t regions = 1 + random() % 4;
    for (size_t i = 0; i < count; ++i) {
      ticks += 1 + random() % 3;
      actions.push_back({random() % 2 == 0, static_cast<uint32_t>(random() % regions), ticks});
      if (actions.back().enter) {
        thread.enter(ticks, Region(actions.back().region));
      } else {
        thread.leave(ticks, Region(actions.back().region));
      }
    }
    std::vector<Call> calls = calls_of({}, thread.events.finish());
    for (Call& call : calls) call.depth = 0;  // calls_of() has checked that they nest.
    ASSERT_EQ(calls, slow_calls(actions));
  }
}

TEST(WalkCalls, NestsWhateverTheEventsDo) {
  const Definitions definitions = sampling_definitions();
  for (uint32_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    TestTrace::Thread thread;
    uint64_t ticks = 5;
    const size_t count = random() % 40;
    for (size_t i = 0; i < count; ++i) {
      ticks += random() % 3;
      const auto region = static_cast<uint32_t>(random() % 2);
      switch (random() % 6) {
        case 0: thread.enter(ticks, Region(region)); break;
        case 1: thread.leave(ticks, Region(region)); break;
        case 2: thread.add(EventKind::kCallingContextEnter, ticks, {80 + region, 1}); break;
        case 3: thread.add(EventKind::kCallingContextLeave, ticks, {80 + region}); break;
        case 4: thread.add(EventKind::kMpiIsendComplete, ticks, {region, 0}); break;
        default: thread.add(EventKind::kOmpJoin, ticks); break;
      }
    }
    const Events events = thread.events.finish();
    for (const Call& call : calls_of(definitions, events)) {
      ASSERT_GE(call.begin, events.ticks[0]);
      ASSERT_LE(call.end, events.ticks[events.size() - 1]);
      ASSERT_LE(call.begin, call.end);
    }
    if (HasFailure()) break;
  }
}

/// The calls that lie in no call of region 0. `skips`: says so to walk_calls.
std::vector<Call> calls_outside(const Definitions& definitions, const Events& events, bool skips) {
  std::vector<Call> calls;
  std::vector<std::pair<bool, size_t>> open;  // Whether it is outside, and its row.
  size_t unwanted = 0;
  const auto enter = [&](Region region, uint64_t ticks) {
    open.emplace_back(unwanted == 0, calls.size());
    if (unwanted == 0) calls.push_back({region, ticks, UINT64_MAX, open.size()});
    if (unwanted > 0 || region == Region(0)) ++unwanted;
    return region == Region(0);
  };
  const auto leave = [&](uint64_t ticks) {
    if (open.back().first) calls[open.back().second].end = ticks;
    if (unwanted > 0) --unwanted;
    open.pop_back();
  };
  if (skips) {
    walk_calls(definitions, events, enter, leave);
  } else {
    walk_calls(
        definitions, events, [&](Region region, uint64_t ticks) { enter(region, ticks); }, leave);
  }
  return calls;
}

TEST(WalkCalls, SkipsWhatIsInsideAndNothingElse) {
  const Definitions definitions = sampling_definitions();
  for (uint32_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    TestTrace::Thread thread;
    uint64_t ticks = 5;
    const auto kinds =
        static_cast<uint32_t>(3 + random() % 10);  // Contexts are in some of them only.
    for (size_t i = random() % 40; i > 0; --i) {
      ticks += random() % 3;
      const auto region = static_cast<uint32_t>(random() % 3);
      switch (random() % kinds) {
        case 0: thread.enter(ticks, Region(region)); break;
        case 1: thread.leave(ticks, Region(region)); break;
        case 7: thread.add(EventKind::kCallingContextEnter, ticks, {80 + region % 2, 1}); break;
        case 8: thread.add(EventKind::kCallingContextLeave, ticks, {80 + region % 2}); break;
        default: thread.add(EventKind::kOmpJoin, ticks); break;
      }
    }
    const Events events = thread.events.finish();
    ASSERT_EQ(calls_outside(definitions, events, true), calls_outside(definitions, events, false));
  }
}

class MarkedSteps : public ::testing::Test {
 protected:
  static constexpr uint32_t kStepParameter = 90;
  static constexpr uint32_t kOtherParameter = 91;

  MarkedSteps() : main(test.region("main")), step(test.region("time step")) {
    test.define(DefinitionKind::kParameter, {kStepParameter, test.text("step"), 1});
    test.define(DefinitionKind::kParameter, {kOtherParameter, test.text("size"), 1});
  }

  TestTrace test{2};
  Region main;
  Region step;
};

TEST_F(MarkedSteps, AreNumberedFromZeroWithoutAParameter) {
  test.on(0).enter(1, main).enter(2, step).leave(4, step).enter(5, step).leave(9, step);
  test.on(0).leave(10, main);
  test.on(1).enter(3, step).leave(8, step);
  EXPECT_THAT(marked_steps(test.build()),
              ElementsAre(ElementsAre(StepWindow{0, 2, 4}, StepWindow{1, 5, 9}),
                          ElementsAre(StepWindow{0, 3, 8})));
}

TEST_F(MarkedSteps, AreNumberedByTheParameterInside) {
  test.on(0).enter(1, step).add(EventKind::kParameterInt, 1, {kStepParameter, 40, 0});
  test.on(0).leave(3, step);
  test.on(0).enter(4, step).leave(5, step);  // Says nothing.
  test.on(0).enter(6, step);
  test.on(0).add(EventKind::kParameterUnsignedInt, 7, {kOtherParameter, 8, 0});
  test.on(0).add(EventKind::kParameterUnsignedInt, 7, {kStepParameter, 42, 0}).leave(8, step);
  EXPECT_THAT(marked_steps(test.build())[0],
              ElementsAre(StepWindow{40, 1, 3}, StepWindow{1, 4, 5}, StepWindow{42, 6, 8}));
}

TEST_F(MarkedSteps, DoNotTakeAParameterOutsideOfThem) {
  test.on(0).add(EventKind::kParameterInt, 1, {kStepParameter, 7, 0});
  test.on(0).enter(2, step).leave(4, step);
  test.on(0).add(EventKind::kParameterInt, 5, {kStepParameter, 8, 0});
  test.on(0).enter(6, step).leave(7, step);
  EXPECT_THAT(marked_steps(test.build())[0], ElementsAre(StepWindow{0, 2, 4}, StepWindow{1, 6, 7}));
}

TEST_F(MarkedSteps, GiveTheParameterToTheStepThatHoldsItWhenTimesAreEqual) {
  // A coarse clock: the first step ends, the second begins and names itself within one tick.
  test.on(0).enter(1, step).leave(5, step);
  test.on(0).enter(5, step).add(EventKind::kParameterInt, 5, {kStepParameter, 30, 0});
  test.on(0).leave(9, step);
  EXPECT_THAT(marked_steps(test.build())[0],
              ElementsAre(StepWindow{0, 1, 5}, StepWindow{30, 5, 9}));
}

TEST_F(MarkedSteps, KeepTheirOwnEndWhenTheyContainOthers) {
  test.on(0).enter(1, step).enter(2, step).leave(3, step).leave(8, step);
  EXPECT_THAT(marked_steps(test.build())[0], ElementsAre(StepWindow{0, 1, 8}, StepWindow{1, 2, 3}));
}

TEST_F(MarkedSteps, AreNotTheCallsOfAnotherRegionOfThatName) {
  const Region own = test.region("time step");  // The program's, around each step and in it.
  for (const uint64_t k : {0, 1}) {
    test.on(0).enter(10 * k + 1, own).enter(10 * k + 2, step);
    test.on(0).add(EventKind::kParameterUnsignedInt, 10 * k + 2,
                   {kStepParameter, static_cast<uint32_t>(7 + k), 0});
    test.on(0).enter(10 * k + 3, own).leave(10 * k + 4, own);
    test.on(0).leave(10 * k + 5, step).leave(10 * k + 6, own);
  }
  EXPECT_THAT(marked_steps(test.build())[0],
              ElementsAre(StepWindow{7, 2, 5}, StepWindow{8, 12, 15}));
}
TEST_F(MarkedSteps, SayWhetherTheyWereRecorded) {
  constexpr uint32_t kOn = 1;
  constexpr uint32_t kOff = 2;
  test.on(0).enter(1, step).leave(2, step).add(EventKind::kMeasurementOnOff, 2, {kOff});
  test.on(0).enter(3, step).add(EventKind::kMeasurementOnOff, 5, {kOn}).leave(6, step);
  test.on(0).enter(6, step).leave(9, step);
  EXPECT_THAT(marked_steps(test.build())[0],
              ElementsAre(StepWindow{0, 1, 2}, StepWindow{1, 3, 6, false}, StepWindow{2, 6, 9}));
}

TEST_F(MarkedSteps, EndWithTheRecordingWhenTheProgramWasKilled) {
  test.on(1).enter(1, step).enter(2, main);
  EXPECT_THAT(marked_steps(test.build()), ElementsAre(IsEmpty(), ElementsAre(StepWindow{0, 1, 2})));
}

TEST_F(MarkedSteps, EndWithACallAroundThemWhoseLeaveCame) {
  const Region other = test.region("other");
  test.on(0).enter(1, main).enter(2, step).enter(3, step).enter(4, other).leave(5, main);
  test.on(0).enter(6, other).leave(7, other);
  EXPECT_THAT(marked_steps(test.build())[0], ElementsAre(StepWindow{0, 2, 5}, StepWindow{1, 3, 5}));
}

TEST(MarkedStepsOfManyThreads, AreThoseOfTheFirstThread) {
  TestTrace test(2, 2);
  const Region step = test.region("time step");
  test.on(0, 1).enter(1, step).leave(2, step);
  test.on(1, 0).enter(3, step).leave(4, step);
  EXPECT_THAT(marked_steps(test.build()), ElementsAre(IsEmpty(), ElementsAre(StepWindow{0, 3, 4})));
}

TEST(MarkedStepsOfAProgramThatMarksNone, AreEmptyForEachRank) {
  TestTrace test(3);
  const Region main = test.region("main");
  test.on(0).enter(1, main).leave(2, main);
  EXPECT_THAT(marked_steps(test.build()), ElementsAre(IsEmpty(), IsEmpty(), IsEmpty()));
}

}  // namespace
}  // namespace pathline::trace
