// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <mpi.h>

#include "record/mpi/handle_table.hpp"
#include "record/mpi/messages.hpp"

// One-sided communication. The operations of an epoch share a number (`matching`), which the call
// that completes them at the origin names.

namespace pathline::record {

/// OTF2_RmaSyncLevel, bits.
enum : uint32_t { kSyncNone = 0, kSyncProcess = 1, kSyncMemory = 2 };

/// Of what a handle is known so far. For `Freed`.
HandleTable& windows();

void window_made(Call& call, MPI_Comm comm, MPI_Win win);
/// known  what windows() had of it, 0 for nothing
void window_freed(Call& call, uint64_t known);
void window_named(MPI_Win win, const char* name);

// With what MPI has accepted. An operation to MPI_PROC_NULL is none.
void rma_put(Call& call, MPI_Win win, int target, uint64_t bytes);
void rma_get(Call& call, MPI_Win win, int target, uint64_t bytes);
/// type  OTF2_RmaAtomicType: 0 accumulate, 3 fetch and accumulate, 6 compare and swap ...
void rma_atomic(Call& call, MPI_Win win, int target, uint32_t type, uint64_t sent,
                uint64_t received);

template <class Count>
void rma_put(Call& call, MPI_Win win, int target, Count count, MPI_Datatype type) {
  if (target != MPI_PROC_NULL) rma_put(call, win, target, bytes_of(count, type));
}
template <class Count>
void rma_get(Call& call, MPI_Win win, int target, Count count, MPI_Datatype type) {
  if (target != MPI_PROC_NULL) rma_get(call, win, target, bytes_of(count, type));
}
template <class Count>
void rma_accumulate(Call& call, MPI_Win win, int target, Count count, MPI_Datatype type) {
  if (target != MPI_PROC_NULL) rma_atomic(call, win, target, 0, bytes_of(count, type), 0);
}
/// With MPI_NO_OP, which only gets, what stands for the origin may be anything.
template <class Count>
void rma_fetch(Call& call, MPI_Win win, int target, MPI_Op op, Count count, MPI_Datatype type,
               Count result_count, MPI_Datatype result_type) {
  if (target == MPI_PROC_NULL) return;
  const uint64_t sent = op == MPI_NO_OP ? 0 : bytes_of(count, type);
  rma_atomic(call, win, target, 7, sent, bytes_of(result_count, result_type));
}
inline void rma_swap(Call& call, MPI_Win win, int target, MPI_Datatype type) {
  if (target == MPI_PROC_NULL) return;
  rma_atomic(call, win, target, 3, type_bytes(type), type_bytes(type));
}
/// As above with a request of its own.
void rma_runs(Call& call, MPI_Win win, MPI_Request request);

/// A collective synchronisation (fence): completes the epoch's operations.
void rma_fence_ends(Call& call, MPI_Win win);
// Post, start, complete and wait: the group is that of the processes at the other side.
void rma_access_begins(Call& call, MPI_Win win, MPI_Group targets);
void rma_access_ends(Call& call, MPI_Win win);
void rma_exposure_begins(Call& call, MPI_Win win, MPI_Group origins);
void rma_exposure_ends(Call& call, MPI_Win win);
/// What completes operations of this origin: unlock, flush.
void rma_completed(Call& call, MPI_Win win);
void rma_locked(Call& call, MPI_Win win, int target, bool exclusive);
void rma_unlocked(Call& call, MPI_Win win, int target);

}  // namespace pathline::record
