// SPDX-License-Identifier: BSD-3-Clause
#include "findings/growing_delay_costs.hpp"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "findings/intervals.hpp"
#include "findings/program_count.hpp"
#include "findings/test_random_program.hpp"
#include "findings/test_run.hpp"

namespace pathline::findings {
namespace {

/// A window in parts that end at these times.
std::vector<Window> cut(const Window& window, std::vector<uint64_t> borders) {
  std::sort(borders.begin(), borders.end());
  std::vector<Window> parts;
  uint64_t begin = window.begin_ticks;
  for (const uint64_t border : borders) {
    if (border <= begin || border >= window.end_ticks) continue;
    parts.push_back({begin, border});
    begin = border;
  }
  parts.push_back({begin, window.end_ticks});
  return parts;
}

/// back  the parts of the way back.
std::optional<GrowingDelayCosts::Found> in_parts(TestRun& run, const std::vector<Window>& parts,
                                                 const std::vector<Window>& back) {
  GrowingDelayCosts growing;
  const bool counts = run.model.call_paths.size() >= Slots::kMost;
  const auto part_of = [&](const Window& part) {
    return model(run.trace, run.all, run.model.window, trace::marked_steps(run.trace), run.pool,
                 part);
  };
  for (size_t i = 0; i < parts.size() && counts; ++i) growing.count_paths(part_of(parts[i]));
  for (const Window& part : parts) {
    if (!growing.add(part_of(part))) return std::nullopt;
  }
  for (size_t i = back.size(); i-- > 0;) {
    if (!growing.blame(part_of(back[i]))) return std::nullopt;
  }
  return growing.finish();
}

void compare(TestRun& run, const std::vector<Window>& parts) {
  const DelayCosts whole = delay_costs(run.model, run.measured);
  const auto found = in_parts(run, parts, parts);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->costs.wait_ticks, whole.wait_ticks);
  ASSERT_EQ(found->costs.unknown_ticks, whole.unknown_ticks);
  ASSERT_EQ(found->call_paths.size(), run.model.call_paths.size());
  ASSERT_EQ(found->costs.rows, whole.rows);
}

TEST(GrowingDelayCosts, OfRandomProgramsAreThoseOfTheWhole) {
  for (uint32_t seed = 0; seed < program_count(300); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    TestRun run(RandomProgram(seed).trace());
    std::mt19937 random(seed);
    const Window& window = run.model.window;
    compare(run, {window});
    for (const uint32_t count : {1U, 3U, 20U, 200U}) {
      if (count > 100 && seed % 8 != 0) continue;
      SCOPED_TRACE(testing::Message() << count << " borders");
      std::vector<uint64_t> borders;
      for (uint32_t i = 0; i < count; ++i) {
        borders.push_back(window.begin_ticks + random() % window.ticks());
      }
      compare(run, cut(window, std::move(borders)));
    }
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(GrowingDelayCosts, OfPartsThatAreOthersOnTheWayBackAreNone) {
  for (uint32_t seed = 0; seed < program_count(100); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    TestRun run(RandomProgram(seed).trace());
    const Window& window = run.model.window;
    std::mt19937 random(seed);
    const auto border = [&] { return window.begin_ticks + 1 + random() % (window.ticks() - 1); };
    const std::vector<Window> parts = cut(window, {border(), border(), border()});
    std::vector<Window> back = cut(window, {border(), border(), border()});
    const auto found = in_parts(run, parts, back);
    // Borders between the same calls are the same.
    if (found) {
      EXPECT_EQ(found->costs.rows, delay_costs(run.model, run.measured).rows);
    }
    back.erase(back.begin());
    EXPECT_FALSE(in_parts(run, parts, back));
    EXPECT_FALSE(in_parts(run, parts, {}));
  }
}

/// Ranks with very many functions.
trace::Trace many_functions(uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::string> names;
  for (int i = 0; i < 400; ++i) names.push_back("f" + std::to_string(i));
  constexpr uint32_t kRanks = 4;
  trace::TestTrace test(kRanks);
  Simulation run(kRanks, 3, &test);
  for (int round = 0; round < 200; ++round) {
    for (uint32_t rank = 0; rank < kRanks; ++rank) {
      run.work(rank, names[random() % names.size()], 10 + random() % 500);
    }
    if (random() % 4 == 0) {
      run.collective(Simulation::Operation::kAllreduce);
    } else {
      run.ring();
    }
  }
  run.finish();
  return test.finish();
}

TEST(GrowingDelayCosts, OfManyFunctionsCountThoseWithMostTime) {
  for (uint32_t seed = 0; seed < program_count(4); ++seed) {
    TestRun run(many_functions(seed));
    ASSERT_GT(run.model.call_paths.size(), Slots::kMost);
    const Window& window = run.model.window;
    std::mt19937 random(seed);
    std::vector<uint64_t> borders;
    for (int i = 0; i < 20; ++i) borders.push_back(window.begin_ticks + random() % window.ticks());
    compare(run, cut(window, std::move(borders)));
  }
}

}  // namespace
}  // namespace pathline::findings
