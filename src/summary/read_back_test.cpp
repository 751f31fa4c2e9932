// SPDX-License-Identifier: BSD-3-Clause
//
// What is read again of an archive is what a trace of all of it has there.

#include "summary/read_back.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "base/test_data.hpp"
#include "base/test_scale.hpp"
#include "otf2/reader.hpp"
#include "otf2/writer.hpp"
#include "summary/file.hpp"
#include "summary/reduce.hpp"
#include "summary/test_random_run.hpp"
#include "summary/test_reduce.hpp"
#include "trace/calls.hpp"
#include "trace/test_trace.hpp"

namespace pathline::summary {
namespace {

namespace fs = std::filesystem;
/// More than two seek points in each location, with calls up to 30 deep and several events at an
/// instant.
trace::Trace long_run(uint32_t ranks, uint32_t events) {
  std::mt19937_64 random(3);
  TestTrace test(ranks, 1);
  std::vector<Region> regions;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) regions.push_back(test.region(name));
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    std::vector<Region> open;
    uint64_t at = 1000 + random() % 5000;
    for (uint32_t i = 0; i < events; ++i) {
      at += random() % 3 == 0 ? 0 : random() % 100;
      const bool leaves = !open.empty() && (open.size() > 30 || random() % 2 == 0);
      if (leaves) {
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

RunSummary reduced(const fs::path& anchor, uint64_t events_a_window) {
  auto summary = in_windows(anchor, {.events = events_a_window, .first_ticks = 1000});
  EXPECT_TRUE(summary.ok()) << summary.error().message;
  return std::move(summary).value();
}

/// Which call is the innermost one when, clipped to the part.
std::vector<std::string> rows(const trace::Trace& trace, const PartOfRun& part) {
  std::vector<std::string> result;
  for (const uint32_t i : part.locations) {
    std::vector<Region> open;
    uint64_t since = 0;
    std::string row;
    Region last = Region::none();
    uint64_t last_until = 0;
    const auto step = [&](uint64_t ticks) {
      const uint64_t from = std::max(since, part.from_ticks);
      const uint64_t until = std::min(ticks, part.until_ticks);
      since = ticks;
      if (open.empty() || from >= until) return;
      if (open.back() != last || from != last_until) {
        row += " " + std::to_string(uint32_t{open.back()}) + "@" + std::to_string(from);
      }
      last = open.back();
      last_until = until;
    };
    trace::walk_calls(
        trace.definitions, trace.locations[i].events,
        [&](Region region, uint64_t ticks) {
          step(ticks);
          open.push_back(region);
        },
        [&](uint64_t ticks) {
          step(ticks);
          open.pop_back();
        });
    result.push_back(row + " ..." + std::to_string(last_until));
  }
  return result;
}

void expect_parts_of(const fs::path& anchor, size_t parts) {
  SCOPED_TRACE(anchor);
  base::ThreadPool pool(2);
  base::Progress progress;
  const auto whole = otf2::read(anchor, {}, pool, progress);
  ASSERT_TRUE(whole.ok());
  const trace::Trace& trace = whole.value();
  const RunSummary summary = reduced(anchor, 5000);
  std::mt19937_64 random(11);
  const uint64_t span = trace.end_ticks - trace.start_ticks + 1;
  for (size_t k = 0; k < parts && !testing::Test::HasFailure(); ++k) {
    PartOfRun part{trace.start_ticks + random() % span, 0, {}};
    part.until_ticks = part.from_ticks + 1 + random() % (span >> random() % 12);
    for (uint32_t i = 0; i < trace.locations.size(); ++i) {
      if (random() % 4 != 0) part.locations.push_back(i);
    }
    const otf2::LocalFiles* const known = k % 2 == 0 ? nullptr : &summary.archive.local_files;
    const auto read = read_back(opened(anchor, known), summary.archive, summary.run, part, pool);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(rows(read.value(), part), rows(trace, part))
        << part.from_ticks << " to " << part.until_ticks;
    uint64_t events = 0;
    for (const trace::Location& location : read.value().locations) {
      events += location.events.size();
    }
    const uint64_t kept = events_to_keep(summary.archive, summary.run, part);
    EXPECT_LE(kept, events_to_read(summary.archive, part));
    // Wrong by what lies between two places of a location, at most at both ends.
    EXPECT_NEAR(static_cast<double>(kept), static_cast<double>(events),
                2.0 * (otf2::SeekPoints::kEvery + 40) * static_cast<double>(part.locations.size()));
    // Enters and Leaves of what is open at the ends are not in the archive.
    EXPECT_LE(events, events_to_read(summary.archive, part) + 80 * part.locations.size());
  }
}

TEST(ReadBack, GivesThePartsOfALongRun) {
  const base::ScratchFolder folder;
  base::Progress progress;
  ASSERT_TRUE(otf2::write(long_run(3, 20'000), folder.path(), "traces", progress).ok());
  expect_parts_of(folder.path() / "traces.otf2", 200);
}

TEST(ReadBack, GivesThePartsOfArchivesOfOthers) {
  const auto folder = base::third_party_data("otf2");
  if (!fs::exists(folder)) GTEST_SKIP() << base::kNeedsThirdPartyData;
  size_t archives = 0;
  for (const char* name : {"scorep-lulesh8", "scorep-mixed4", "scorep-hybrid4"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".otf2") continue;
      if (entry.path().parent_path().filename() != name) continue;
      expect_parts_of(entry.path(), 5);
      ++archives;
    }
  }
  EXPECT_EQ(archives, 3U);
}

TEST(ReadBack, FindsTheSamePlacesInWindowsOfAnySize) {
  const base::ScratchFolder folder;
  base::Progress progress;
  ASSERT_TRUE(otf2::write(long_run(2, 20'000), folder.path(), "traces", progress).ok());
  const auto anchor = folder.path() / "traces.otf2";
  ASSERT_TRUE(write(reduced(anchor, 4'000'000), folder.path() / "run.plsum").ok());
  const std::string bytes = folder.read("run.plsum");
  for (const uint64_t events : {300U, 1'000U, 64'000U}) {
    const RunSummary summary = reduced(anchor, events);
    ASSERT_GE(summary.archive.places[0].size(), 5U);
    ASSERT_TRUE(write(summary, folder.path() / "run.plsum").ok());
    EXPECT_EQ(folder.read("run.plsum"), bytes) << events;
  }
}

/// The messages with an event in the part between two chosen locations, all that is known of each.
std::vector<std::string> messages(const trace::Trace& trace, const PartOfRun& part) {
  const trace::Messages& all = trace.messages;
  const auto has = [&](uint32_t location) {
    return std::find(part.locations.begin(), part.locations.end(), location) !=
           part.locations.end();
  };
  std::vector<std::string> result;
  for (size_t i = 0; i < all.size(); ++i) {
    const auto [first, last] =
        std::minmax({all.send_ticks[i], all.recv_post_ticks[i], all.recv_ticks[i]});
    if (last < part.from_ticks || first >= part.until_ticks) continue;
    if (!has(all.send_location[i]) || !has(all.recv_location[i])) continue;
    std::string line;
    for (const uint64_t number : {uint64_t{all.sender[i]}, uint64_t{all.receiver[i]},
                                  all.send_ticks[i], all.recv_post_ticks[i], all.recv_ticks[i],
                                  all.bytes[i], uint64_t{all.tag[i]}, uint64_t{all.comm[i]}}) {
      line += std::to_string(number) + " ";
    }
    result.push_back(line);
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// Whether a send is cancelled: that a mark lies between the two nobody knows.
bool cancels_sends(const trace::Trace& trace) {
  using trace::EventKind;
  for (const trace::Location& location : trace.locations) {
    const trace::Events& events = location.events;
    std::set<uint64_t> sending;
    for (size_t i = 0; i < events.size(); ++i) {
      if (events.kind[i] == EventKind::kMpiIsend) sending.insert(events.point_to_point(i).request);
      if (events.kind[i] != EventKind::kMpiRequestCancelled) continue;
      if (sending.count(events.word64(i)) > 0) return true;
    }
  }
  return false;
}

TEST(ReadBack, TellsMessagesApartFromMarks) {
  size_t compared = 0;
  size_t found = 0;
  for (uint32_t seed = 1; seed <= base::scaled(60) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const base::ScratchFolder folder;
    base::ThreadPool pool(2);
    base::Progress progress;
    ASSERT_TRUE(otf2::write(RandomRun(seed).trace(), folder.path(), "traces", progress).ok());
    const auto anchor = folder.path() / "traces.otf2";
    const auto whole = otf2::read(anchor, {}, pool, progress);
    ASSERT_TRUE(whole.ok());
    const trace::Trace& trace = whole.value();
    if (cancels_sends(trace)) continue;
    exchange::Exchange alone;
    auto summary =
        reduce(opened(anchor), {.events = 100, .first_ticks = 100}, pool, progress, alone);
    if (!summary.ok()) continue;  // Is to be read as a whole.
    std::mt19937_64 random(seed);
    GrowingMarks growing(random() % 50, 40 + random() % 200, 10);
    growing.add(trace.messages);
    const Marks marks = growing.finish();
    for (size_t k = 0; k < 8; ++k) {
      PartOfRun part{random() % 2200, 0, {}};
      part.until_ticks = part.from_ticks + 1 + random() % 300;
      for (uint32_t rank = 0; rank < trace.rank_count; ++rank) {
        if (random() % 4 == 0) continue;
        for (uint32_t i = 0; i < trace.locations.size(); ++i) {
          if (trace.locations[i].rank == trace::Rank(rank)) part.locations.push_back(i);
        }
      }
      const PartOfRun wide = between_marks(marks, part);
      ASSERT_LE(wide.from_ticks, part.from_ticks);
      ASSERT_GE(wide.until_ticks, part.until_ticks);
      const auto read = read_back_messages(opened(anchor), summary.value().archive, marks,
                                           summary.value().run, wide, pool);
      ASSERT_TRUE(read.ok()) << read.error().message;
      EXPECT_EQ(rows(read.value(), part), rows(trace, part));
      const auto expected = messages(trace, part);
      EXPECT_EQ(messages(read.value(), part), expected)
          << part.from_ticks << " to " << part.until_ticks << ", read from " << wide.from_ticks
          << " to " << wide.until_ticks;
      ++compared;
      found += expected.size();
    }
  }
  EXPECT_GE(compared, 3 * base::scaled(60));
  EXPECT_GE(2 * found, compared);
}

std::string refusal(const fs::path& anchor, const RunSummary& summary, const PartOfRun& part) {
  base::ThreadPool pool(1);
  const auto read = read_back(opened(anchor), summary.archive, summary.run, part, pool);
  return read.ok() ? "" : read.error().message;
}

TEST(ReadBack, RefusesAnArchiveThatIsAnotherOne) {
  const base::ScratchFolder folder;
  base::Progress progress;
  ASSERT_TRUE(otf2::write(long_run(2, 20'000), folder.path(), "traces", progress).ok());
  const auto anchor = folder.path() / "traces.otf2";
  const RunSummary summary = reduced(anchor, 5000);
  const uint64_t middle = summary.archive.places[0].ticks[2] + 1;
  const PartOfRun part{middle, middle + 100, {0, 1}};
  ASSERT_EQ(refusal(anchor, summary, part), "");
  // A summary whose marks and steps would lead out of it.
  RunSummary wrong = reduced(anchor, 5000);
  wrong.run.rank_count = 100'000;
  EXPECT_THAT(refusal(anchor, wrong, part), testing::HasSubstr("it defines something else"));
  // Another time where an event is known to stand.
  fs::path events;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    const bool is_first = events.empty() || entry.path() < events;
    if (entry.path().extension() == ".evt" && is_first) events = entry.path();
  }
  ASSERT_FALSE(events.empty());
  {
    std::fstream file(events, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(summary.archive.places[0].offset[2]) + 1);
    file.put(static_cast<char>(0x7f));
  }
  EXPECT_THAT(refusal(anchor, summary, part), testing::HasSubstr("is another archive than"));
  EXPECT_EQ(refusal(anchor, summary, {1000, 1100, {0, 1}}), "");
  fs::resize_file(events, fs::file_size(events) - 1);
  EXPECT_THAT(refusal(anchor, summary, part), testing::HasSubstr("its files have other sizes"));
}

}  // namespace
}  // namespace pathline::summary
