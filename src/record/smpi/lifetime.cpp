// SPDX-License-Identifier: BSD-3-Clause
//
// The beginning and the end of a simulated rank. Nothing is sent, so that the program's times are
// the same as without us: the ranks agree through the environment of their process.
#include "record/mpi/lifetime.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include <mpi.h>

#include "record/mpi/call.hpp"
#include "record/mpi/communicators.hpp"
#include "record/mpi/requests.hpp"
#include "record/smpi/clock.hpp"
#include "record/trampolines.hpp"

namespace pathline::record {
namespace {

constexpr const char* kDirectory = "PATHLINE_SIMULATED_RUN_DIRECTORY";

/// The first of all ranks that comes by?
bool is_first(const char* variable) {
  if (std::getenv(variable) != nullptr) return false;
  setenv(variable, "1", 1);
  return true;
}

/// The one run directory, made by the first rank that asks; "" if that failed.
void share_run_directory(char (&path)[1024], int rank_count) {
  if (const char* made = std::getenv(kDirectory); made != nullptr) {
    std::strncpy(path, made, sizeof path - 1);
    return;
  }
  make_run_directory(path);
  setenv(kDirectory, path, 1);
  if (path[0] == '\0') {
    say("nothing is recorded: the run directory cannot be made (%s)", std::strerror(errno));
  } else if (process.settings.run_directory[0] == '\0' || process.settings.verbose) {
    say("recording %d simulated ranks into %s", rank_count, path);
  }
}

/// All clocks are one: two equal offsets, as one alone could hide a drift.
void define_equal_clocks() {
  for (const uint64_t ns : {uint64_t{0}, uint64_t{1'000'000'000}}) {
    const uint64_t numbers[] = {ns, base::zigzag(0), 0};
    define(RecordKind::kClockOffset, numbers, 3);
  }
}

/// A clock that is read through MPI_Wtime may cost what that costs the program.
void say_if_clock_costs() {
  const uint64_t before = now();
  if (now() != before && is_first("PATHLINE_SIMULATED_CLOCK")) {
    say("recording changes the simulated times, as each look at the clock costs some; "
        "--cfg=smpi/wtime:0 makes it free");
  }
}

/// How many ranks are recorded so far, `more` of which are new.
unsigned count_recorded(unsigned more) {
  constexpr const char* kVariable = "PATHLINE_SIMULATED_RANKS";
  const char* before = std::getenv(kVariable);
  const unsigned count =
      more + (before == nullptr ? 0U : static_cast<unsigned>(std::strtoul(before, nullptr, 10)));
  char text[16];
  std::snprintf(text, sizeof text, "%u", count);
  if (more != 0) setenv(kVariable, text, 1);
  return count;
}

void end_with_failure() {
  std::fflush(nullptr);
  _exit(2);
}

}  // namespace

void mpi_started(uint16_t function, uint64_t began_ticks) {
  if (process.following.load(std::memory_order_relaxed)) return;
  const Inside inside;
  const OwnEnvironment environment;
  prepare();
  if (!process.settings.enable) return;
  int rank = 0;
  int size = 0;
  int level = MPI_THREAD_SINGLE;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  PMPI_Query_thread(&level);
  char directory[1024] = "";
  share_run_directory(directory, size);
  if (directory[0] == '\0') return;
  const bool recorded =
      start(directory, static_cast<uint32_t>(rank), static_cast<uint32_t>(size),
            static_cast<uint32_t>(getpid()), static_cast<uint32_t>(level), began_ticks);
  if (!recorded) {
    say("rank %d is not recorded: no file can be made in %s (%s)", rank, directory,
        std::strerror(errno));
  }
  process.following.store(true, std::memory_order_release);
  start_communicators();
  define_equal_clocks();
  say_if_clock_costs();
  if (!recorded) return;
  count_recorded(1);
  record_past_call(function, began_ticks);
}

void all_have_met() {}

void mpi_ending() {
  static bool ending = false;
  if (ending || !process.started.load(std::memory_order_relaxed)) return;
  ending = true;
  const OwnEnvironment environment;
  define_open_requests();
  const chunk::FileHeader* header = process.writer.header();
  if (header->lost_events.load() > 0 && is_first("PATHLINE_SIMULATED_LOSS")) {
    say("events were not recorded; 'pathline info %s' tells why", process.run_directory);
  }
}

void mpi_ended() { complete(); }

void look_at_start() {}

/// The simulation is over, and no rank is in this copy of the program any more.
void say_why_nothing() {
  stop_clock();
  const bool started = process.started.load();
  // A deadlock, or another rank has ended the simulation: what this one was in is not complete.
  if (thread.inside != 0) process.started.store(false);
  const unsigned recorded = count_recorded(0);
  if (!process.settings.enable || (started && recorded >= process.rank_count)) return;
  if (!is_first("PATHLINE_SIMULATED_NOTHING")) return;
  const char* directory = std::getenv(kDirectory);
  if (directory == nullptr) {
    say("nothing was recorded, though the recorder is in the program: no rank has called MPI_Init, "
        "or the call went past the recorder");
  } else if (directory[0] != '\0') {
    say("only %u of the ranks could be recorded: the others have not called MPI_Init, have no "
        "file, or share "
        "their variables (-no-privatize)",
        recorded);
  }
  // When all copies of the program have come to their ends.
  std::atexit(end_with_failure);
}

}  // namespace pathline::record
