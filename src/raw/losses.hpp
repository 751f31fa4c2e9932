// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <set>
#include <string>
#include <vector>

#include "raw/names.hpp"
#include "raw/process.hpp"
#include "raw/stream.hpp"
#include "trace/warnings.hpp"

namespace pathline::raw {

/// What a user should know about a run that was read from raw files.
struct Findings {
  std::vector<std::string> warnings;
  bool complete = true;

  void warn(const std::string& what) { warnings.push_back(what); }
  /// Something was recorded, or should have been, and is not there.
  void incomplete(const std::string& what) {
    complete = false;
    warnings.push_back(trace::incomplete(what));
  }
};

/// A stream and what became of it.
struct StreamJob {
  size_t process;
  const chunk::StreamChunks* stream;  ///< nullptr for a process without threads.
  Stream result;
  size_t event_count = 0;
};

/// "rank 3", "ranks 0-3,7", cut where it becomes long.
std::string rank_list(const std::set<uint32_t>& ranks);

/// Finds out what is missing of a run.
void find_losses(const std::vector<Process>& processes, const std::vector<StreamJob>& jobs,
                 const RunNames& names, Findings& findings);

}  // namespace pathline::raw
