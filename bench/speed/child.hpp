// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pathline::bench {

struct ChildUsage {
  double cpu_s = 0;
  double peak_bytes = 0;
};

/// Runs programs in processes of their own. It is made before this process grows: a new process
/// starts with the peak memory of the one it comes from, so that a small one has to start them.
class Launcher {
 public:
  Launcher();
  ~Launcher();
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  /// Runs a program without its output. nullopt if it fails.
  std::optional<ChildUsage> run(const std::vector<std::string>& command);

 private:
  int requests_ = -1;
  int answers_ = -1;
  int process_ = -1;
};

/// The one of this program; set before the first benchmark runs.
extern Launcher* launcher;

}  // namespace pathline::bench
