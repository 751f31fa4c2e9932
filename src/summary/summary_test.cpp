// SPDX-License-Identifier: BSD-3-Clause
//
// A run in windows of any size has the tables of the same run in one piece, and a file gives back
// what was written.

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "base/scratch_folder.hpp"
#include "base/test_data.hpp"
#include "base/test_scale.hpp"
#include "exchange/test_processes.hpp"
#include "otf2/reader.hpp"
#include "otf2/writer.hpp"
#include "summary/file.hpp"
#include "summary/reduce.hpp"
#include "summary/states_file.hpp"
#include "summary/test_random_run.hpp"
#include "summary/test_states.hpp"

namespace pathline::summary {
namespace {

/// Everything that can be compared, in a line each.
std::vector<std::string> lines(const RunSummary& summary) {
  std::vector<std::string> result;
  const auto add = [&](const std::string& name, const auto&... values) {
    std::string line = name;
    ((line += ' ' + testing::PrintToString(values)), ...);
    result.push_back(line);
  };
  const trace::Trace& run = summary.run;
  add("run", run.format, run.creator, run.machine, run.description, run.properties);
  add("times", run.start_ticks, run.end_ticks, run.rank_count, run.complete);
  for (const std::string& warning : run.warnings) add("warning", warning);
  for (const trace::Location& location : run.locations) {
    add("location", location.id, location.name, uint32_t{location.rank}, location.complete);
  }
  const comm::Summary& facts = summary.facts;
  add("facts", facts.events, facts.events_by_kind, facts.cpu_threads, facts.streams,
      facts.communicators, facts.regions_visited, facts.hosts);
  add("messages", facts.messages, facts.message_bytes, facts.unmatched_sends,
      facts.unmatched_receives, facts.collectives);
  add("io and steps", facts.io_operations, facts.io_bytes_read, facts.io_bytes_written,
      facts.marked_steps);
  for (const profile::CallPathNode& path : summary.profile.call_paths) {
    add("path", uint32_t{path.parent}, uint32_t{path.region});
  }
  for (size_t i = 0; i < summary.profile.by_location.size(); ++i) {
    for (const profile::Cost& cost : summary.profile.by_location[i]) {
      add("cost", i, cost.call_path, cost.visits, cost.exclusive_ticks, cost.bytes_sent,
          cost.bytes_received);
    }
  }
  const comm::Matrix& matrix = summary.matrix;
  for (uint32_t sender = 0; sender < matrix.traffic.rank_count(); ++sender) {
    for (size_t i = matrix.traffic.row[sender]; i < matrix.traffic.row[sender + 1]; ++i) {
      add("pair", sender, matrix.traffic.receiver[i], matrix.traffic.messages[i],
          matrix.traffic.bytes[i], matrix.min_ticks[i], matrix.max_ticks[i], matrix.mean_ticks[i]);
    }
  }
  for (const comm::WaitRow& row : summary.waits.rows) {
    add("wait", comm::wait_name(row.kind), row.rank, row.count, row.ticks);
  }
  add("bytes", summary.bytes.by_region, summary.bytes.by_location);
  add("without call", summary.waits.messages_without_call);
  const auto add_counters = [&](const std::string& name, const steps::Counters& of) {
    add(name, of.mpi_ticks, of.io_ticks, of.sent_messages, of.sent_bytes, of.received_messages,
        of.received_bytes, of.read_bytes, of.written_bytes);
  };
  const bool is_packed = !summary.packed_steps.outside().empty();
  const steps::Table steps = is_packed ? summary.packed_steps.table() : summary.steps;
  for (const steps::Row& row : steps.rows) {
    add("step", row.step, row.rank, row.begin_ticks, row.end_ticks, row.recorded);
    add_counters("in it", row.counters);
  }
  for (const steps::Counters& outside : steps.outside) add_counters("outside", outside);
  for (size_t l = 0; l < summary.states.levels.size(); ++l) {
    const StateLevel& level = summary.states.levels[l];
    add("level", level.shift, level.first_bin, level.code, codes_of(summary.states, l),
        level.error);
  }
  for (const trace::LocationEnds& ends : summary.states.ends) {
    add("ends", ends.events, ends.first_ticks, ends.last_ticks, ends.has_calls);
    for (const auto& call : {ends.init, ends.finalize}) {
      if (call) add("call", call->enter, call->leave);
    }
  }
  return result;
}

/// What only a run that was read in windows has.
std::vector<std::string> archive_lines(const RunSummary& summary) {
  std::vector<std::string> result = {testing::PrintToString(summary.archive.file_bytes),
                                     testing::PrintToString(summary.archive.events)};
  for (const otf2::SeekPoints& places : summary.archive.places) {
    result.push_back(testing::PrintToString(
        std::tuple(places.offset, places.event, places.ticks, places.open_end,
                   std::vector<uint32_t>(places.open.begin(), places.open.end()))));
  }
  for (const Mark& mark : summary.marks) {
    for (const MarkedMessage& one : mark.messages) {
      result.push_back(testing::PrintToString(std::vector<uint64_t>{
          mark.ticks, one.sender, one.receiver, one.send_location, one.recv_location,
          one.send_ticks, one.send_end_ticks, one.recv_post_ticks, one.recv_ticks, one.bytes,
          one.tag, one.comm}));
    }
  }
  return result;
}

/// A file with all that is read only when it is asked for.
base::Result<RunSummary> read_all(const std::filesystem::path& file) {
  auto summary = read(file);
  if (!summary) return summary;
  RunSummary all = std::move(summary).value();
  const auto columns = ColumnReader::open(file);
  if (!columns) return columns.error();
  auto states = read_state_index(columns.value(), all.run);
  if (!states) return states.error();
  all.states = std::move(states).value();
  for (size_t i = 0; i < all.states.levels.size(); ++i) {
    auto status = read_codes(columns.value(), all.run, i, all.states.levels[i]);
    if (!status) return status.error();
  }
  auto archive = read_archive_index(columns.value(), all.run);
  if (!archive) return archive.error();
  all.archive = std::move(archive).value();
  auto marks = read_marks(columns.value(), all.run);
  if (!marks) return marks.error();
  all.marks = std::move(marks).value();
  return all;
}

RunSummary in_one_piece(const std::filesystem::path& anchor) {
  base::ThreadPool pool(2);
  base::Progress progress;
  auto trace = otf2::read(anchor, {}, pool, progress);
  EXPECT_TRUE(trace.ok()) << trace.error().message;
  return reduce(std::move(trace).value(), pool);
}

base::Result<RunSummary> in_windows(const std::filesystem::path& anchor, const WindowSize& size) {
  base::ThreadPool pool(2);
  base::Progress progress;
  auto archive = otf2::open_archive(anchor, pool, progress);
  if (!archive) return archive.error();
  exchange::Exchange alone;
  return reduce(std::move(archive).value(), size, pool, progress, alone);
}

/// By several processes, of which the first has the tables.
base::Result<RunSummary> in_processes(unsigned count, const std::filesystem::path& anchor,
                                      const WindowSize& size) {
  base::Result<RunSummary> result = RunSummary{};
  std::vector<base::Status> outcomes(count);
  std::mutex opening;  // Processes have a library each.
  exchange::TestProcesses::run(count, [&](exchange::Exchange& exchange) {
    base::ThreadPool pool(1);
    base::Progress progress;
    auto archive = [&] {
      const std::lock_guard lock(opening);
      const auto choose = [&](const trace::Trace& trace, const std::vector<uint64_t>& bytes) {
        return Share::owned(exchange, trace, bytes);
      };
      return otf2::open_archive(anchor, pool, progress, choose);
    }();
    const auto opened = exchange.agree(archive ? base::Status() : archive.error());
    const unsigned rank = exchange.rank();
    auto mine = opened ? reduce(std::move(archive).value(), size, pool, progress, exchange)
                       : base::Result<RunSummary>(opened.error());
    if (!mine) outcomes[rank] = mine.error();
    if (rank == 0) result = std::move(mine);
  });
  for (const base::Status& outcome : outcomes) {
    EXPECT_EQ(outcome.ok(), outcomes[0].ok());
    if (outcome || outcomes[0]) continue;
    EXPECT_EQ(outcome.error().message, outcomes[0].error().message);
  }
  return result;
}

/// The lines that only one of them has.
std::vector<std::string> differences(std::vector<std::string> a, std::vector<std::string> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::vector<std::string> result;
  std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

/// returns  false if it has to be read in one piece
bool expect_the_same(const std::filesystem::path& anchor, const WindowSize& size,
                     unsigned processes) {
  SCOPED_TRACE(testing::Message() << anchor << ", windows of " << size.events << " events");
  const auto summary = in_windows(anchor, size);
  if (!summary && summary.error().code == base::ErrorCode::kUnsupported) {
    std::cerr << anchor << ": " << summary.error().message << "\n";
    return false;
  }
  EXPECT_TRUE(summary.ok()) << summary.error().message;
  if (!summary) return false;
  const auto expected = lines(in_one_piece(anchor));
  EXPECT_TRUE(lines(summary.value()) == expected)
      << testing::PrintToString(differences(lines(summary.value()), expected));
  const auto shared = in_processes(processes, anchor, size);
  // What became of a message after it had arrived, only the sender knows.
  if (!shared && shared.error().code == base::ErrorCode::kUnsupported) return false;
  EXPECT_TRUE(shared.ok()) << shared.error().message;
  if (!shared) return false;
  EXPECT_TRUE(lines(shared.value()) == expected)
      << processes
      << " processes: " << testing::PrintToString(differences(lines(shared.value()), expected));
  EXPECT_EQ(archive_lines(shared.value()), archive_lines(summary.value()));
  return true;
}

TEST(Windows, GiveTheTablesOfTheWholeForArchivesOfOthers) {
  const auto folder = base::third_party_data("otf2");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << base::kNeedsThirdPartyData;
  size_t archives = 0;
  unsigned processes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".otf2") continue;
    if (std::filesystem::file_size(entry.path()) == 0) continue;
    for (const uint64_t events : {300U, 20'000U, 4'000'000U}) {
      const WindowSize size{.events = events, .first_ticks = 1000};
      archives += expect_the_same(entry.path(), size, 2 + processes++ % 6) ? 1 : 0;
    }
  }
  EXPECT_EQ(archives, 36U);
}

TEST(Windows, GiveTheTablesOfTheWholeForAnyProgram) {
  size_t compared = 0;
  const size_t seeds = base::scaled(40);
  for (uint32_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const base::ScratchFolder folder;
    base::Progress progress;
    const trace::Trace trace = RandomRun(seed).trace();
    ASSERT_TRUE(otf2::write(trace, folder.path(), "traces", progress).ok());
    for (const uint64_t events : {1U, 7U, 60U, 1'000'000U}) {
      // Some in a single window.
      const uint64_t first_ticks = events > 60 && seed % 2 == 0 ? 5000 : 1 + seed % 40;
      const bool done = expect_the_same(folder.path() / "traces.otf2",
                                        {.events = events, .first_ticks = first_ticks},
                                        static_cast<unsigned>(2 + (seed + events) % 4));
      compared += done ? 1 : 0;
    }
  }
  EXPECT_GE(compared, 3 * seeds);
}

/// Waits of all kinds but those of one-sided communication.
TEST(Windows, GiveTheWaitsOfTheWholeForAnyProgramWithCalls) {
  size_t compared = 0;
  const size_t seeds = base::scaled(30);
  for (uint32_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const base::ScratchFolder folder;
    base::Progress progress;
    const trace::Trace trace = RandomRun(seed, true).trace();
    ASSERT_TRUE(otf2::write(trace, folder.path(), "traces", progress).ok());
    for (const uint64_t events : {1U, 7U, 60U, 1'000'000U}) {
      const bool done = expect_the_same(folder.path() / "traces.otf2",
                                        {.events = events, .first_ticks = 1 + seed % 40},
                                        static_cast<unsigned>(2 + (seed + events) % 4));
      compared += done ? 1 : 0;
    }
  }
  EXPECT_GE(compared, 2 * seeds);
}

/// Three ranks of three threads that send in a ring; what is odd about them stands in its name.
TestTrace ring(uint64_t skew, bool tags, bool early, bool sends_first, bool lost) {
  constexpr uint32_t kRanks = 3;
  constexpr uint32_t kRounds = 24;
  TestTrace test(kRanks, 3);
  const Region main = test.region("main");
  const Region send = test.region("MPI_Send");
  const Region recv = test.region("MPI_Recv");
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    const uint64_t clock = rank == 1 ? skew : 0;
    const uint64_t later = sends_first ? 20 * kRounds : 0;
    auto& on = test.on(rank).enter(clock, main);
    if (early) on.irecv_request(clock + 1, 1);
    const auto receive = [&](uint32_t i) {
      const uint64_t t = clock + later + 20 * i;
      on.enter(t + 12, recv).recv(t + 14 + rank, (rank + 2) % kRanks, 8, tags ? i : 0);
      on.leave(t + 18, recv);
    };
    for (uint32_t i = 0; i < kRounds; ++i) {
      const uint64_t t = clock + 20 * i;
      on.enter(t + 2, send).send(t + 3, (rank + 1) % kRanks, 8, tags ? i : 0).leave(t + 5, send);
      if (!sends_first && !(lost && i == 7)) receive(i);
    }
    for (uint32_t i = 0; sends_first && i < kRounds; ++i) receive(i);
    const uint64_t end = clock + later + 20 * kRounds;
    if (lost) on.recv(end, (rank + 2) % kRanks, 8, 1000);
    if (early)
      on.send(end + 1, (rank + 1) % kRanks, 4, 9).irecv(end + 5, 1, (rank + 2) % kRanks, 4, 9);
    on.leave(end + 9, main);
    test.on(rank, 2).enter(clock + 5, main).leave(end, main);
  }
  return test;
}

TEST(Windows, GiveTheTablesOfTheWholeForOddClocksTagsAndOrders) {
  constexpr uint64_t kSecond = 1'000'000'000;
  constexpr uint64_t kSkews[] = {0, 130, kSecond, 100 * kSecond};
  for (unsigned odd = 0; odd < 16; ++odd) {
    const uint64_t skew = kSkews[(odd + odd / 4) % 4];
    SCOPED_TRACE(testing::Message() << "skew " << skew << ", odd " << odd);
    const base::ScratchFolder folder;
    base::Progress progress;
    TestTrace test = ring(skew, odd & 1U, odd & 2U, odd & 4U, odd & 8U);
    ASSERT_TRUE(otf2::write(test.finish(1), folder.path(), "traces", progress).ok());
    for (const uint64_t events : {40U, 1'000'000U}) {
      EXPECT_TRUE(expect_the_same(folder.path() / "traces.otf2",
                                  {.events = events, .first_ticks = 50}, 2 + odd % 3));
    }
  }
}

TEST(Windows, LeaveToTheWholeWhatTheLastOfThemShows) {
  constexpr uint32_t kOff = 2;
  constexpr uint32_t kOn = 1;
  const auto expect_whole = [](TestTrace test) {
    const base::ScratchFolder folder;
    base::Progress progress;
    ASSERT_TRUE(otf2::write(test.finish(1), folder.path(), "traces", progress).ok());
    const auto summary =
        in_windows(folder.path() / "traces.otf2", {.events = 1, .first_ticks = 10});
    ASSERT_FALSE(summary.ok());
    EXPECT_EQ(summary.error().code, base::ErrorCode::kUnsupported);
    EXPECT_THAT(summary.error().message, testing::HasSubstr("recording was switched on in it"));
  };
  TestTrace resumed(2);
  resumed.on(0).send(1, 1, 8).add(trace::EventKind::kMeasurementOnOff, 2, {kOff});
  resumed.on(0).add(trace::EventKind::kMeasurementOnOff, 500, {kOn}).send(501, 1, 9);
  resumed.on(1).add(trace::EventKind::kMeasurementOnOff, 2, {kOff});
  resumed.on(1).add(trace::EventKind::kMeasurementOnOff, 500, {kOn}).recv(502, 0, 9);
  expect_whole(std::move(resumed));
  TestTrace cancelled(2);
  cancelled.on(0).isend(1, 7, 1, 8);
  cancelled.on(1).recv(2, 0, 8);
  cancelled.on(0).cancelled(900, 7);
  expect_whole(std::move(cancelled));
}

/// With seek points, and with marks, which so short a run has none of.
RunSummary with_everything(uint32_t seed) {
  const base::ScratchFolder folder;
  base::Progress progress;
  const trace::Trace trace = RandomRun(seed).trace();
  EXPECT_TRUE(otf2::write(trace, folder.path(), "traces", progress).ok());
  auto summary = in_windows(folder.path() / "traces.otf2", {.events = 100, .first_ticks = 100});
  EXPECT_TRUE(summary.ok());
  GrowingMarks marks(0, 400, 4);
  marks.add(trace.messages);
  summary.value().marks = marks.finish();
  return std::move(summary).value();
}

TEST(SummaryFile, GivesBackWhatWasWritten) {
  const base::ScratchFolder folder;
  base::ThreadPool pool(1);
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    const RunSummary summary =
        seed == 3 ? with_everything(3) : reduce(RandomRun(seed).trace(), pool);
    const auto file = folder.path() / "run.plsum";
    ASSERT_TRUE(write(summary, file).ok());
    const auto again = read_all(file);
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_THAT(lines(again.value()), testing::ElementsAreArray(lines(summary)));
    EXPECT_THAT(archive_lines(again.value()), testing::ElementsAreArray(archive_lines(summary)));
    const std::string bytes = folder.read("run.plsum");
    ASSERT_TRUE(write(again.value(), file).ok());
    EXPECT_EQ(folder.read("run.plsum"), bytes);
  }
}

TEST(SummaryFile, IsRefusedWhereAByteIsAnother) {
  const base::ScratchFolder folder;
  const RunSummary summary = with_everything(3);
  ASSERT_GT(archive_lines(summary).size(), 4U);
  const auto file = folder.path() / "run.plsum";
  ASSERT_TRUE(write(summary, file).ok());
  const std::string bytes = folder.read("run.plsum");
  const auto expected = lines(summary);
  const auto of_archive = archive_lines(summary);
  const size_t step = bytes.size() / base::scaled(bytes.size());
  for (size_t i = 0; i < bytes.size(); i += step) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
    std::filesystem::remove(file);  // To write it anew costs less than to replace it.
    folder.write("run.plsum", damaged);
    const auto again = read_all(file);
    if (again.ok()) {
      ASSERT_EQ(lines(again.value()), expected) << "byte " << i;
      ASSERT_EQ(archive_lines(again.value()), of_archive) << "byte " << i;
    } else {
      ASSERT_THAT(again.error().message, testing::HasSubstr("run.plsum")) << "byte " << i;
    }
  }
  for (size_t length = 0; length < bytes.size(); ++length) {
    std::filesystem::remove(file);
    folder.write("run.plsum", std::string_view(bytes).substr(0, length));
    ASSERT_FALSE(read_all(file).ok()) << "length " << length;
  }
}

TEST(SummaryFile, OfAHigherVersionIsRefusedWithBothNumbers) {
  const base::ScratchFolder folder;
  base::ThreadPool pool(1);
  const auto file = folder.path() / "run.plsum";
  ASSERT_TRUE(write(reduce(RandomRun(3).trace(), pool), file).ok());
  std::string bytes = folder.read("run.plsum");
  constexpr size_t kMajorAt = 8;
  constexpr size_t kCrcAt = 60;
  bytes[kMajorAt] = 2;
  const auto crc = static_cast<uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(kCrcAt)));
  std::memcpy(&bytes[kCrcAt], &crc, sizeof crc);
  folder.write("run.plsum", bytes);
  const auto again = read(file);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, base::ErrorCode::kUnsupported);
  EXPECT_THAT(again.error().message, testing::HasSubstr("it is of format 2.0, this reads 1.0"));
}

TEST(SummaryFile, ThatIsMissingIsNotFound) {
  const auto missing = read("/nowhere/run.plsum");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, base::ErrorCode::kNotFound);
}

}  // namespace
}  // namespace pathline::summary
