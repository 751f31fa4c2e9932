// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "base/result.hpp"

namespace pathline::campaign {

/// A process and all that it starts: a session of its own.
struct Process {
  pid_t id = 0;     ///< Of the process and of its session.
  int go = -1;      ///< What let_run() needs.
  int report = -1;  ///< The same.
};

/// How a process ended.
struct Ended {
  pid_t id = 0;
  int status = 0;  ///< Of its exit, 0 if a signal killed it.
  int signal = 0;  ///< That killed it, 0 for none.
};

/// "exit status 3", "was killed by signal 9 (Killed)".
std::string ending_text(const Ended& ended);

/// While it lives, SIGINT, SIGTERM and SIGHUP do not end this process but Attention::wait(), and
/// the end of a child does too. To be made before there are other threads.
class Attention {
 public:
  Attention();
  ~Attention();
  Attention(const Attention&) = delete;
  Attention& operator=(const Attention&) = delete;

  /// Waits so long for the end of a child or a signal. Returns the signal that somebody sent, 0 for
  /// none. Children that have ended are told by reap().
  [[nodiscard]] int wait(std::chrono::milliseconds limit);

 private:
  sigset_t signals_;
  sigset_t before_;
  struct sigaction children_;
};

/// A child that has ended, if there is one.
std::optional<Ended> reap();

/// A process that will run `words` in `folder` once let_run() says so, with nothing on standard
/// input, in a session of its own. It is killed when this process dies, and does nothing if that
/// happens before let_run(): what is to be known of it can be written down in between.
///
/// output, errors  files in the folder that get what it prints, emptied before; may be the same.
base::Result<Process> start_process(const std::filesystem::path& folder,
                                    const std::vector<std::string>& words,
                                    const std::string& output, const std::string& errors);

/// errors  kNotFound, kIo when it cannot run; it is gone then.
base::Status let_run(Process& process, const std::vector<std::string>& words,
                     const std::filesystem::path& folder);

/// What tells a session from others, also later ones of the same number: to be kept in a file.
std::string identity_of(Process process);

/// Ends all processes of the session that work in `folder` or below, if there are any left: asks
/// them, waits for two seconds, then kills them. Does nothing for a session that ended, whatever
/// has its number now.
/// identity  of identity_of(), "" for none.
void end_session(std::string_view identity, const std::filesystem::path& folder);

}  // namespace pathline::campaign
