// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace pathline::base {

using Environment = std::map<std::string, std::string>;

/// Environment of this process; of names that stand in it twice the first.
Environment own_environment();

/// How a process ended.
struct Ending {
  int status = 0;  ///< Of its exit; 0 if a signal killed it.
  int signal = 0;  ///< That killed it, 0 for none.

  /// As a shell would say it: 128 + signal.
  [[nodiscard]] int exit_status() const { return signal != 0 ? 128 + signal : status; }
};

/// Runs `words` with our standard input, output and error, and passes on the SIGINT, SIGTERM,
/// SIGHUP and SIGQUIT that somebody sends to this process. Those that a terminal sends reach the
/// child without us: a second one would make mpirun leave without cleaning up.
/// Call it before there are threads.
/// errors  kNotFound or kIo when the process could not be started.
Result<Ending> run_attended(const std::vector<std::string>& words, const Environment& environment);

/// Becomes `words`; returns only if that fails, with the error of run_attended.
Error become(const std::vector<std::string>& words, const Environment& environment);

/// What `words` print on standard output and error, at most 64 KiB; "" if it could not be started
/// or did not end in time. Nothing is left running.
std::string output_of(const std::vector<std::string>& words, std::chrono::milliseconds limit);

/// Runs `words` with what it prints on standard output going to our standard error.
/// silent  nothing of what it prints
Result<Ending> run_beside(const std::vector<std::string>& words, bool silent = false);

/// Runs `words` and hands each whole line of their standard output to `take` until that says no;
/// then they are told to end. They are told so, too, when this process dies. said  gets the last 4
/// KiB of their standard error
Result<Ending> run_reading(const std::vector<std::string>& words,
                           const std::function<bool(std::string_view line)>& take,
                           std::string& said);

/// A process that works beside another one: with lower priority and in a process group of its own,
/// what it prints on standard output going to our standard error. It is killed when this one dies.
class Companion {
 public:
  Companion() = default;
  /// Does nothing if it cannot be started.
  explicit Companion(const std::vector<std::string>& words);
  Companion(Companion&& other) noexcept : process_(std::exchange(other.process_, 0)) {}
  Companion& operator=(Companion&& other) noexcept {
    std::swap(process_, other.process_);
    return *this;
  }
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;
  ~Companion() { (void)end(std::chrono::seconds(0)); }

  /// Waits so long for its end, then ends it. False if it had failed by itself.
  bool end(std::chrono::milliseconds patience);

 private:
  int process_ = 0;  ///< 0: none.
};

}  // namespace pathline::base
