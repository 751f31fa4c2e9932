// SPDX-License-Identifier: BSD-3-Clause
#include "record/mpi/messages.hpp"

#include "record/mpi/handle_table.hpp"

namespace pathline::record {
namespace {

HandleTable messages;  // MPI_Message -> MPI_Comm

}  // namespace

void message_matched(Call& call, MPI_Comm comm, MPI_Message message) {
  if (call.tracked() && message != MPI_MESSAGE_NO_PROC && message != MPI_MESSAGE_NULL) {
    messages.put(key_of(message), key_of(comm));
  }
}

MPI_Comm take_message(Call& call, const MPI_Message* message) {
  if (!call.tracked() || message == nullptr) return MPI_COMM_NULL;
  const uint64_t found = messages.find(key_of(*message));
  if (found == 0) return MPI_COMM_NULL;
  messages.remove(key_of(*message));
  MPI_Comm comm;
  std::memcpy(&comm, &found, sizeof comm);
  return comm;
}

}  // namespace pathline::record
