// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <set>
#include <string>
#include <vector>

#include "input/raw_names.hpp"
#include "input/raw_process.hpp"
#include "input/raw_stream.hpp"

namespace pathline::input {

/// What a user should know about a run that was read from raw files.
struct Findings {
  std::vector<std::string> warnings;
  bool complete = true;

  void warn(const std::string& what) { warnings.push_back(what); }
  /// Something was recorded, or should have been, and is not there.
  void incomplete(const std::string& what) {
    complete = false;
    warnings.push_back("incomplete: " + what);
  }
};

/// A stream and what became of it.
struct StreamJob {
  size_t process;
  const chunk::StreamChunks* stream;  ///< nullptr for a process without threads.
  RawStream result;
  size_t event_count = 0;
};

/// "rank 3", "ranks 0-3,7", cut where it becomes long.
std::string rank_list(const std::set<uint32_t>& ranks);

/// Finds out what is missing of a run.
void find_losses(const std::vector<RawProcess>& processes, const std::vector<StreamJob>& jobs,
                 const RunNames& names, Findings& findings);

}  // namespace pathline::input
