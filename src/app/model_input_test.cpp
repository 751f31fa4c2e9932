// SPDX-License-Identifier: BSD-3-Clause
#include "app/model_input.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "cube/test_cube.hpp"

namespace pathline::app {
namespace {

using base::ErrorCode;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// main with `seconds` and two visits at one location.
std::string cube_of(double seconds) {
  cube::TestCube cube(1);
  cube.call_path("main");
  cube.metric({.name = "time", .values = {{seconds}}});
  cube.metric({.name = "visits", .unit = "occ", .values = {{2}}});
  cube.metric({.name = "min_time", .type = "MINDOUBLE", .values = {{seconds / 2}}});
  cube.metric({.name = "bytes_put", .unit = "bytes"});
  return cube.bytes();
}

base::Result<ModelInput> read(const ModelRequest& request) {
  base::ThreadPool pool(2);
  base::Progress progress;
  return open_measurements(request, pool, progress);
}

base::Result<ModelInput> read(const base::ScratchFolder& folder,
                              std::vector<std::string> metrics = {}) {
  return read({.data = folder.path().string(), .metrics = std::move(metrics)});
}

std::vector<double> samples(const scaling::Experiment& experiment, size_t kernel, size_t point) {
  const auto values = experiment.samples_of(kernel, point);
  return {values.begin(), values.end()};
}

TEST(ModelInput, TakesTheParametersFromTheNamesOfTheFolders) {
  const base::ScratchFolder folder;
  folder.write("mm.p4.n10.r1/profile.cubex", cube_of(1));
  folder.write("mm.p8.n20.r1/profile.cubex", cube_of(2));
  const auto input = read(folder, {"time"});
  ASSERT_TRUE(input.ok()) << input.error().message;
  const scaling::Experiment& experiment = input.value().experiment;
  EXPECT_TRUE(input.value().from_profiles);
  EXPECT_THAT(experiment.parameters, ElementsAre("p", "n"));
  EXPECT_THAT(experiment.coordinates, ElementsAre(4, 10, 8, 20));
  EXPECT_THAT(experiment.metrics, ElementsAre("time"));
  EXPECT_THAT(experiment.call_paths, ElementsAre("main"));
  ASSERT_EQ(experiment.kernels.size(), 1U);
  EXPECT_THAT(samples(experiment, 0, 1), ElementsAre(2));
}

TEST(ModelInput, FilesInOneFolderAndFoldersThatDifferInTheRepetitionAreRepetitions) {
  const base::ScratchFolder folder;
  folder.write("p4.r1/a.cubex", cube_of(1));
  folder.write("p4.r1/b.cubex", cube_of(3));
  folder.write("p4.r2/a.cubex", cube_of(2));
  folder.write("p8/a.cubex", cube_of(5));
  const auto input = read(folder, {"time"});
  ASSERT_TRUE(input.ok()) << input.error().message;
  EXPECT_THAT(samples(input.value().experiment, 0, 0), ElementsAre(1, 2, 3));
  EXPECT_THAT(samples(input.value().experiment, 0, 1), ElementsAre(5));
}

TEST(ModelInput, HiddenNamesAndFoldersWithoutProfilesDoNotCount) {
  const base::ScratchFolder folder;
  folder.write("p4/profile.cubex", cube_of(1));
  folder.write("p4/.other.cubex", "no profile");
  folder.write("p8/profile.cubex", cube_of(2));
  folder.write(".p16/profile.cubex", cube_of(4));
  folder.write("notes/README", "not a run");
  folder.write("summary.txt", "");
  const auto input = read(folder);
  ASSERT_TRUE(input.ok()) << input.error().message;
  EXPECT_THAT(input.value().experiment.coordinates, ElementsAre(4, 8));
}

TEST(ModelInput, TellsOfRunsThatLeftNothing) {
  const base::ScratchFolder folder;
  folder.write("heat.p4/profile.cubex", cube_of(1));
  folder.write("heat.p8/profile.cubex", cube_of(2));
  folder.write("heat.p16/out.log", "killed");
  folder.write("heat.p32/run.json", "{}");
  folder.write("heat.p64/profile.csv", "region\n");
  folder.write("plots2/a.svg", "");
  const auto input = read(folder);
  ASSERT_TRUE(input.ok()) << input.error().message;
  EXPECT_THAT(input.value().experiment.warnings,
              Contains(testing::AllOf(HasSubstr("left out 2 runs without trace and profile"),
                                      HasSubstr("heat.p16"), HasSubstr("may have failed"))));
  EXPECT_THAT(input.value().experiment.warnings,
              Contains(testing::AllOf(HasSubstr("left out 1 run without trace and profile"),
                                      HasSubstr("heat.p64"), HasSubstr("--mode both"))));
  EXPECT_THAT(input.value().experiment.warnings, testing::Not(Contains(HasSubstr("plots2"))));
}

TEST(ModelInput, TellsHowToRecordWhereThereAreSumsOnly) {
  const base::ScratchFolder folder;
  folder.write("p4/profile.csv", "region\n");
  const auto input = read(folder);
  ASSERT_FALSE(input.ok());
  EXPECT_THAT(input.error().advice, HasSubstr("--mode both"));
  const auto run = read({.runs = {{folder.path() / "p4", {{"p", 4}}}}});
  ASSERT_FALSE(run.ok());
  EXPECT_THAT(run.error().advice, HasSubstr("--mode both"));
}

TEST(ModelInput, LeavesOutWhatWasMeasuredBelow) {
  const base::ScratchFolder folder;
  for (const int p : {1, 4, 8}) {
    folder.write("p" + std::to_string(p) + "/profile.cubex", cube_of(p));
  }
  const auto file = folder.write("all.txt",
                                 "PARAMETER p\nPOINTS 1 4 8\nREGION main\nMETRIC time\n"
                                 "DATA 1\nDATA 4 4.5\nDATA 8\n");
  for (const std::string& data : {folder.path().string(), file.string()}) {
    const auto input = read({.data = data, .metrics = {"time"}, .from = {{"p", 4}}});
    ASSERT_TRUE(input.ok()) << input.error().message;
    const scaling::Experiment& experiment = input.value().experiment;
    EXPECT_THAT(experiment.coordinates, ElementsAre(4, 8)) << data;
    EXPECT_EQ(samples(experiment, 0, 0)[0], 4) << data;
    EXPECT_THAT(samples(experiment, 0, 1), ElementsAre(8)) << data;
    const auto none = read({.data = data, .metrics = {"time"}, .from = {{"p", 9}}});
    ASSERT_FALSE(none.ok()) << data;
    EXPECT_THAT(none.error().message, HasSubstr("--at-least leaves no measurement"));
    const auto other = read({.data = data, .from = {{"q", 4}}});
    ASSERT_FALSE(other.ok()) << data;
    EXPECT_THAT(other.error().message,
                HasSubstr("--at-least q: there is no such parameter, only p"));
  }
}

TEST(ModelInput, UnitsFollowTheMetricsThatWereAskedFor) {
  const base::ScratchFolder folder;
  folder.write("p4/profile.cubex", cube_of(1));
  folder.write("p8/profile.cubex", cube_of(2));
  const auto input = read(folder, {"visits", "time"});
  ASSERT_TRUE(input.ok()) << input.error().message;
  EXPECT_THAT(input.value().experiment.metrics, ElementsAre("visits", "time"));
  EXPECT_THAT(input.value().experiment.units, ElementsAre("occ", "sec"));
  const auto one = read(folder, {"visits"});
  ASSERT_TRUE(one.ok()) << one.error().message;
  EXPECT_THAT(one.value().experiment.units, ElementsAre("occ"));
}

TEST(ModelInput, NeedsMoreThanOneRun) {
  const base::ScratchFolder folder;
  folder.write("p4/profile.cubex", cube_of(1));
  const auto input = read(folder);
  ASSERT_FALSE(input.ok());
  EXPECT_THAT(input.error().message, HasSubstr("only one run"));
}

TEST(ModelInput, LeavesOutParametersThatDoNotVaryAndSaysSo) {
  const base::ScratchFolder folder;
  folder.write("p4.n7/profile.cubex", cube_of(1));
  folder.write("p8.n7/profile.cubex", cube_of(2));
  const auto input = read(folder);
  ASSERT_TRUE(input.ok()) << input.error().message;
  EXPECT_THAT(input.value().experiment.parameters, ElementsAre("p"));
  EXPECT_THAT(input.value().experiment.warnings,
              Contains("n = 7 in every run: left out of the models"));
}

TEST(ModelInput, TellsOfMetricsWithoutDataOnce) {
  const base::ScratchFolder folder;
  folder.write("p4/profile.cubex", cube_of(1));
  folder.write("p8/profile.cubex", cube_of(2));
  const auto input = read(folder);
  ASSERT_TRUE(input.ok()) << input.error().message;
  EXPECT_THAT(input.value().experiment.warnings,
              Contains("left out 1 metric without data: bytes_put"));
  const auto other = read(folder, {"time"});
  ASSERT_TRUE(other.ok()) << other.error().message;
  EXPECT_THAT(other.value().experiment.warnings, testing::Not(Contains(HasSubstr("bytes_put"))));
}

TEST(ModelInput, KnowsWhichMetricsDoNotAddUp) {
  const base::ScratchFolder folder;
  folder.write("p4/profile.cubex", cube_of(1));
  folder.write("p8/profile.cubex", cube_of(2));
  const auto input = read(folder);
  ASSERT_TRUE(input.ok()) << input.error().message;
  EXPECT_THAT(input.value().not_additive, ElementsAre("min_time"));
}

TEST(ModelInput, GivesMetricsInTheOrderTheyWereAskedFor) {
  const base::ScratchFolder folder;
  folder.write("p4/profile.cubex", cube_of(1));
  folder.write("p8/profile.cubex", cube_of(2));
  const auto input = read(folder, {"visits", "time"});
  ASSERT_TRUE(input.ok()) << input.error().message;
  const scaling::Experiment& experiment = input.value().experiment;
  EXPECT_THAT(experiment.metrics, ElementsAre("visits", "time"));
  ASSERT_EQ(experiment.kernels.size(), 2U);
  for (size_t k = 0; k < 2; ++k) {
    const bool is_time = experiment.metrics[experiment.kernels[k].metric] == "time";
    EXPECT_THAT(samples(experiment, k, 0), ElementsAre(is_time ? 1 : 2));
  }
}

TEST(ModelInput, NamesTheMetricsThereAreWhenOneIsUnknown) {
  const base::ScratchFolder folder;
  folder.write("p4/profile.cubex", cube_of(1));
  folder.write("p8/profile.cubex", cube_of(2));
  const auto input = read(folder, {"tiem"});
  ASSERT_FALSE(input.ok());
  EXPECT_EQ(input.error().message, "there is no metric 'tiem', only time, visits, min_time");
  EXPECT_EQ(input.error().advice, "Did you mean 'time'?");
}

TEST(ModelInput, NamesBothFoldersThatDisagree) {
  const base::ScratchFolder folder;
  folder.write("mm.x1y1z1/profile.cubex", cube_of(1));
  folder.write("mm.x2y1wrong1/profile.cubex", cube_of(2));
  const auto input = read(folder);
  ASSERT_FALSE(input.ok());
  EXPECT_EQ(input.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(input.error().message, HasSubstr("mm.x1y1z1 has x, y, z, but "));
  EXPECT_THAT(input.error().message, HasSubstr("mm.x2y1wrong1 has x, y, wrong"));
}

TEST(ModelInput, WantsAParameterThatVaries) {
  const base::ScratchFolder folder;
  folder.write("p4.r1/profile.cubex", cube_of(1));
  folder.write("p4.r2/profile.cubex", cube_of(2));
  const auto input = read(folder);
  ASSERT_FALSE(input.ok());
  EXPECT_THAT(input.error().message, HasSubstr("no parameter varies in "));
  EXPECT_THAT(input.error().message, HasSubstr("p4.r2 has the values of "));
}

TEST(ModelInput, WantsFoldersNamedAfterParameters) {
  const base::ScratchFolder folder;
  folder.write("first/profile.cubex", cube_of(1));
  const auto input = read(folder);
  ASSERT_FALSE(input.ok());
  EXPECT_THAT(input.error().message, HasSubstr("first"));
  EXPECT_NE(input.error().advice, "");
}

TEST(ModelInput, SaysWhatAFolderLacks) {
  const base::ScratchFolder folder;
  folder.write("p4/notes.txt", "");
  EXPECT_THAT(read(folder).error().message, HasSubstr("holds no folder with Cube profiles"));
  folder.write("profile.cubex", cube_of(1));
  EXPECT_THAT(read(folder).error().message, HasSubstr("is one run, but models need several"));
}

TEST(ModelInput, NamesADamagedProfile) {
  const base::ScratchFolder folder;
  folder.write("p4/profile.cubex", cube_of(1));
  folder.write("p8/profile.cubex", cube_of(2).substr(0, 600));
  const auto input = read(folder);
  ASSERT_FALSE(input.ok());
  EXPECT_THAT(input.error().message, HasSubstr("p8/profile.cubex"));
}

TEST(ModelInput, TakesRunsWithTheParametersThatSomebodySays) {
  const base::ScratchFolder folder;
  const std::string file = folder.write("first.cubex", cube_of(1));
  folder.write("second/profile.cubex", cube_of(2));
  const std::string second = (folder.path() / "second").string();
  const auto input = read({.runs = {{second, {{"p", 8}, {"n", 1}}},
                                    {file, {{"p", 4}, {"n", 1}}},
                                    {file, {{"p", 4}, {"n", 1}}}},
                           .metrics = {"time"}});
  ASSERT_TRUE(input.ok()) << input.error().message;
  const scaling::Experiment& experiment = input.value().experiment;
  EXPECT_THAT(experiment.parameters, ElementsAre("p"));
  EXPECT_THAT(experiment.coordinates, ElementsAre(4, 8));
  EXPECT_THAT(samples(experiment, 0, 0), ElementsAre(1, 1));
}

TEST(ModelInput, AcceptsOneRun) {
  const base::ScratchFolder folder;
  const std::string file = folder.write("first.cubex", cube_of(1));
  const auto input = read({.runs = {{file, {{"p", 4}}}}});
  ASSERT_TRUE(input.ok()) << input.error().message;
  EXPECT_THAT(input.value().experiment.coordinates, ElementsAre(4));
}

TEST(ModelInput, RefusesRunsThatDoNotFitTogether) {
  const base::ScratchFolder folder;
  const std::string file = folder.write("first.cubex", cube_of(1));
  const std::string empty = folder.path().string();
  EXPECT_THAT(read({.runs = {{file, {{"p", 4}}}, {file, {{"n", 4}}}}}).error().message,
              HasSubstr("has p, but "));
  EXPECT_THAT(read({.runs = {{file, {{"p", 4}, {"p", 5}}}}}).error().message,
              HasSubstr("has the parameter p twice"));
  const auto nowhere = read({.runs = {{empty + "/nowhere", {{"p", 4}}}}});
  ASSERT_FALSE(nowhere.ok());
  EXPECT_EQ(nowhere.error().code, ErrorCode::kNotFound);
}

TEST(ModelInput, ReadsFilesOfMeasurements) {
  const base::ScratchFolder folder;
  const std::string file = folder.write("series.txt",
                                        "PARAMETER p\nPOINTS 4 8\n"
                                        "METRIC time\nREGION main\nDATA 1 2\nDATA 3\n"
                                        "METRIC bytes\nREGION main\nDATA 10\nDATA 20\n"
                                        "REGION main->send\nDATA 5\n");
  const auto input = read({.data = file, .metrics = {"bytes"}});
  ASSERT_TRUE(input.ok()) << input.error().message;
  const scaling::Experiment& experiment = input.value().experiment;
  EXPECT_FALSE(input.value().from_profiles);
  EXPECT_THAT(experiment.metrics, ElementsAre("bytes"));
  ASSERT_EQ(experiment.kernels.size(), 1U);
  EXPECT_THAT(samples(experiment, 0, 0), ElementsAre(10));
  EXPECT_THAT(samples(experiment, 0, 1), ElementsAre(20));
  EXPECT_EQ(experiment.skipped.size(), 1U);
  const auto other = read({.data = file, .metrics = {"time"}});
  ASSERT_TRUE(other.ok()) << other.error().message;
  EXPECT_THAT(samples(other.value().experiment, 0, 0), ElementsAre(1, 2));
  EXPECT_THAT(other.value().experiment.skipped, IsEmpty());
}

}  // namespace
}  // namespace pathline::app
