// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/process.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"

namespace pathline::campaign {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

/// Whether a process is there and no zombie, which a container may have nobody to bury.
bool is_alive(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string line;
  if (!std::getline(file, line)) return false;
  const std::string state = line.substr(line.rfind(')') + 2, 1);
  return state != "Z" && state != "X";
}

class ProcessTest : public testing::Test {
 protected:
  ~ProcessTest() override {
    // What a test that failed left: by its number, and only while it is our child.
    for (const pid_t id : started_) {
      if (::waitpid(id, nullptr, WNOHANG) == 0) {
        ::kill(id, SIGKILL);
        ::waitpid(id, nullptr, 0);
      }
    }
  }

  Process begin(const std::vector<std::string>& words, const std::string& errors = "err") {
    auto process = start_process(folder_.path(), words, "out", errors);
    EXPECT_TRUE(process.ok()) << process.error().message;
    if (!process) return {};
    started_.push_back(process.value().id);
    return process.value();
  }
  Process run(const std::string& script, const std::string& errors = "err") {
    const std::vector<std::string> words = {"/bin/sh", "-c", script};
    Process process = begin(words, errors);
    const auto runs = let_run(process, words, folder_.path());
    EXPECT_TRUE(runs.ok()) << runs.error().message;
    return process;
  }
  /// The next child that ends; id 0 if none does in ten seconds.
  Ended next_end() {
    const auto deadline = Clock::now() + std::chrono::seconds(10);
    while (Clock::now() < deadline) {
      if (const auto ended = reap()) return *ended;
      (void)attention_.wait(milliseconds(20));
    }
    return {};
  }
  Ended end_of(const std::string& script, const std::string& errors = "err") {
    const Process process = run(script, errors);
    const Ended ended = next_end();
    EXPECT_EQ(ended.id, process.id);
    return ended;
  }
  /// The number that a script wrote into a file, which it has made by another name first.
  pid_t number_in(const std::string& name) {
    const auto deadline = Clock::now() + std::chrono::seconds(10);
    while (Clock::now() < deadline && !std::filesystem::exists(folder_.path() / name)) {
      std::this_thread::sleep_for(milliseconds(2));
    }
    return std::atoi(folder_.read(name).c_str());
  }

  base::ScratchFolder folder_;
  Attention attention_;
  std::vector<pid_t> started_;
};

TEST_F(ProcessTest, EndsWithItsStatus) {
  EXPECT_EQ(end_of("exit 0").status, 0);
  const Ended ended = end_of("exit 3");
  EXPECT_EQ(ended.status, 3);
  EXPECT_EQ(ended.signal, 0);
  EXPECT_EQ(reap(), std::nullopt) << "nobody else ended";
}

TEST_F(ProcessTest, EndsByASignal) {
  const Ended ended = end_of("kill -KILL $$");
  EXPECT_EQ(ended.signal, SIGKILL);
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(end_of("kill -TERM $$").signal, SIGTERM) << "what this process waits for ends a child";
  EXPECT_EQ(end_of("kill -PIPE $$").signal, SIGPIPE);
}

TEST_F(ProcessTest, SaysHowItEnded) {
  EXPECT_EQ(ending_text({.status = 3}), "exit status 3");
  EXPECT_EQ(ending_text({.status = 127}), "exit status 127: a program was not found");
  EXPECT_EQ(ending_text({.signal = 9}), "was killed by signal 9 (Killed)");
}

TEST_F(ProcessTest, PrintsIntoItsFolder) {
  folder_.write("out", "of before, and longer than what comes");
  end_of("pwd; echo oh >&2");
  EXPECT_EQ(folder_.read("out"), std::filesystem::canonical(folder_.path()).string() + "\n");
  EXPECT_EQ(folder_.read("err"), "oh\n");
}

TEST_F(ProcessTest, MayPrintAllIntoOneFile) {
  end_of("echo a; echo b >&2; echo c", "out");
  EXPECT_EQ(folder_.read("out"), "a\nb\nc\n");
}

TEST_F(ProcessTest, HasNothingToRead) {
  EXPECT_EQ(end_of("cat; read line").status, 1);
  EXPECT_EQ(folder_.read("out"), "");
}

TEST_F(ProcessTest, HasASessionOfItsOwn) {
  const Process process = run("cut -d ' ' -f 6 /proc/$$/stat");
  next_end();
  EXPECT_EQ(folder_.read("out"), fmt::format("{}\n", process.id));
}

TEST_F(ProcessTest, DoesNothingBeforeItMayRun) {
  const Process process = begin({"/bin/sh", "-c", "echo x"});
  // As if this process died now.
  ::close(process.go);
  ::close(process.report);
  EXPECT_EQ(next_end().status, 127);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out"));
}

TEST_F(ProcessTest, SaysThatAProgramIsMissing) {
  const std::vector<std::string> words = {"no-such-program-of-pathline"};
  Process process = begin(words);
  const auto runs = let_run(process, words, folder_.path());
  ASSERT_FALSE(runs.ok());
  EXPECT_EQ(runs.error().code, base::ErrorCode::kNotFound);
  EXPECT_EQ(runs.error().message, "cannot start no-such-program-of-pathline in " +
                                      folder_.path().string() + ": No such file or directory");
  EXPECT_EQ(reap(), std::nullopt) << "it is gone";
}

TEST_F(ProcessTest, SaysThatAFileIsNoProgram) {
  folder_.write("text", "x");
  const std::vector<std::string> words = {"./text"};
  Process process = begin(words);
  const auto runs = let_run(process, words, folder_.path());
  ASSERT_FALSE(runs.ok());
  EXPECT_EQ(runs.error().code, base::ErrorCode::kIo);
  EXPECT_THAT(runs.error().message, HasSubstr("Permission denied"));
}

TEST_F(ProcessTest, SaysThatItsFolderIsMissing) {
  const std::vector<std::string> words = {"true"};
  auto process = start_process(folder_.path() / "none", words, "out", "err");
  ASSERT_TRUE(process.ok());
  const auto runs = let_run(process.value(), words, folder_.path() / "none");
  ASSERT_FALSE(runs.ok());
  EXPECT_EQ(runs.error().code, base::ErrorCode::kNotFound);
}

TEST_F(ProcessTest, IsEndedWithAllThatItStarted) {
  const Process process =
      run("sleep 100 & sh -c 'sleep 101 & echo $! > new; mv new grandchild; wait' & wait");
  const pid_t grandchild = number_in("grandchild");
  ASSERT_TRUE(is_alive(grandchild));
  end_session(identity_of(process), folder_.path());
  EXPECT_FALSE(is_alive(grandchild));
  EXPECT_EQ(next_end().signal, SIGTERM);
}

TEST_F(ProcessTest, IsEndedThoughItsLeaderIsGone) {
  const Process process = run("sleep 100 & echo $! > new; mv new grandchild");
  const std::string identity = identity_of(process);
  EXPECT_EQ(next_end().status, 0);
  const pid_t grandchild = number_in("grandchild");
  ASSERT_TRUE(is_alive(grandchild));
  end_session(identity, folder_.path());
  EXPECT_FALSE(is_alive(grandchild));
}

TEST_F(ProcessTest, IsEndedOnlyWhereItWorks) {
  folder_.write("below/file", "");
  folder_.write("beside/file", "");
  run("(cd below && exec sleep 100) & echo $! > a; (cd beside && exec sleep 100) & echo $! > b; "
      "mv a below.id; mv b beside.id; wait");
  const pid_t below = number_in("below.id");
  const pid_t beside = number_in("beside.id");
  // The shells have to get to their folders first.
  const auto is_in = [](pid_t id, const char* name) {
    std::error_code gone;
    return std::filesystem::read_symlink(fmt::format("/proc/{}/cwd", id), gone).filename() == name;
  };
  while (!is_in(below, "below") || !is_in(beside, "beside")) {
    ASSERT_TRUE(is_alive(below) && is_alive(beside));
    std::this_thread::sleep_for(milliseconds(2));
  }
  const std::string identity = identity_of({.id = started_.back()});
  end_session(identity, folder_.path() / "below");
  EXPECT_FALSE(is_alive(below));
  EXPECT_TRUE(is_alive(beside));
  end_session(identity, folder_.path() / "besid");
  EXPECT_TRUE(is_alive(beside)) << "a folder whose name only begins alike";
  end_session(identity, folder_.path());
  EXPECT_FALSE(is_alive(beside));
}

TEST_F(ProcessTest, OfAnotherIdentityIsLeftAlone) {
  const Process process = run("exec sleep 100");
  std::istringstream identity(identity_of(process));
  pid_t id = 0;
  uint64_t start = 0;
  identity >> id >> start;
  EXPECT_EQ(id, process.id);
  EXPECT_GT(start, 0U);
  for (const std::string& other :
       {fmt::format("{} {}", id, start + 1), fmt::format("{} {}", id, 0), std::string(),
        std::string("0 0"), std::string("1 0"), std::string("-1 0"), std::string("x")}) {
    end_session(other, folder_.path());
    EXPECT_TRUE(is_alive(id)) << other;
  }
  end_session(identity.str(), folder_.path());
  EXPECT_FALSE(is_alive(id));
}

TEST_F(ProcessTest, ThatEndedNeedsNoEnd) {
  const Process process = run("exit 0");
  const std::string identity = identity_of(process);
  next_end();
  const auto began = Clock::now();
  end_session(identity, folder_.path());
  EXPECT_LT(Clock::now() - began, std::chrono::seconds(1));
}

TEST_F(ProcessTest, AttentionHearsOfSignalsAndChildren) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    ASSERT_EQ(::raise(signal), 0);
    EXPECT_EQ(attention_.wait(milliseconds(0)), signal);
  }
  EXPECT_EQ(attention_.wait(milliseconds(0)), 0);
}

TEST(Attention, LeavesSignalsAsTheyWere) {
  sigset_t before;
  sigset_t after;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
  {
    const Attention attention;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &after);
    EXPECT_EQ(sigismember(&after, SIGTERM), 1);
  }
  ::pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) {
    EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal));
  }
}

}  // namespace
}  // namespace pathline::campaign
