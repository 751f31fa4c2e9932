// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

#include <mpi.h>

#include "record/mpi/lifetime.hpp"
#include "record/mpi/messages.hpp"

// Collective operations. Bytes are what this rank hands over and what it gets, as the arguments of
// its call say: the root of a broadcast sends `count` elements once, whatever MPI makes of it.

namespace pathline::record {

/// OTF2_CollectiveOp.
enum class Operation : uint8_t {
  kBarrier = 0,
  kBcast,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAllgather,
  kAllgatherv,
  kAlltoall,
  kAlltoallv,
  kAlltoallw,
  kAllreduce,
  kReduce,
  kReduceScatter,
  kScan,
  kExscan,
  kReduceScatterBlock,
  kCreateHandle
};

struct Volume {
  uint64_t sent = 0;
  uint64_t received = 0;
};

constexpr uint32_t kNoRoot = UINT32_MAX;

/// How many processes a rank exchanges data with in a collective on `comm`; 0 if it is not known,
/// as this may be asked before MPI has judged it.
inline int partners(MPI_Comm comm) {
  const Communicator* known = known_communicator(comm);
  return known == nullptr ? 0 : known->inter ? known->remote_size : known->size;
}
/// Of the rank's own side.
inline int members(MPI_Comm comm) {
  const Communicator* known = known_communicator(comm);
  return known == nullptr ? 0 : known->size;
}
inline bool is_root(MPI_Comm comm, int root) {
  const Communicator* known = known_communicator(comm);
  return known != nullptr && (known->inter ? root == MPI_ROOT : root == known->rank);
}
inline int own_rank(MPI_Comm comm) {
  const Communicator* known = known_communicator(comm);
  return known == nullptr || known->inter ? 0 : known->rank;
}
inline int sources(MPI_Comm comm) {
  const Communicator* known = known_communicator(comm);
  return known == nullptr || known->indegree < 0 ? 0 : known->indegree;
}
inline int destinations(MPI_Comm comm) {
  const Communicator* known = known_communicator(comm);
  return known == nullptr || known->outdegree < 0 ? 0 : known->outdegree;
}

/// Sum of `counts` of `n` processes.
template <class Count>
uint64_t sum_bytes(const Count* counts, int n, MPI_Datatype type) {
  if (counts == nullptr) return 0;
  uint64_t sum = 0;
  for (int i = 0; i < n; ++i) sum += counts[i] <= 0 ? 0 : static_cast<uint64_t>(counts[i]);
  return sum == 0 ? 0 : sum * type_bytes(type);
}
template <class Count>
uint64_t sum_bytes(const Count* counts, int n, const MPI_Datatype* types) {
  if (counts == nullptr || types == nullptr) return 0;
  uint64_t sum = 0;
  for (int i = 0; i < n; ++i) sum += bytes_of(counts[i], types[i]);
  return sum;
}
/// The same count for each.
template <class Count>
requires std::is_integral_v<Count> uint64_t sum_bytes(Count count, int n, MPI_Datatype type) {
  return bytes_of(count, type) * static_cast<uint64_t>(n);
}

template <class Count>
Volume bcast_volume(MPI_Comm comm, int root, Count count, MPI_Datatype type) {
  if (root == MPI_PROC_NULL) return {};
  const uint64_t bytes = bytes_of(count, type);
  return is_root(comm, root) ? Volume{bytes, 0} : Volume{0, bytes};
}
template <class Count>
Volume reduce_volume(MPI_Comm comm, int root, Count count, MPI_Datatype type) {
  if (root == MPI_PROC_NULL) return {};
  const uint64_t bytes = bytes_of(count, type);
  return {root == MPI_ROOT ? 0 : bytes, is_root(comm, root) ? bytes : 0};
}
template <class Count>
Volume allreduce_volume(Count count, MPI_Datatype type) {
  const uint64_t bytes = bytes_of(count, type);
  return {bytes, bytes};
}
/// recvcounts  as long as the rank's own side has members, also between two sides.
template <class Count>
Volume reduce_scatter_volume(MPI_Comm comm, const Count* recvcounts, MPI_Datatype type) {
  const Communicator* known = known_communicator(comm);
  if (known == nullptr) return {};
  return {sum_bytes(recvcounts, known->size, type), bytes_of(recvcounts[known->rank], type)};
}
/// At the root `counts` (one or an array) and `type` of its large buffer count, elsewhere only what
/// is the rank's `own`, nor does that at a root in place. What does not count may be anything.
template <class Count, class Counts>
Volume gather_volume(MPI_Comm comm, int root, const void* own, Count own_count,
                     MPI_Datatype own_type, Counts counts, MPI_Datatype type) {
  if (root == MPI_PROC_NULL) return {};
  if (!is_root(comm, root)) return {bytes_of(own_count, own_type), 0};
  const bool none = own == MPI_IN_PLACE || root == MPI_ROOT;
  return {none ? 0 : bytes_of(own_count, own_type), sum_bytes(counts, partners(comm), type)};
}
template <class Count, class Counts>
Volume scatter_volume(MPI_Comm comm, int root, const void* own, Count own_count,
                      MPI_Datatype own_type, Counts counts, MPI_Datatype type) {
  const Volume volume = gather_volume(comm, root, own, own_count, own_type, counts, type);
  return {volume.received, volume.sent};
}

template <class Count>
requires std::is_integral_v<Count> uint64_t bytes_to(Count count, int neighbor, MPI_Datatype type) {
  (void)neighbor;
  return bytes_of(count, type);
}
template <class Count>
uint64_t bytes_to(const Count* counts, int neighbor, MPI_Datatype type) {
  return counts == nullptr ? 0 : bytes_of(counts[neighbor], type);
}
template <class Count>
uint64_t bytes_to(const Count* counts, int neighbor, const MPI_Datatype* types) {
  return counts == nullptr || types == nullptr ? 0 : bytes_of(counts[neighbor], types[neighbor]);
}

/// What a neighbourhood collective sends to each neighbour. `counts` and `types` are one for all or
/// one for each.
template <class Counts, class Types>
void sent_to_neighbors(Call& call, MPI_Comm comm, Counts counts, Types types) {
  const Communicator* known = call.recorded() ? communicator_of(comm) : nullptr;
  if (known == nullptr || known->destinations == nullptr) return;
  for (int i = 0; i < known->outdegree; ++i) {
    if (known->destinations[i] == UINT32_MAX) continue;
    emit(RecordKind::kNeighborSend, call.begin(), known->destinations[i],
         bytes_to(counts, i, types));
  }
}

inline void collective_ends(Call& call, Operation operation, MPI_Comm comm, int root,
                            Volume volume) {
  call.bytes = volume.sent != 0 ? volume.sent : volume.received;
  const Communicator* known = call.recorded() ? communicator_of(comm) : nullptr;
  if (known != nullptr) {
    emit(RecordKind::kCollectiveBegin, call.begin());
    call.last(RecordKind::kCollectiveEnd, static_cast<unsigned>(operation), known->id,
              root < 0 ? kNoRoot : static_cast<uint32_t>(root), volume.sent, volume.received);
  }
  if (comm == MPI_COMM_WORLD) all_have_met();
}

inline void collective_runs(Call& call, Operation operation, MPI_Comm comm, int root, Volume volume,
                            MPI_Request request) {
  if (!call.tracked()) return;
  call.bytes = volume.sent != 0 ? volume.sent : volume.received;
  const Communicator* known = communicator_of(comm);
  if (known == nullptr) return;
  if (call.recorded()) {
    call.id = next_request_id();
    emit(RecordKind::kCollectiveRequest, call.begin(), call.id);
  }
  request_made(request, {.kind = Request::kCollective,
                         .recorded = call.id != 0,
                         .id = call.id,
                         .comm = known->id,
                         .operation = static_cast<uint8_t>(operation),
                         .root = root < 0 ? kNoRoot : static_cast<uint32_t>(root),
                         .bytes_sent = volume.sent,
                         .bytes_received = volume.received});
}
inline void collective_prepared(Call& call, Operation operation, MPI_Comm comm, int root,
                                Volume volume, MPI_Request request) {
  if (!call.tracked()) return;
  const Communicator* known = communicator_of(comm);
  if (known == nullptr) return;
  request_made(request, {.kind = Request::kCollective,
                         .persistent = true,
                         .comm = known->id,
                         .operation = static_cast<uint8_t>(operation),
                         .root = root < 0 ? kNoRoot : static_cast<uint32_t>(root),
                         .bytes_sent = volume.sent,
                         .bytes_received = volume.received});
}

}  // namespace pathline::record
