// SPDX-License-Identifier: BSD-3-Clause
#include "otf2/memory_need.hpp"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch.hpp"
#include "base/scratch_folder.hpp"
#include "otf2/reader.hpp"
#include "otf2/writer.hpp"
#include "trace/test_trace.hpp"

namespace pathline::otf2 {
namespace {

using testing::HasSubstr;

/// 40 ranks that send 100 messages each to the next one.
std::filesystem::path write_ring(const base::ScratchFolder& folder) {
  constexpr uint32_t kRanks = 40;
  trace::TestTrace test(kRanks);
  const trace::Region main = test.region("main");
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    auto& on = test.on(rank).enter(0, main);
    for (uint32_t i = 1; i <= 100; ++i) {
      on.send(10 * i, (rank + 1) % kRanks, 8).recv(10 * i + 5, (rank + kRanks - 1) % kRanks, 8);
    }
    on.leave(5000, main);
  }
  base::Progress progress;
  EXPECT_TRUE(write(test.finish(), folder.path(), "traces", progress).ok());
  return folder.path() / "traces.otf2";
}

base::Result<trace::Trace> read_with(const std::filesystem::path& anchor, uint64_t available) {
  base::ThreadPool pool(2);
  base::Progress progress;
  return read(anchor, {.available_bytes = available}, pool, progress);
}

// 40 x (202 events of 10 bytes or more with their words, 100 sends, 100 receives).
constexpr uint64_t kEvents = 40 * 202;
constexpr uint64_t kLeast = kEvents * 10 + 40 * 100 * (72 + 16);

TEST(MemoryNeed, RefusesWhatDoesNotFitWithItsFigures) {
  const base::ScratchFolder folder;
  const auto anchor = write_ring(folder);
  for (const uint64_t available : {uint64_t{1}, kLeast / 2}) {
    const auto trace = read_with(anchor, available);
    ASSERT_FALSE(trace.ok()) << available;
    EXPECT_EQ(trace.error().code, base::ErrorCode::kUnsupported);
    EXPECT_THAT(trace.error().message, HasSubstr("traces.otf2 has about 8,"));
    EXPECT_THAT(trace.error().message, HasSubstr(" events and needs 47"));
    EXPECT_THAT(trace.error().message, HasSubstr(" can be had"));
    EXPECT_THAT(trace.error().advice, HasSubstr("pathline reduce "));
  }
}

TEST(MemoryNeed, TakesWhatFits) {
  const base::ScratchFolder folder;
  const auto anchor = write_ring(folder);
  for (const uint64_t available : {2 * kLeast, UINT64_MAX}) {
    EXPECT_TRUE(read_with(anchor, available).ok()) << available;
  }
  base::ThreadPool pool(2);
  base::Progress progress;
  EXPECT_TRUE(read(anchor, {}, pool, progress).ok());
}

TEST(MemoryNeed, IsNotJudgedByTheFirstFewEvents) {
  trace::EventsBuilder builder;
  for (uint64_t i = 0; i < 1000; ++i) builder.enter(i, trace::Region(0));
  const trace::Events events = builder.finish();
  MemoryNeed need(100'000, 50'000);
  need.add(events, 3000);  // Would be 433 kB in all.
  EXPECT_FALSE(need.is_too_large());
  need.add(events, 3000);
  EXPECT_TRUE(need.is_too_large());
  EXPECT_EQ(need.bytes(), 433'333U);
  for (const uint64_t available : {445'000, 465'000}) {  // Some is to be left.
    MemoryNeed close(100'000, available);
    close.add(events, 3000);
    close.add(events, 3000);
    EXPECT_EQ(close.is_too_large(), available < 455'000) << available;
  }
  MemoryNeed fits(100'000, 1'600'000);  // By whatever it may grow.
  fits.add(events, 100'000);
  EXPECT_FALSE(fits.is_too_large());
}

TEST(MemoryNeed, TakesADiskInPlaceOfMemory) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer leaves no room for a mapping of 4 TiB";
#endif
  const base::ScratchFolder folder;
  const base::ScratchFolder disk;
  const auto anchor = write_ring(folder);
  const auto reads = [&] {
    if (!base::offer_scratch(disk.path())) return false;
    const auto trace = read_with(anchor, 1);
    return trace.ok() && trace.value().messages.size() == 4000 &&
           trace.value().event_count() == kEvents;
  };
  if (!base::offer_scratch(disk.path())) GTEST_SKIP() << "the folder for tests lies in memory";
  EXPECT_EXIT(std::exit(reads() ? 0 : 1), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace pathline::otf2
