// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <filesystem>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "base/test_data.hpp"
#include "otf2/reader.hpp"
#include "otf2/writer.hpp"
#include "summary/file.hpp"
#include "summary/test_lines.hpp"
#include "summary/test_reduce.hpp"
#include "trace/test_trace.hpp"

namespace pathline::summary {
namespace {

namespace fs = std::filesystem;

RunSummary reduced(const fs::path& anchor) {
  auto summary = in_windows(anchor, {.events = 500, .first_ticks = 1000});
  EXPECT_TRUE(summary.ok()) << summary.error().message;
  return std::move(summary).value();
}

/// returns  how many clock offsets and how many locations with mappings it has.
std::pair<size_t, size_t> expect_no_need(const fs::path& anchor) {
  const otf2::Archive whole = opened(anchor);
  const RunSummary summary = reduced(anchor);
  for (const auto& entry : fs::directory_iterator(anchor.parent_path() / "traces")) {
    if (entry.path().extension() == ".def") fs::remove(entry.path());
  }
  const otf2::Archive known = opened(anchor, &summary.archive.local_files);
  std::pair<size_t, size_t> found;
  for (size_t i = 0; i < whole.trace.locations.size(); ++i) {
    const auto numbers = [&](const otf2::Archive& archive) {
      std::vector<std::string> result;
      for (const trace::ClockOffset& one : archive.trace.locations[i].clock_offsets) {
        result.push_back(
            testing::PrintToString(std::tuple(one.local_ticks, one.offset_ticks, one.deviation)));
      }
      for (uint64_t id = 0; archive.mappings[i] != nullptr && id < 100; ++id) {
        for (uint8_t type = 0; type < otf2::IdMappings::kTypes; ++type) {
          result.push_back(std::to_string(archive.mappings[i]->find(type, id)));
        }
      }
      return result;
    };
    EXPECT_EQ(numbers(known), numbers(whole));
    found.first += known.trace.locations[i].clock_offsets.size();
    found.second += known.mappings[i] == nullptr ? 0 : 1;
  }
  return found;
}

/// Of two ranks, of which one has another clock.
trace::Trace run_with_offsets() {
  trace::TestTrace test(2, 1);
  const trace::Region region = test.region("a");
  for (uint32_t rank = 0; rank < 2; ++rank) {
    for (uint64_t at = 1000; at < 50'000; at += 100) {
      test.on(rank, 0).enter(at, region);
      test.on(rank, 0).leave(at + 50, region);
    }
  }
  trace::Trace run = test.finish(1);
  run.locations[1].clock_offsets = {{0, 3, 0.5}, {100'000, -7, 0.25}};
  return run;
}

TEST(LocalFiles, AreNotNeeded) {
  const base::ScratchFolder folder;
  base::Progress progress;
  ASSERT_TRUE(otf2::write(run_with_offsets(), folder.path(), "traces", progress).ok());
  EXPECT_EQ(expect_no_need(folder.path() / "traces.otf2").first, 2U);
}

TEST(LocalFiles, OfOthersAreNotNeeded) {
  const auto given = base::third_party_data("otf2") / "scorep-mixed4";
  if (!fs::exists(given)) GTEST_SKIP() << base::kNeedsThirdPartyData;
  const base::ScratchFolder folder;
  fs::copy(given, folder.path(), fs::copy_options::recursive);
  const auto [offsets, mapped] = expect_no_need(folder.path() / "traces.otf2");
  EXPECT_GT(offsets, 0U);
  EXPECT_GT(mapped, 0U);
}

TEST(LocalFiles, AreReadWhereTheSummaryHasThemNot) {
  const base::ScratchFolder folder;
  base::Progress progress;
  ASSERT_TRUE(otf2::write(run_with_offsets(), folder.path(), "traces", progress).ok());
  RunSummary summary = reduced(folder.path() / "traces.otf2");
  const auto kept = [&] {
    EXPECT_TRUE(write(summary, folder.path() / "run.plsum").ok());
    const auto read = read_all(folder.path() / "run.plsum");
    EXPECT_TRUE(read.ok());
    return read.value().archive.local_files;
  };
  const otf2::LocalFiles files = summary.archive.local_files;
  EXPECT_EQ(kept(), files);
  summary.archive.local_files[0].resize(40 << 20U);  // More than half of what the file may take.
  EXPECT_EQ(kept(), otf2::LocalFiles());
  summary.archive.local_files.clear();
  EXPECT_EQ(kept(), otf2::LocalFiles());
  // Of another run, and one that is not right: the files are read.
  const auto offsets = [&](const otf2::LocalFiles& known) {
    const auto archive = opened(folder.path() / "traces.otf2", &known);
    return archive.trace.locations[1].clock_offsets.size();
  };
  EXPECT_EQ(offsets(files), 2U);
  EXPECT_EQ(offsets({{1, 2, 3}}), 2U);
  EXPECT_EQ(offsets({{1, 2, 3}, {1, 2, 3}}), 2U);
  EXPECT_EQ(offsets({{}, {}}), 0U);
}

}  // namespace
}  // namespace pathline::summary
