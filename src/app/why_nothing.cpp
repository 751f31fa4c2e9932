// SPDX-License-Identifier: BSD-3-Clause
#include "app/why_nothing.hpp"

#include <csignal>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "app/program_file.hpp"

namespace pathline::app {
namespace {

base::Error nothing(std::string reason, std::string advice) {
  return {base::ErrorCode::kUnsupported, "nothing was recorded: " + std::move(reason),
          std::move(advice)};
}

constexpr const char* kLinkAdvice =
    "Link it dynamically; a program that cannot be may be linked with the recorder in front of its "
    "MPI.";

std::string_view family_name(MpiFamily family) {
  return family == MpiFamily::kOpenMpi ? "Open MPI" : "MPICH";
}

/// What the libraries that an executable names say. Absent: nothing.
std::optional<base::Error> by_libraries(base::Launcher launcher, const std::string& name,
                                        const ProgramFile& program) {
  for (const std::string& library : program.needed) {
    const auto family = mpi_family(library);
    if (!family) continue;
    if (*family == MpiFamily::kUnknown) {
      return nothing(
          fmt::format("{} uses {}, an MPI that the recorder does not know", name, library),
          "It knows Open MPI 2 to 5 and what has the interface of MPICH (Intel, MVAPICH, Cray).");
    }
    const bool other_launcher =
        (launcher == base::Launcher::kOpenMpi && *family == MpiFamily::kMpich) ||
        (launcher == base::Launcher::kHydra && *family == MpiFamily::kOpenMpi);
    if (other_launcher) {
      return nothing(
          fmt::format("{} uses {} ({}), but the launcher is that of {}", name, family_name(*family),
                      library, launcher == base::Launcher::kOpenMpi ? "Open MPI" : "MPICH"),
          fmt::format("Start it with the mpiexec of its own MPI, here probably {}.",
                      *family == MpiFamily::kOpenMpi ? "mpiexec.openmpi" : "mpiexec.mpich"));
    }
    return nothing(
        fmt::format("{} uses {} ({}), but no rank came as far as MPI_Init", name,
                    family_name(*family), library),
        "Did it stop before, or did something on the way change LD_PRELOAD? PATHLINE_VERBOSE=1 "
        "makes the recorder tell what it does.");
  }
  return std::nullopt;
}

/// Absent: the file says nothing.
std::optional<base::Error> by_program(base::Launcher launcher, const std::string& name) {
  const auto path = find_executable(name);
  if (path.empty()) return std::nullopt;
  const auto program = look_at_program(path);
  if (!program) return std::nullopt;
  const ProgramFile& file = program.value();
  if (file.other_rights) {
    return nothing(fmt::format("{} runs with rights of its own (setuid, setgid or capabilities), "
                               "and the system loads no library into such a program",
                               name),
                   "Record a copy of it: cp drops these rights.");
  }
  switch (file.kind) {
    case ProgramFile::Kind::kForeignElf:
      return nothing(fmt::format("{} is not a program for this kind of processor", name),
                     "The recorder is as the machine is; build the program for it.");
    case ProgramFile::Kind::kScript:
      return nothing(
          fmt::format("{} is a script ({}), and nothing that it started called MPI with the "
                      "recorder loaded",
                      name, file.interpreter),
          "If it sets LD_PRELOAD or starts ranks on other nodes, put the recorder into it: "
          "mpirun ... pathline record -- PROGRAM.");
    case ProgramFile::Kind::kElf: break;
    case ProgramFile::Kind::kOther: return std::nullopt;
  }
  if (!file.dynamic) {
    return nothing(
        fmt::format("{} is statically linked, so no library can be loaded into it", name),
        kLinkAdvice);
  }
  return by_libraries(launcher, name, file);
}

}  // namespace

base::Error why_nothing_was_recorded(base::Launcher launcher,
                                     const std::vector<std::string>& programs,
                                     const base::Ending& ending) {
  for (const std::string& name : programs) {
    if (auto reason = by_program(launcher, name)) return *reason;
  }
  if (ending.exit_status() != 0) {
    return nothing(ending.signal != 0
                       ? fmt::format("the command was ended by signal {} ({})", ending.signal,
                                     ::strsignal(ending.signal))
                       : fmt::format("the command ended with status {}", ending.status),
                   "It may have stopped before a rank called MPI_Init.");
  }
  return nothing(
      programs.empty()
          ? "no rank called MPI_Init"
          : fmt::format("{} names no MPI library, and no call of MPI reached the recorder",
                        programs[0]),
      "If it starts MPI programs itself, does it clear LD_PRELOAD? Is it a program of MPI at all?");
}

}  // namespace pathline::app
