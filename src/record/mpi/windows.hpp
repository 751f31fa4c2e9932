// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <mpi.h>

#include "record/mpi/messages.hpp"

// One-sided communication. The operations of an epoch share a number (`matching`), which the call
// that completes them at the origin names.

namespace pathline::record {

/// OTF2_RmaSyncLevel, bits.
enum : uint32_t { kSyncProcess = 1, kSyncMemory = 2 };

void window_made(Call& call, MPI_Comm comm, MPI_Win win);
void window_freed(Call& call, MPI_Win win);
void window_named(MPI_Win win, const char* name);

void rma_put(Call& call, MPI_Win win, int target, uint64_t bytes);
void rma_get(Call& call, MPI_Win win, int target, uint64_t bytes);
/// type  OTF2_RmaAtomicType: 0 accumulate, 3 fetch and accumulate, 6 compare and swap ...
void rma_atomic(Call& call, MPI_Win win, int target, uint32_t type, uint64_t sent,
                uint64_t received);
/// As above with a request of its own.
void rma_runs(Call& call, MPI_Win win, MPI_Request request);

/// A collective synchronisation (fence): completes the epoch's operations.
void rma_fence_begins(Call& call);
void rma_fence_ends(Call& call, MPI_Win win);
/// What completes operations of this origin: unlock, flush, complete.
void rma_completed(Call& call, MPI_Win win);
void rma_locked(Call& call, MPI_Win win, int target, bool exclusive);
void rma_unlocked(Call& call, MPI_Win win, int target);

}  // namespace pathline::record
