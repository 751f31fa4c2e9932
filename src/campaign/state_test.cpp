// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/state.hpp"

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_scale.hpp"
#include "campaign/test_study.hpp"

namespace pathline::campaign {
namespace {

namespace fs = std::filesystem;
using profile::MetricNode;
using profile::MetricTable;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kStudy = R"([campaign]
repetitions = 2
[parameters]
p = [1, 2]
a = "fixed"
[[steps]]
name = "make"
uses = []
[[steps]]
name = "run it"
after = "make"
[results]
t = { step = "run it", pattern = 't=(\d+)' }
)";

MetricTable small_profile(double seconds) {
  MetricTable table;
  table.metrics = {{.name = "time", .unit = "sec"}};
  table.call_paths = {{MetricNode::kNoParent, "main"}, {0, "solve"}};
  table.location_count = 2;
  table.rank_of_location = {trace::Rank(0), trace::Rank(1)};
  table.values = {{1, 2, seconds, 4}};
  return table;
}

class StateTest : public testing::Test {
 protected:
  using Run = campaign::Run;  // Tests have one of their own.

  StateTest() { fs::create_directory(campaign_); }

  State create() {
    auto state = State::create(campaign_, study_.study, {"big", "a b"}, study_.plan);
    EXPECT_TRUE(state.ok()) << state.error().message;
    return std::move(state).value();
  }
  State open() {
    auto state = State::open(campaign_, State::Access::kWrite);
    EXPECT_TRUE(state.ok()) << state.error().message;
    return std::move(state).value();
  }
  static std::vector<Run> runs(State& state) {
    auto runs = state.runs();
    EXPECT_TRUE(runs.ok()) << runs.error().message;
    return runs.ok() ? std::move(runs).value() : std::vector<Run>();
  }
  static std::vector<std::string> values(State& state) {
    std::vector<std::string> all;
    const auto status = state.values([&](int64_t run, const Value& value) {
      all.push_back(fmt::format("{} {}/{:x} {}", run, value.column, value.definition, value.text));
    });
    EXPECT_TRUE(status.ok()) << status.error().message;
    return all;
  }
  /// A campaign in which something has become of each run but the last.
  void fill() {
    State state = create();
    const std::vector<Value> found = {
        {.column = "t", .definition = 0xfedcba9876543210, .text = "5"}};
    ASSERT_TRUE(state.finish(1, 0.5, {}, nullptr).ok());
    const MetricTable profile = small_profile(3);
    ASSERT_TRUE(state.finish(2, 1.5, found, &profile).ok());
    ASSERT_TRUE(state.fail(3, RunState::kFailed, "exit status 1", 2).ok());
    ASSERT_TRUE(state.begin(4, "77 88", 0xffffffffffffffff).ok());
  }

  TestStudy study_{kStudy};
  fs::path campaign_ = study_.folder.path() / "campaign";
};

TEST_F(StateTest, OfANewCampaignHasEachRunInTheOrderOfThePlan) {
  State state = create();
  const std::vector<Run> all = runs(state);
  ASSERT_EQ(all.size(), 5U);
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].id, static_cast<int64_t>(i + 1));
    EXPECT_EQ(all[i].key, study_.plan.packages[i].key);
    EXPECT_EQ(all[i].state, RunState::kPlanned);
  }
  EXPECT_EQ(all[0].folder, "0001.make");
  EXPECT_EQ(all[1].folder, "0002.run_it.p1.r1") << "no parameter that is always the same";
  EXPECT_EQ(all[4].folder, "0005.run_it.p2.r2");
}

TEST_F(StateTest, IsNoCampaignUntilItIsWhole) {
  // What a kill leaves that came while the file was made.
  std::ofstream(campaign_ / "campaign.db.new") << "half a database";
  const auto none = State::open(campaign_, State::Access::kWrite);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, base::ErrorCode::kNotFound);
  State state = create();
  EXPECT_EQ(runs(state).size(), 5U);
  EXPECT_FALSE(fs::exists(campaign_ / "campaign.db.new"));
}

TEST_F(StateTest, HasFoldersWithoutLettersOfShells) {
  study_.change("[parameters]\na = [\"../..\", \"a b;c\", \"" + std::string(300, 'x') +
                "\"]\nb = [\"" + std::string(300, 'y') + "\", \"1\"]\n[[steps]]\nname = \"run\"\n");
  State state = create();
  for (const Run& run : runs(state)) {
    EXPECT_EQ(run.folder.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._"),
              std::string::npos)
        << run.folder;
    EXPECT_LE(run.folder.size(), 100U);
  }
}

TEST_F(StateTest, KeepsTheStudyAndItsTags) {
  create();
  study_.folder.write("study.toml", "no study any more");
  State state = open();
  auto study = state.study();
  ASSERT_TRUE(study.ok()) << study.error().message;
  EXPECT_EQ(study.value().steps[1].name, "run it");
  EXPECT_THAT(state.tags().value(), ElementsAre("big", "a b"));
  EXPECT_EQ(state.file().value(), (study_.folder.path() / "study.toml").string());
}

TEST_F(StateTest, KeepsWhatBecameOfRuns) {
  fill();
  State state = open();
  const std::vector<Run> all = runs(state);
  EXPECT_EQ(all[0].state, RunState::kDone);
  EXPECT_EQ(all[1].state, RunState::kDone);
  EXPECT_EQ(all[1].seconds, 1.5);
  EXPECT_EQ(all[2].state, RunState::kFailed);
  EXPECT_EQ(all[2].reason, "exit status 1");
  EXPECT_EQ(all[3].state, RunState::kRunning);
  EXPECT_EQ(all[3].process, "77 88");
  EXPECT_EQ(all[3].definition, 0xffffffffffffffff);
  EXPECT_EQ(all[4].state, RunState::kPlanned);
  EXPECT_THAT(values(state), ElementsAre("2 t/fedcba9876543210 5"));
}

TEST_F(StateTest, KeepsProfiles) {
  fill();
  State state = open();
  const MetricTable other = small_profile(7);
  ASSERT_TRUE(state.finish(4, 1, {}, &other).ok());
  auto profile = state.profile_of(2);
  ASSERT_TRUE(profile.ok() && profile.value().has_value());
  EXPECT_THAT(profile.value()->values, ElementsAre(ElementsAre(1, 2, 3, 4)));
  EXPECT_EQ(profile.value()->call_paths[1].region, "solve");
  profile = state.profile_of(4);
  ASSERT_TRUE(profile.ok() && profile.value().has_value());
  EXPECT_THAT(profile.value()->values, ElementsAre(ElementsAre(1, 2, 7, 4)));
  profile = state.profile_of(1);
  ASSERT_TRUE(profile.ok());
  EXPECT_FALSE(profile.value().has_value()) << "it was not recorded";
}

TEST_F(StateTest, CountsRunsByStep) {
  fill();
  State state = open();
  const int64_t last = 5;
  ASSERT_TRUE(state.fail(last, RunState::kBlocked, "after x", 0).ok());
  const auto counts = state.counts();
  ASSERT_TRUE(counts.ok());
  ASSERT_EQ(counts.value().size(), 2U);
  EXPECT_EQ(counts.value()[0].step, "make");
  EXPECT_EQ(counts.value()[0].done, 1U);
  const StepCounts& run = counts.value()[1];
  EXPECT_EQ(
      run.planned + 10 * run.running + 100 * run.done + 1000 * run.failed + 10000 * run.blocked,
      11110U);
  EXPECT_EQ(run.seconds, 1.5) << "of what is done";
}

TEST_F(StateTest, TellsTheLastFailuresFirst) {
  State state = create();
  for (const int64_t run : {1, 2, 4}) {
    ASSERT_TRUE(state.fail(run, RunState::kFailed, fmt::format("no {}", run), 1).ok());
  }
  ASSERT_TRUE(state.fail(5, RunState::kBlocked, "after 4", 0).ok());
  const auto failures = state.failures(2);
  ASSERT_TRUE(failures.ok());
  ASSERT_EQ(failures.value().size(), 2U);
  EXPECT_EQ(failures.value()[0].reason, "no 4");
  EXPECT_EQ(failures.value()[1].reason, "no 2");
}

TEST_F(StateTest, PutsRunsBack) {
  fill();
  State state = open();
  const int64_t back[] = {3, 4};
  ASSERT_TRUE(state.put_back(back).ok());
  for (const Run& run : runs(state)) {
    if (run.id <= 2) {
      EXPECT_EQ(run.state, RunState::kDone);
      continue;
    }
    EXPECT_EQ(run.state, RunState::kPlanned);
    EXPECT_EQ(run.reason, "");
    EXPECT_EQ(run.process, "");
  }
}

TEST_F(StateTest, AddsValuesInPlaceOfOlderOnes) {
  fill();
  State state = open();
  const std::vector<Value> more = {{.column = "t", .definition = 1, .text = "6"},
                                   {.column = "u", .definition = 2, .text = ""}};
  ASSERT_TRUE(state.add(2, more).ok());
  EXPECT_THAT(values(state), ElementsAre("2 t/1 6", "2 u/2 "));
}

TEST_F(StateTest, TakesOverAStudyThatHasChanged) {
  fill();
  std::string text = kStudy;
  text.replace(text.find("[1, 2]"), 6, "[8, 2, 1]");
  study_.change(text);
  {
    State state = open();
    ASSERT_TRUE(state.adopt(study_.study, {}, study_.plan).ok());
  }
  State state = open();
  const std::vector<Run> all = runs(state);
  ASSERT_EQ(all.size(), 7U);
  EXPECT_EQ(all[1].key, "run it p=1 a=fixed #1");
  EXPECT_EQ(all[1].state, RunState::kDone);
  EXPECT_EQ(all[2].reason, "exit status 1");
  EXPECT_EQ(all[5].key, "run it p=8 a=fixed #1");
  EXPECT_EQ(all[5].folder, "0006.run_it.p8.r1");
  EXPECT_EQ(values(state).size(), 1U);
  EXPECT_THAT(state.tags().value(), IsEmpty());
  EXPECT_EQ(state.study().value().sets[0].parameters[0].values.size(), 3U);
}

TEST_F(StateTest, KeepsRunsThatAStudyHasNoMore) {
  fill();
  study_.change("[[steps]]\nname = \"other\"\n");
  State state = open();
  ASSERT_TRUE(state.adopt(study_.study, {}, study_.plan).ok());
  EXPECT_EQ(runs(state).size(), 6U);
  EXPECT_EQ(runs(state)[5].key, "other");
}

TEST_F(StateTest, IsNotMadeTwice) {
  create();
  EXPECT_FALSE(State::create(campaign_, study_.study, {}, study_.plan).ok());
}

TEST_F(StateTest, OfAnEmptyFolderIsNotFound) {
  for (const auto access : {State::Access::kRead, State::Access::kWrite}) {
    const auto state = State::open(campaign_, access);
    ASSERT_FALSE(state.ok());
    EXPECT_EQ(state.error().code, base::ErrorCode::kNotFound);
    EXPECT_EQ(state.error().message, "there is no campaign in " + campaign_.string());
  }
  EXPECT_TRUE(fs::is_empty(campaign_)) << "asking leaves nothing";
}

TEST_F(StateTest, OfAnotherDatabaseIsUnsupported) {
  create();
  auto connection = store::Connection::open(campaign_ / kStateFile, State::Access::kWrite);
  ASSERT_TRUE(connection.ok());
  ASSERT_TRUE(connection.value().run("PRAGMA user_version = 2").ok());
  auto state = State::open(campaign_, State::Access::kRead);
  ASSERT_FALSE(state.ok());
  EXPECT_THAT(state.error().message, HasSubstr("has version 2 of the tables, expected at most 1"));
  ASSERT_TRUE(connection.value().run("PRAGMA application_id = 1").ok());
  state = State::open(campaign_, State::Access::kRead);
  ASSERT_FALSE(state.ok());
  EXPECT_EQ(state.error().code, base::ErrorCode::kUnsupported);
}

/// Reads all there is. Returns the first error.
base::Status read_all(const fs::path& folder) {
  auto opened = State::open(folder, State::Access::kRead);
  if (!opened) return opened.error();
  State& state = opened.value();
  const auto runs = state.runs();
  if (!runs) return runs.error();
  if (auto status = state.values([](int64_t, const Value&) {}); !status) return status;
  if (auto counts = state.counts(); !counts) return counts.error();
  if (auto failures = state.failures(10); !failures) return failures.error();
  if (auto study = state.study(); !study) return study.error();
  if (auto file = state.file(); !file) return file.error();
  for (const Run& run : runs.value()) {
    if (auto profile = state.profile_of(run.id); !profile) return profile.error();
  }
  return {};
}

TEST_F(StateTest, ThatIsCutIsRefused) {
  fill();
  ASSERT_TRUE(read_all(campaign_).ok());
  const std::string whole = study_.folder.read("campaign/campaign.db");
  constexpr size_t kPage = 4096;
  ASSERT_GT(whole.size(), 5 * kPage);
  const fs::path file = fs::path("campaign") / kStateFile;
  for (size_t size = 0; size <= whole.size() - kPage; size += size < kPage ? 300 : 1000) {
    study_.folder.write(file, std::string_view(whole).substr(0, size));
    const auto read = read_all(campaign_);
    ASSERT_FALSE(read.ok()) << size;
    if (size >= 512) {
      EXPECT_EQ(read.error().code, base::ErrorCode::kCorrupt) << size;
    }
  }
  // What is left of the last page may look like less than there was.
  for (size_t size = whole.size() - kPage; size < whole.size(); size += 100) {
    study_.folder.write(file, std::string_view(whole).substr(0, size));
    (void)read_all(campaign_);
  }
  study_.folder.write(file, std::string(whole.size(), 'x'));
  EXPECT_EQ(read_all(campaign_).error().code, base::ErrorCode::kCorrupt);
}

TEST_F(StateTest, WithBytesChangedIsReadOrRefused) {
  fill();
  const std::string whole = study_.folder.read("campaign/campaign.db");
  const fs::path file = fs::path("campaign") / kStateFile;
  std::mt19937 random(4);
  size_t refused = 0;
  constexpr size_t kTimes = base::scaled(160);
  for (size_t i = 0; i < kTimes; ++i) {
    std::string bytes = whole;
    for (size_t k = 0; k < size_t{1} << (i % 10); ++k) {
      bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
    }
    study_.folder.write(file, bytes);
    const auto read = read_all(campaign_);
    if (read.ok()) continue;
    ++refused;
    EXPECT_FALSE(read.error().message.empty());
  }
  EXPECT_GT(refused, kTimes / 4);
}

TEST_F(StateTest, WithADamagedProfileIsCorrupt) {
  fill();
  {
    auto connection = store::Connection::open(campaign_ / kStateFile, State::Access::kWrite);
    ASSERT_TRUE(connection.ok());
    ASSERT_TRUE(connection.value().run("UPDATE profile SET locations = 4000000000").ok());
  }
  State state = open();
  const auto profile = state.profile_of(2);
  ASSERT_FALSE(profile.ok());
  EXPECT_EQ(profile.error().code, base::ErrorCode::kCorrupt);
  EXPECT_THAT(profile.error().message, HasSubstr("is damaged: the profile of run 2"));
}

TEST_F(StateTest, WithAnUnknownStateOfARunIsCorrupt) {
  fill();
  for (const char* value : {"5", "-1", "258"}) {
    auto connection = store::Connection::open(campaign_ / kStateFile, State::Access::kWrite);
    ASSERT_TRUE(connection.ok());
    ASSERT_TRUE(
        connection.value().run(fmt::format("UPDATE run SET state = {}", value).c_str()).ok());
    const auto runs = open().runs();
    ASSERT_FALSE(runs.ok()) << value;
    EXPECT_EQ(runs.error().code, base::ErrorCode::kCorrupt);
  }
}

}  // namespace
}  // namespace pathline::campaign
