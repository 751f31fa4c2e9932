// SPDX-License-Identifier: BSD-3-Clause
#include "zoo.h"

// Nothing, one number, and more than fits into a message that is sent at once.
static const int counts[] = {0, 1, 300, 100000};
enum { kCounts = sizeof counts / sizeof *counts, kLongest = 100000 };

static int previous_rank(void) { return (zoo_rank + zoo_size - 1) % zoo_size; }
static int next_rank(void) { return (zoo_rank + 1) % zoo_size; }

static int* numbers(int first) {
  int* values = malloc(kLongest * sizeof *values);
  for (int i = 0; i < kLongest; ++i) values[i] = first + i;
  return values;
}

static bool equal(const int* values, int count, int first) {
  for (int i = 0; i < count; ++i) {
    if (values[i] != first + i) return false;
  }
  return true;
}

typedef int (*SendCall)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
typedef int (*IsendCall)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

static void attach(void) {
  const int size = 8 * (kLongest * (int)sizeof(int) + MPI_BSEND_OVERHEAD);
  void* buffer = malloc((size_t)size);
  MPI_Buffer_attach(buffer, size);
}

static void detach(void) {
  void* buffer;
  int size;
  MPI_Buffer_detach(&buffer, &size);
  free(buffer);
}

void zoo_blocking(void) {
  const SendCall calls[] = {MPI_Send, MPI_Bsend, MPI_Ssend, MPI_Rsend};
  int* out = numbers(zoo_rank);
  int* in = numbers(-kLongest);
  attach();
  for (int call = 0; call < 4; ++call) {
    for (int i = 0; i < kCounts; ++i) {
      MPI_Request request;
      MPI_Status status;
      MPI_Irecv(in, kLongest, MPI_INT, previous_rank(), call, MPI_COMM_WORLD, &request);
      MPI_Barrier(MPI_COMM_WORLD);  // MPI_Rsend wants the receive to be there
      calls[call](out, counts[i], MPI_INT, next_rank(), call, MPI_COMM_WORLD);
      MPI_Wait(&request, &status);
      int received;
      MPI_Get_count(&status, MPI_INT, &received);
      CHECK(received == counts[i]);
      CHECK(equal(in, received, previous_rank()));
    }
  }
  detach();

  for (int i = 0; i < kCounts; ++i) {
    MPI_Status status;
    MPI_Sendrecv(out, counts[i], MPI_INT, next_rank(), 1, in, kLongest, MPI_INT, previous_rank(), 1,
                 MPI_COMM_WORLD, &status);
    CHECK(equal(in, counts[i], previous_rank()));
    MPI_Sendrecv_replace(in, counts[i], MPI_INT, previous_rank(), 2, next_rank(), 2, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    CHECK(equal(in, counts[i], zoo_rank));
    // A blocking receive, and neighbours that take turns.
    if (zoo_rank % 2 == 0) {
      MPI_Send(out, counts[i], MPI_INT, next_rank(), 3, MPI_COMM_WORLD);
      MPI_Recv(in, kLongest, MPI_INT, previous_rank(), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in, kLongest, MPI_INT, previous_rank(), 3, MPI_COMM_WORLD, &status);
      MPI_Send(out, counts[i], MPI_INT, next_rank(), 3, MPI_COMM_WORLD);
    }
    CHECK(equal(in, counts[i], previous_rank()));
  }
  free(out);
  free(in);
}

void zoo_nonblocking(void) {
  const IsendCall calls[] = {MPI_Isend, MPI_Ibsend, MPI_Issend, MPI_Irsend};
  int* out = numbers(zoo_rank);
  int* in = numbers(-kLongest);
  attach();
  for (int call = 0; call < 4; ++call) {
    for (int i = 0; i < kCounts; ++i) {
      MPI_Request requests[2];
      MPI_Status statuses[2];
      MPI_Irecv(in, kLongest, MPI_INT, previous_rank(), call, MPI_COMM_WORLD, &requests[0]);
      MPI_Barrier(MPI_COMM_WORLD);
      calls[call](out, counts[i], MPI_INT, next_rank(), call, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests, i % 2 ? MPI_STATUSES_IGNORE : statuses);
      CHECK(equal(in, counts[i], previous_rank()));
      CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    }
  }
  detach();
  free(out);
  free(in);
}

void zoo_proc_null(void) {
  int number = 7;
  MPI_Request requests[2];
  MPI_Status status;
  MPI_Send(&number, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  MPI_Recv(&number, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && number == 7);
  MPI_Isend(&number, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&number, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Sendrecv(&number, 1, MPI_INT, MPI_PROC_NULL, 1, &number, 1, MPI_INT, MPI_PROC_NULL, 1,
               MPI_COMM_WORLD, &status);
  MPI_Probe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
  MPI_Message message;
  MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  CHECK(message == MPI_MESSAGE_NO_PROC);
  MPI_Mrecv(&number, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  MPI_Send_init(&number, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&number, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 3; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);

  // The ends of a chain: one partner is missing.
  const int left = zoo_rank == 0 ? MPI_PROC_NULL : zoo_rank - 1;
  const int right = zoo_rank == zoo_size - 1 ? MPI_PROC_NULL : zoo_rank + 1;
  int in = -1;
  MPI_Sendrecv(&zoo_rank, 1, MPI_INT, right, 2, &in, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &status);
  CHECK(in == (zoo_rank == 0 ? -1 : zoo_rank - 1));
}

void zoo_any_source(void) {
  enum { kRounds = 5 };
  if (zoo_rank != 0) {
    for (int i = 0; i < kRounds; ++i) {
      MPI_Send(&zoo_rank, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
      MPI_Send(&zoo_rank, 1, MPI_INT, 0, 100, MPI_COMM_WORLD);
    }
    return;
  }
  int room[64];
  MPI_Status status;
  for (int i = 0; i < kRounds * (zoo_size - 1); ++i) {
    MPI_Recv(room, 64, MPI_INT, MPI_ANY_SOURCE, 100, MPI_COMM_WORLD, &status);
    CHECK(room[0] == status.MPI_SOURCE);
  }
  for (int i = 0; i < kRounds * (zoo_size - 1); ++i) {
    MPI_Request request;
    MPI_Irecv(room, 64, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    if (i % 2) {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      int done = 0;
      while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    CHECK(room[0] > 0 && room[0] < zoo_size);
  }
}

void zoo_types(void) {
  int out[32], in[32];
  for (int i = 0; i < 32; ++i) {
    out[i] = zoo_rank * 100 + i;
    in[i] = -1;
  }
  MPI_Datatype column, pairs, mixed, wide;
  MPI_Type_vector(4, 2, 8, MPI_INT, &column);
  MPI_Type_contiguous(3, column, &pairs);
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &wide);
  const int lengths[] = {2, 1};
  const MPI_Aint offsets[] = {0, 16};
  const MPI_Datatype parts[] = {MPI_INT, MPI_DOUBLE};
  MPI_Type_create_struct(2, lengths, offsets, parts, &mixed);
  MPI_Datatype* const all[] = {&column, &pairs, &mixed, &wide};
  for (int i = 0; i < 4; ++i) MPI_Type_commit(all[i]);

  MPI_Status status;
  int count;
  MPI_Sendrecv(out, 1, column, next_rank(), 1, in, 8, MPI_INT, previous_rank(), 1, MPI_COMM_WORLD,
               &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == 8 && in[2] == previous_rank() * 100 + 8);
  MPI_Sendrecv(out, 5, MPI_INT, next_rank(), 2, in, 1, column, previous_rank(), 2, MPI_COMM_WORLD,
               &status);  // half of an element
  MPI_Get_count(&status, column, &count);
  CHECK(count == MPI_UNDEFINED);
  MPI_Get_elements(&status, column, &count);
  CHECK(count == 5 && in[9] == previous_rank() * 100 + 3);
  MPI_Sendrecv(out, 16, wide, next_rank(), 3, in, 16, MPI_INT, previous_rank(), 3, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  CHECK(in[15] == previous_rank() * 100 + 30);
  MPI_Sendrecv(out, 2, mixed, next_rank(), 4, in, 2, mixed, previous_rank(), 4, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);

  // An absolute address, packed data, and a type that is freed while its message is under way.
  MPI_Aint address;
  MPI_Get_address(out, &address);
  MPI_Datatype absolute;
  const int one = 4;
  MPI_Type_create_hindexed(1, &one, &address, MPI_INT, &absolute);
  MPI_Type_commit(&absolute);
  MPI_Request request;
  MPI_Isend(MPI_BOTTOM, 1, absolute, next_rank(), 5, MPI_COMM_WORLD, &request);
  MPI_Type_free(&absolute);
  MPI_Recv(in, 4, MPI_INT, previous_rank(), 5, MPI_COMM_WORLD, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(in[3] == previous_rank() * 100 + 3);
  char packed[64];
  int position = 0;
  MPI_Pack(out, 3, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
  MPI_Sendrecv(packed, position, MPI_PACKED, next_rank(), 6, in, 3, MPI_INT, previous_rank(), 6,
               MPI_COMM_WORLD, &status);
  CHECK(in[2] == previous_rank() * 100 + 2);
  for (int i = 0; i < 4; ++i) MPI_Type_free(all[i]);
}

void zoo_persistent(void) {
  enum { kPairs = 4 };
  int out[kPairs], in[kPairs];
  MPI_Request requests[2 * kPairs];
  attach();
  for (int i = 0; i < kPairs; ++i) {
    MPI_Recv_init(&in[i], 1, MPI_INT, previous_rank(), i, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Send_init(&out[0], 1, MPI_INT, next_rank(), 0, MPI_COMM_WORLD, &requests[kPairs]);
  MPI_Bsend_init(&out[1], 1, MPI_INT, next_rank(), 1, MPI_COMM_WORLD, &requests[kPairs + 1]);
  MPI_Ssend_init(&out[2], 1, MPI_INT, next_rank(), 2, MPI_COMM_WORLD, &requests[kPairs + 2]);
  MPI_Rsend_init(&out[3], 1, MPI_INT, next_rank(), 3, MPI_COMM_WORLD, &requests[kPairs + 3]);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < kPairs; ++i) out[i] = round * 100 + zoo_rank * 10 + i;
    MPI_Startall(kPairs, requests);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = kPairs; i < 2 * kPairs; ++i) MPI_Start(&requests[i]);
    MPI_Waitall(2 * kPairs, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < kPairs; ++i) CHECK(in[i] == round * 100 + previous_rank() * 10 + i);
    // Inactive now: complete at once, whatever asks.
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 2 * kPairs; ++i) MPI_Request_free(&requests[i]);
  detach();

  // Freed while active: the send completes all the same.
  int number = zoo_rank;
  MPI_Request request;
  MPI_Send_init(&number, 1, MPI_INT, next_rank(), 9, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  MPI_Request_free(&request);
  MPI_Recv(in, 1, MPI_INT, previous_rank(), 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(in[0] == previous_rank());
  MPI_Barrier(MPI_COMM_WORLD);
}

void zoo_probes(void) {
  int number = zoo_rank, in = -1, flag = 0, count;
  MPI_Status status;
  MPI_Request request;
  MPI_Message message;
  for (int tag = 1; tag <= 5; ++tag) {
    MPI_Isend(&number, 1, MPI_INT, next_rank(), tag, MPI_COMM_WORLD, &request);
    switch (tag) {
      case 1: MPI_Probe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status); break;
      case 2:
        for (flag = 0; !flag;) MPI_Iprobe(previous_rank(), tag, MPI_COMM_WORLD, &flag, &status);
        break;
      case 3:
      case 4: MPI_Mprobe(previous_rank(), tag, MPI_COMM_WORLD, &message, &status); break;
      default:
        for (flag = 0; !flag;) {
          MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status);
        }
    }
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == 1 && status.MPI_SOURCE == previous_rank() && status.MPI_TAG == tag);
    in = -1;
    if (tag <= 2) {
      MPI_Recv(&in, 1, MPI_INT, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (tag == 4) {
      MPI_Request receive;
      MPI_Imrecv(&in, 1, MPI_INT, &message, &receive);
      MPI_Wait(&receive, &status);
      CHECK(status.MPI_SOURCE == previous_rank());
    } else {
      MPI_Mrecv(&in, 1, MPI_INT, &message, tag == 3 ? MPI_STATUS_IGNORE : &status);
    }
    CHECK(in == previous_rank());
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

void zoo_cancel(void) {
  int in[2];
  MPI_Request requests[2];
  MPI_Status status;
  int cancelled = 0;
  MPI_Irecv(&in[0], 1, MPI_INT, previous_rank(), 77, MPI_COMM_WORLD, &requests[0]);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], &status);
  MPI_Test_cancelled(&status, &cancelled);
  CHECK(cancelled);
  // Cancelled, and nobody asks how it ended.
  MPI_Irecv(&in[0], 1, MPI_INT, MPI_ANY_SOURCE, 78, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&in[1], 1, MPI_INT, previous_rank(), 79, MPI_COMM_WORLD, &requests[1]);
  MPI_Start(&requests[1]);
  MPI_Cancel(&requests[0]);
  MPI_Cancel(&requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  zoo_ring(MPI_COMM_WORLD, 3, 77);
}

void zoo_self(void) {
  int in[2] = {-1, -1};
  MPI_Request request;
  MPI_Irecv(&in[0], 1, MPI_INT, zoo_rank, 1, MPI_COMM_WORLD, &request);
  MPI_Send(&zoo_rank, 1, MPI_INT, zoo_rank, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&zoo_rank, 1, MPI_INT, 0, 2, &in[1], 1, MPI_INT, 0, 2, MPI_COMM_SELF,
               MPI_STATUS_IGNORE);
  CHECK(in[0] == zoo_rank && in[1] == zoo_rank);
}

// A call that MPI refuses sends nothing.
void zoo_refused(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK(MPI_Send(&zoo_rank, 1, MPI_INT, zoo_size + 5, 1, comm) != MPI_SUCCESS);
  CHECK(MPI_Isend(&zoo_rank, -1, MPI_INT, next_rank(), 1, comm, &request) != MPI_SUCCESS);
  CHECK(MPI_Recv(&zoo_rank, 1, MPI_INT, -77, 1, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS);
  zoo_ring(comm, 2, 1);
  MPI_Comm_free(&comm);
}
