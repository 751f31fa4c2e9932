// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace pathline::record {

// MPI_Init and MPI_Finalize, whatever the language: before and after the library's own.

/// MPI is up. `region` MPI_Init or MPI_Init_thread, called at `began_ticks`. Agrees on the run
/// directory, opens the raw file, compares the clocks.
void mpi_started(uint16_t function, uint64_t began_ticks);
/// Every process has just been in a collective operation on MPI_COMM_WORLD. With
/// PATHLINE_SYNC_INTERVAL, compares the clocks at some of these.
void all_have_met();
/// MPI is about to go down: compares the clocks again. Once, whoever calls it.
void mpi_ending();
/// Everything is complete.
void mpi_ended();

}  // namespace pathline::record
