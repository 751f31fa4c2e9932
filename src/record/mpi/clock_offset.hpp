// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace pathline::record {

/// Measures how far CLOCK_MONOTONIC of each process is from that of rank 0 and defines it as
/// ClockOffset: ping-pong, the exchange with the shortest round trip counts and half of it bounds
/// the error (F. Cristian, Distributed Computing 3, 1989). One process of each node measures
/// against rank 0; the others against that one, and have its offset if theirs is below a
/// microsecond. Collective on `comm`, where nobody else may take a message with `tag` meanwhile.
///
/// returns  the first rank of this one's node, -1 without memory.
/// cost     some 20 exchanges for each node, one node after the other.
int measure_clock_offsets(MPI_Comm comm, int tag);

}  // namespace pathline::record
