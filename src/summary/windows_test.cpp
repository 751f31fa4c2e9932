// SPDX-License-Identifier: BSD-3-Clause
#include "summary/windows.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "exchange/test_processes.hpp"
#include "otf2/reader.hpp"
#include "otf2/writer.hpp"
#include "trace/test_trace.hpp"

namespace pathline::summary {
namespace {

constexpr uint32_t kRanks = 366;
constexpr uint64_t kBursts = 8;
constexpr uint64_t kCallsInBurst = 100;
constexpr uint64_t kTicksBetween = 1'000'000;

/// Ranks that are all busy for a moment and then do nothing for a thousand times as long.
void write_bursts(const std::filesystem::path& folder) {
  trace::TestTrace test(kRanks, 1);
  const trace::Region main = test.region("main");
  const trace::Region work = test.region("work");
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    auto& on = test.on(rank).enter(0, main);
    for (uint64_t burst = 1; burst <= kBursts; ++burst) {
      const uint64_t begin = burst * kTicksBetween + rank * 7 % 50;
      for (uint64_t i = 0; i < kCallsInBurst; ++i) {
        on.enter(begin + 10 * i, work).leave(begin + 10 * i + 4, work);
      }
    }
    on.leave((kBursts + 1) * kTicksBetween, main);
  }
  base::Progress progress;
  ASSERT_TRUE(otf2::write(test.finish(1), folder, "traces", progress).ok());
}

struct Seen {
  std::vector<uint64_t> events;  // By window.
  std::vector<uint64_t> until;
};

Seen windows_of(otf2::Archive archive, const WindowSize& size, exchange::Exchange& exchange) {
  base::ThreadPool pool(1);
  base::Progress progress;
  Windows windows(std::move(archive), size, pool, progress, exchange);
  Seen seen;
  while (!windows.ended()) {
    EXPECT_TRUE(windows.next([](size_t) {}).ok());
    uint64_t events = 0;
    for (size_t i = 0; i < kRanks; ++i) {
      events += windows.trace().locations[i].events.size() - windows.earlier(i);
    }
    seen.events.push_back(events);
    seen.until.push_back(windows.until_ticks());
    windows.keep(std::vector<std::vector<uint32_t>>(kRanks));
  }
  return seen;
}

TEST(WindowSizes, AreKeptWhereAllRanksAreBusyAtATime) {
  const base::ScratchFolder folder;
  write_bursts(folder.path());
  constexpr uint64_t kAsked = 10'000;
  constexpr uint64_t kAll = kRanks * (2 + kBursts * kCallsInBurst * 2);
  for (const unsigned processes : {1U, 2U}) {
    std::vector<Seen> all(processes);
    std::mutex opening;
    exchange::TestProcesses::run(processes, [&](exchange::Exchange& exchange) {
      base::ThreadPool pool(1);
      base::Progress progress;
      auto archive = [&] {
        const std::lock_guard lock(opening);
        return otf2::open_archive(folder.path() / "traces.otf2", pool, progress,
                                  [&](const trace::Trace& trace, const auto& bytes) {
                                    return Share::owned(exchange, trace, bytes);
                                  });
      }();
      ASSERT_TRUE(archive.ok());
      all[exchange.rank()] =
          windows_of(std::move(archive).value(), {.events = kAsked, .first_ticks = 1000}, exchange);
    });
    uint64_t events = 0;
    for (const Seen& seen : all) {
      EXPECT_EQ(seen.until, all[0].until);
      EXPECT_LE(*std::max_element(seen.events.begin(), seen.events.end()), 2 * kAsked);
      for (const uint64_t one : seen.events) events += one;
    }
    EXPECT_EQ(events, kAll);
    EXPECT_LE(all[0].until.size(), 2 * kAll / kAsked);
  }
}

/// How many events all locations have together, by what their windows had.
base::Result<uint64_t> events_of(const std::filesystem::path& folder, uint64_t events,
                                 const std::function<void(unsigned window)>& between) {
  base::ThreadPool pool(1);
  base::Progress progress;
  auto archive = otf2::open_archive(folder / "traces.otf2", pool, progress);
  if (!archive) return archive.error();
  exchange::Exchange alone;
  Windows windows(std::move(archive).value(), {.events = events, .first_ticks = 1000}, pool,
                  progress, alone);
  uint64_t found = 0;
  for (unsigned window = 0; !windows.ended(); ++window) {
    if (auto status = windows.next([](size_t) {}); !status) return status.error();
    found = 0;
    for (size_t i = 0; i < kRanks; ++i) found += windows.seen(i).events;
    windows.keep(std::vector<std::vector<uint32_t>>(kRanks));
    between(window);
  }
  return found;
}

std::filesystem::path some_events(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder / "traces")) {
    if (entry.path().extension() == ".evt") return entry.path();
  }
  return {};
}

/// Of files of a few kilobytes the bytes of later windows are read with those of the first ones.
TEST(WindowsOfFilesThatChange, SayWhichIsCut) {
  constexpr uint64_t kAsked = 10'000;
  constexpr unsigned kWindow = 3;
  constexpr uint64_t kAll = kRanks * (2 + kBursts * kCallsInBurst * 2);
  const auto at_window = [](const std::function<void()>& change) {
    return [change](unsigned window) {
      if (window == kWindow) change();
    };
  };
  const base::ScratchFolder folder;
  write_bursts(folder.path());
  const std::filesystem::path events = some_events(folder.path());
  const std::filesystem::path copy = folder.path() / "copy";
  std::filesystem::copy_file(events, copy);
  const uint64_t bytes = std::filesystem::file_size(events);
  const auto cut = events_of(folder.path(), kAsked,
                             at_window([&] { std::filesystem::resize_file(events, bytes / 2); }));
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().code, base::ErrorCode::kCorrupt);
  EXPECT_NE(cut.error().message.find(events.filename().string()), std::string::npos)
      << cut.error().message;

  std::filesystem::copy_file(copy, events, std::filesystem::copy_options::overwrite_existing);
  const auto gone =
      events_of(folder.path(), kAsked, at_window([&] { std::filesystem::remove(events); }));
  // It is open: there are fewer files than a process may have.
  ASSERT_TRUE(gone.ok()) << gone.error().message;
  EXPECT_EQ(gone.value(), kAll);
}

}  // namespace
}  // namespace pathline::summary
