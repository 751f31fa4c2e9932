// SPDX-License-Identifier: BSD-3-Clause
#include "summary/sampled_codes.hpp"

#include <random>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "otf2/writer.hpp"
#include "summary/test_reduce.hpp"
#include "trace/test_trace.hpp"

namespace pathline::summary {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint32_t kRanks = 40;

/// Of each rank 600 calls of random lengths.
fs::path write_run(const fs::path& folder) {
  std::mt19937_64 random(11);
  trace::TestTrace test(kRanks, 1);
  const trace::Region regions[] = {test.region("a"), test.region("b"), test.region("c")};
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    uint64_t at = 1;
    for (int i = 0; i < 600; ++i) {
      const trace::Region region = regions[random() % 3];
      test.on(rank, 0).enter(at += random() % 100, region);
      test.on(rank, 0).leave(at += random() % 3000, region);
    }
  }
  trace::Trace trace = test.finish(1);
  for (trace::LocationDefinition& location : trace.definitions.locations) {
    location.event_count = 1200;
  }
  base::Progress progress;
  EXPECT_TRUE(otf2::write(trace, folder, "traces", progress).ok());
  return folder / "traces.otf2";
}

/// By so many processes, each of which reads the locations that it owns.
std::vector<CodeBytes> sampled(const fs::path& anchor, unsigned processes, uint64_t budget) {
  std::vector<CodeBytes> all(processes);
  std::mutex opening;
  exchange::TestProcesses::run(processes, [&](exchange::Exchange& exchange) {
    base::ThreadPool pool(1);
    auto archive = opened_by(exchange, anchor, pool, opening);
    ASSERT_TRUE(archive.ok());
    all[exchange.rank()] = sampled_code_bytes(archive.value(), budget, pool, exchange);
    for (const trace::Location& location : archive.value().trace.locations) {
      EXPECT_EQ(location.events.size(), 0U);
    }
  });
  return all;
}

TEST(SampledCodes, AreAboutThoseOfTheRunAndTheSameForAllProcesses) {
  const base::ScratchFolder folder;
  const fs::path anchor = write_run(folder.path());
  const CodeBytes expected = sampled(anchor, 1, 1000)[0];
  ASSERT_THAT(expected, SizeIs(8));

  base::ThreadPool pool(1);
  base::Progress progress;
  const auto run = otf2::read(anchor, {}, pool, progress);
  ASSERT_TRUE(run.ok());
  GrowingStates states(run.value().definitions, kRanks, UINT64_MAX);
  for (size_t i = 0; i < kRanks; ++i) states.add(run.value(), i, 0);
  states.end(pool);
  const std::vector<uint64_t> bytes = states.code_bytes();
  for (size_t width = 0; width < 4; ++width) {
    const double made = static_cast<double>(bytes[width]) / (kRanks * 1200.0);
    EXPECT_NEAR(expected[width], made, 0.1 * made) << width;
  }
  for (const unsigned processes : {2U, 3U, 7U}) {
    for (const CodeBytes& of_process : sampled(anchor, processes, 1000)) {
      EXPECT_THAT(of_process, ElementsAreArray(expected)) << processes;
    }
  }
}

TEST(SampledCodes, AreNotLookedForWhereTheyFitAnyhow) {
  const base::ScratchFolder folder;
  EXPECT_THAT(sampled(write_run(folder.path()), 1, uint64_t{kRanks} * 1200 * kMostCodeBytes)[0],
              IsEmpty());
}

TEST(SampledCodes, AreOfTheFilesThatCanBeRead) {
  const base::ScratchFolder folder;
  const fs::path anchor = write_run(folder.path());
  bool is_first = true;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    if (entry.path().extension() != ".evt") continue;
    if (!std::exchange(is_first, false)) fs::resize_file(entry.path(), 1);
  }
  const size_t widths = sampled(anchor, 1, 1000)[0].size();
  EXPECT_TRUE(widths == 0 || widths == 8) << widths;  // By whether the one is in the sample.
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    if (entry.path().extension() == ".evt") fs::resize_file(entry.path(), 1);
  }
  EXPECT_THAT(sampled(anchor, 1, 1000)[0], IsEmpty());
}

}  // namespace
}  // namespace pathline::summary
