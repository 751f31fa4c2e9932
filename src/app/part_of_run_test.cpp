// SPDX-License-Identifier: BSD-3-Clause
//
// What is concluded from a part of a run that was read back is what the whole says of that time.

#include "app/part_of_run.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/findings.hpp"
#include "app/reduce.hpp"
#include "base/scratch_folder.hpp"
#include "base/test_scale.hpp"
#include "comm/waits.hpp"
#include "findings/test_random_program.hpp"
#include "otf2/reader.hpp"
#include "otf2/writer.hpp"
#include "summary/read_back.hpp"
#include "trace/calls.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;

/// Marks so close that parts of a short run have some before and behind.
summary::Marks marks_of(const trace::Trace& trace, uint64_t count) {
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

/// A run, its archive, and what a summary knows of that.
class Archived {
 public:
  Archived(trace::Trace made, uint64_t marks) {
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
      auto opened = open_archive_of(archive_, part.locations, pool);
      EXPECT_TRUE(opened.ok());
      auto read =
          summary::read_back_waits(std::move(opened).value(), summary_.archive, marks_,
                                   summary_.run, part, from_ticks, until_ticks, known, pool);
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
  fs::path archive_ = folder_.path() / "traces.otf2";
  summary::RunSummary summary_;
  summary::Marks marks_;
};

FindingsReport findings_of_time(const trace::Trace& trace, uint64_t from_ticks,
                                uint64_t until_ticks, base::ThreadPool& pool) {
  base::Progress progress;
  const FindingsRequest request{.focus = findings::Focus::kTime,
                                .from_s = trace.seconds(from_ticks),
                                .until_s = trace.seconds(until_ticks)};
  auto found = find_findings(trace, "run", request, pool, progress);
  EXPECT_TRUE(found.ok()) << found.error().message;
  return std::move(found).value();
}

std::string text_of(const FindingsReport& report) {
  auto json = findings_json(report);
  json.erase("warnings");  // Of the whole.
  json.erase("findings");
  for (const FindingRow& row : report.findings) {
    if (!row.is_note) json["findings"].push_back(row.kind + row.text);
  }
  return json.dump(1);
}

std::string waits_of_time(const trace::Trace& trace, uint64_t from_ticks, uint64_t until_ticks,
                          base::ThreadPool& pool) {
  trace::Selection selection;
  selection.from_ticks = from_ticks;
  selection.until_ticks = until_ticks;
  std::string text;
  for (const comm::WaitRow& row : comm::waits(trace, selection, pool).rows) {
    text += fmt::format("{} {} {} {}\n", comm::wait_name(row.kind), row.rank, row.count, row.ticks);
  }
  return text;
}

TEST(PartOfRun, SaysWhatTheWholeSaysOfItsTime) {
  size_t smaller = 0;
  for (uint32_t seed = 0; seed < base::scaled(60); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Archived run(findings::RandomProgram(seed).trace(), 40);
    std::mt19937 random(seed);
    const uint64_t span = run.whole.end_ticks - run.whole.start_ticks;
    for (int k = 0; k < 6; ++k) {
      const uint64_t from = run.whole.start_ticks + 60 + random() % (span * 3 / 4);
      const uint64_t until = from + 1 + random() % (span / 3);
      const trace::Trace waits = run.part(from, until, PartNeeds::kWaits);
      EXPECT_EQ(waits_of_time(waits, from, until, run.pool),
                waits_of_time(run.whole, from, until, run.pool));
      const trace::Trace part = run.part(from, until, PartNeeds::kFindings);
      const FindingsReport found = findings_of_time(part, from, until, run.pool);
      const FindingsReport expected = findings_of_time(run.whole, from, until, run.pool);
      EXPECT_EQ(text_of(found), text_of(expected));
      if (testing::Test::HasFailure()) return;
    }
    smaller += run.smaller;
  }
  EXPECT_GT(smaller, base::scaled(60));
}

}  // namespace
}  // namespace pathline::app
