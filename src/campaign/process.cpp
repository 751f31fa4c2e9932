// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/process.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/file.hpp"

namespace pathline::campaign {
namespace {

namespace fs = std::filesystem;

/// Fields of /proc/PID/stat.
struct Stat {
  pid_t session = 0;
  uint64_t start = 0;  ///< In ticks since the machine started.
  bool is_dead = false;
};

std::optional<Stat> stat_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  // The name, in brackets, may hold anything.
  const size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(name_end + 1));
  Stat stat;
  std::string field;
  for (int number = 3; number <= 22 && fields >> field; ++number) {
    if (number == 3) stat.is_dead = field == "Z" || field == "X";
    if (number == 6) stat.session = static_cast<pid_t>(std::strtol(field.c_str(), nullptr, 10));
    if (number == 22) stat.start = std::strtoull(field.c_str(), nullptr, 10);
  }
  return stat;
}

/// Processes of the session whose working directory is `folder` or below.
std::vector<pid_t> members(pid_t session, const fs::path& folder) {
  std::vector<pid_t> found;
  std::error_code code;
  const std::string prefix = fs::weakly_canonical(folder, code).string();
  for (fs::directory_iterator entry("/proc", code), end; !code && entry != end;
       entry.increment(code)) {
    const std::string name = entry->path().filename().string();
    pid_t process = 0;
    const auto [rest, failed] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (failed != std::errc() || rest != name.data() + name.size()) continue;
    const auto stat = stat_of(process);
    if (!stat || stat->is_dead || stat->session != session) continue;
    std::error_code unreadable;
    const std::string place = fs::read_symlink(entry->path() / "cwd", unreadable).string();
    if (unreadable || !place.starts_with(prefix)) continue;
    if (place.size() > prefix.size() && place[prefix.size()] != '/') continue;
    found.push_back(process);
  }
  return found;
}

base::Error cannot_start(const std::vector<std::string>& words, const fs::path& folder,
                         int reason) {
  return {reason == ENOENT ? base::ErrorCode::kNotFound : base::ErrorCode::kIo,
          fmt::format("cannot start {} in {}: {}", words[0], folder.string(),
                      base::system_reason(reason))};
}

/// In the child, between fork and exec: only what is safe there. Returns errno.
int become(const char* folder, const char* output, const char* errors, char** argv) {
  const auto open_file = [](const char* name) {
    return ::open(name, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  };
  if (::chdir(folder) != 0) return errno;
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int out = open_file(output);
  const int error = std::strcmp(output, errors) == 0 ? out : open_file(errors);
  if (nothing < 0 || out < 0 || error < 0) return errno;
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(error, STDERR_FILENO);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::execvp(argv[0], argv);
  return errno;
}

}  // namespace

std::string ending_text(const Ended& ended) {
  if (ended.signal != 0) {
    return fmt::format("was killed by signal {} ({})", ended.signal, ::strsignal(ended.signal));
  }
  if (ended.status == 127) return "exit status 127: a program was not found";
  return fmt::format("exit status {}", ended.status);
}

Attention::Attention() {
  sigemptyset(&signals_);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&signals_, number);
  ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  // Whoever started us may ignore the end of children, and then there would be no status.
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &by_default, &children_);
}

Attention::~Attention() {
  ::sigaction(SIGCHLD, &children_, nullptr);
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int Attention::wait(std::chrono::milliseconds limit) {
  const struct timespec time = {
      .tv_sec = static_cast<time_t>(limit.count() / 1000),
      .tv_nsec = static_cast<long>(limit.count() % 1000 * 1'000'000),
  };
  const int number = ::sigtimedwait(&signals_, nullptr, &time);
  return number > 0 && number != SIGCHLD ? number : 0;
}

std::optional<Ended> reap() {
  int status = 0;
  const pid_t id = ::waitpid(-1, &status, WNOHANG);
  if (id <= 0) return std::nullopt;
  if (WIFSIGNALED(status)) return Ended{.id = id, .signal = WTERMSIG(status)};
  return Ended{.id = id, .status = WEXITSTATUS(status)};
}

base::Result<Process> start_process(const fs::path& folder, const std::vector<std::string>& words,
                                    const std::string& output, const std::string& errors) {
  std::vector<std::string> own_words = words;
  std::vector<char*> argv;
  for (std::string& word : own_words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int go[2];
  int report[2];  // Closed by exec; otherwise it carries errno.
  if (::pipe2(go, O_CLOEXEC) != 0) return cannot_start(words, folder, errno);
  if (::pipe2(report, O_CLOEXEC) != 0) {
    const int reason = errno;
    for (const int end : go) ::close(end);
    return cannot_start(words, folder, reason);
  }
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(go[1]);
    ::setsid();
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    char letter = 0;
    if (::getppid() != parent || ::read(go[0], &letter, 1) != 1) ::_exit(127);
    const int reason = become(folder.c_str(), output.c_str(), errors.c_str(), argv.data());
    (void)!::write(report[1], &reason, sizeof(reason));
    ::_exit(127);
  }
  const int reason = errno;
  ::close(go[0]);
  ::close(report[1]);
  if (child > 0) return Process{.id = child, .go = go[1], .report = report[0]};
  ::close(go[1]);
  ::close(report[0]);
  return cannot_start(words, folder, reason);
}

base::Status let_run(Process& process, const std::vector<std::string>& words,
                     const fs::path& folder) {
  (void)!::write(process.go, "g", 1);
  ::close(std::exchange(process.go, -1));
  int reason = 0;
  ssize_t got = 0;
  do {
    got = ::read(process.report, &reason, sizeof(reason));
  } while (got < 0 && errno == EINTR);
  ::close(std::exchange(process.report, -1));
  if (got <= 0) return {};
  ::waitpid(process.id, nullptr, 0);
  return cannot_start(words, folder, reason);
}

std::string identity_of(Process process) {
  const auto stat = stat_of(process.id);
  return fmt::format("{} {}", process.id, stat ? stat->start : 0);
}

void end_session(std::string_view identity, const fs::path& folder) {
  const std::string text(identity);
  char* rest = nullptr;
  const auto session = static_cast<pid_t>(std::strtol(text.c_str(), &rest, 10));
  const uint64_t start = std::strtoull(rest, nullptr, 10);
  if (session <= 1) return;
  // The leader may be gone while others are left; its number is not given again until all are.
  if (const auto stat = stat_of(session); stat && stat->start != start) return;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  for (bool asked = false;; asked = true) {
    const std::vector<pid_t> left = members(session, folder);
    if (left.empty()) return;
    const bool patient = std::chrono::steady_clock::now() < deadline;
    for (const pid_t process : left) {
      if (!patient) ::kill(process, SIGKILL);
      if (patient && !asked) ::kill(process, SIGTERM);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(patient ? 20 : 100));
    if (std::chrono::steady_clock::now() > deadline + std::chrono::seconds(10)) return;
  }
}

}  // namespace pathline::campaign
