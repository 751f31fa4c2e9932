// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <mpi.h>

#include "record/mpi/communicators.hpp"
#include "record/mpi/requests.hpp"

// What the wrappers record of messages; functions.txt says where each is called. `Count` is int or
// MPI_Count.

namespace pathline::record {

template <class Count>
uint64_t bytes_of(Count count, MPI_Datatype type) {
  return count <= 0 ? 0 : static_cast<uint64_t>(count) * type_bytes(type);
}

/// The communicator that a send goes through, and its bytes, recorded before MPI has it so that no
/// message that left is missing; nullptr for one that goes nowhere, that MPI may refuse, or of
/// which too little is known without asking MPI: that is recorded when MPI has taken it.
template <class Count>
const Communicator* sender(const void* buffer, MPI_Comm comm, int dest, int tag, Count count,
                           MPI_Datatype type, uint64_t& bytes) {
  // MPI_PROC_NULL is negative, too.
  if (dest < 0 || tag < 0 || tag > largest_tag || count < 0) return nullptr;
  if (buffer == nullptr && count > 0) return nullptr;
  const Communicator* known = known_communicator(comm);
  if (known == nullptr || dest >= (known->inter ? known->remote_size : known->size)) return nullptr;
  if (!known_type_bytes(type, bytes)) return nullptr;
  bytes *= static_cast<uint64_t>(count);
  return known;
}

template <class Count>
void send(Call& call, const void* buffer, MPI_Comm comm, int dest, int tag, Count count,
          MPI_Datatype type) {
  if (!call.recorded() && !call.may_mark()) return;
  uint64_t bytes = 0;
  const Communicator* known = sender(buffer, comm, dest, tag, count, type, bytes);
  if (known == nullptr) return;
  call.bytes = bytes;
  call.sent = true;
  if (call.recorded()) call.first(RecordKind::kSend, known->id, dest, tag, bytes);
}
/// What send() left for when MPI has taken it.
template <class Count>
void sent(Call& call, MPI_Comm comm, int dest, int tag, Count count, MPI_Datatype type) {
  if (call.sent || dest < 0 || (!call.recorded() && !call.may_mark())) return;
  const Communicator* known = communicator_of(comm);
  if (known == nullptr) return;
  call.bytes = bytes_of(count, type);
  if (call.recorded()) emit(RecordKind::kSend, call.begin(), known->id, dest, tag, call.bytes);
}
/// MPI refused it.
inline void send_failed(Call& call) {
  if (call.sent && call.recorded()) emit(RecordKind::kSendFailed, call.end());
}

inline void received(Call& call, MPI_Comm comm, const MPI_Status* status) {
  if (status->MPI_SOURCE < 0) return;
  if (call.bytes == 0) call.bytes = received_bytes(*status);
  const Communicator* known = call.recorded() ? communicator_of(comm) : nullptr;
  if (known == nullptr) return;
  call.last(RecordKind::kRecv, known->id, status->MPI_SOURCE, status->MPI_TAG,
            received_bytes(*status));
}
/// A message that was too long has arrived all the same.
inline void receive_failed(Call& call, MPI_Comm comm, const MPI_Status* status, int answer) {
  if (error_class(answer) == MPI_ERR_TRUNCATE) {
    received(call, comm, status);
  } else {
    send_failed(call);
  }
}

template <class Count>
void begin_send(Call& call, const void* buffer, MPI_Comm comm, int dest, int tag, Count count,
                MPI_Datatype type) {
  if (!call.recorded() && !call.may_mark()) return;
  uint64_t bytes = 0;
  const Communicator* known = sender(buffer, comm, dest, tag, count, type, bytes);
  if (known == nullptr) return;
  call.bytes = bytes;
  if (!call.recorded()) return;
  call.id = next_request_id();
  call.first(RecordKind::kIsend, known->id, dest, tag, bytes, call.id);
}
template <class Count>
void sending(Call& call, MPI_Comm comm, int dest, int tag, Count count, MPI_Datatype type,
             MPI_Request request) {
  if (!call.tracked() || dest < 0) return;
  if (call.id == 0 && (call.recorded() || call.may_mark())) {
    const Communicator* known = communicator_of(comm);
    call.bytes = bytes_of(count, type);
    if (known != nullptr && call.recorded()) {
      call.id = next_request_id();
      emit(RecordKind::kIsend, call.begin(), known->id, dest, tag, call.bytes, call.id);
    }
  }
  request_made(request, {.kind = Request::kSend, .recorded = call.id != 0, .id = call.id});
}
/// MPI refused what has a request already.
inline void request_failed(Call& call) {
  if (call.id != 0) emit(RecordKind::kRequestCancelled, call.end(), call.id);
}

inline void begin_receive(Call& call, int source) {
  if (!call.recorded() || source == MPI_PROC_NULL) return;
  call.id = next_request_id();
  call.first(RecordKind::kIrecvRequest, call.id);
}
inline void receiving(Call& call, MPI_Comm comm, int source, MPI_Request request) {
  if (!call.tracked() || source == MPI_PROC_NULL) return;
  const Communicator* known = communicator_of(comm);
  if (known == nullptr) return;
  request_made(
      request,
      {.kind = Request::kReceive, .recorded = call.id != 0, .id = call.id, .comm = known->id});
}

/// The receive of MPI_Isendrecv: MPICH does not tell in its status what arrived, so what was posted
/// counts unless it is a wildcard.
template <class Count>
void receiving_back(Call& call, MPI_Comm comm, int source, int tag, Count count, MPI_Datatype type,
                    MPI_Request request) {
  if (!call.tracked() || source == MPI_PROC_NULL) return;
  const Communicator* known = communicator_of(comm);
  if (known == nullptr) return;
  request_made(request, {.kind = Request::kReceive,
                         .recorded = call.id != 0,
                         .id = call.id,
                         .comm = known->id,
                         .peer = source,
                         .tag = tag,
                         .bytes_received = bytes_of(count, type),
                         .fixed = source >= 0 && tag >= 0});
}

/// MPI_*_init of a send or receive.
template <class Count>
void persistent(Call& call, Request::Kind kind, MPI_Comm comm, int peer, int tag, Count count,
                MPI_Datatype type, MPI_Request request, bool partitioned = false) {
  if (!call.tracked() || peer == MPI_PROC_NULL) return;
  const Communicator* known = communicator_of(comm);
  if (known == nullptr) return;
  const uint64_t bytes = bytes_of(count, type);
  request_made(request, {.kind = kind,
                         .persistent = true,
                         .comm = known->id,
                         .peer = peer,
                         .tag = tag,
                         .bytes_sent = bytes,
                         .bytes_received = bytes,
                         .fixed = partitioned});
}

/// The communicator of a message that MPI_Mprobe matched.
void message_matched(Call& call, MPI_Comm comm, MPI_Message message);
/// message  may be nullptr
MPI_Comm take_message(Call& call, const MPI_Message* message);

}  // namespace pathline::record
