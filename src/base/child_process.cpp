// SPDX-License-Identifier: BSD-3-Clause
#include "base/child_process.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.hpp"

extern char** environ;

namespace pathline::base {
namespace {

/// The form that exec wants; valid as long as its source.
std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> assignments(const Environment& environment) {
  std::vector<std::string> result;
  for (const auto& [name, value] : environment) result.push_back(name + '=' + value);
  return result;
}

Error cannot_start(const std::string& word, int reason) {
  const bool missing = reason == ENOENT;
  std::string advice;
  if (missing && word.find('/') == std::string::npos) {
    advice = fmt::format("It is in none of the folders of PATH; a program of this folder is ./{}.",
                         word);
  } else if (missing) {
    advice = "It does not exist, or the interpreter that it asks for does not.";
  } else if (reason == EACCES) {
    advice = "Is it a file, and does it have the permission to be executed (chmod +x)?";
  }
  return {missing ? ErrorCode::kNotFound : ErrorCode::kIo,
          fmt::format("cannot start {}: {}", word, system_reason(reason)), advice};
}

sigset_t attended_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD}) sigaddset(&set, number);
  return set;
}

/// Forks and runs `words`; `prepare` is called in the child. Returns its id once it runs.
template <class Prepare>
Result<pid_t> start(std::vector<std::string> words, const Environment& environment,
                    Prepare prepare) {
  std::vector<std::string> variables = assignments(environment);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> envp = pointers(variables);
  int failure[2];  // Closed by exec; otherwise it carries errno.
  if (::pipe2(failure, O_CLOEXEC) != 0) return cannot_start(words[0], errno);
  const pid_t child = ::fork();
  if (child == 0) {
    prepare();
    ::execvpe(argv[0], argv.data(), envp.data());
    const int reason = errno;
    (void)!::write(failure[1], &reason, sizeof(reason));
    ::_exit(127);
  }
  int reason = child < 0 ? errno : 0;
  ::close(failure[1]);
  if (child > 0) {
    ssize_t got = 0;
    do {
      got = ::read(failure[0], &reason, sizeof(reason));
    } while (got < 0 && errno == EINTR);
    if (got <= 0) reason = 0;
  }
  ::close(failure[0]);
  if (reason == 0) return child;
  if (child > 0) ::waitpid(child, nullptr, 0);
  return cannot_start(words[0], reason);
}

Ending ending_of(int status) {
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status)};
  return {.status = WEXITSTATUS(status)};
}

Result<Ending> wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      return Error{ErrorCode::kIo,
                   fmt::format("cannot wait for process {}: {}", child, system_reason(errno))};
    }
  }
  return ending_of(status);
}

/// Sends on what comes in until the child has ended.
Ending attend(pid_t child, const sigset_t& signals) {
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return ending_of(status);
    siginfo_t info{};
    const int number = ::sigwaitinfo(&signals, &info);
    // SI_KERNEL: the terminal's, which the child gets as well.
    if (number > 0 && number != SIGCHLD && info.si_code != SI_KERNEL) ::kill(child, number);
  }
}

}  // namespace

Environment own_environment() {
  Environment result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (const char* equals = std::strchr(*entry, '=')) {
      result.emplace(std::string(*entry, static_cast<size_t>(equals - *entry)), equals + 1);
    }
  }
  return result;
}

Result<Ending> run_attended(const std::vector<std::string>& words, const Environment& environment) {
  const sigset_t signals = attended_signals();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &signals, &before);
  // Whoever started us may ignore the end of children, and then there would be no status.
  struct sigaction children {};
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &by_default, &children);
  const auto child = start(words, environment, [&] {
    ::sigaction(SIGCHLD, &children, nullptr);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
  });
  Result<Ending> ending = child ? Result<Ending>(attend(child.value(), signals)) : child.error();
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  return ending;
}

Error become(const std::vector<std::string>& words, const Environment& environment) {
  std::vector<std::string> own_words = words;
  std::vector<std::string> variables = assignments(environment);
  ::execvpe(own_words[0].c_str(), pointers(own_words).data(), pointers(variables).data());
  return cannot_start(words[0], errno);
}

std::string output_of(const std::vector<std::string>& words, std::chrono::milliseconds limit) {
  int output[2];
  if (::pipe2(output, O_CLOEXEC) != 0) return "";
  const auto child = start(words, own_environment(), [&] {
    ::setpgid(0, 0);  // So that its own children end with it.
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(output[1], STDOUT_FILENO);
    ::dup2(output[1], STDERR_FILENO);
  });
  ::close(output[1]);
  std::string text;
  bool complete = false;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (child && text.size() < 65536) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    struct pollfd readable = {.fd = output[0], .events = POLLIN, .revents = 0};
    if (left.count() <= 0) break;
    if (::poll(&readable, 1, static_cast<int>(left.count())) <= 0) continue;
    char buffer[4096];
    const ssize_t got = ::read(output[0], buffer, sizeof(buffer));
    if (got > 0) text.append(buffer, got);
    complete = got == 0;
    if (got <= 0) break;
  }
  ::close(output[0]);
  if (child) {
    ::kill(-child.value(), SIGKILL);
    ::kill(child.value(), SIGKILL);
    (void)wait_for(child.value());
  }
  return complete || text.size() >= 65536 ? text : "";
}

Result<Ending> run_beside(const std::vector<std::string>& words, bool silent) {
  const auto child = start(words, own_environment(), [silent] {
    if (silent) {
      const int nothing = ::open("/dev/null", O_WRONLY);
      ::dup2(nothing, STDERR_FILENO);
    }
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
  });
  if (!child) return child.error();
  return wait_for(child.value());
}

Result<Ending> run_reading(const std::vector<std::string>& words,
                           const std::function<bool(std::string_view line)>& take,
                           std::string& said) {
  constexpr size_t kMostSaid = 4096;
  int output[2];
  int errors[2];
  if (::pipe2(output, O_CLOEXEC) != 0) return cannot_start(words[0], errno);
  if (::pipe2(errors, O_CLOEXEC) != 0) {
    const int reason = errno;
    for (const int end : output) ::close(end);
    return cannot_start(words[0], reason);
  }
  const pid_t parent = ::getpid();
  const auto child = start(words, own_environment(), [&] {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(0);
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(output[1], STDOUT_FILENO);
    ::dup2(errors[1], STDERR_FILENO);
  });
  ::close(output[1]);
  ::close(errors[1]);
  bool goes_on = child.ok();
  std::string line;
  struct pollfd ends[2] = {{.fd = output[0], .events = POLLIN, .revents = 0},
                           {.fd = errors[0], .events = POLLIN, .revents = 0}};
  while (child && (ends[0].fd >= 0 || ends[1].fd >= 0)) {
    if (::poll(ends, 2, -1) < 0) {
      if (errno == EINTR) continue;
      break;
    }
    for (struct pollfd& end : ends) {
      if (end.fd < 0 || end.revents == 0) continue;
      char buffer[65536];
      const ssize_t got = ::read(end.fd, buffer, sizeof(buffer));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        end.fd = -1;  // poll() leaves it out.
        continue;
      }
      const std::string_view text(buffer, static_cast<size_t>(got));
      if (&end == &ends[1]) {
        said += text;
        if (said.size() > kMostSaid) said.erase(0, said.size() - kMostSaid);
        continue;
      }
      line += text;
      size_t begin = 0;
      for (size_t at = 0; goes_on && (at = line.find('\n', begin)) != std::string::npos;) {
        goes_on = take(std::string_view(line).substr(begin, at - begin));
        begin = at + 1;
      }
      line.erase(0, begin);
      if (!goes_on) {
        ::kill(child.value(), SIGTERM);
        line.clear();
      }
    }
  }
  ::close(output[0]);
  ::close(errors[0]);
  if (!child) return child.error();
  return wait_for(child.value());
}

Companion::Companion(const std::vector<std::string>& words) {
  const pid_t parent = ::getpid();
  const auto child = start(words, own_environment(), [parent] {
    ::setpgid(0, 0);  // Who interrupts the command from a terminal does not mean this one.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(0);
    // Only on cores that nobody else wants: it must not slow the program it looks at.
    struct sched_param none = {};
    if (::sched_setscheduler(0, SCHED_IDLE, &none) != 0) (void)!::nice(19);
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
  });
  if (child) process_ = child.value();
}

bool Companion::end(std::chrono::milliseconds patience) {
  if (process_ == 0) return true;
  const auto deadline = std::chrono::steady_clock::now() + patience;
  int status = 0;
  while (::waitpid(process_, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() >= deadline) {
      ::kill(process_, SIGKILL);
      (void)wait_for(process_);
      status = 0;
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  process_ = 0;
  return ending_of(status).exit_status() == 0;
}

}  // namespace pathline::base
