// SPDX-License-Identifier: BSD-3-Clause
//
// Locations collected in parts. The oracle is one builder that gets the same events one by one.
#include <algorithm>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/arena.hpp"
#include "base/thread_pool.hpp"
#include "trace/events.hpp"
#include "trace/test_events.hpp"

namespace pathline::trace {
namespace {

using ::testing::ElementsAre;

constexpr Region kMain(0);
constexpr Region kSolve(1);
constexpr Region kSend(2);

struct Step {
  EventKind kind;
  uint64_t ticks;
  Region region;                // Of an Enter or Leave.
  std::vector<uint32_t> words;  // Of the others.
  std::vector<uint32_t> attributes;
};

void add(EventsBuilder& builder, const Step& step) {
  if (step.kind == EventKind::kEnter) {
    builder.enter(step.ticks, step.region);
  } else if (step.kind == EventKind::kLeave) {
    builder.leave(step.ticks, step.region);
  } else if (event_words(step.kind) <= 1) {
    builder.add(step.kind, step.ticks, step.words.empty() ? 0 : step.words[0]);
  } else {
    std::copy(step.words.begin(), step.words.end(),
              builder.add_words(step.kind, step.ticks, step.words.size()));
  }
  for (const uint32_t id : step.attributes) builder.attribute(id, 3, uint64_t{id} << 32U | 7U);
}

/// Calls nest but for one of `lost` enters and leaves, which is missing: 0 for none.
std::vector<Step> random_steps(std::mt19937& random, size_t count, uint32_t lost) {
  const auto pick = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
  std::vector<Step> steps;
  std::vector<Region> open;
  uint64_t ticks = 100;
  while (steps.size() < count) {
    ticks += pick(3);
    Step step{EventKind::kEnter, ticks, Region(pick(4)), {}, {}};
    const uint32_t what = pick(10);
    if (what < 4 && (open.size() < 4 || pick(static_cast<uint32_t>(open.size())) < 3)) {
      open.push_back(step.region);
    } else if (what < 8) {
      step.kind = EventKind::kLeave;
      if (!open.empty()) {
        step.region = open.back();
        open.pop_back();
      } else if (lost == 0 && pick(20) > 0) {
        continue;  // A call from in front of the first event is rare.
      }
    } else {
      switch (pick(4)) {
        case 0: step.kind = EventKind::kMpiCollectiveBegin; break;
        case 1:
          step.kind = EventKind::kRmaWinCreate;
          step.words = {pick(100)};
          break;
        case 2:
          step.kind = EventKind::kMpiIsendComplete;
          step.words = {pick(100), pick(100)};
          break;
        default:
          step.kind = EventKind::kMetric;
          step.words = {pick(100), pick(3)};
          for (uint32_t i = 0; i < 3 * step.words[1]; ++i) step.words.push_back(pick(100));
          break;
      }
    }
    if (pick(8) == 0) step.attributes.resize(1 + pick(2), pick(50));
    const bool call = step.kind == EventKind::kEnter || step.kind == EventKind::kLeave;
    if (lost > 0 && call && pick(lost) == 0) continue;
    steps.push_back(step);
  }
  return steps;
}

Events in_one_go(const std::vector<Step>& steps) {
  EventsBuilder builder;
  for (const Step& step : steps) add(builder, step);
  return builder.finish();
}

/// What a reader does. The parts expect `expected` events each, whatever they get.
Events in_parts(const std::vector<Step>& steps, const std::vector<size_t>& cuts,
                const std::vector<size_t>& expected, EventsBuilder& builder, base::ThreadPool& pool,
                size_t& joined) {
  size_t rows = 0;
  for (const size_t count : expected) rows += count;
  builder.reserve(rows);
  std::vector<EventsBuilder> parts(expected.size());
  std::vector<char> whole(expected.size());
  std::vector<size_t> first(expected.size());
  for (size_t i = 1; i < expected.size(); ++i) first[i] = first[i - 1] + expected[i - 1];
  pool.for_each(expected.size(), [&](size_t i) {
    parts[i] = builder.part(first[i], expected[i]);
    try {
      for (size_t k = cuts[i]; k < cuts[i + 1]; ++k) add(parts[i], steps[k]);
      whole[i] = 1;
    } catch (const std::length_error&) {  // More than expected.
    }
  });
  for (size_t i = 0; i < expected.size(); ++i) {
    if (whole[i] != 0 && builder.join(std::move(parts[i]))) {
      ++joined;
    } else {
      for (size_t k = cuts[i]; k < cuts[i + 1]; ++k) add(builder, steps[k]);
    }
  }
  return builder.finish(pool);
}

TEST(EventsJoin, GivesWhatOneBuilderWouldForAnyCuts) {
  size_t joined = 0;
  size_t parts = 0;
  base::ThreadPool pool(3);
  base::Arena arena;
  EventsBuilder in_arena(&arena);
  for (uint32_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const uint32_t lost = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 60 : 6;
    const auto steps = random_steps(random, random() % 120, lost);
    std::vector<size_t> cuts = {0, steps.size()};
    for (uint32_t i = random() % 8; i > 0; --i) cuts.push_back(random() % (steps.size() + 1));
    std::sort(cuts.begin(), cuts.end());
    std::vector<size_t> expected;
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      expected.push_back(cuts[i + 1] - cuts[i]);
      // A quarter of the files counts wrong, a few events more or less.
      if (seed % 4 == 0) expected.back() += random() % 3;
      if (seed % 8 == 0 && expected.back() > 1) expected.back() -= 1;
    }
    EventsBuilder own;
    const Events events =
        in_parts(steps, cuts, expected, seed % 2 == 0 ? own : in_arena, pool, joined);
    parts += expected.size();
    EXPECT_EQ(difference(events, in_one_go(steps)), "");
    if (HasFailure()) return;
  }
  EXPECT_GT(joined, parts / 2) << "of " << parts;
  EXPECT_LT(joined, parts) << "the other way was never taken";
}

TEST(EventsJoin, JoinsEveryPartOfCallsThatNest) {
  base::ThreadPool pool(1);
  std::mt19937 random(1);
  const auto steps = random_steps(random, 3000, 0);
  std::vector<size_t> cuts;
  for (size_t i = 0; i <= steps.size(); i += 30) cuts.push_back(i);
  EventsBuilder builder;
  size_t joined = 0;
  const std::vector<size_t> expected(cuts.size() - 1, 30);
  const Events events = in_parts(steps, cuts, expected, builder, pool, joined);
  EXPECT_EQ(joined, expected.size());
  EXPECT_EQ(difference(events, in_one_go(steps)), "");
}

TEST(EventsJoin, LinksLeavesToEntersOfEarlierParts) {
  EventsBuilder builder;
  builder.reserve(7);
  EventsBuilder first = builder.part(0, 3);
  first.enter(1, kMain);
  first.enter(2, kSolve);
  first.enter(3, kSend);
  EventsBuilder second = builder.part(3, 1);
  second.leave(4, kSend);
  EventsBuilder third = builder.part(4, 3);
  third.leave(5, kMain);  // That of solve got lost.
  third.leave(6, kSolve);
  third.enter(7, kSend);
  EXPECT_EQ(third.size(), 3U);
  EXPECT_EQ(third.last_ticks(), 7U);
  ASSERT_TRUE(builder.join(std::move(first)));
  ASSERT_TRUE(builder.join(std::move(second)));
  ASSERT_TRUE(builder.join(std::move(third)));
  EXPECT_EQ(builder.size(), 7U);
  EXPECT_EQ(builder.depth(), 1U);
  const Events events = builder.finish();
  EXPECT_THAT(events.ticks, ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(events.kind[3], EventKind::kLeave);
  EXPECT_EQ(events.ref[3], 2U);
  EXPECT_EQ(events.kind[4], EventKind::kLeave);
  EXPECT_EQ(events.ref[4], 0U);
  EXPECT_EQ(events.kind[5], EventKind::kUnmatchedLeave);
  EXPECT_THAT(events.leaves_of_earlier_calls, ElementsAre(5));
  EXPECT_EQ(events.misplaced_leaves, 1U);
  EXPECT_EQ(events.open_calls, 2U);  // Solve, and the last one.
}

TEST(EventsJoin, RefusesAPartWhoseOpenCallsDependOnThoseInFront) {
  EventsBuilder builder;
  builder.reserve(4);
  builder.enter(1, kMain);
  EventsBuilder part = builder.part(1, 3);
  part.enter(2, kSolve);
  EXPECT_FALSE(part.depends());
  part.leave(3, kMain);  // Ends solve too if main is open in front, and nothing if it is not.
  EXPECT_TRUE(part.depends());
  EXPECT_FALSE(builder.join(std::move(part)));
  EXPECT_EQ(builder.size(), 1U);
  EXPECT_EQ(builder.depth(), 1U);
}

TEST(EventsJoin, RefusesAPartWhoseRowsAreTaken) {
  EventsBuilder builder;
  builder.reserve(4);
  EventsBuilder part = builder.part(1, 3);
  builder.enter(1, kMain);
  builder.leave(2, kMain);
  EXPECT_FALSE(builder.join(std::move(part)));
  EXPECT_EQ(builder.size(), 2U);
}

TEST(EventsJoin, HoldsAPartToItsRows) {
  EventsBuilder builder;
  builder.reserve(4);
  EventsBuilder part = builder.part(1, 2);
  part.enter(1, kMain);
  part.enter(2, kMain);
  EXPECT_THROW(part.enter(3, kMain), std::length_error);
  EXPECT_EQ(part.size(), 2U);
  EXPECT_THROW((void)builder.part(3, 2), std::length_error);
  EXPECT_THROW((void)builder.part(SIZE_MAX, 2), std::length_error);
}

}  // namespace
}  // namespace pathline::trace
