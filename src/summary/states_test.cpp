// SPDX-License-Identifier: BSD-3-Clause
//
// Bins of time have what the calls did in them, and a picture made of them is that of the calls.

#include "summary/states.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/child_process.hpp"
#include "base/scratch_folder.hpp"
#include "base/test_data.hpp"
#include "otf2/reader.hpp"
#include "summary/growing_states.hpp"
#include "summary/reduce.hpp"
#include "summary/test_states.hpp"
#include "trace/calls.hpp"
#include "trace/test_trace.hpp"

namespace pathline::summary {
namespace {

using trace::CallStretch;
using trace::Region;
using trace::TestTrace;

States states_of(const trace::Trace& trace) {
  base::ThreadPool pool(2);
  GrowingStates growing(trace.definitions, trace.locations.size());
  for (size_t i = 0; i < trace.locations.size(); ++i) growing.add(trace, i, 0);
  growing.end(pool);
  return as_read(growing.finish());
}

/// "r2 10-20" for each stretch.
std::vector<std::string> texts(const std::vector<CallStretch>& stretches) {
  std::vector<std::string> result;
  for (const CallStretch& stretch : stretches) {
    result.push_back(
        (stretch.region.valid() ? "r" + std::to_string(uint32_t{stretch.region}) : "-") + " " +
        std::to_string(stretch.from) + "-" + std::to_string(stretch.until));
  }
  return result;
}

std::vector<std::string> shown(const StateLevel& level, uint64_t from, uint64_t until) {
  std::vector<CallStretch> stretches;
  append_stretches(level, 0, from, until, stretches);
  return texts(stretches);
}

/// Bins of 1024, 4096 ... ticks, as the archive says nothing of itself.
trace::Trace three_calls() {
  TestTrace test(1, 1);
  const Region a = test.region("a");
  const Region b = test.region("b");
  test.on(0, 0).enter(1000, a).enter(3000, b).leave(8192, b).leave(9216, a);
  return test.finish(1);
}

TEST(States, ShowCallsWithinAHundredthOfABin) {
  const trace::Trace trace = three_calls();
  const States states = states_of(trace);
  ASSERT_EQ(states.levels[0].shift, 10);
  // In a bin of 1024 ticks a share is 4: 24 of them become 6 shares, 952 of the third 237.
  const auto narrow = shown(states.levels[0], 0, 20000);
  EXPECT_THAT(narrow,
              testing::ElementsAre("- 0-999", "r0 999-2999", "r1 2999-8192", "r0 8192-9216"));
  EXPECT_THAT(shown(states.levels[0], 4000, 8200),
              testing::ElementsAre("r1 4000-8192", "r0 8192-8200"));
  EXPECT_EQ(states.ends[0].first_ticks, 1000U);
  EXPECT_EQ(states.ends[0].last_ticks, 9216U);
  EXPECT_TRUE(states.ends[0].has_calls);
}

TEST(States, OfWiderBinsHaveTheOrderOfTheFirstOccurrence) {
  const States states = states_of(three_calls());
  ASSERT_EQ(states.levels[1].shift, 12);
  EXPECT_THAT(shown(states.levels[1], 0, 20000),
              testing::ElementsAre("- 0-995", "r0 995-3003", "r1 3003-8192", "r0 8192-9220",
                                   "- 9220-12288"));
}

/// Per column the time of each region, as a fraction of the column; -1 is no call.
using Columns = std::vector<std::map<int64_t, double>>;

struct View {
  uint64_t from;
  double px_ticks;
  size_t columns;
};

void charge(const View& view, int64_t region, uint64_t begin, uint64_t end, Columns& columns) {
  const double until = view.px_ticks * static_cast<double>(view.columns);
  double at = begin < view.from ? 0 : static_cast<double>(begin - view.from);
  const double last = std::min(until, end < view.from ? 0 : static_cast<double>(end - view.from));
  while (at < last) {
    const auto column = std::min(view.columns - 1, static_cast<size_t>(at / view.px_ticks));
    const double next = std::min(last, view.px_ticks * static_cast<double>(column + 1));
    columns[column][region] += (next - at) / view.px_ticks;
    if (next <= at) break;
    at = next;
  }
}

Columns exact_columns(const trace::Trace& trace, uint32_t location, const View& view) {
  Columns columns(view.columns);
  std::vector<Region> open;
  uint64_t since = 0;
  const auto step = [&](uint64_t ticks) {
    if (!open.empty()) charge(view, uint32_t{open.back()}, since, ticks, columns);
    since = ticks;
  };
  trace::walk_calls(
      trace.definitions, trace.locations[location].events,
      [&](Region region, uint64_t ticks) {
        step(ticks);
        open.push_back(region);
      },
      [&](uint64_t ticks) {
        step(ticks);
        open.pop_back();
      });
  return columns;
}

Columns shown_columns(const StateLevel& level, uint32_t location, const View& view) {
  Columns columns(view.columns);
  std::vector<CallStretch> stretches;
  append_stretches(level, location, view.from, UINT64_MAX, stretches);
  for (const CallStretch& stretch : stretches) {
    if (!stretch.region.valid()) continue;
    charge(view, uint32_t{stretch.region}, stretch.from, stretch.until, columns);
  }
  return columns;
}

double difference(const Columns& a, const Columns& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    std::map<int64_t, double> both = a[i];
    for (const auto& [region, share] : b[i]) both[region] -= share;
    for (const auto& [region, share] : both) {
      if (region >= 0) sum += std::abs(share) / 2;
    }
  }
  return sum / static_cast<double>(a.size());
}

/// Of each level in pixels of 1, 2.3 and 4 bins. A picture takes a level whose rows say that they
/// are sharp.
/// returns  how many views were so.
size_t expect_the_picture(const trace::Trace& trace, const std::string& name) {
  const States states = states_of(trace);
  const auto span = static_cast<double>(trace.end_ticks - trace.start_ticks);
  size_t sharp = 0;
  for (const StateLevel& level : states.levels) {
    EXPECT_TRUE(fits(level, trace.locations.size(), trace.definitions.regions.size()));
    const double bins = span / static_cast<double>(level.bin_ticks());
    for (const double wanted : {1.0, 2.3, 4.0}) {
      const auto columns = static_cast<size_t>(std::min(bins / wanted, 1920.0));
      if (columns < 64) break;
      const View view{trace.start_ticks, span / static_cast<double>(columns), columns};
      double error_sum = 0;
      double stated_sum = 0;
      double rows = 0;
      for (uint32_t i = 0; i < trace.locations.size(); ++i) {
        if (!states.ends[i].has_calls) continue;
        const double error =
            difference(exact_columns(trace, i, view), shown_columns(level, i, view));
        const double stated = level.error_of(i) * static_cast<double>(columns) / bins;
        error_sum += error;
        stated_sum += stated;
        ++rows;
        EXPECT_TRUE(error <= 0.05 || stated > 0.05)
            << name << ": row " << i << " is off by " << error << ", says " << stated;
      }
      if (rows == 0) continue;
      // What they say is not far from what is wrong.
      EXPECT_LE(error_sum, 4 * stated_sum + 0.001 * rows)
          << name << ": bins of " << level.bin_ticks();
      if (stated_sum / rows > kSharp) continue;
      EXPECT_LE(error_sum / rows, 0.005)
          << name << ": bins of " << level.bin_ticks() << " say " << stated_sum / rows;
      ++sharp;
    }
  }
  return sharp;
}

TEST(States, MakeThePictureOfTheCallsForArchivesOfOthers) {
  const auto folder = base::third_party_data("otf2");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << base::kNeedsThirdPartyData;
  base::ThreadPool pool(2);
  base::Progress progress;
  size_t archives = 0;
  size_t sharp = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".otf2") continue;
    if (std::filesystem::file_size(entry.path()) == 0) continue;
    const auto trace = otf2::read(entry.path(), {.partial = true}, pool, progress);
    if (!trace) continue;
    sharp += expect_the_picture(trace.value(), entry.path().parent_path().filename().string());
    ++archives;
  }
  EXPECT_GE(archives, 12U);
  EXPECT_GE(sharp, 8U);
}

TEST(States, MakeThePictureOfTheCallsForProgramsOfManyRanks) {
  namespace fs = std::filesystem;
  const fs::path synth = fs::read_symlink("/proc/self/exe").parent_path() / "../bin/pathline-synth";
  if (!fs::exists(synth)) GTEST_SKIP() << "pathline-synth is not built";
  const base::ScratchFolder folder;
  base::ThreadPool pool(2);
  base::Progress progress;
  struct Shape {
    std::string name;
    std::vector<std::string> options;
    size_t sharp;  ///< Views that have to be.
  };
  // The tiles of tachyon are too unlike each other for bins of a pixel, and its rows say so.
  const Shape shapes[] = {{"wrf", {"--ranks", "16", "--messages", "16000", "--seconds", "24"}, 6},
                          {"tachyon", {"--ranks", "64", "--messages", "4000"}, 0},
                          {"fd4", {"--ranks", "64", "--messages", "20000", "--seconds", "40"}, 4}};
  for (const auto& [shape, options, sharp] : shapes) {
    const fs::path run = folder.path() / shape;
    std::vector<std::string> words = {synth, shape, "-o", run};
    words.insert(words.end(), options.begin(), options.end());
    const auto made = base::run_beside(words, true);
    ASSERT_TRUE(made && made.value().exit_status() == 0) << shape;
    const auto trace = otf2::read(run / "traces.otf2", {}, pool, progress);
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_GE(expect_the_picture(trace.value(), shape), sharp) << shape;
  }
}

/// Calls of random lengths, nested at random.
trace::Trace random_calls(uint32_t seed, uint32_t ranks) {
  std::mt19937_64 random(seed);
  TestTrace test(ranks, 1);
  std::vector<Region> regions;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) regions.push_back(test.region(name));
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    std::vector<Region> open;
    uint64_t at = random() % 5000;
    for (uint32_t i = 0; i < 300; ++i) {
      at += random() % (uint64_t{1} << (random() % 15));
      if (!open.empty() && random() % 2 == 0) {
        test.on(rank, 0).leave(at, open.back());
        open.pop_back();
      } else {
        open.push_back(regions[random() % regions.size()]);
        test.on(rank, 0).enter(at, open.back());
      }
    }
  }
  return test.finish(1);
}

TEST(States, LoseWhatIsTooMuchFromTheNarrowSideWhenever) {
  base::ThreadPool pool(2);
  const trace::Trace trace = random_calls(5, 3);
  const States all = states_of(trace);
  ASSERT_GT(all.levels.size(), 4U);
  size_t bytes = 0;
  for (const StateLevel& level : all.levels) bytes += level.codes.size();
  const size_t budget = bytes - all.levels[0].codes.size() - all.levels[1].codes.size();
  GrowingStates growing(trace.definitions, trace.locations.size(), budget);
  for (size_t i = 0; i < trace.locations.size(); ++i) growing.add(trace, i, 0);
  growing.end_window();
  growing.end(pool);
  const States some = as_read(growing.finish());
  ASSERT_EQ(some.levels.size(), all.levels.size() - 2);
  for (size_t l = 0; l < some.levels.size(); ++l) {
    EXPECT_EQ(some.levels[l].shift, all.levels[l + 2].shift);
    EXPECT_EQ(some.levels[l].codes, all.levels[l + 2].codes) << l;
    EXPECT_EQ(some.levels[l].error, all.levels[l + 2].error) << l;
  }
}

TEST(States, AreNotMadeForWidthsThatABillionEventsWillGiveUp) {
  base::ThreadPool pool(2);
  trace::Trace trace = random_calls(5, 1);
  trace.definitions.clock.trace_length = uint64_t{1} << 40U;
  const auto narrowest = [&](uint64_t events, uint64_t budget, const CodeBytes& expected = {}) {
    trace.definitions.locations[0].event_count = events;
    GrowingStates growing(trace.definitions, 1, budget, expected);
    growing.add(trace, 0, 0);
    growing.end(pool);
    return growing.finish().levels.front().shift;
  };
  constexpr uint64_t kMillions = uint64_t{1} << 20U;
  constexpr uint64_t kBillion = uint64_t{1} << 30U;
  constexpr uint64_t kBudget = 160 << 20U;
  EXPECT_EQ(narrowest(kMillions, kBudget), 22);  // Four events of 2^20 ticks.
  EXPECT_EQ(narrowest(kBillion, kBillion), 12);
  EXPECT_EQ(narrowest(kBillion, kBudget), 16);      // The two narrowest take 560 MB.
  EXPECT_EQ(narrowest(kBillion, kBudget / 8), 20);  // Of 256 events and up: 37 MB.
  // Where it is known what they take, a fifth less is expected.
  EXPECT_EQ(narrowest(kBillion, kBillion, {1.1, 0.1, 0.01}), 12);
  EXPECT_EQ(narrowest(kBillion, kBillion, {1.2, 0.1, 0.01}), 14);
  EXPECT_EQ(narrowest(kBillion, kBudget, {1.2, 0.6, 0.01}), 16);
  EXPECT_EQ(narrowest(kBillion, kBudget, {0.02, 0.01, 0.01}), 12);
}

TEST(States, OfManyLocationsLeaveRoomForTheTables) {
  base::ThreadPool pool(2);
  trace::Trace trace = random_calls(5, 1);
  const auto widest = [&](size_t locations) {
    trace.definitions.clock.trace_length = uint64_t{1} << 35U;
    trace.definitions.locations.assign(locations, {.event_count = 2000});
    GrowingStates growing(trace.definitions, locations, state_budget(0));
    growing.add(trace, 0, 0);
    growing.end(pool);
    return growing.finish().levels.back().shift;
  };
  EXPECT_EQ(widest(1'000), 28);  // 128 bins.
  EXPECT_EQ(widest(10'000), 28);
  EXPECT_EQ(widest(100'000), 30);  // 32 bins.
}

TEST(States, ThatAreDamagedAreNotedOrStillBins) {
  const trace::Trace trace = random_calls(7, 2);
  const States states = states_of(trace);
  const size_t regions = trace.definitions.regions.size();
  std::mt19937 random(1);
  size_t noted = 0;
  for (size_t i = 0; i < 3000; ++i) {
    StateLevel level = states.levels[i % states.levels.size()];
    ASSERT_TRUE(fits(level, 2, regions));
    level.codes[random() % level.codes.size()] = static_cast<uint8_t>(random());
    if (i % 3 == 0) level.first_bin[0] = uint64_t{random()} << (random() % 33);
    if (!fits(level, 2, regions)) {
      ++noted;
      continue;
    }
    std::vector<CallStretch> stretches;
    append_stretches(level, 0, 0, UINT64_MAX, stretches);
    uint64_t at = 0;
    for (const CallStretch& stretch : stretches) {
      ASSERT_LT(stretch.from, stretch.until);
      ASSERT_GE(stretch.from, at);
      at = stretch.until;
      ASSERT_TRUE(!stretch.region.valid() || uint32_t{stretch.region} < regions);
    }
  }
  EXPECT_GT(noted, 300U);
}

}  // namespace
}  // namespace pathline::summary
