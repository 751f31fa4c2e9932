// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pathline::app {

/// What `pathline record` noted of a run beside its events (run.json), for people and in JSON.
struct RunFacts {
  std::string command;     ///< As a shell would take it.
  std::string start_time;  ///< "2026-11-21T09:30:05.123Z"; "" if not known.
  std::string working_directory;
  std::vector<std::string> hosts;
  std::optional<int> exit_status;   ///< Of the command; absent while it runs and where nobody saw.
  int signal = 0;                   ///< That ended it; 0 for none.
  std::vector<std::string> losses;  ///< What of the events is missing, in sentences.
};

/// input  a run directory or an archive in one. nullopt for what no recorder of ours has written.
std::optional<RunFacts> run_facts(const std::filesystem::path& input);

/// "ended with status 1: the program failed", "was ended by signal 9 (Killed)".
std::string ending_text(const RunFacts& facts);

/// "2026-11-21 09:30:05 UTC".
std::string date_text(const RunFacts& facts);

/// What to type next, most useful first; `can_judge` for one of which there are findings,
/// `has_steps` for a program that marks time steps.
std::vector<std::string> next_commands(const std::string& input, bool can_judge, bool has_steps);

}  // namespace pathline::app
