// SPDX-License-Identifier: BSD-3-Clause
#include "app/record_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"

namespace pathline::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

/// What is effective, as "name=value ..."; the error where there is one.
std::string effective(const SettingTexts& options,
                      const std::map<std::string, std::string>& environment = {}) {
  const auto settings = effective_settings(options, environment);
  if (!settings) return settings.error().message;
  std::string text;
  for (const auto& [name, value] : settings.value().values) text += name + '=' + value + ' ';
  return text;
}

TEST(RecordSettings, CommandLineCountsMoreThanEnvironmentMoreThanFile) {
  const base::ScratchFolder folder;
  const auto file =
      folder.write("record.toml", "buffer = \"ring\"\nmax_size = \"1G\"\nio = true\nevery = 10\n");
  const std::string config = "config=" + file.string() + ' ';
  EXPECT_EQ(effective({{"config", file.string()}}),
            "buffer=ring " + config + "every=10 io=1 max_size=1G ");
  EXPECT_EQ(effective({{"max_size", "3G"}}, {{"PATHLINE_CONFIG", file.string()},
                                             {"PATHLINE_MAX_SIZE", "2G"},
                                             {"PATHLINE_IO", "0"},
                                             {"PATHLINE_EVERY", ""}}),
            "buffer=ring " + config + "every=10 io=0 max_size=3G ");
}

TEST(RecordSettings, AreCheckedWhereverTheyStand) {
  EXPECT_EQ(effective({{"mode", "tracing"}}),
            "--mode: it is 'tracing', expected trace, profile or both");
  EXPECT_EQ(effective({}, {{"PATHLINE_BUFFER", "disk"}}),
            "PATHLINE_BUFFER: it is 'disk', expected file, ram or ring");
  EXPECT_THAT(effective({{"max_size", "3T"}}), HasSubstr("--max-size: it is to be a number of"));
  for (const char* size : {"", "k", "-1", "1.5G", "0", "99999999999G", "1 M", "1MB"}) {
    EXPECT_THAT(effective({{"buffer_size", size}}), HasSubstr("--buffer-size: ")) << size;
  }
  EXPECT_EQ(effective({{"buffer_size", "64k"}}), "buffer_size=64k ");
  for (const char* every : {"0", "-1", "x", "3.5"}) {
    EXPECT_THAT(effective({{"every", every}}), HasSubstr("--every: ")) << every;
  }
  EXPECT_EQ(effective({{"filter", "/nowhere/f"}}), "--filter: there is no file /nowhere/f");
  EXPECT_EQ(effective({{"mpi_groups", "p2p,colls"}}),
            "--mpi-groups: 'colls' is no group of MPI calls; there are p2p, coll, rma, io, topo, "
            "probes, and all or none");
  EXPECT_EQ(effective({{"io", "yes"}, {"sync_interval", "0.5"}, {"mpi_groups", "p2p,rma"}}),
            "io=1 mpi_groups=p2p,rma sync_interval=0.5 ");
}

TEST(RecordSettings, StepsHaveThreeParts) {
  EXPECT_EQ(effective({{"steps", "100:200:10"}}), "steps=100:200:10 ");
  EXPECT_EQ(effective({{"steps", "7:7"}}), "steps=7:7:1 ");
  EXPECT_EQ(effective({{"steps", "9:8"}}), "--steps: no time step is at least 9 and at most 8");
  for (const char* steps : {"", "1", "1:", "1:2:0", "1:2:3:4", "a:b", "-1:2"}) {
    EXPECT_THAT(effective({{"steps", steps}}), HasSubstr("A:B:N")) << steps;
  }
}

TEST(RecordSettings, OneOptionSaysWhichStepsAreRecorded) {
  EXPECT_EQ(effective({{"every", "20"}}), "every=20 ");
  EXPECT_THAT(effective({{"every", "20"}, {"steps", "1:2"}}), HasSubstr("--steps says already"));
}

TEST(RecordSettings, InSituNeedsEvents) {
  EXPECT_EQ(effective({{"insitu", "topology"}}), "insitu=topology ");
  EXPECT_THAT(effective({{"insitu", "topology"}, {"mode", "profile"}}),
              HasSubstr("--mode profile does not record"));
  EXPECT_EQ(effective({{"insitu", "geometry"}}), "insitu=geometry ");
  EXPECT_THAT(effective({{"insitu", "geometry"}, {"mode", "profile"}}),
              HasSubstr("geometry shows messages, which --mode profile does not record"));
}

TEST(RecordSettings, InSituNamesRegionsAndRanks) {
  EXPECT_EQ(effective({{"insitu", "geometry"}, {"insitu_to", "0,3,8-10"}}),
            "insitu=geometry insitu_to=0,3,8,9,10 ");
  EXPECT_THAT(effective({{"insitu", "geometry"}, {"insitu_to", "0-99"}}),
              HasSubstr("--insitu-to: more than 24 ranks"));
  EXPECT_THAT(effective({{"insitu", "geometry"}, {"insitu_to", "x"}}), HasSubstr("'x' is no rank"));
  EXPECT_THAT(effective({{"insitu", "topology"}, {"insitu_to", "1"}}),
              HasSubstr("--insitu-to has no effect without --insitu geometry"));
  EXPECT_THAT(effective({{"insitu_regions", "a,b"}}),
              HasSubstr("--insitu-regions has no effect without --insitu"));
}

TEST(RecordSettings, ScriptsForParaViewAreFilesOrOurOwn) {
  const base::ScratchFolder folder;
  const std::string script = folder.write("a.py", "").string();
  EXPECT_THAT(effective({{"insitu", "geometry"}, {"catalyst", script + ":default"}}),
              HasSubstr("catalyst=" + script + ":default "));
  EXPECT_THAT(effective({{"insitu", "geometry"}, {"catalyst", "nowhere.py"}}),
              HasSubstr("--catalyst: there is no file"));
  EXPECT_THAT(effective({{"insitu", "geometry"}, {"catalyst", "default:"}}),
              HasSubstr("it is to be SCRIPT"));
  EXPECT_THAT(effective({{"catalyst", "default"}}), HasSubstr("--insitu geometry"));
}

TEST(RecordSettings, AStepMarkerIsACall) {
  EXPECT_EQ(effective({{"step_marker", "allreduce:16/4"}}), "step_marker=allreduce:16/4 ");
  EXPECT_THAT(effective({{"step_marker", "allreduce:x/4"}}), HasSubstr("--step-marker: "));
}

TEST(RecordSettings, PathsInAFileCountFromItsFolder) {
  const base::ScratchFolder folder;
  const auto filter = folder.write("filters/f", "");
  const auto file = folder.write("record.toml", "filter = \"filters/f\"\n");
  EXPECT_EQ(effective({{"config", file.string()}}),
            "config=" + file.string() + " filter=" + filter.string() + ' ');
}

TEST(RecordSettings, AFileSaysWhereItIsWrong) {
  const base::ScratchFolder folder;
  const auto error_of = [&](const std::string& text) {
    const auto settings = read_settings_file(folder.write("record.toml", text));
    return settings ? std::string() : settings.error().message + '|' + settings.error().advice;
  };
  EXPECT_THAT(error_of("io = true\nbufer_size = \"1M\"\n"),
              HasSubstr("record.toml, line 2: there is no setting 'bufer_size'|Did you mean "
                        "'buffer_size'?"));
  EXPECT_THAT(error_of("steps = [1, 2]\n"),
              HasSubstr("line 1: 'steps' is to be a text, a number, true or false"));
  EXPECT_THAT(error_of("a = \n"), HasSubstr("record.toml, line 1: "));
  EXPECT_THAT(error_of("config = \"x\"\n"), HasSubstr("there is no setting 'config'"));
  EXPECT_EQ(
      effective({{"config", folder.write("record.toml", "every = 0\n").string()}}),
      (folder.path() / "record.toml").string() + ": every: it is to be a count from 1 on, not '0'");
}

TEST(RecordSettings, VariablesThatNobodyKnowsAreNamed) {
  const auto settings = effective_settings(
      {}, {{"PATHLINE_BUFER", "x"}, {"PATHLINE_QWERTZUIOP", ""}, {"PATHLINE_LIBRARY", "y"}});
  ASSERT_TRUE(settings.ok()) << settings.error().message;
  EXPECT_THAT(settings.value().warnings,
              ElementsAre("nothing reads the environment variable PATHLINE_BUFER; did you mean "
                          "PATHLINE_BUFFER?",
                          "nothing reads the environment variable PATHLINE_QWERTZUIOP"));
}

}  // namespace
}  // namespace pathline::app
