// SPDX-License-Identifier: BSD-3-Clause
//
// What pieces of a time add up to is what the whole says of that time.

#include "app/sums_of_time.hpp"

#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/profile_rows.hpp"
#include "app/test_archived_run.hpp"
#include "base/test_scale.hpp"
#include "findings/test_random_program.hpp"
#include "trace/test_trace.hpp"

namespace pathline::app {
namespace {

std::string text_of(const trace::Trace& run, const trace::Selection& selection,
                    const profile::Profile& profile) {
  std::string text;
  for (const auto by : {ProfileBy::kRegion, ProfileBy::kCallPath, ProfileBy::kRank}) {
    for (const ProfileRow& row : profile_rows(run, selection, profile, by)) {
      // Of calls that there are none of in this time no more than the whole has names.
      if (row.visits == 0 && row.inclusive_s == 0) continue;
      text +=
          fmt::format("{}: {} {} {} {} {} {}\n", row.name, *row.visits, *row.inclusive_s,
                      *row.exclusive_s, *row.exclusive_min_s, *row.exclusive_max_s, row.imbalance);
    }
  }
  return text;
}

std::string text_of(const comm::Matrix& matrix) {
  std::string text;
  const graph::Traffic& traffic = matrix.traffic;
  for (uint32_t sender = 0; sender < traffic.rank_count(); ++sender) {
    for (size_t i = traffic.row[sender]; i < traffic.row[sender + 1]; ++i) {
      text += fmt::format("{} {}: {} {} {} {} {}\n", sender, traffic.receiver[i],
                          traffic.messages[i], traffic.bytes[i], matrix.min_ticks[i],
                          matrix.mean_ticks[i], matrix.max_ticks[i]);
    }
  }
  return text;
}

std::string text_of(const comm::Waits& waits) {
  std::string text;
  for (const comm::WaitRow& row : waits.rows) {
    text += fmt::format("{} {} {} {}\n", comm::wait_name(row.kind), row.rank, row.count, row.ticks);
  }
  return text;
}

TEST(SumsOfTime, AreWhatTheWholeSaysOfIt) {
  size_t most_pieces = 0;
  size_t cut = 0;
  size_t compared = 0;
  for (uint32_t seed = 0; seed < base::scaled(24); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ArchivedRun run(findings::RandomProgram(seed).trace(), 40);
    base::Progress progress;
    std::mt19937 random(seed);
    const uint64_t span = run.whole.end_ticks - run.whole.start_ticks;
    for (int k = 0; k < 6; ++k) {
      trace::Selection time;
      time.from_ticks = run.whole.start_ticks + 60 + random() % (span / 2);
      if (k % 3 != 0) time.until_ticks = time.from_ticks + span / 8 + random() % (span / 2);
      if (k == 2) time.from_ticks = 0;
      if (k == 4) time.until_ticks = run.known().marks[30].ticks;
      if (k % 2 != 0) {
        for (uint32_t rank = 0; rank < run.whole.rank_count; ++rank) {
          time.ranks.push_back(rank % 2 == 0 || k > 3);
        }
      }
      const auto sums = [&](PartNeeds needs) {
        const TimeInPieces pieces =
            cut_time(run.known(), run.whole, time, needs, run.whole.event_count() / 6);
        most_pieces = std::max(most_pieces, pieces.pieces.size());
        auto found = sums_of_time(pieces, run.summary(), needs, run.pool, progress);
        EXPECT_TRUE(found.ok()) << found.error().message;
        return std::move(found).value();
      };
      const std::string profile =
          text_of(run.whole, time, profile::from_trace(run.whole, time, run.pool));
      EXPECT_EQ(text_of(run.whole, time, sums(PartNeeds::kCalls).profile), profile);
      EXPECT_EQ(text_of(sums(PartNeeds::kMessages).matrix),
                text_of(comm::matrix(run.whole, time, std::nullopt, run.pool)));
      const SumsOfTime waits = sums(PartNeeds::kWaits);
      EXPECT_EQ(text_of(run.whole, time, waits.profile), profile);
      cut += waits.lacks_waits ? 1 : 0;
      ++compared;
      const comm::Waits expected = comm::waits(run.whole, time, run.pool);
      if (waits.lacks_waits) {
        EXPECT_LE(waits.waits.mpi_ticks(), expected.mpi_ticks());
      } else {
        EXPECT_EQ(text_of(waits.waits), text_of(expected));
      }
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GE(most_pieces, 8);
  EXPECT_LT(cut, compared / 4);
}

TEST(SumsOfTime, AreOfAsManyPiecesAsThereAre) {
  ArchivedRun run(findings::RandomProgram(3).trace(), 40);
  base::Progress progress;
  const trace::Selection time{run.whole.start_ticks + 1, UINT64_MAX, {}};
  const TimeInPieces pieces = cut_time(run.known(), run.whole, time, PartNeeds::kMessages, 1);
  const auto sums = sums_of_time(pieces, run.summary(), PartNeeds::kMessages, run.pool, progress);
  ASSERT_TRUE(sums.ok()) << sums.error().message;
  EXPECT_EQ(text_of(sums.value().matrix),
            text_of(comm::matrix(run.whole, time, std::nullopt, run.pool)));
  EXPECT_EQ(progress.done, progress.total);
}

/// A call that waits through several pieces waits in each.
TEST(SumsOfTime, HaveWhatWaitsForLong) {
  for (const bool sends_late : {false, true}) {
    constexpr uint32_t kRanks = 3;
    trace::TestTrace test(kRanks);
    const trace::Region main = test.region("main");
    const trace::Region work = test.region("work");
    const trace::Region send = test.region("MPI_Send");
    const trace::Region recv = test.region("MPI_Recv");
    constexpr uint64_t kEnd = 10'000;
    constexpr uint64_t kEarly = 1000;
    constexpr uint64_t kLate = 9000;
    const uint64_t sent = sends_late ? kLate : kEarly;
    const uint64_t received = sends_late ? kEarly : kLate;
    test.on(0).enter(0, main).enter(sent, send).send(sent + 1, 1, 8, 0);
    test.on(0).leave(kLate + 9, send).leave(kEnd, main);
    test.on(1).enter(0, main).enter(received, recv).recv(kLate + 8, 0, 8, 0);
    test.on(1).leave(kLate + 9, recv).leave(kEnd, main);
    test.on(2).enter(0, main);
    for (uint64_t t = 10; t < kEnd; t += 10) test.on(2).enter(t, work).leave(t + 5, work);
    test.on(2).leave(kEnd, main);
    ArchivedRun run(test.finish(1), 20);
    base::Progress progress;
    const trace::Selection time{10, UINT64_MAX, {}};
    const TimeInPieces pieces = cut_time(run.known(), run.whole, time, PartNeeds::kWaits, 1);
    EXPECT_GT(pieces.pieces.size(), 10U);
    const auto sums = sums_of_time(pieces, run.summary(), PartNeeds::kWaits, run.pool, progress);
    ASSERT_TRUE(sums.ok()) << sums.error().message;
    EXPECT_FALSE(sums.value().lacks_waits);
    const comm::Waits expected = comm::waits(run.whole, time, run.pool);
    EXPECT_EQ(expected.rows.size(), 1U);
    EXPECT_EQ(text_of(sums.value().waits), text_of(expected));
  }
}

}  // namespace
}  // namespace pathline::app
