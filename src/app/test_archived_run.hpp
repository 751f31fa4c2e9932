// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "app/part_of_run.hpp"
#include "app/reduce.hpp"
#include "base/scratch_folder.hpp"
#include "otf2/reader.hpp"
#include "otf2/writer.hpp"
#include "summary/read_back.hpp"
#include "trace/calls.hpp"
#include "trace/ranks.hpp"
#include "trace/test_trace.hpp"

namespace pathline::app {

/// Marks so close that parts of a short run have some before and behind.
inline summary::Marks marks_of(const trace::Trace& trace, uint64_t count) {
  const uint64_t span = trace.end_ticks - trace.start_ticks;
  summary::GrowingMarks marks(trace.start_ticks, std::max<uint64_t>(1, span / (count + 1)), count);
  marks.add(trace.messages);
  const trace::Collectives& all = trace.collectives;
  std::map<uint32_t, uint32_t> next;
  const trace::CommunicatorRanks ranks(trace);
  for (size_t i = 0; i < all.size(); ++i) {
    std::vector<trace::CollectivePart> members;
    const uint32_t number = next[all.comm[i]]++;
    for (uint32_t row = all.first[i]; row < all.first[i + 1]; ++row) {
      members.push_back({all.comm[i], number, all.location[row], 0, all.operation[i],
                         all.begin_ticks[row], all.end_ticks[row], 0, 0});
    }
    marks.add(members, members.size() >= ranks.size(all.comm[i]));
  }
  return marks.finish();
}

/// A run, its archive, and what a summary knows of that. For tests only.
class ArchivedRun {
 public:
  ArchivedRun(trace::Trace made, uint64_t marks) {
    base::Progress progress;
    EXPECT_TRUE(otf2::write(made, folder_.path(), "traces", progress).ok());
    auto read = otf2::read(archive_, {}, pool, progress);
    EXPECT_TRUE(read.ok());
    whole = std::move(read).value();
    std::vector<std::string> notes;
    exchange::Exchange alone;
    auto reduced = reduce_run(archive_, {}, pool, progress, notes, alone);
    EXPECT_TRUE(reduced.ok()) << reduced.error().message;
    summary_ = std::move(reduced.value().summary);
    marks_ = marks_of(whole, marks);
  }

  /// As read_part() does, until nothing is cut.
  trace::Trace part(uint64_t from_ticks, uint64_t until_ticks, PartNeeds needs) {
    summary::PartOfRun part =
        summary::between_operations(marks_, {from_ticks - 1, until_ticks, {}});
    part.locations = chosen_locations(summary_.run, {});
    if (needs == PartNeeds::kWaits) from_ticks = 0;
    for (;;) {
      const auto known = known_of(part);
      auto opened = open_archive_of(archive_, summary_.archive, part.locations, pool);
      EXPECT_TRUE(opened.ok());
      auto read =
          summary::read_back_waits(std::move(opened).value(), summary_.archive, marks_,
                                   summary_.run, part, {from_ticks, until_ticks}, known, pool);
      EXPECT_TRUE(read.ok()) << read.error().message;
      uint64_t events = 0;
      for (const auto& location : read.value().trace.locations) events += location.events.size();
      if (read.value().cut_calls == 0 || part.until_ticks == UINT64_MAX) {
        smaller += events < whole.event_count() ? 1 : 0;
        return std::move(read.value().trace);
      }
      part.until_ticks = summary::next_mark(marks_, part.until_ticks);
    }
  }

  /// As read_part() does for messages.
  trace::Trace messages_of(uint64_t from_ticks, uint64_t until_ticks) {
    summary::PartOfRun part = summary::between_marks(marks_, {from_ticks - 1, until_ticks, {}});
    part.locations = chosen_locations(summary_.run, {});
    auto opened = open_archive_of(archive_, summary_.archive, part.locations, pool);
    EXPECT_TRUE(opened.ok());
    auto read = summary::read_back_messages(std::move(opened).value(), summary_.archive, marks_,
                                            summary_.run, part, pool);
    EXPECT_TRUE(read.ok()) << read.error().message;
    smaller += read.value().event_count() < whole.event_count() ? 1 : 0;
    return std::move(read).value();
  }

  /// As of a file of its summary.
  [[nodiscard]] KnownArchive known() const {
    const std::shared_ptr<const summary::ArchiveIndex> index(std::shared_ptr<void>(),
                                                             &summary_.archive);
    KnownArchive known{archive_, {}, index, marks_, summary::StepsOfTime()};
    known.steps->windows = trace::marked_steps(whole);
    return known;
  }
  [[nodiscard]] const summary::RunSummary& summary() const { return summary_; }

  base::ThreadPool pool{2};
  trace::Trace whole;
  size_t smaller = 0;  ///< Parts that were no whole.

 private:
  [[nodiscard]] std::shared_ptr<const trace::WholeRun> known_of(
      const summary::PartOfRun& part) const {
    auto known = std::make_shared<trace::WholeRun>();
    known->steps = trace::marked_steps(whole);
    std::set<uint32_t> numbers;
    for (auto& of_rank : known->steps) {
      for (const trace::StepWindow& step : of_rank) numbers.insert(step.step);
      std::erase_if(of_rank, [&](const trace::StepWindow& step) {
        return step.begin_ticks > part.until_ticks || step.end_ticks < part.from_ticks;
      });
    }
    known->step_count = numbers.size();
    for (const auto& location : whole.locations) {
      known->is_recorded.push_back(location.events.size() > 0);
    }
    return known;
  }

  base::ScratchFolder folder_;
  std::filesystem::path archive_ = folder_.path() / "traces.otf2";
  summary::RunSummary summary_;
  summary::Marks marks_;
};

/// Rank 0 sends at 1000 in a call that waits until 7000 for rank 1, which receives then; rank 2
/// works until 10,000.
inline trace::Trace long_wait() {
  constexpr uint64_t kEnd = 10'000;
  trace::TestTrace test(3);
  const trace::Region main = test.region("main");
  const trace::Region work = test.region("work");
  const trace::Region send = test.region("MPI_Send");
  const trace::Region recv = test.region("MPI_Recv");
  test.on(0).enter(0, main).enter(1000, send).send(1001, 1, 8, 0).leave(7000, send);
  for (uint64_t t = 7010; t < kEnd; t += 10) test.on(0).enter(t, work).leave(t + 5, work);
  test.on(0).leave(kEnd, main);
  test.on(1).enter(0, main).enter(6990, recv).recv(6999, 0, 8, 0).leave(7000, recv);
  test.on(1).leave(kEnd, main);
  test.on(2).enter(0, main);
  for (uint64_t t = 10; t < kEnd; t += 10) test.on(2).enter(t, work).leave(t + 5, work);
  test.on(2).leave(kEnd, main);
  return test.finish(1);
}

}  // namespace pathline::app
