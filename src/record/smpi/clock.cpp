// SPDX-License-Identifier: BSD-3-Clause
//
// The clock of a simulated machine: nanoseconds since the simulation began, the same on all hosts.
#include "record/clock.hpp"

#include <cmath>

#include <mpi.h>
#include <simgrid/engine.h>
#include <xbt/config.h>

#include "record/process.hpp"
#include "record/smpi/clock.hpp"

namespace pathline::record {
namespace {

bool is_measured = false;
bool stopped = false;
uint64_t last_ns = 0;

}  // namespace

uint64_t now() {
  if (stopped) return last_ns;
  last_ns =
      static_cast<uint64_t>(std::llround(1e9 * (is_measured ? PMPI_Wtime() : simgrid_get_clock())));
  return last_ns;
}

void stop_clock() { stopped = true; }

Clock choose_clock(const char* wanted) {
  (void)wanted;
  // SMPI measures what the program computes and adds it when a function of MPI is called.
  is_measured = sg_cfg_get_boolean("smpi/simulate-computation") != 0;
  return {false, chunk::ClockSource::kSimulated, 1'000'000'000, 0, 0};
}

void settle_pace(Clock& clock) { (void)clock; }

uint64_t read_pair(bool use_counter, uint64_t& ticks, uint64_t& ns) {
  (void)use_counter;
  ticks = ns = now();
  return 0;
}

}  // namespace pathline::record
