// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pathline::base {

/// Families of programs that start the ranks of a job, by how they are told the ranks' environment.
enum class Launcher {
  kNone,     ///< None of these: the environment is inherited.
  kOpenMpi,  ///< mpirun, mpiexec, orterun, prterun of Open MPI: -x NAME=VALUE, for each program.
  kHydra,    ///< mpiexec of MPICH, Intel MPI, MVAPICH: -genv NAME VALUE, once.
  kSlurm,    ///< srun: --export=ALL,NAME=VALUE, for each program.
};

/// "none", "openmpi", "hydra", "slurm": as in run.json.
std::string_view launcher_name(Launcher launcher);

/// Whether a program of this file name is asked for its version: mpirun, mpiexec.hydra, srun ...
/// but neither mpirun_rsh nor mpirun.sh, which could start a job instead of answering.
bool is_launcher_name(std::string_view file_name);

/// The launcher that file names like mpiexec.openmpi and srun promise, kNone where they leave it
/// open.
Launcher launcher_by_name(std::string_view file_name);

/// The launcher that answers --version with `text`.
Launcher launcher_by_version(std::string_view text);

/// Where in COMMAND the launcher stands: 0, or behind words like `env A=1`, `nice` and `timeout
/// 60`; words.size() if there is none. `is_launcher` gets a word and sees whether it can be
/// started.
size_t find_launcher(const std::vector<std::string>& words,
                     const std::function<bool(const std::string&)>& is_launcher);

/// What the ranks are to be given.
struct RankEnvironment {
  std::string library;  ///< Comes first in LD_PRELOAD, what is there otherwise stays behind it.
  std::map<std::string, std::string> variables;
  std::string preload;           ///< LD_PRELOAD of our own environment, "" for none.
  std::string exported = "ALL";  ///< What srun hands to the ranks when its --export is not given.
};

struct CommandLine {
  std::vector<std::string> words;
  std::map<std::string, std::string> environment;  ///< To be set for the first word's process.
};

/// COMMAND, changed so that the ranks get `ranks` and the launcher and its helpers do not get the
/// library. `launcher_word` is the launcher's place in `words`. What the user gave himself (-x
/// LD_PRELOAD=..., --export=...) is kept. Options are told from programs by tables and, where these
/// do not know an option, by `is_program`.
CommandLine with_rank_environment(Launcher launcher, const std::vector<std::string>& words,
                                  size_t launcher_word, const RankEnvironment& ranks,
                                  const std::function<bool(const std::string&)>& is_program);

/// The places of the programs that the launcher starts, one for each part between ":".
std::vector<size_t> find_programs(Launcher launcher, const std::vector<std::string>& words,
                                  size_t launcher_word,
                                  const std::function<bool(const std::string&)>& is_program);

/// How many ranks the launcher is told to start, all programs together: those for which it is told
/// nothing count as one. Absent if it is told nothing, or by something that is no number.
///
/// launcher  kNone: what the options of all launchers mean together
std::optional<uint32_t> rank_count(Launcher launcher, const std::vector<std::string>& words,
                                   size_t launcher_word,
                                   const std::function<bool(const std::string&)>& is_program);

/// LD_PRELOAD with `library` first and once, then what `preload` holds.
std::string preload_with(std::string_view library, std::string_view preload);

}  // namespace pathline::base
