// SPDX-License-Identifier: BSD-3-Clause
#include "record/mpi/lifetime.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <unistd.h>

#include <mpi.h>

#include "record/catalyst.hpp"
#include "record/cpu_time.hpp"
#include "record/mpi/call.hpp"
#include "record/mpi/clock_offset.hpp"
#include "record/mpi/communicators.hpp"
#include "record/mpi/requests.hpp"
#include "record/mpi/topology.hpp"

namespace pathline::record {
namespace {

// Only with PATHLINE_SYNC_INTERVAL, whose messages must not meet the program's. At the beginning
// and at the end there are none of the program's, so that MPI_COMM_WORLD does, and the program's
// own communicators come out as they would without us.
MPI_Comm own_comm = MPI_COMM_NULL;

/// What rank 0 decides for all.
struct Decision {
  char directory[1024];  // "" for no recording.
  uint32_t world;
  uint64_t sync_interval_ns;
  bool catalyst;
};

/// When the clocks are compared next. Only rank 0 looks at the time: at the operation agreed upon
/// it tells the others whether it is time, and how many operations later to ask again.
struct Appointment {
  uint64_t operations;  // Until then.
  uint64_t compare;     // Now.
};
uint64_t sync_interval_ns = 0;
std::atomic<uint64_t> operations_left{1};
uint64_t operations_before = 0;
uint64_t last_compared_ns = 0;

Appointment make_appointment() {
  const uint64_t elapsed = clock_ns(CLOCK_MONOTONIC) - last_compared_ns;
  const bool compare = elapsed >= sync_interval_ns;
  const uint64_t rest = compare ? sync_interval_ns : sync_interval_ns - elapsed;
  // Not many more than up to now, as they may become rare.
  const double pace = static_cast<double>(operations_before) / static_cast<double>(elapsed + 1);
  const auto wanted = static_cast<uint64_t>(pace * static_cast<double>(rest));
  const uint64_t most = 4 * operations_before;
  return {wanted < 1 ? 1 : wanted > most ? most : wanted, compare ? 1U : 0U};
}

#ifdef OPEN_MPI
bool all_ranks(bool here) {
  int value = here ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return value != 0;
}

/// ParaView waits for all ranks in every step that it shows.
void prepare_catalyst(int rank, bool recorded) {
  if (all_ranks(recorded && process.settings.catalyst[0] != '\0')) {
    allow_catalyst({.world = PMPI_Comm_c2f(MPI_COMM_WORLD), .all = all_ranks});
  } else if (rank == 0) {
    say("--catalyst has no effect: not all ranks are recorded");
  }
}
#else
void prepare_catalyst(int rank, bool recorded) {
  (void)recorded;
  if (rank == 0) {
    say("--catalyst has no effect: ParaView works with Open MPI, and this program has another MPI");
  }
}
#endif

}  // namespace

void mpi_started(uint16_t function, uint64_t began_ticks) {
  if (process.following.load(std::memory_order_relaxed)) return;
  const Inside inside;
  const OwnEnvironment environment;
  prepare();
  int rank = 0;
  int size = 0;
  int level = MPI_THREAD_SINGLE;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  PMPI_Query_thread(&level);
  // Every rank has the same environment as far as we know; rank 0 decides also where it has not.
  Decision decision{};
  if (rank == 0) {
    decision.world = static_cast<uint32_t>(getpid());
    if (process.settings.enable) {
      make_run_directory(decision.directory);
      if (decision.directory[0] == '\0') {
        say("nothing is recorded: the run directory cannot be made (%s)", std::strerror(errno));
      }
    }
  }
  decision.sync_interval_ns = process.settings.sync_interval_ns;
  decision.catalyst = process.settings.catalyst[0] != '\0';
  PMPI_Bcast(&decision, sizeof decision, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (decision.directory[0] == '\0') return;
  if (level == MPI_THREAD_MULTIPLE) lock_requests();
  const bool recorded =
      start(decision.directory, static_cast<uint32_t>(rank), static_cast<uint32_t>(size),
            decision.world, static_cast<uint32_t>(level), began_ticks);
  if (!recorded) {
    say("rank %d is not recorded: no file can be made in %s (%s)", rank, decision.directory,
        std::strerror(errno));
  }
  // From here on the ranks without a file take part as well: the others wait for them.
  process.following.store(true, std::memory_order_release);
  start_communicators();
  const int first_of_node = find_clocks();
  measure_clock_offsets(MPI_COMM_WORLD, largest_tag);
  if (decision.sync_interval_ns != 0 && clocks_differ()) {
    // A rank that is not recorded would not come to the appointments.
    int all_recorded = recorded ? 1 : 0;
    PMPI_Allreduce(MPI_IN_PLACE, &all_recorded, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all_recorded != 0) {
      sync_interval_ns = decision.sync_interval_ns;
      PMPI_Comm_dup(MPI_COMM_WORLD, &own_comm);
    }
    last_compared_ns = clock_ns(CLOCK_MONOTONIC);
  }
  if (decision.catalyst) prepare_catalyst(rank, recorded);
  // It takes one rank of a node some 20 ms, which are MPI_Init's and not the program's; nor have
  // the others a lead by them.
  export_topology(rank == first_of_node);
  PMPI_Barrier(MPI_COMM_WORLD);
  if (recorded) {
    record_past_call(function, began_ticks);
    start_cpu_time();
  }
  // `pathline record` has said where; in front of a program nobody has.
  if (rank == 0 && (process.settings.run_directory[0] == '\0' || process.settings.verbose)) {
    say("recording %d ranks into %s", size, decision.directory);
  }
}

void all_have_met() {
  if (sync_interval_ns == 0) return;
  ++operations_before;
  if (operations_left.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const Inside inside;
  const OwnEnvironment environment;
  const uint64_t began = now();
  Appointment next{};
  if (process.rank == 0) next = make_appointment();
  PMPI_Bcast(&next, sizeof next, MPI_BYTE, 0, own_comm);
  if (next.compare != 0) {
    measure_clock_offsets(own_comm, 0);
    last_compared_ns = clock_ns(CLOCK_MONOTONIC);
    operations_before = 0;
  }
  operations_left.store(next.operations, std::memory_order_release);
  // What the program does not do, as when a chunk is full.
  if (ready(began) && (wants() & kEvents) != 0) emit(RecordKind::kFlush, began, now() - began);
}

void mpi_ending() {
  static bool ending = false;
  if (ending || !process.following.load(std::memory_order_relaxed)) return;
  ending = true;
  if (process.started.load(std::memory_order_relaxed)) write_cpu_time(now());
  sync_interval_ns = 0;
  const Inside inside;
  const OwnEnvironment environment;
  end_catalyst();
  // A receive that the program never completed might take our message.
  int may_meet = clocks_differ() && may_receive() ? 1 : 0;
  if (clocks_differ()) {
    PMPI_Allreduce(MPI_IN_PLACE, &may_meet, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  if (may_meet == 0) measure_clock_offsets(MPI_COMM_WORLD, largest_tag);
  if (process.started.load(std::memory_order_relaxed)) define_open_requests();
  const chunk::FileHeader* header = process.writer.header();
  unsigned long long lost = header == nullptr ? 0 : header->lost_events.load();
  PMPI_Reduce(process.rank == 0 ? MPI_IN_PLACE : &lost, &lost, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM,
              0, MPI_COMM_WORLD);
  if (process.rank == 0 && lost > 0) {
    say("%llu events were not recorded; 'pathline info %s' tells why", lost, process.run_directory);
  }
  if (own_comm != MPI_COMM_NULL) PMPI_Comm_free(&own_comm);
}

void mpi_ended() { complete(); }

}  // namespace pathline::record
