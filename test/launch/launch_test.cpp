// SPDX-License-Identifier: BSD-3-Clause
//
// Starts the real pathline as users do and asks a fake recorder where it was loaded.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace pathline {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::string content(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct Output {
  int status = -1;
  std::string out;
  std::string err;
};

/// A process that the recorder was loaded into.
struct Loaded {
  std::string executable;
  std::map<std::string, std::string> environment;
};

/// A folder with a shell in it, in which `pathline` is the program under test.
class Workplace {
 public:
  Workplace() {
    std::string pattern = (fs::temp_directory_path() / "pathline-launch-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = fs::canonical(pattern);
    fs::create_directory(path_ / "loaded");
  }
  ~Workplace() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    fs::permissions(path_ / name, fs::perms::owner_all);
  }

  [[nodiscard]] Output sh(const std::string& command) const {
    // Nothing of the environment of the test itself, such as an enclosing job's, may count.
    const std::string script =
        "cd " + path_.string() +
        " && exec >stdout 2>stderr <stdin\n"
        "unset LD_PRELOAD $(env | sed -n 's/^\\(PATHLINE_[A-Z_]*\\)=.*/\\1/p')\n"
        "export PATHLINE_LIBRARY=" FAKE_RECORDER " FAKE_RECORDER_FOLDER=" +
        (path_ / "loaded").string() +
        " OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"
        " OMPI_MCA_rmaps_base_oversubscribe=1 TMPDIR=/tmp LANG=C"
        " ASAN_OPTIONS=verify_asan_link_order=0\n"
        "pathline() { " PATHLINE_PROGRAM " \"$@\"; }\n" +
        command + '\n';
    write("script", script);
    if (!fs::exists(path_ / "stdin")) write("stdin", "");
    const int status = std::system(("bash " + (path_ / "script").string()).c_str());
    return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status),
            .out = content(path_ / "stdout"),
            .err = content(path_ / "stderr")};
  }

  [[nodiscard]] std::vector<Loaded> loaded() const {
    std::vector<Loaded> result;
    for (const auto& entry : fs::directory_iterator(path_ / "loaded")) {
      const std::string text = content(entry.path());
      Loaded process;
      for (size_t begin = 0; begin < text.size();) {
        const size_t end = text.find('\0', begin);
        const std::string item = text.substr(begin, end - begin);
        const size_t equals = item.find('=');
        if (begin == 0) {
          process.executable = item;
        } else if (equals != std::string::npos) {
          process.environment[item.substr(0, equals)] = item.substr(equals + 1);
        }
        begin = end + 1;
      }
      result.push_back(std::move(process));
    }
    return result;
  }

  /// The names of the programs that the recorder was loaded into, each once.
  [[nodiscard]] std::set<std::string> loaded_names() const {
    std::set<std::string> names;
    for (const Loaded& process : loaded()) {
      names.insert(fs::path(process.executable).filename().string());
    }
    return names;
  }

  [[nodiscard]] std::vector<std::string> values(const std::string& variable) const {
    std::vector<std::string> result;
    for (const Loaded& process : loaded()) {
      const auto found = process.environment.find(variable);
      result.push_back(found != process.environment.end() ? found->second : "(none)");
    }
    return result;
  }

  [[nodiscard]] nlohmann::json run_json(const std::string& run) const {
    return nlohmann::json::parse(content(path_ / run / "run.json"));
  }

 private:
  fs::path path_;
};

// Without a launcher: the program as a single rank, and scripts.

TEST(Record, HandsOnEveryWordAndEveryByte) {
  const Workplace here;
  here.write("stdin", std::string("a\0b\nc", 5));
  const Output output =
      here.sh(R"(pathline record -o run -- sh -c 'cat; printf "[%s]\n" "$@"; echo E >&2' )"
              R"(x 'a b' '' '"' "'" '$HOME' '*' -- -o '%%' '[1,2]' '{}' $'two\nlines')");
  EXPECT_EQ(output.status, 0);
  EXPECT_EQ(output.out, std::string("a\0b\nc", 5) +
                            "[a b]\n[]\n[\"]\n[']\n[$HOME]\n[*]\n[--]\n[-o]\n[%%]\n[[1,2]]\n[{}]\n"
                            "[two\nlines]\nrun\n");
  EXPECT_THAT(output.err, StartsWith("E\npathline: nothing was recorded: "));
}

TEST(Record, EndsWithTheStatusOfTheCommand) {
  const Workplace here;
  EXPECT_EQ(here.sh("pathline record -- sh -c 'exit 7'").status, 7);
  EXPECT_EQ(here.sh("pathline record -- sh -c 'kill -SEGV $$'").status, 128 + SIGSEGV);
  EXPECT_EQ(here.sh("pathline record -o run -- true").status, 0);
  EXPECT_EQ(here.run_json("run")["exit_status"], 0);
}

TEST(Record, ThatCannotStartLeavesNothingBehind) {
  const Workplace here;
  Output output = here.sh("pathline record -o run -- no_such_program a");
  EXPECT_EQ(output.status, 2);
  EXPECT_EQ(output.out, "");
  EXPECT_THAT(output.err, StartsWith("pathline: cannot start no_such_program: No such file"));
  here.write("plain", "#!/nowhere/sh\n");
  output = here.sh("pathline record -o run -- ./plain");
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.err, HasSubstr("or the interpreter that it asks for does not"));
  output = here.sh("chmod -x plain; mkdir d; pathline record -o run -- ./d");
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.err, StartsWith("pathline: cannot start ./d: Permission denied"));
  EXPECT_FALSE(fs::exists(here.path() / "run"));
}

TEST(Record, WithoutARecorderSaysWhereItLooked) {
  const Workplace here;
  const Output output = here.sh("PATHLINE_LIBRARY=/nowhere/x.so pathline record -o run -- true");
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.err, StartsWith("pathline: there is no recorder /nowhere/x.so"));
  EXPECT_FALSE(fs::exists(here.path() / "run"));
}

TEST(Record, FindsTheRecorderBesideItsOwnProgram) {
  const Workplace here;
  fs::create_directories(here.path() / "p/bin");
  fs::create_directories(here.path() / "p/lib");
  fs::copy_file(PATHLINE_PROGRAM, here.path() / "p/bin/pathline");
  fs::copy_file(FAKE_RECORDER, here.path() / "p/lib/libpathline.so");
  const Output output =
      here.sh("unset PATHLINE_LIBRARY; p/bin/pathline record --quiet -o run -- true");
  EXPECT_EQ(output.status, 0) << output.err;
  EXPECT_THAT(here.values("LD_PRELOAD"),
              ElementsAre((here.path() / "p/lib/libpathline.so").string()));
}

TEST(Record, DescribesTheRun) {
  const Workplace here;
  (void)here.sh(
      "pathline record -o deep/run --max-size 2G --io -- sh -c "
      "'touch deep/run/made; exit 3' 'a b'");
  const nlohmann::json json = here.run_json("deep/run");
  EXPECT_EQ(json["command"], (nlohmann::json{"sh", "-c", "touch deep/run/made; exit 3", "a b"}));
  EXPECT_EQ(json["working_directory"], here.path().string());
  EXPECT_EQ(json["settings"]["max_size"], "2G");
  EXPECT_EQ(json["settings"]["io"], "1");
  EXPECT_EQ(json["launcher"]["kind"], "none");
  EXPECT_EQ(json["exit_status"], 3);
  const std::regex iso8601(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)");
  EXPECT_TRUE(std::regex_match(json["start_time"].get<std::string>(), iso8601));
  EXPECT_TRUE(std::regex_match(json["end_time"].get<std::string>(), iso8601));
  EXPECT_FALSE(json["host"].get<std::string>().empty());
}

TEST(Record, LeavesNothingBehindACommandThatFailedUnrecorded) {
  const Workplace here;
  const Output output = here.sh("pathline record -o run -- sh -c 'exit 3'");
  EXPECT_EQ(output.status, 3);
  EXPECT_EQ(output.out, "");
  EXPECT_THAT(output.err, HasSubstr("nothing was recorded: the command ended with status 3"));
  EXPECT_FALSE(fs::exists(here.path() / "run"));
}

TEST(Record, DescribesTheRunBeforeItStarts) {
  const Workplace here;
  const Output output = here.sh("pathline record --quiet -o run -- cat run/run.json");
  const std::string json = output.out.substr(0, output.out.rfind("run\n"));
  EXPECT_EQ(nlohmann::json::parse(json)["end_time"], nullptr);
}

TEST(Record, NeverWritesIntoWhatIsThere) {
  const Workplace here;
  const Output output =
      here.sh("mkdir run; for i in 1 2; do pathline record --quiet -o run -- true; done");
  EXPECT_EQ(output.out, "run-2\nrun-3\n");
  EXPECT_TRUE(fs::is_empty(here.path() / "run"));
}

TEST(Record, NamesTheRunAfterTheProgram) {
  const Workplace here;
  here.write("my job.py", "");
  const Output output =
      here.sh("pathline record --quiet -- /bin/true; pathline record --quiet -- bash 'my job.py'");
  EXPECT_TRUE(std::regex_match(
      output.out, std::regex("pathline-true-\\d{8}-\\d{6}\npathline-my_job.py-\\d{8}-\\d{6}\n")))
      << output.out;
}

TEST(Record, PassesSettingsAndKeepsWhatIsPreloaded) {
  const Workplace here;
  here.write("record.toml", "every = 5\nbuffer = \"ring\"\n");
  const Output output = here.sh(
      "cp " FAKE_RECORDER
      " mine.so; export PATHLINE_BUFFER=ram PATHLINE_MODE=both;"
      "LD_PRELOAD=$PWD/mine.so pathline record --quiet -o run --mode profile --config record.toml "
      "-- true");
  EXPECT_EQ(output.status, 0) << output.err;
  const auto loaded = here.loaded();
  const auto is_true = [](const Loaded& process) { return process.executable.ends_with("/true"); };
  const auto process = std::find_if(loaded.begin(), loaded.end(), is_true);
  ASSERT_NE(process, loaded.end());
  const auto& environment = process->environment;
  EXPECT_EQ(environment.at("LD_PRELOAD"), FAKE_RECORDER ":" + (here.path() / "mine.so").string());
  EXPECT_EQ(environment.at("PATHLINE_RUN_DIRECTORY"), (here.path() / "run").string());
  EXPECT_EQ(environment.at("PATHLINE_PROGRAM"), "true");
  EXPECT_EQ(environment.at("PATHLINE_MODE"), "profile");
  EXPECT_EQ(environment.at("PATHLINE_BUFFER"), "ram");
  EXPECT_EQ(environment.at("PATHLINE_EVERY"), "5");
  EXPECT_EQ(environment.count("PATHLINE_CONFIG"), 0);
}

TEST(Record, NamesVariablesThatNobodyKnows) {
  const Workplace here;
  EXPECT_THAT(here.sh("PATHLINE_MAXSIZE=1G pathline record -- true").err,
              HasSubstr("pathline: nothing reads the environment variable PATHLINE_MAXSIZE; did "
                        "you mean PATHLINE_MAX_SIZE?\n"));
}

TEST(Record, WantsTheCommandBehindDashes) {
  const Workplace here;
  const Output output = here.sh("pathline record true");
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.err, HasSubstr("has to stand behind --"));
  EXPECT_EQ(here.sh("pathline record --").status, 2);
  EXPECT_EQ(here.sh("pathline record --steps 5 -- true").status, 2);
}

TEST(Record, PassesSignalsOn) {
  const Workplace here;
  for (const char* name : {"INT", "TERM", "HUP", "QUIT"}) {
    // A shell starts what is in its background with SIGINT and SIGQUIT ignored; -m switches that
    // off.
    const Output output =
        here.sh(std::string("rm -f ready; set -m; ") + PATHLINE_PROGRAM +
                " record --quiet -o run -- bash -c 'sleep 60 & trap \"echo got " + name +
                "; kill $!; exit 9\" " + name +
                "; touch ready; wait' & "
                "for i in $(seq 600); do [ -e ready ] && break; sleep 0.05; done; kill -" +
                name + " $!; wait $!");
    EXPECT_EQ(output.status, 9) << name << output.err;
    EXPECT_EQ(output.out, std::string("got ") + name + "\n");
  }
}

TEST(Record, LeavesSignalsAsTheyWere) {
  const Workplace here;
  const std::string show = "grep -E \"^Sig(Blk|Ign)\" /proc/self/status";
  const Output output = here.sh("trap '' USR1; sh -c '" + show +
                                "' >plain; pathline record --quiet -o run -- sh -c '" + show +
                                "' | grep -v ^run | diff plain -");
  EXPECT_EQ(output.status, 0) << output.out;
}

TEST(Record, KeepsTheStatusWhenTheRawFilesAreNoArchive) {
  const Workplace here;
  const Output output = here.sh("FAKE_RECORDER_WRITES=1 pathline record -o run -- sh -c 'exit 4'");
  EXPECT_EQ(output.status, 4);
  EXPECT_EQ(output.out, "run\n");
  EXPECT_THAT(output.err, AllOf(HasSubstr("the raw files in run are not an archive yet\n  "
                                          "'pathline finish run' tries again.\n"),
                                Not(HasSubstr("nothing was recorded"))));
  EXPECT_EQ(here.run_json("run")["exit_status"], 4);
}

TEST(Record, AsARankSaysNothingAndLeavesTheDirectoryToTheRecorder) {
  const Workplace here;
  const Output output = here.sh("PMI_RANK=1 " PATHLINE_PROGRAM
                                " record -o out-%r --every 3 -- sh -c 'echo $$; exit 6' & "
                                "wait $!; s=$?; echo $!; exit $s");
  EXPECT_EQ(output.status, 6);
  EXPECT_EQ(output.err, "");
  const size_t line = output.out.find('\n') + 1;
  EXPECT_EQ(output.out.substr(0, line), output.out.substr(line)) << "it is the same process";
  EXPECT_THAT(here.values("PATHLINE_OUTPUT"), ElementsAre((here.path() / "out-%r").string()));
  EXPECT_THAT(here.values("PATHLINE_EVERY"), ElementsAre("3"));
  EXPECT_THAT(here.values("PATHLINE_RUN_DIRECTORY"), ElementsAre("(none)"));
}

TEST(Record, InABatchScriptOfSlurmIsNotARank) {
  const Workplace here;
  EXPECT_EQ(here.sh("SLURM_PROCID=0 pathline record --quiet -o run -- true").out, "run\n");
  EXPECT_EQ(
      here.sh("SLURM_PROCID=0 SLURM_STEP_ID=4294967291 pathline record --quiet -o run -- true").out,
      "run-2\n");
  EXPECT_EQ(here.sh("SLURM_PROCID=0 SLURM_STEP_ID=0 pathline record -o run -- true").out, "");
}

// Under the launchers.

struct LauncherCase {
  const char* name;
  const char* command;  ///< Starts ranks, their number to follow.
  const char* kind;     ///< In run.json.
  const char* probe;    ///< Fails soon where it cannot be used.
};

class UnderLauncher : public ::testing::TestWithParam<LauncherCase> {
 protected:
  void SetUp() override {
    const Output output = here_.sh(GetParam().probe + (" && timeout 60 " + launch(1) + " true"));
    if (output.status != 0) {
      GTEST_SKIP() << "there is no usable '" << launch(1) << "': " << output.err;
    }
  }
  [[nodiscard]] static std::string launch(int ranks) {
    return std::string(GetParam().command) + ' ' + std::to_string(ranks);
  }
  [[nodiscard]] const Workplace& here() const { return here_; }

 private:
  Workplace here_;
};

TEST_P(UnderLauncher, OnlyTheRanksAreRecorded) {
  const Output output =
      here().sh("pathline record -o run --every 2 -- " + launch(2) + " cat /dev/null");
  EXPECT_EQ(output.status, 0) << output.err;
  EXPECT_EQ(output.out, "run\n");
  EXPECT_THAT(here().loaded_names(), ElementsAre("cat"));
  EXPECT_THAT(here().loaded(), SizeIs(2));
  EXPECT_THAT(here().values("PATHLINE_RUN_DIRECTORY"), Each((here().path() / "run").string()));
  EXPECT_THAT(here().values("PATHLINE_PROGRAM"), Each("cat"));
  EXPECT_THAT(here().values("PATHLINE_EVERY"), Each("2"));
  const nlohmann::json json = here().run_json("run");
  EXPECT_EQ(json["launcher"]["kind"], GetParam().kind);
  EXPECT_EQ(json["programs"], nlohmann::json{"cat"});
}

TEST_P(UnderLauncher, TheCommandBehavesAsWithoutUs) {
  const std::string command =
      launch(1) + R"( sh -c 'cat; printf "[%s]\n" "$@"; exit 5' x 'a b' '"' "c'd" '$x')";
  here().write("stdin", "input\n");
  const Output plain = here().sh(command);
  const Output output = here().sh("pathline record -o run -- " + command);
  EXPECT_EQ(output.status, plain.status);
  EXPECT_EQ(output.out, plain.out) << "nothing was recorded: there is no run to name";
  EXPECT_THAT(plain.out, StartsWith("input\n[a b]\n[\"]\n[c'd]\n[$x]\n"));
}

TEST_P(UnderLauncher, EachProgramOfAnMpmdLineIsRecorded) {
  const Output output = here().sh("pathline record -o run -- " + launch(1) + " cat /dev/null : " +
                                  launch(1).substr(launch(1).find("-n")) + " true");
  EXPECT_EQ(output.status, 0) << output.err;
  EXPECT_THAT(here().loaded_names(), ElementsAre("cat", "true"));
  EXPECT_EQ(here().run_json("run")["programs"], (nlohmann::json{"cat", "true"}));
}

TEST_P(UnderLauncher, WordsInFrontOfItAreUnderstood) {
  const Output output =
      here().sh("pathline record -o run -- env A=1 timeout 100 " + launch(1) + " cat /dev/null");
  EXPECT_EQ(output.status, 0) << output.err;
  EXPECT_THAT(here().loaded_names(), ElementsAre("cat"));
}

TEST_P(UnderLauncher, AScriptHandsTheRecorderOn) {
  here().write("job.sh", "#!/bin/sh\n" + launch(2) + " cat /dev/null\n");
  const Output output = here().sh("pathline record -o run -- ./job.sh");
  EXPECT_EQ(output.status, 0) << output.err;
  size_t ranks = 0;
  for (const Loaded& process : here().loaded()) {
    if (process.executable.ends_with("/cat")) ++ranks;
  }
  EXPECT_EQ(ranks, 2);
}

TEST_P(UnderLauncher, InFrontOfTheProgramItIsAPrefix) {
  const Output output = here().sh(launch(2) + " " PATHLINE_PROGRAM
                                              " record --every 2 -o wanted -- sh -c 'echo hello'");
  EXPECT_EQ(output.status, 0) << output.err;
  EXPECT_EQ(output.out, "hello\nhello\n");
  EXPECT_EQ(output.err, "");
  EXPECT_THAT(here().loaded_names(), Not(::testing::Contains("pathline")));
  EXPECT_THAT(here().values("PATHLINE_OUTPUT"),
              AllOf(SizeIs(2), Each((here().path() / "wanted").string())));
  EXPECT_FALSE(fs::exists(here().path() / "wanted"));
}

TEST_P(UnderLauncher, ASignalEndsTheRanks) {
  // The status is the launcher's own affair: MPICH's differs from time to time.
  const Output output = here().sh(
      "set -m; " PATHLINE_PROGRAM " record --quiet -o run -- " + launch(1) +
      " bash -c 'echo $$ >part; mv part pid; for i in $(seq 300); do sleep 0.1; done' & "
      "for i in $(seq 600); do [ -e pid ] && break; sleep 0.05; done; kill -TERM $!; wait $!; "
      "for i in $(seq 200); do kill -0 $(cat pid) 2>/dev/null || break; sleep 0.1; done; "
      "kill -0 $(cat pid) 2>/dev/null || echo gone");
  EXPECT_THAT(output.out, EndsWith("gone\n")) << output.err;
}

INSTANTIATE_TEST_SUITE_P(
    Mpi, UnderLauncher,
    ::testing::Values(LauncherCase{"openmpi", "mpirun.openmpi -n", "openmpi", "true"},
                      LauncherCase{"mpich", "mpirun.mpich -n", "hydra", "true"},
                      LauncherCase{"slurm", "srun --overcommit --quiet -n", "slurm",
                                   "timeout 5 sinfo >/dev/null"}),
    [](const auto& launcher) { return launcher.param.name; });

}  // namespace
}  // namespace pathline
