// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/folder.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "campaign/test_study.hpp"

namespace pathline::campaign {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

/// One step of a study, in the lines that follow its name.
class Folder : public testing::Test {
 protected:
  void SetUp() override { step("command = \"true\"\n"); }

  void step(const std::string& lines) {
    study_.change("[parameters]\np = [4, 8]\nword = \"a b\"\n[[steps]]\nname = \"run\"\n" + lines);
  }
  /// The content of a file in the folder of the run.
  std::string content(const std::string& name) { return study_.folder.read("runs/1/" + name); }
  fs::path run(const std::string& name) { return study_.folder.path() / "runs/1" / name; }
  /// Makes the folder of a run behind one that left files in runs/before.
  void make(size_t package = 0) {
    WorkOrder order = study_.order(package);
    const fs::path before = study_.folder.path() / "runs/before";
    if (fs::exists(before)) order.before = {{"prepare", before}};
    const auto made = make_folder(order);
    EXPECT_TRUE(made.ok()) << made.error().message;
  }
  std::string refused() {
    const auto made = make_folder(study_.order(0));
    return made.ok() ? "made" : made.error().message;
  }
  uint32_t cores(const std::string& lines, size_t package = 0) {
    step(lines);
    const auto count = cores_of(study_.study, study_.plan, study_.plan.packages[package]);
    EXPECT_TRUE(count.ok()) << count.error().message;
    return count.ok() ? count.value() : 0;
  }

  TestStudy study_{"[[steps]]\nname = \"run\"\n"};
};

TEST_F(Folder, OfARunHasItsCommand) {
  step("command = \"echo {p} '{word}' {run_id} ${HOME}\"\n");
  make(1);
  EXPECT_EQ(content("command"), "echo 8 'a b' 7 ${HOME}\n");
}

TEST_F(Folder, OfARunWithoutACommandHasNone) {
  step("");
  make();
  EXPECT_TRUE(fs::is_directory(run("")));
  EXPECT_FALSE(fs::exists(run("command")));
}

TEST_F(Folder, IsMadeAnew) {
  study_.folder.write("runs/1/left", "of before");
  make();
  EXPECT_FALSE(fs::exists(run("left")));
}

TEST_F(Folder, TakesOverSmallFilesAsCopiesAndLargeOnesAsLinks) {
  study_.folder.write("runs/before/small", "7");
  study_.folder.write("runs/before/large", std::string((size_t{1} << 20) + 1, 'x'));
  study_.folder.write("runs/before/folder/file", "8");
  make();
  EXPECT_FALSE(fs::is_symlink(run("small")));
  EXPECT_EQ(content("small"), "7");
  EXPECT_TRUE(fs::is_symlink(run("large")));
  EXPECT_TRUE(fs::is_symlink(run("folder")));
  EXPECT_EQ(content("folder/file"), "8");
  EXPECT_EQ(fs::read_symlink(run("prepare")), study_.folder.path() / "runs/before");
}

TEST_F(Folder, LetsARunChangeItsCopies) {
  study_.folder.write("runs/before/input", "old");
  make();
  study_.folder.write("runs/1/input", "new");
  EXPECT_EQ(study_.folder.read("runs/before/input"), "old");
}

TEST_F(Folder, TakesOverLinksWhereverTheyLeadFrom) {
  study_.folder.write("runs/before/data", "9");
  fs::create_symlink("data", study_.folder.path() / "runs/before/link");
  make();
  EXPECT_EQ(fs::read_symlink(run("link")),
            fs::canonical(study_.folder.path() / "runs/before/data"));
}

TEST_F(Folder, TakesOverNothingThatPathlineWrote) {
  for (const char* name : {"command", "stdout", "stderr", "check.out", "run/profile", "job.sh"}) {
    study_.folder.write(fs::path("runs/before") / name, "of before");
  }
  make();
  for (const char* name : {"stdout", "stderr", "check.out", "run", "job.sh"}) {
    EXPECT_FALSE(fs::exists(run(name))) << name;
  }
  EXPECT_EQ(content("command"), "true\n");
}

TEST_F(Folder, PrefersAFileToTheLinkWithTheNameOfItsStep) {
  study_.folder.write("runs/before/prepare", "a program");
  make();
  EXPECT_EQ(content("prepare"), "a program");
}

TEST_F(Folder, HasCopiesAndLinksOfWhatStandsBesideTheStudy) {
  study_.folder.write("in.4", "four");
  study_.folder.write("mesh/a/b", "c");
  study_.folder.write("large.bin", "bytes");
  step("copy = [\"in.{p}\", \"mesh/\"]\nlink = \"large.bin\"\n");
  make();
  EXPECT_EQ(content("in.4"), "four");
  EXPECT_EQ(content("mesh/a/b"), "c");
  EXPECT_FALSE(fs::is_symlink(run("mesh")));
  EXPECT_TRUE(fs::is_symlink(run("large.bin")));
  EXPECT_EQ(content("large.bin"), "bytes");
}

TEST_F(Folder, CopiesOverWhatAStepBeforeMade) {
  study_.folder.write("runs/before/in", "made");
  study_.folder.write("in", "given");
  step("copy = \"in\"\n");
  make();
  EXPECT_EQ(content("in"), "given");
}

TEST_F(Folder, FillsTemplates) {
  study_.folder.write("in.tpl", "p = {p}; {run_id} {other} ${x} {");
  step("template = { from = \"in.tpl\", to = \"sub/in.{p}\" }\n");
  make();
  EXPECT_EQ(content("sub/in.4"), "p = 4; 7 {other} ${x} {");
}

TEST_F(Folder, FillsTemplatesThatAStepBeforeMade) {
  study_.folder.write("runs/before/in", "p = {p}");
  step("template = { from = \"in\" }\n");
  make();
  EXPECT_EQ(content("in"), "p = 4");
  EXPECT_EQ(study_.folder.read("runs/before/in"), "p = {p}");
}

TEST_F(Folder, FillsALargeTemplateWithoutChangingWhereItCameFrom) {
  const std::string large(size_t{2} << 20, 'x');
  study_.folder.write("runs/before/in", large + "{p}");
  step("template = { from = \"in\" }\n");
  make();
  EXPECT_TRUE(content("in") == large + "4");
  EXPECT_TRUE(study_.folder.read("runs/before/in") == large + "{p}") << "the run had a link to it";
}

TEST_F(Folder, KeepsThatATemplateIsAProgram) {
  const fs::path script = study_.folder.write("go.sh", "echo {p}");
  fs::permissions(script, fs::perms::owner_all);
  step("template = { from = \"go.sh\" }\n");
  make();
  EXPECT_EQ(fs::status(run("go.sh")).permissions(), fs::perms::owner_all);
}

TEST_F(Folder, WithReplacementsChangesNothingElse) {
  study_.folder.write("in", "#P# #P# {p} #W# #p#");
  step("template = { from = \"in\" }\n");
  study_.study.steps[0].templates[0].replacements = {
      {"#P#", "{p}#P#"}, {"#W#", "{word}"}, {"", "x"}, {"#p#", ""}};
  make();
  EXPECT_EQ(content("in"), "4#P# 4#P# {p} a b ");
}

TEST_F(Folder, NamesTheLineOfAStepWhoseFileIsMissing) {
  const std::string place =
      (study_.folder.path() / "study.toml").string() + ", line 4: step 'run': ";
  step("copy = \"none\"\n");
  EXPECT_THAT(refused(), HasSubstr(place + "cannot copy " +
                                   (study_.folder.path() / "none").string() + ": No such file"));
  step("link = \"none\"\n");
  EXPECT_THAT(refused(), HasSubstr(place + "cannot link "));
  step("template = { from = \"none\" }\n");
  EXPECT_THAT(refused(), HasSubstr(place));
  EXPECT_EQ(make_folder(study_.order(0)).error().code, base::ErrorCode::kNotFound);
}

TEST_F(Folder, IsNotMadeWhereTheOneBeforeIsGone) {
  WorkOrder order = study_.order(0);
  order.before = {{"prepare", study_.folder.path() / "runs/none"}};
  const auto made = make_folder(order);
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message, HasSubstr("step 'run': cannot list "));
}

TEST_F(Folder, ChecksTheFilesOfAStudyBeforeItRuns) {
  step("copy = [\"none.{p}\"]\n");
  EXPECT_TRUE(check_files(study_.study).ok()) << "it depends on a parameter";
  step("copy = [\"none\"]\n");
  const auto checked = check_files(study_.study);
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().code, base::ErrorCode::kNotFound);
  EXPECT_THAT(checked.error().message, HasSubstr("line 4: step 'run': there is no file "));
  study_.folder.write("none", "");
  EXPECT_TRUE(check_files(study_.study).ok());
  step(
      "template = { from = \"made\" }\n[[steps]]\nname = \"next\"\nafter = [\"run\"]\n"
      "template = { from = \"made too\" }\n");
  EXPECT_THAT(check_files(study_.study).error().message, EndsWith("made"));
}

TEST_F(Folder, RecordsAPlainCommandAsItIs) {
  step("command = \"mpirun -n {p} ./app in.dat\"\nrecord = true\n");
  EXPECT_EQ(command_of(study_.order(0)),
            "'/opt/my tools/pathline' record -o run -- mpirun -n 4 ./app in.dat");
}

TEST_F(Folder, RecordsWhatNeedsAShellThroughOne) {
  step("command = \"./app < in.dat && echo 'ok'\"\nrecord = true\n");
  EXPECT_EQ(command_of(study_.order(0)),
            "'/opt/my tools/pathline' record -o run -- sh -ec './app < "
            "in.dat && echo '\\''ok'\\'''");
}

TEST_F(Folder, RecordsWhereTheCommandSaysSo) {
  step("command = \"cd x; mpirun -n {p} {record} ./app\"\nrecord = true\n");
  EXPECT_EQ(command_of(study_.order(1)),
            "cd x; mpirun -n 8 '/opt/my tools/pathline' record -o run -- ./app");
}

TEST_F(Folder, RunsACommandItselfWithoutARecording) {
  step("command = \"echo {p} > x\"\ncheck = \"grep {p} x\"\n");
  EXPECT_EQ(command_of(study_.order(0)), "echo 4 > x");
  EXPECT_EQ(check_of(study_.order(1)), "grep 8 x");
  step("record = true\n");
  EXPECT_EQ(command_of(study_.order(0)), "");
}

TEST_F(Folder, HasNamesForARun) {
  const fs::path beside = study_.folder.path();
  const auto names = names_of(study_.order(0));
  for (const auto& name :
       std::vector<std::pair<std::string, std::string>>{{"run_id", "7"},
                                                        {"repetition", "1"},
                                                        {"step", "run"},
                                                        {"run_dir", beside / "runs/1"},
                                                        {"study_dir", beside},
                                                        {"campaign_dir", beside / "runs"}}) {
    EXPECT_THAT(names, testing::Contains(Pair(name.first, name.second)));
  }
}

TEST_F(Folder, CountsTheCoresOfALauncher) {
  EXPECT_EQ(cores("command = \"mpirun -np 4 ./app\"\n"), 4U);
  EXPECT_EQ(cores("command = \"mpirun -n {p} ./app\"\n", 1), 8U);
  EXPECT_EQ(cores("command = \"/usr/bin/mpiexec --bind-to core -np 3 ./app\"\n"), 3U);
  EXPECT_EQ(cores("command = \"srun -n4 ./app\"\n"), 4U);
  EXPECT_EQ(cores("command = \"srun --ntasks=6 -c 2 ./app\"\n"), 6U);
  EXPECT_EQ(cores("command = \"srun --ntasks 5 ./app\"\n"), 5U);
  EXPECT_EQ(cores("command = \"srun -c 2 -n 3 ./app\"\n"), 3U) << "-c is cores of a task";
  EXPECT_EQ(cores("command = \"export OMP_NUM_THREADS=1\\nmpirun -np 2 ./app\"\n"), 2U);
  EXPECT_EQ(cores("command = \"mpirun -np 4 ./app -n 100\"\n"), 4U);
  EXPECT_EQ(cores("command = \"mpirun -n 1 ./first : -n 3 ./second\"\n"), 4U);
  EXPECT_EQ(cores("command = \"mpirun -x 'A=b c' -n 2 ./app\"\n"), 2U);
  EXPECT_EQ(cores("command = \"mpirun $OPTIONS -n 2 ./app\"\n"), 2U);
  EXPECT_EQ(cores("command = \"mpirun ./prepare; mpirun --np 2 ./app -n 3\"\n"), 2U);
  EXPECT_EQ(cores("command = \"time {record} mpiexec.mpich -genv A 1 -n 2 app -n 3\"\n"), 2U);
}

TEST_F(Folder, CountsOneCoreWhereNoLauncherSaysMore) {
  EXPECT_EQ(cores(""), 1U);
  EXPECT_EQ(cores("command = \"./app -n 16\"\n"), 1U);
  EXPECT_EQ(cores("command = \"mpirun ./app\"\n"), 1U);
  EXPECT_EQ(cores("command = \"mpirun ./app -n 100\"\n"), 1U) << "-n is the application's";
  EXPECT_EQ(cores("command = \"mpirun --bind-to core app -n 100\"\n"), 1U);
  EXPECT_EQ(cores("command = \"srun -N 2 app --ntasks=100\"\n"), 1U);
  EXPECT_EQ(cores("command = \"mpirun ./app && ./other -n 100\"\n"), 1U);
  EXPECT_EQ(cores("command = \"mpirun -n 0 ./app\"\n"), 1U);
  EXPECT_EQ(cores("command = \"mpirun -n\"\n"), 1U);
  EXPECT_EQ(cores("command = \"mpirun -n many ./app\"\n"), 1U);
}

TEST_F(Folder, CalculatesTheCoresOfAStep) {
  EXPECT_EQ(cores("command = \"mpirun -n 3 ./app\"\ncores = \"{p} * 2\"\n", 1), 16U);
  for (const char* wrong : {"0", "-1", "1.5", "many", "1 / 0", "5000000000"}) {
    step(fmt::format("cores = \"{}\"\n", wrong));
    const auto count = cores_of(study_.study, study_.plan, study_.plan.packages[0]);
    ASSERT_FALSE(count.ok()) << wrong;
    EXPECT_THAT(count.error().message,
                HasSubstr(fmt::format("line 4: step 'run': 'cores' is '{}', expected", wrong)));
  }
}

TEST_F(Folder, MakesNoDifferenceToWhatARunIs) {
  step("command = \"cd {run_dir}; {run_id}\"\n");
  WorkOrder there = study_.order(0, "2");
  there.id = 8;
  there.record = {"another"};
  EXPECT_EQ(definition_of(there), definition_of(study_.order(0)));
}

TEST_F(Folder, IsDefinedByCommandCheckAndFiles) {
  std::vector<uint64_t> definitions;
  for (const char* lines :
       {"command = \"a\"\n", "command = \"b\"\n", "command = \"a\"\ncheck = \"a\"\n",
        "check = \"a\"\n", "command = \"a\"\nrecord = true\n", "command = \"a\"\ncopy = \"x\"\n",
        "command = \"a\"\ntemplate = { from = \"x\", to = \"y\" }\n", "command = \"{p}\"\n"}) {
    step(lines);
    definitions.push_back(definition_of(study_.order(0)));
  }
  definitions.push_back(definition_of(study_.order(1)));
  for (size_t i = 0; i < definitions.size(); ++i) {
    for (size_t k = 0; k < i; ++k) EXPECT_NE(definitions[i], definitions[k]) << k << " " << i;
  }
}

TEST(ShellWord, IsQuotedWhereAShellWouldChangeIt) {
  EXPECT_EQ(shell_word("/usr/bin/mpi-run_4.1:a=b+c,d@e"), "/usr/bin/mpi-run_4.1:a=b+c,d@e");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("$x"), "'$x'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("ä"), "'ä'");
}

TEST(LastWords, AreTheLastFiveLines) {
  const base::ScratchFolder folder;
  folder.write("stdout", "1\n2\n3\n4\n5\n6\n7\n\n");
  EXPECT_EQ(last_words(folder.path()),
            fmt::format("\n  {} ends with:\n    3\n    4\n    5\n    6\n    7",
                        (folder.path() / "stdout").string()));
}

TEST(LastWords, AreThoseOfTheFirstFileThatHasAny) {
  const base::ScratchFolder folder;
  EXPECT_EQ(last_words(folder.path()), "");
  folder.write("stdout", "out");
  EXPECT_THAT(last_words(folder.path()), EndsWith("stdout ends with:\n    out"));
  folder.write("stderr", "\n\n");
  EXPECT_THAT(last_words(folder.path()), EndsWith("out")) << "empty lines say nothing";
  folder.write("stderr", "oh\nno\n");
  EXPECT_THAT(last_words(folder.path()), EndsWith("stderr ends with:\n    oh\n    no"));
  folder.write("check.out", "wrong");
  EXPECT_THAT(last_words(folder.path()), EndsWith("check.out ends with:\n    wrong"));
}

TEST(LastWords, ArePrintableAndFew) {
  const base::ScratchFolder folder;
  folder.write("stderr", std::string(100'000, 'x') + "\x1b[31mred\x07");
  const std::string words = last_words(folder.path());
  EXPECT_LT(words.size(), 2000U);
  EXPECT_THAT(words, HasSubstr("red"));
  EXPECT_THAT(words, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace pathline::campaign
