// SPDX-License-Identifier: BSD-3-Clause
#include "base/launch_line.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::base {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

using Words = std::vector<std::string>;

Words split(const std::string& text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// As if only these could be started.
bool is_program(const std::string& word) {
  return word == "./app" || word == "./b" || word == "node";
}

const RankEnvironment kRanks{.library = "/lib/p.so", .variables = {{"PATHLINE_IO", "1"}}};

std::string rewritten(Launcher launcher, const std::string& command,
                      const RankEnvironment& ranks = kRanks) {
  return joined(with_rank_environment(launcher, split(command), 0, ranks, is_program).words);
}

TEST(LaunchLine, OpenMpiExportsToEachProgram) {
  EXPECT_EQ(rewritten(Launcher::kOpenMpi, "mpirun -n 4 ./app -x LD_PRELOAD=a"),
            "mpirun -x LD_PRELOAD=/lib/p.so -x PATHLINE_IO=1 -n 4 ./app -x LD_PRELOAD=a");
  EXPECT_EQ(rewritten(Launcher::kOpenMpi, "mpirun -n 1 ./app a : -n 2 --bind-to core ./b : ./app"),
            "mpirun -x LD_PRELOAD=/lib/p.so -x PATHLINE_IO=1 -n 1 ./app a : "
            "-x LD_PRELOAD=/lib/p.so -x PATHLINE_IO=1 -n 2 --bind-to core ./b : "
            "-x LD_PRELOAD=/lib/p.so -x PATHLINE_IO=1 ./app");
}

TEST(LaunchLine, OpenMpiKeepsWhatTheUserPreloads) {
  EXPECT_EQ(rewritten(Launcher::kOpenMpi, "mpirun -x LD_PRELOAD=/my.so -x A -n 2 ./app"),
            "mpirun -x LD_PRELOAD=/lib/p.so:/my.so -x PATHLINE_IO=1 -x A -n 2 ./app");
  RankEnvironment ranks = kRanks;
  ranks.preload = "/lib/p.so /other.so";
  EXPECT_EQ(rewritten(Launcher::kOpenMpi, "mpirun -x LD_PRELOAD ./app", ranks),
            "mpirun -x LD_PRELOAD=/lib/p.so:/other.so -x PATHLINE_IO=1 ./app");
}

TEST(LaunchLine, OpenMpiWithAnApplicationFileInherits) {
  const auto line =
      with_rank_environment(Launcher::kOpenMpi, split("mpirun --app file"), 0, kRanks, is_program);
  EXPECT_EQ(joined(line.words), "mpirun --app file");
  EXPECT_THAT(line.environment,
              ElementsAre(Pair("LD_PRELOAD", "/lib/p.so"), Pair("PATHLINE_IO", "1")));
}

TEST(LaunchLine, HydraTellsAllProgramsAtOnce) {
  EXPECT_EQ(rewritten(Launcher::kHydra, "mpiexec -n 1 ./app : -n 2 ./b"),
            "mpiexec -genv LD_PRELOAD /lib/p.so -genv PATHLINE_IO 1 -n 1 ./app : -n 2 ./b");
}

TEST(LaunchLine, HydraKeepsWhatTheUserPreloads) {
  EXPECT_EQ(
      rewritten(Launcher::kHydra,
                "mpiexec -genv LD_PRELOAD /a.so -n 1 ./app : -env LD_PRELOAD /b.so -n 1 ./app"),
      "mpiexec -genv LD_PRELOAD /lib/p.so -genv PATHLINE_IO 1 -genv LD_PRELOAD /lib/p.so:/a.so "
      "-n 1 ./app : -env LD_PRELOAD /lib/p.so:/b.so -n 1 ./app");
}

TEST(LaunchLine, SlurmGetsAList) {
  const auto line =
      with_rank_environment(Launcher::kSlurm, split("srun -n4 ./app"), 0, kRanks, is_program);
  EXPECT_EQ(joined(line.words), "srun --export=ALL,LD_PRELOAD=/lib/p.so -n4 ./app");
  EXPECT_THAT(line.environment, ElementsAre(Pair("PATHLINE_IO", "1")));
  EXPECT_EQ(rewritten(Launcher::kSlurm, "srun -n1 ./app : -n1 ./b"),
            "srun --export=ALL,LD_PRELOAD=/lib/p.so -n1 ./app : "
            "--export=ALL,LD_PRELOAD=/lib/p.so -n1 ./b");
}

TEST(LaunchLine, SlurmKeepsTheUsersList) {
  EXPECT_EQ(rewritten(Launcher::kSlurm, "srun --export=A,LD_PRELOAD=/a.so,B=2 ./app"),
            "srun --export=A,B=2,LD_PRELOAD=/lib/p.so:/a.so,PATHLINE_IO ./app");
  EXPECT_EQ(rewritten(Launcher::kSlurm, "srun --export NONE -N 2 ./app --export=ALL"),
            "srun --export=LD_PRELOAD=/lib/p.so,PATHLINE_IO -N 2 ./app --export=ALL");
  RankEnvironment ranks = kRanks;
  ranks.exported = "A";
  EXPECT_EQ(rewritten(Launcher::kSlurm, "srun ./app", ranks),
            "srun --export=A,LD_PRELOAD=/lib/p.so,PATHLINE_IO ./app");
}

TEST(LaunchLine, SlurmCannotQuoteACommaSoItIsInherited) {
  RankEnvironment ranks = kRanks;
  ranks.library = "/a,b.so";
  const auto line =
      with_rank_environment(Launcher::kSlurm, split("srun ./app"), 0, ranks, is_program);
  EXPECT_EQ(joined(line.words), "srun --export=ALL,LD_PRELOAD ./app");
  EXPECT_EQ(line.environment.at("LD_PRELOAD"), "/a,b.so");
}

TEST(LaunchLine, OtherCommandsInherit) {
  const Words words = {"./job", "a b", "", "\"'"};
  const auto line = with_rank_environment(Launcher::kNone, words, words.size(), kRanks, is_program);
  EXPECT_EQ(line.words, words);
  EXPECT_THAT(line.environment,
              ElementsAre(Pair("LD_PRELOAD", "/lib/p.so"), Pair("PATHLINE_IO", "1")));
}

std::string programs(Launcher launcher, const std::string& command) {
  const Words words = split(command);
  std::string found;
  for (const size_t place : find_programs(launcher, words, 0, is_program)) {
    found += words[place] + ' ';
  }
  return found;
}

TEST(LaunchLine, FindsTheProgramsBehindTheOptions) {
  EXPECT_EQ(programs(Launcher::kOpenMpi,
                     "mpirun --map-by node -np 4 -mca btl self,tcp --wdir /tmp --unheard-of 3 "
                     "--hostfile ./b ./app -n 3"),
            "./app ");
  EXPECT_EQ(programs(Launcher::kOpenMpi, "mpirun --new-flag ./app : -n 2 ./b : -n 3"),
            "./app ./b ");
  EXPECT_EQ(programs(Launcher::kHydra, "mpiexec -genvall -env A ./b -n 2 -bind-to core ./app"),
            "./app ");
  EXPECT_EQ(programs(Launcher::kSlurm, "srun -n4 -N 2 -lw 3 --label --ntasks 4 --mem=3G ./app -n"),
            "./app ");
  EXPECT_EQ(programs(Launcher::kOpenMpi, "mpirun --version"), "");
  EXPECT_EQ(programs(Launcher::kOpenMpi, "mpirun -n"), "");
}

TEST(LaunchLine, CountsTheRanksThatItsOptionsSay) {
  const auto count = [](Launcher launcher, const std::string& command) {
    return rank_count(launcher, split(command), 0, is_program).value_or(0);
  };
  for (const Launcher launcher : {Launcher::kNone, Launcher::kOpenMpi, Launcher::kHydra}) {
    EXPECT_EQ(count(launcher, "mpirun -n 4 ./app -n 100"), 4U);
    EXPECT_EQ(count(launcher, "mpirun ./app -n 100"), 0U) << "that is the program's";
    EXPECT_EQ(count(launcher, "mpirun --bind-to core -np 3 ./app"), 3U);
    EXPECT_EQ(count(launcher, "mpirun -n 1 ./app -n 7 : -n 3 ./b : ./app"), 5U);
    EXPECT_EQ(count(launcher, "mpirun -n many ./app"), 0U);
    EXPECT_EQ(count(launcher, "mpirun -n"), 0U);
  }
  EXPECT_EQ(count(Launcher::kNone, "mpirun -x n -n 2 ./app"), 2U) << "of Open MPI";
  EXPECT_EQ(count(Launcher::kNone, "mpirun -genv n 9 -n 2 ./app"), 2U) << "of MPICH";
  EXPECT_EQ(count(Launcher::kNone, "mpirun --mca n 9 -c 2 ./app"), 2U);
  EXPECT_EQ(count(Launcher::kSlurm, "srun -N 2 -c 2 --ntasks=6 ./app -n 3"), 6U);
  EXPECT_EQ(count(Launcher::kSlurm, "srun -n4 ./app"), 4U);
  EXPECT_EQ(count(Launcher::kSlurm, "srun --ntasks 5 ./app"), 5U);
  EXPECT_EQ(count(Launcher::kSlurm, "srun -J n -c 2 ./app"), 0U) << "-c is cores of a task";
}

TEST(LaunchLine, FindsTheLauncherBehindWordsThatStartIt) {
  const auto is_mpirun = [](const std::string& word) { return word == "mpirun"; };
  EXPECT_EQ(find_launcher(split("mpirun ./app"), is_mpirun), 0);
  EXPECT_EQ(find_launcher(split("env A=1 /usr/bin/timeout 60 mpirun ./app"), is_mpirun), 4);
  EXPECT_EQ(find_launcher(split("./script mpirun"), is_mpirun), 2);
  EXPECT_EQ(find_launcher(split("nice ./app"), is_mpirun), 2);
}

TEST(LaunchLine, ChangesOnlyWhatIsBehindTheLauncher) {
  EXPECT_EQ(joined(with_rank_environment(Launcher::kOpenMpi, split("timeout 5 mpirun ./app"), 2,
                                         kRanks, is_program)
                       .words),
            "timeout 5 mpirun -x LD_PRELOAD=/lib/p.so -x PATHLINE_IO=1 ./app");
}

TEST(LaunchLine, LaunchersAreKnownByName) {
  for (const char* name : {"mpirun", "mpiexec", "mpiexec.hydra", "mpirun.openmpi", "orterun",
                           "prterun", "srun", "mpirun-4.1", "mpiexec4"}) {
    EXPECT_TRUE(is_launcher_name(name)) << name;
  }
  for (const char* name :
       {"mpirun_rsh", "mpirun.sh", "srun-job.py", "app.openmpi", "sh", "", "mpirunner"}) {
    EXPECT_FALSE(is_launcher_name(name)) << name;
  }
  EXPECT_EQ(launcher_by_name("mpirun"), Launcher::kNone);
  EXPECT_EQ(launcher_by_name("mpiexec.mpich"), Launcher::kHydra);
  EXPECT_EQ(launcher_by_name("mpirun.openmpi"), Launcher::kOpenMpi);
}

TEST(LaunchLine, LaunchersAreKnownByTheirVersion) {
  EXPECT_EQ(launcher_by_version("mpirun.openmpi (OpenRTE) 4.1.4\n\nReport bugs to"),
            Launcher::kOpenMpi);
  EXPECT_EQ(launcher_by_version("mpirun (Open MPI) 5.0.3"), Launcher::kOpenMpi);
  EXPECT_EQ(launcher_by_version("HYDRA build details:\n    Version: 4.0.2"), Launcher::kHydra);
  EXPECT_EQ(launcher_by_version("Intel(R) MPI Library for Linux* OS, Version 2021.9"),
            Launcher::kHydra);
  EXPECT_EQ(launcher_by_version("slurm-wlm 22.05.8"), Launcher::kSlurm);
  EXPECT_EQ(launcher_by_version("bash, version 5"), Launcher::kNone);
}

TEST(LaunchLine, ALibraryIsPreloadedOnce) {
  EXPECT_EQ(preload_with("/p.so", ""), "/p.so");
  EXPECT_EQ(preload_with("/p.so", "/a.so:/p.so /b.so:"), "/p.so:/a.so:/b.so");
}

}  // namespace
}  // namespace pathline::base
