// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/runner.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "campaign/test_study.hpp"

namespace pathline::campaign {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

/// A campaign that is run in a folder of its own.
class RunnerTest : public testing::Test {
 protected:
  using Run = campaign::Run;  // Tests have one of their own.

  void begin(const std::string& text) {
    study_.emplace(text);
    std::filesystem::create_directory(campaign());
    auto state = State::create(campaign(), study_->study, {}, study_->plan);
    ASSERT_TRUE(state.ok()) << state.error().message;
    state_.emplace(std::move(state).value());
  }
  void change(const std::string& text) {
    study_->change(text);
    ASSERT_TRUE(state_->adopt(study_->study, {}, study_->plan).ok());
  }
  std::filesystem::path campaign() { return study_->folder.path() / "campaign"; }

  base::Result<RunnerReport> result(uint32_t cores = 2) {
    const auto extractor = Extractor::make(study_->study, study_->plan);
    EXPECT_TRUE(extractor.ok());
    RunnerOptions options{.cores = cores};
    options.note = [this](const std::string& text) {
      notes_.push_back(text);
      if (on_note_) on_note_();
    };
    base::Progress progress;
    return run_packages(*state_, study_->study, study_->plan, extractor.value(), attention_,
                        options, pool_, progress);
  }
  RunnerReport run(uint32_t cores = 2) {
    const auto report = result(cores);
    EXPECT_TRUE(report.ok()) << report.error().message;
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
    return report.ok() ? report.value() : RunnerReport{};
  }
  std::vector<Run> runs() { return state_->runs().value(); }
  /// Of each run the first letter of its state: p(lanned), r, d, f, b.
  std::string states() {
    std::string letters;
    for (const Run& run : runs()) letters += "prdfb"[static_cast<size_t>(run.state)];
    return letters;
  }
  std::string content(int64_t run, const std::string& name) {
    return study_->folder.read("campaign/" + runs()[run - 1].folder + "/" + name);
  }
  /// Why the only run of a step failed.
  std::string reason(const std::string& lines) {
    begin("[[steps]]\nname = \"run\"\n" + lines);
    EXPECT_EQ(run().failed, 1U);
    return runs()[0].reason;
  }

  Attention attention_;
  base::ThreadPool pool_{1};
  std::optional<TestStudy> study_;
  std::optional<State> state_;
  std::vector<std::string> notes_;
  std::function<void()> on_note_;
};

const std::string kTwoSteps = R"([parameters]
p = [1, 2, 3]
[[steps]]
name = "make"
command = "echo made {p} > made; test {p} != 2"
[[steps]]
name = "run"
after = "make"
command = "cat made; echo t={p}0"
[results]
t = { step = "run", pattern = 't=(\d+)' }
)";

TEST_F(RunnerTest, RunsAllButWhatComesBehindAFailure) {
  begin(kTwoSteps);
  const RunnerReport report = run();
  EXPECT_EQ(report.done, 4U);
  EXPECT_EQ(report.failed, 1U);
  EXPECT_EQ(report.blocked, 1U);
  EXPECT_EQ(report.kept, 0U);
  EXPECT_EQ(report.waiting, 0U);
  EXPECT_EQ(states(), "dfddbd");
  EXPECT_EQ(content(4, "stdout"), "made 1\nt=10\n") << "with the files of the run before";
  EXPECT_EQ(runs()[1].reason, "exit status 1");
  EXPECT_EQ(runs()[4].reason, "after 0002.make.p2");
  std::vector<std::string> values;
  ASSERT_TRUE(state_->values([&](int64_t, const Value& value) { values.push_back(value.text); }));
  EXPECT_THAT(values, ElementsAre("10", "30"));
}

TEST_F(RunnerTest, BlocksAllThatComesBehindAFailureHoweverFar) {
  begin(
      "[[steps]]\nname = \"c\"\nafter = [\"b\", \"free\"]\n[[steps]]\nname = \"b\"\nafter = \"a\"\n"
      "[[steps]]\nname = \"a\"\ncommand = \"exit 1\"\n[[steps]]\nname = \"free\"\n");
  const RunnerReport report = run();
  EXPECT_EQ(report.done, 1U);
  EXPECT_EQ(report.failed, 1U);
  EXPECT_EQ(report.blocked, 2U);
}

TEST_F(RunnerTest, KeepsWhatIsDone) {
  begin(kTwoSteps);
  run();
  const std::string before = content(4, "stdout");
  study_->folder.write("campaign/" + runs()[3].folder + "/mark", "");
  const RunnerReport report = run();
  EXPECT_EQ(report.kept, 4U);
  EXPECT_EQ(report.done, 0U);
  EXPECT_EQ(report.failed, 1U) << "what failed is tried again";
  EXPECT_EQ(report.blocked, 1U);
  EXPECT_EQ(report.changed, 0U);
  EXPECT_TRUE(std::filesystem::exists(campaign() / runs()[3].folder / "mark"));
}

TEST_F(RunnerTest, RunsWhatFailedOnceItIsMended) {
  begin(kTwoSteps);
  run();
  std::string mended = kTwoSteps;
  mended.replace(mended.find("test {p} != 2"), 13, "true");
  change(mended);
  const RunnerReport report = run();
  EXPECT_EQ(report.kept, 4U);
  EXPECT_EQ(report.changed, 2U) << "two of make are done by what the study said before";
  EXPECT_EQ(report.done, 2U);
  EXPECT_EQ(states(), "dddddd");
}

TEST_F(RunnerTest, RunsOneAfterTheOtherInTheOrderOfThePlan) {
  begin(
      "[parameters]\np = [3, 1, 2]\n[[steps]]\nname = \"run\"\ncommand = \"echo {p} >> "
      "{study_dir}/log\"\n[[steps]]\nname = \"next\"\nafter = \"run\"\ncommand = \"echo n{p} >> "
      "{study_dir}/log\"\n");
  EXPECT_EQ(run(1).done, 6U);
  EXPECT_EQ(study_->folder.read("log"), "3\n1\n2\nn3\nn1\nn2\n");
}

TEST_F(RunnerTest, RunsAsManyAtATimeAsTheCoresAllow) {
  // Each waits for the other, so that they end only beside one another.
  begin(
      "[parameters]\np = [1, 2]\n[[steps]]\nname = \"run\"\ncores = \"2\"\ntimeout_s = 20\n"
      "command = \"touch {study_dir}/{p}; until test -e {study_dir}/1 && test -e {study_dir}/2; "
      "do sleep 0.01; done\"\n");
  EXPECT_EQ(run(4).done, 2U);
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(RunnerTest, NeverUsesMoreCoresThanThereAre) {
  begin(
      "[parameters]\np = [1, 2, 3, 2, 4, 1, 1]\nk = [1, 2]\n[[steps]]\nname = \"run\"\ncores = "
      "\"{p}\"\ncommand = \"echo {p} >> {study_dir}/log; sleep 0.005; echo -{p} >> "
      "{study_dir}/log\"\n");
  EXPECT_EQ(run(3).failed, 0U);
  std::istringstream log(study_->folder.read("log"));
  int used = 0;
  int most = 0;
  for (int cores = 0; log >> cores;) {
    used += std::clamp(cores, -3, 3);
    most = std::max(most, used);
  }
  EXPECT_EQ(used, 0);
  EXPECT_LE(most, 3);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("2 runs want more cores than the 3 there are")));
}

TEST_F(RunnerTest, FailsWhereTheCheckDoes) {
  EXPECT_EQ(reason("command = \"echo wrong\"\ncheck = \"echo looked; grep right stdout\"\n"),
            "the check failed: exit status 1");
  EXPECT_EQ(content(1, "check.out"), "looked\n");
  EXPECT_THAT(notes_, ElementsAre(AllOf(HasSubstr("0001.run (run) failed: the check failed"),
                                        EndsWith("check.out ends with:\n    looked"))));
}

TEST_F(RunnerTest, IsDoneWhereTheCheckSaysSo) {
  begin("[[steps]]\nname = \"run\"\ncommand = \"echo right\"\ncheck = \"grep right stdout\"\n");
  EXPECT_EQ(run().done, 1U);
}

TEST_F(RunnerTest, EndsWhatTakesTooLong) {
  EXPECT_THAT(reason("command = \"sleep 100 & sleep 101\"\ntimeout_s = 0.05\n"),
              AllOf(HasSubstr("did not end in "), EndsWith("(timeout_s)")));
  EXPECT_GE(runs()[0].seconds, 0.05);
}

TEST_F(RunnerTest, EndsACheckThatTakesTooLong) {
  // Long enough for the command to end on a busy machine.
  EXPECT_THAT(reason("command = \"true\"\ncheck = \"sleep 100\"\ntimeout_s = 0.5\n"),
              AllOf(HasSubstr("the check failed: did not end in "), EndsWith("(timeout_s)")));
}

TEST_F(RunnerTest, SaysHowARunEnded) {
  EXPECT_EQ(reason("command = \"kill -KILL $$\"\n"), "was killed by signal 9 (Killed)");
  EXPECT_EQ(reason("command = \"exit 7\"\n"), "exit status 7");
  EXPECT_EQ(reason("command = \"false\\ntrue\"\n"), "exit status 1") << "each line counts";
}

TEST_F(RunnerTest, SaysThatAProgramIsMissing) {
  EXPECT_EQ(reason("command = \"no-such-program-of-pathline\"\n"),
            "exit status 127: a program was not found");
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("no-such-program-of-pathline: not found")));
}

TEST_F(RunnerTest, SaysThatAFileIsMissing) {
  EXPECT_THAT(reason("copy = \"none\"\n"),
              HasSubstr("study.toml, line 1: step 'run': cannot copy"));
}

TEST_F(RunnerTest, DoesAStepWithoutACommand) {
  begin(
      "[[steps]]\nname = \"make\"\ntemplate = { from = \"in\" }\n[[steps]]\nname = \"run\"\nafter "
      "= \"make\"\ncommand = \"cat in\"\n");
  study_->folder.write("in", "{run_id}");
  EXPECT_EQ(run().done, 2U);
  EXPECT_EQ(content(2, "stdout"), "1");
}

TEST_F(RunnerTest, TellsOfTheFirstFailuresAndCountsTheOthers) {
  begin(
      "[parameters]\np = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]\n[[steps]]\nname = \"run\"\n"
      "command = \"exit {p}\"\n");
  EXPECT_EQ(run().failed, 12U);
  ASSERT_EQ(notes_.size(), 10U);
  EXPECT_THAT(notes_.back(), HasSubstr("more failures are counted"));
}

TEST_F(RunnerTest, WarnsOfWhatCannotBeRead) {
  begin(
      "[[steps]]\nname = \"run\"\ncommand = \"true\"\n[results]\nt = { step = \"run\", pattern = "
      "'x', file = \"none\" }\n");
  EXPECT_EQ(run().done, 1U) << "it is done all the same";
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("0001.run (run): t: ")));
}

TEST_F(RunnerTest, StopsAtASignalAndPutsBackWhatRan) {
  begin(
      "[parameters]\np = [1, 2, 3, 4]\n[[steps]]\nname = \"run\"\n"
      "command = \"test {p} != 1; sleep 100\"\n");
  on_note_ = [] { ::raise(SIGTERM); };
  const RunnerReport report = run();
  EXPECT_EQ(report.signal, SIGTERM);
  EXPECT_EQ(report.failed, 1U);
  EXPECT_EQ(report.done, 0U);
  EXPECT_EQ(report.waiting, 3U);
  EXPECT_EQ(states(), "fppp");
}

TEST_F(RunnerTest, EndsWhatAnEarlierProcessLeftAndDoesItAgain) {
  begin("[[steps]]\nname = \"run\"\ncommand = \"echo again\"\n");
  const auto folder = campaign() / runs()[0].folder;
  std::filesystem::create_directory(folder);
  const std::vector<std::string> words = {"sleep", "100"};
  auto left = start_process(folder, words, "stdout", "stderr");
  ASSERT_TRUE(left.ok());
  ASSERT_TRUE(let_run(left.value(), words, folder).ok());
  ASSERT_TRUE(state_->begin(1, identity_of(left.value()), 0).ok());
  EXPECT_EQ(run().done, 1U) << "and the child was reaped, as it had ended";
  EXPECT_EQ(content(1, "stdout"), "again\n");
}

TEST_F(RunnerTest, RefusesCoresThatAreNoNumber) {
  begin("[[steps]]\nname = \"run\"\ncommand = \"true\"\ncores = \"many\"\n");
  const auto report = result();
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, base::ErrorCode::kInvalidArgument);
  EXPECT_EQ(states(), "p");
}

TEST_F(RunnerTest, RefusesAStateThatDoesNotKnowTheStudy) {
  begin("[[steps]]\nname = \"run\"\n");
  study_->change("[[steps]]\nname = \"other\"\n");
  const auto report = result();
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message, EndsWith("does not know the run 'other'"));
}

}  // namespace
}  // namespace pathline::campaign
