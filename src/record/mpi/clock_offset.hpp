// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace pathline::record {

/// Finds out which ranks share a clock: those of one host name, one boot of a kernel and one time
/// namespace. Collective over MPI_COMM_WORLD, once.
///
/// returns  the first rank that has the clock of this one, -1 without memory.
int find_clocks();

/// Do ranks have different clocks, so that they have to be compared?
[[nodiscard]] bool clocks_differ();

/// Measures how far CLOCK_MONOTONIC of each process is from that of rank 0 and defines it as
/// ClockOffset: ping-pong, the exchange with the shortest round trip counts and half of it bounds
/// the error (F. Cristian, Distributed Computing 3, 1989). The first rank of each clock measures
/// against rank 0. Collective on `comm`, which has the ranks of MPI_COMM_WORLD and where nobody
/// else may take a message with `tag` meanwhile; with one clock nothing is sent.
///
/// cost  20 exchanges for each clock, one after the other.
void measure_clock_offsets(MPI_Comm comm, int tag);

}  // namespace pathline::record
