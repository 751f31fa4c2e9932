// SPDX-License-Identifier: BSD-3-Clause
#include "app/finish.hpp"

#include <ctime>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/open_run.hpp"
#include "base/scratch_folder.hpp"
#include "raw/test_raw.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using Kind = chunk::RecordKind;

class FinishRun : public ::testing::Test {
 protected:
  base::ScratchFolder folder_;
  const fs::path run_ = folder_.path() / "run";
  base::ThreadPool pool_{1};
  base::Progress progress_;

  void write_raw(bool finish = true) {
    raw::ProcessWriter writer(run_ / "raw", {});
    writer.region(1, "main").clock_pair(0, 1000, 2000).clock_pair(2000, 2000, 3000);
    writer.event(0, Kind::kEnter, 1).event(2000, Kind::kLeave, 1);
    if (finish) writer.finish();
  }
  FinishReport finish(bool keep_raw = false) {
    auto report = finish_run(run_, {.keep_raw = keep_raw}, pool_, progress_);
    EXPECT_TRUE(report.ok()) << report.error().message;
    return report ? report.value() : FinishReport{};
  }
  uint64_t events() {
    std::vector<std::string> notes;
    const auto trace = open_run(run_, {}, pool_, progress_, notes);
    EXPECT_TRUE(trace.ok()) << trace.error().message;
    return trace ? trace.value().event_count() : 0;
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(run_)) names.push_back(entry.path().filename());
    return names;
  }
};

TEST_F(FinishRun, LeavesTheArchiveAndRemovesRawFilesOnly) {
  write_raw();
  folder_.write("run/raw/note.txt", "mine");
  EXPECT_TRUE(needs_finish(run_));
  EXPECT_EQ(finish().outcome, Finish::kDone);
  EXPECT_FALSE(needs_finish(run_));
  EXPECT_THAT(names(), UnorderedElementsAre("placement.csv", "raw", "run.json", "steps.csv",
                                            "traces", "traces.def", "traces.otf2"));
  EXPECT_EQ(folder_.read("run/raw/note.txt"), "mine");
  EXPECT_EQ(events(), 2U);
  EXPECT_EQ(finish().outcome, Finish::kWasFinished);
}

TEST_F(FinishRun, CanBeDoneAgainWhereverItWasInterrupted) {
  // The states of a run directory between two steps, each made of a whole one by taking away what
  // came later.
  const auto whole = [&] {
    fs::remove_all(run_);
    write_raw();
    finish(true);
  };
  const auto begin_again = [&](const char* what) {
    EXPECT_TRUE(needs_finish(run_)) << what;
    EXPECT_EQ(finish().outcome, Finish::kDone) << what;
    EXPECT_EQ(events(), 2U) << what;
    EXPECT_FALSE(fs::exists(run_ / "raw")) << what;
    EXPECT_FALSE(fs::exists(run_ / ".finish")) << what;
    const auto json = nlohmann::json::parse(folder_.read("run/run.json"));
    EXPECT_EQ(json["finished"], true) << what;
  };
  whole();
  fs::create_directories(run_ / ".finish");
  for (const char* name : {"traces", "traces.def", "traces.otf2"}) {
    fs::rename(run_ / name, run_ / ".finish" / name);
  }
  fs::remove(run_ / "run.json");
  begin_again("the archive is written and not in its place");

  whole();
  fs::create_directories(run_ / ".finish");
  fs::rename(run_ / "traces.otf2", run_ / ".finish/traces.otf2");
  fs::remove(run_ / "run.json");
  begin_again("the anchor file is not in its place");

  whole();
  fs::remove(run_ / "run.json");
  fs::remove(run_ / "steps.csv");
  begin_again("the tables are missing");

  whole();
  folder_.write("run/run.json", R"({"command": ["x"], "ranks": 1})");
  begin_again("it is not marked as finished");

  whole();
  EXPECT_FALSE(needs_finish(run_)) << "it is marked, the raw files are still there";
  EXPECT_EQ(finish().outcome, Finish::kWasFinished);
  EXPECT_FALSE(fs::exists(run_ / "raw"));
  EXPECT_EQ(events(), 2U);
}

TEST_F(FinishRun, KeepsWhatTheLauncherWrote) {
  write_raw();
  folder_.write("run/run.json", R"({"command": ["./app"], "warnings": "old", "exit_status": 3})");
  finish();
  const auto json = nlohmann::json::parse(folder_.read("run/run.json"));
  EXPECT_EQ(json["command"][0], "./app");
  EXPECT_EQ(json["exit_status"], 3);
  EXPECT_TRUE(json["warnings"].is_array());
  EXPECT_EQ(json["ranks"], 1);
  EXPECT_EQ(json["begin"], "1970-01-01T00:00:00.000Z");
}

TEST_F(FinishRun, ChangesNothingWhileAProcessWrites) {
  char host[256] = {};
  ASSERT_EQ(gethostname(host, sizeof host - 1), 0);
  raw::ProcessWriter writer(run_ / "raw",
                            {.process_id = static_cast<uint32_t>(getpid()), .host = host});
  writer.region(1, "main");
  writer.clock_pair(0, 1000, static_cast<uint64_t>(time(nullptr)) * 1'000'000'000);
  writer.event(0, Kind::kEnter, 1).event(2000, Kind::kLeave, 1);
  EXPECT_EQ(finish().outcome, Finish::kStillRuns);
  EXPECT_THAT(names(), ElementsAre("raw"));
  std::vector<std::string> notes;
  const auto trace = open_run(run_, {}, pool_, progress_, notes);
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(trace.value().event_count(), 2U);
  EXPECT_FALSE(trace.value().complete);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("is still being written")));
  EXPECT_THAT(names(), ElementsAre("raw"));

  writer.event(4000, Kind::kEnter, 1);
  writer.finish();
  EXPECT_EQ(finish().outcome, Finish::kDone);
  EXPECT_EQ(events(), 4U) << "with the leave at the end";
}

TEST_F(FinishRun, LeavesAloneWhatMayStillBeWrittenOnAnotherHost) {
  raw::ProcessWriter writer(run_ / "raw", {.process_id = 1, .host = "far-away"});
  writer.region(1, "main").clock_pair(0, 1000, 2000).event(0, Kind::kEnter, 1);
  std::vector<std::string> notes;
  ASSERT_TRUE(open_run(run_, {}, pool_, progress_, notes).ok());
  EXPECT_THAT(notes, ElementsAre(HasSubstr("may still be written on another host")));
  EXPECT_THAT(names(), ElementsAre("raw"));
  folder_.write("run/run.json", R"({"end_time": null})");
  ASSERT_TRUE(open_run(run_, {}, pool_, progress_, notes).ok());
  EXPECT_TRUE(fs::exists(run_ / "raw"));
  // The launcher has seen it end.
  folder_.write("run/run.json", R"({"end_time": "2026-11-21T09:30:05.123Z"})");
  ASSERT_TRUE(open_run(run_, {}, pool_, progress_, notes).ok());
  EXPECT_THAT(notes.back(), HasSubstr("were made into traces.otf2"));
  EXPECT_FALSE(fs::exists(run_ / "raw"));
}

TEST_F(FinishRun, DoesNotLoseAnArchiveOfOthersToStrangeRawFiles) {
  write_raw();
  finish();
  folder_.write("run/raw/photo.raw", "no raw file of ours");
  fs::remove(run_ / "run.json");
  EXPECT_FALSE(finish_run(run_, {}, pool_, progress_).ok());
  EXPECT_EQ(events(), 2U);
  EXPECT_EQ(folder_.read("run/raw/photo.raw"), "no raw file of ours");
}

TEST(CheckCausality, CountsWhatEndsBeforeItBegins) {
  trace::Trace trace;
  trace.messages.resize(4);
  const uint64_t sent[] = {100, 200, 300, 400};
  const uint64_t received[] = {101, 150, 300, 330};
  for (size_t i = 0; i < 4; ++i) {
    trace.messages.send_ticks.set(i, sent[i]);
    trace.messages.recv_ticks.set(i, received[i]);
    trace.messages.sender.set(i, 0);
    trace.messages.send_location.set(i, 0);
    trace.messages.receiver.set(i, 1);
    trace.messages.recv_location.set(i, 1);
    trace.messages.comm.set(i, 0);
    trace.messages.tag.set(i, 0);
  }
  base::ThreadPool pool(1);
  const Causality causality = check_causality(trace, 60e-9, pool);
  EXPECT_EQ(causality.messages, 4U);
  EXPECT_EQ(causality.violations, 2U);
  EXPECT_DOUBLE_EQ(causality.worst_s, 70e-9);
  EXPECT_FALSE(causality.within_error_bound());
  EXPECT_TRUE(check_causality(trace, 80e-9, pool).within_error_bound());

  // Another thread of the sender has the same tag: it may be its message that came first.
  trace.messages.send_location.set(2, 7);
  EXPECT_EQ(check_causality(trace, 60e-9, pool).violations, 0U);
  EXPECT_TRUE(check_causality(trace, 60e-9, pool).within_error_bound());
}

}  // namespace
}  // namespace pathline::app
