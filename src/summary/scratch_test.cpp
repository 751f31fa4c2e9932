// SPDX-License-Identifier: BSD-3-Clause
#include <csignal>
#include <random>
#include <sys/resource.h>

#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "otf2/writer.hpp"
#include "summary/file.hpp"
#include "summary/test_reduce.hpp"
#include "trace/test_trace.hpp"

namespace pathline::summary {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kRanks = 3;

/// Marked steps with calls of random lengths, some of which last for many steps.
fs::path write_run(const fs::path& folder) {
  std::mt19937_64 random(7);
  trace::TestTrace test(kRanks, 1);
  const trace::Region main = test.region("main");
  const trace::Region step = test.region("time step");
  const trace::Region work = test.region("work");
  const trace::Region wait = test.region("MPI_Barrier");
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    auto& on = test.on(rank, 0);
    uint64_t at = 1;
    on.enter(at, main);
    for (int i = 0; i < 400; ++i) {
      on.enter(at += random() % 50, step);
      for (uint64_t k = random() % 6; k > 0; --k) {
        const trace::Region region = random() % 2 == 0 ? work : wait;
        on.enter(at += random() % 500, region);
        on.leave(at += random() % 2000, region);
      }
      on.leave(at += random() % 50, step);
    }
    on.leave(at + 1, main);
  }
  base::Progress progress;
  EXPECT_TRUE(otf2::write(test.finish(1), folder, "traces", progress).ok());
  return folder / "traces.otf2";
}

struct Reduced {
  base::Status status;
  std::string file;            // Its bytes.
  uint64_t scratch_bytes = 0;  // Of the first process.
};

/// By so many processes, in windows of so many events.
Reduced reduced(const fs::path& anchor, unsigned processes, uint64_t events,
                const std::optional<Scratch>& scratch) {
  Reduced result;
  const auto summary =
      in_processes(processes, anchor, {.events = events, .first_ticks = 1000}, scratch);
  if (!summary) {
    result.status = summary.error();
    return result;
  }
  const base::ScratchFolder folder;
  result.status = write(summary.value(), folder.path() / "run.plsum");
  result.file = folder.read("run.plsum");
  if (summary.value().scratch) result.scratch_bytes = summary.value().scratch->size();
  return result;
}

TEST(Scratch, HoldsTablesWithoutAChangeToTheFile) {
  const base::ScratchFolder folder;
  const base::ScratchFolder scratch;
  const fs::path anchor = write_run(folder.path() / "run");
  const Reduced expected = reduced(anchor, 1, 1'000'000, std::nullopt);
  ASSERT_TRUE(expected.status.ok()) << expected.status.error().message;
  for (const unsigned processes : {1U, 2U, 3U}) {
    for (const uint64_t events : {100U, 1000U, 1'000'000U}) {
      for (const uint64_t memory : {0U, 20'000U}) {
        SCOPED_TRACE(testing::Message() << processes << " processes, windows of " << events
                                        << " events, " << memory << " bytes");
        const auto again = reduced(anchor, processes, events, Scratch{scratch.path(), memory});
        ASSERT_TRUE(again.status.ok()) << again.status.error().message;
        EXPECT_TRUE(again.file == expected.file);
        EXPECT_GT(again.scratch_bytes, 10'000U);
      }
    }
  }
  const auto enough = reduced(anchor, 1, 1000, Scratch{scratch.path(), 1U << 20U});
  EXPECT_TRUE(enough.file == expected.file);
  EXPECT_EQ(enough.scratch_bytes, 0U);
  EXPECT_TRUE(fs::is_empty(scratch.path()));
}

/// With a disk on which little has room.
void reduce_on_full_disk(const fs::path& anchor, const fs::path& scratch) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{1 << 12, 1 << 12};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const auto status = reduced(anchor, 1, 100, Scratch{scratch, 0}).status;
  fprintf(stderr, "%s", status ? "all was written" : status.error().message.c_str());
  std::exit(status ? 0 : 1);
}

TEST(Scratch, IsNamedWhereItCannotBeWritten) {
  const base::ScratchFolder folder;
  const fs::path anchor = write_run(folder.path() / "run");
  EXPECT_EXIT(reduce_on_full_disk(anchor, folder.path()), testing::ExitedWithCode(1),
              "cannot write a scratch file in " + folder.path().string() + ": File too large");
  const auto missing = reduced(anchor, 2, 100, Scratch{folder.path() / "none", 0}).status;
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, base::ErrorCode::kNotFound);
}

}  // namespace
}  // namespace pathline::summary
