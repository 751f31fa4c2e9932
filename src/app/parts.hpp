// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/child_process.hpp"
#include "base/launch_line.hpp"

namespace pathline::app {

// A launcher may start several programs as one MPI job (`mpirun -n 1 A : -n 3 B`). The ranks agree
// on a recording in MPI_Init; where a part of them does not take part, the others would wait for
// ever. So such a job is recorded as a whole or not at all.

/// What stands in a launcher's command line between ":" and ":".
struct JobPart {
  std::vector<std::string> program;  ///< With its arguments.
  unsigned ranks = 1;
};

/// Why a job cannot be recorded with the recorder loaded into all of its parts: one of the programs
/// takes no library. Absent if nothing speaks against it, or if there is one part only.
std::optional<std::string> part_without_recorder(const std::vector<JobPart>& parts);

/// The same where the command line itself says `pathline record` in front of some of the programs.
/// recorded_first  receives the first rank that has it
std::optional<std::string> part_without_command(const std::vector<JobPart>& parts,
                                                unsigned& recorded_first);

/// Why the job that this process is a rank of is not recorded, though this rank could be; absent if
/// it is. A recorder in front of the programs only knows its own.
///
/// says_so  receives whether this is the rank to tell
std::optional<std::string> why_not_alone(const base::Environment& environment, bool& says_so);

/// The parts of the job that this process is a rank of, as far as the launcher runs on this host;
/// else one part or none.
std::vector<JobPart> parts_of_own_job();

/// The parts of a launcher's command line.
std::vector<JobPart> parts_of(base::Launcher launcher, const std::vector<std::string>& words,
                              size_t launcher_word);

}  // namespace pathline::app
