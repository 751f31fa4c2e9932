// SPDX-License-Identifier: BSD-3-Clause
#include <pthread.h>

#include "zoo.h"

enum { kMessages = 6 };

typedef struct {
  int out[kMessages];
  int in[kMessages];
  MPI_Request requests[2 * kMessages];  // the receives first
} Exchange;

static void begin(Exchange* e) {
  const int partner = zoo_rank ^ 1;
  for (int i = 0; i < kMessages; ++i) {
    e->out[i] = zoo_rank * 10 + i;
    e->in[i] = -1;
    MPI_Irecv(&e->in[i], 1, MPI_INT, partner, i, MPI_COMM_WORLD, &e->requests[i]);
  }
  for (int i = 0; i < kMessages; ++i) {
    MPI_Isend(&e->out[i], 1, MPI_INT, partner, i, MPI_COMM_WORLD, &e->requests[kMessages + i]);
  }
}

static void end(const Exchange* e) {
  for (int i = 0; i < kMessages; ++i) CHECK(e->in[i] == (zoo_rank ^ 1) * 10 + i);
  for (int i = 0; i < 2 * kMessages; ++i) CHECK(e->requests[i] == MPI_REQUEST_NULL);
}

void zoo_waits(void) {
  Exchange e;
  MPI_Status statuses[2 * kMessages];
  int indices[2 * kMessages], index, count;

  begin(&e);
  for (int i = 2 * kMessages - 1; i >= 0; --i) MPI_Wait(&e.requests[i], &statuses[0]);
  end(&e);

  begin(&e);
  for (int i = 0; i < 2 * kMessages; ++i) {
    MPI_Waitany(2 * kMessages, e.requests, &index, i % 2 ? MPI_STATUS_IGNORE : &statuses[0]);
    CHECK(index >= 0 && index < 2 * kMessages);
  }
  MPI_Waitany(2 * kMessages, e.requests, &index, MPI_STATUS_IGNORE);
  CHECK(index == MPI_UNDEFINED);
  end(&e);

  begin(&e);
  for (int done = 0; done < 2 * kMessages; done += count) {
    MPI_Waitsome(2 * kMessages, e.requests, &count, indices,
                 done % 2 ? MPI_STATUSES_IGNORE : statuses);
  }
  MPI_Waitsome(2 * kMessages, e.requests, &count, indices, statuses);
  CHECK(count == MPI_UNDEFINED);
  end(&e);

  begin(&e);
  MPI_Waitall(kMessages, e.requests, statuses);
  MPI_Waitall(2 * kMessages, e.requests, MPI_STATUSES_IGNORE);  // half of them are null
  end(&e);
}

void zoo_tests(void) {
  Exchange e;
  MPI_Status statuses[2 * kMessages];
  int indices[2 * kMessages], index, count, flag;

  begin(&e);
  for (int i = 0; i < 2 * kMessages; ++i) {
    for (flag = 0; !flag;) MPI_Test(&e.requests[i], &flag, &statuses[0]);
  }
  end(&e);

  begin(&e);
  for (int i = 0; i < 2 * kMessages; ++i) {
    for (flag = 0; !flag;) {
      MPI_Testany(2 * kMessages, e.requests, &index, &flag,
                  i % 2 ? MPI_STATUS_IGNORE : &statuses[0]);
    }
  }
  MPI_Testany(2 * kMessages, e.requests, &index, &flag, &statuses[0]);
  CHECK(flag && index == MPI_UNDEFINED);
  end(&e);

  begin(&e);
  for (int done = 0; done < 2 * kMessages; done += count) {
    MPI_Testsome(2 * kMessages, e.requests, &count, indices, statuses);
  }
  MPI_Testsome(2 * kMessages, e.requests, &count, indices, statuses);
  CHECK(count == MPI_UNDEFINED);
  end(&e);

  begin(&e);
  for (flag = 0; !flag;) MPI_Testall(2 * kMessages, e.requests, &flag, MPI_STATUSES_IGNORE);
  end(&e);

  // Asks without completing: the request stays.
  begin(&e);
  for (flag = 0; !flag;) MPI_Request_get_status(e.requests[0], &flag, &statuses[0]);
  CHECK(e.requests[0] != MPI_REQUEST_NULL);
  MPI_Waitall(2 * kMessages, e.requests, statuses);
  end(&e);
}

void zoo_odd_requests(void) {
  const int partner = zoo_rank ^ 1;
  int out[2] = {zoo_rank, zoo_rank + 1}, in[2] = {-1, -1}, index, flag;
  MPI_Request null = MPI_REQUEST_NULL;
  MPI_Status status;
  MPI_Wait(&null, &status);
  CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE);
  MPI_Test(&null, &flag, MPI_STATUS_IGNORE);
  CHECK(flag);
  MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
  MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE);
  MPI_Waitany(0, NULL, &index, MPI_STATUS_IGNORE);
  CHECK(index == MPI_UNDEFINED);

  // Active, inactive and null in one array.
  MPI_Request requests[4];
  MPI_Irecv(&in[0], 1, MPI_INT, partner, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&in[1], 1, MPI_INT, partner, 2, MPI_COMM_WORLD, &requests[1]);
  requests[2] = MPI_REQUEST_NULL;
  MPI_Isend(&out[0], 1, MPI_INT, partner, 1, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  CHECK(in[0] == partner && in[1] == -1);
  MPI_Start(&requests[1]);
  MPI_Isend(&out[1], 1, MPI_INT, partner, 2, MPI_COMM_WORLD, &requests[3]);
  MPI_Request_free(&requests[3]);  // completes some time; here before the barrier ends
  MPI_Waitany(4, requests, &index, &status);
  CHECK(index == 1 && in[1] == partner + 1);
  MPI_Request_free(&requests[1]);
  MPI_Barrier(MPI_COMM_WORLD);
}

enum { kThreads = 4, kPerThread = 50 };

static MPI_Comm thread_comms[kThreads];

static void* exchange(void* argument) {
  const int thread = *(const int*)argument;
  const int partner = zoo_rank ^ 1;
  for (int i = 0; i < kPerThread; ++i) {
    int in = -1;
    const int out = thread * 1000 + i;
    MPI_Request requests[2];
    MPI_Irecv(&in, 1, MPI_INT, partner, i, thread_comms[thread], &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, partner, i, thread_comms[thread], &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(in == out);
    MPI_Sendrecv(&out, 1, MPI_INT, partner, kPerThread + thread, &in, 1, MPI_INT, partner,
                 kPerThread + thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in == out);
  }
  return NULL;
}

void zoo_threads(void) {
  int provided;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) return;
  pthread_t threads[kThreads];
  int numbers[kThreads];
  for (int i = 0; i < kThreads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &thread_comms[i]);
  for (int i = 0; i < kThreads; ++i) {
    numbers[i] = i;
    pthread_create(&threads[i], NULL, exchange, &numbers[i]);
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < kThreads; ++i) MPI_Comm_free(&thread_comms[i]);
}
