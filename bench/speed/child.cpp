// SPDX-License-Identifier: BSD-3-Clause
#include "bench/speed/child.hpp"

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pathline::bench {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// `words`: the arguments, each with its terminator.
ChildUsage run_and_wait(std::string words) {
  std::vector<char*> arguments;
  for (size_t i = 0; i < words.size(); i = words.find('\0', i) + 1) {
    arguments.push_back(words.data() + i);
  }
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, STDOUT_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) return {};
  return {.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime),
          .peak_bytes = 1024.0 * static_cast<double>(usage.ru_maxrss)};
}

[[noreturn]] void serve(int requests, int answers) {
  std::array<char, 4096> words{};
  for (;;) {
    const ssize_t size = read(requests, words.data(), words.size());
    if (size <= 0) _exit(0);
    const ChildUsage usage = run_and_wait({words.data(), static_cast<size_t>(size)});
    if (write(answers, &usage, sizeof usage) != sizeof usage) _exit(1);
  }
}

}  // namespace

Launcher::Launcher() {
  int requests[2];
  int answers[2];
  if (pipe(requests) != 0 || pipe(answers) != 0) std::abort();
  process_ = fork();
  if (process_ == 0) {
    close(requests[1]);
    close(answers[0]);
    serve(requests[0], answers[1]);
  }
  close(requests[0]);
  close(answers[1]);
  requests_ = requests[1];
  answers_ = answers[0];
}

Launcher::~Launcher() {
  close(requests_);
  close(answers_);
  waitpid(process_, nullptr, 0);
}

std::optional<ChildUsage> Launcher::run(const std::vector<std::string>& command) {
  std::string words;
  for (const std::string& word : command) words.append(word).push_back('\0');
  ChildUsage usage;
  if (write(requests_, words.data(), words.size()) != static_cast<ssize_t>(words.size()) ||
      read(answers_, &usage, sizeof usage) != sizeof usage || usage.cpu_s == 0) {
    return {};
  }
  return usage;
}

}  // namespace pathline::bench
