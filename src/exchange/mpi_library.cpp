// SPDX-License-Identifier: BSD-3-Clause
//
// libpathline-exchange-<MPI>.so: the functions of mpi_functions.h, by the MPI whose mpi.h this was
// compiled with.
#include <algorithm>
#include <cstring>

#include <mpi.h>

#include "exchange/mpi_functions.h"

namespace {

int comm_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int comm_size() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

int start() {
  // Other threads compute; the one that called this communicates.
  int provided = 0;
  return MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
}

void place(uint32_t* rank, uint32_t* size) {
  *rank = static_cast<uint32_t>(comm_rank());
  *size = static_cast<uint32_t>(comm_size());
}

void all_gather(const void* mine, uint32_t bytes, void* all) {
  const int count = static_cast<int>(bytes);
  MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, MPI_COMM_WORLD);
}

/// With one partner after the other: MPI_Alltoallv has room for 2 GiB of all partners together.
void all_to_all(const uint8_t* const* send, const uint64_t* send_bytes, uint8_t* const* receive,
                const uint64_t* receive_bytes, uint64_t slice) {
  const int rank = comm_rank();
  const int size = comm_size();
  if (send_bytes[rank] > 0) std::memcpy(receive[rank], send[rank], send_bytes[rank]);
  for (int step = 1; step < size; ++step) {
    const int to = (rank + step) % size;
    const int from = (rank - step + size) % size;
    uint64_t sent = 0;
    uint64_t received = 0;
    while (sent < send_bytes[to] || received < receive_bytes[from]) {
      const uint64_t next = std::min(slice, send_bytes[to] - sent);
      const uint64_t awaited = std::min(slice, receive_bytes[from] - received);
      MPI_Sendrecv(send[to] + sent, static_cast<int>(next), MPI_BYTE, next > 0 ? to : MPI_PROC_NULL,
                   0, receive[from] + received, static_cast<int>(awaited), MPI_BYTE,
                   awaited > 0 ? from : MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sent += next;
      received += awaited;
    }
  }
}

void all_to_all_numbers(const uint64_t* send, uint64_t* receive) {
  MPI_Alltoall(send, 1, MPI_UINT64_T, receive, 1, MPI_UINT64_T, MPI_COMM_WORLD);
}

void abort_job(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

void finish() { MPI_Finalize(); }

constexpr PathlineExchange kFunctions = {
    kPathlineExchangeVersion, start,     place, all_gather, all_to_all,
    all_to_all_numbers,       abort_job, finish};

}  // namespace

extern "C" __attribute__((visibility("default"))) const PathlineExchange*
pathline_exchange_functions() {
  return &kFunctions;
}
