// SPDX-License-Identifier: BSD-3-Clause
#include "zoo.h"

#if MPI_VERSION >= 4

static void partitioned(int previous, int next) {
  enum { kPartitions = 4, kEach = 8 };
  int out[kPartitions * kEach], in[kPartitions * kEach];
  MPI_Request requests[2];
  MPI_Psend_init(out, kPartitions, kEach, MPI_INT, next, 1, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &requests[0]);
  MPI_Precv_init(in, kPartitions, kEach, MPI_INT, previous, 1, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &requests[1]);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kPartitions * kEach; ++i) out[i] = round * 1000 + zoo_rank * 100 + i;
    MPI_Startall(2, requests);
    for (int i = 0; i < kPartitions; ++i) MPI_Pready(i, requests[0]);
    int flag;
    MPI_Parrived(requests[1], 0, &flag);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(in[kPartitions * kEach - 1] == round * 1000 + previous * 100 + kPartitions * kEach - 1);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void session(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "pathline.zoo", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  zoo_ring(comm, 3, 1);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
}

void zoo_mpi4(void) {
  const int next = (zoo_rank + 1) % zoo_size, previous = (zoo_rank + zoo_size - 1) % zoo_size;
  int out = zoo_rank, in = -1;
  MPI_Request request;
  MPI_Isendrecv(&out, 1, MPI_INT, next, 1, &in, 1, MPI_INT, previous, 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(in == previous);
  MPI_Isendrecv_replace(&in, 1, MPI_INT, previous, 2, next, 2, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(in == zoo_rank);
  // Counts of 64 bits, and small all the same.
  MPI_Status status;
  MPI_Sendrecv_c(&out, 1, MPI_INT, next, 3, &in, 1, MPI_INT, previous, 3, MPI_COMM_WORLD, &status);
  CHECK(in == previous);
  MPI_Irecv_c(&in, 1, MPI_INT, previous, 4, MPI_COMM_WORLD, &request);
  MPI_Send_c(&out, 1, MPI_INT, next, 4, MPI_COMM_WORLD);
  MPI_Wait(&request, &status);

  // A collective operation as a persistent request.
  int sum = 0;
  MPI_Allreduce_init(&zoo_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int i = 0; i < 2; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(sum == zoo_size * (zoo_size - 1) / 2);
  }
  MPI_Request_free(&request);
  partitioned(previous, next);
  session();
}

#else

void zoo_mpi4(void) {}

#endif
