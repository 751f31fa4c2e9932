// SPDX-License-Identifier: BSD-3-Clause
//
// What a recorder cannot do without: two reads of the time stamp counter and one record of 32 bytes
// per call, into a buffer that is never written anywhere. Nothing is kept; it is the yardstick.
#include <stdint.h>

#include <mpi.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#define TICKS() __rdtsc()
#else
#include <time.h>
static uint64_t TICKS(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
#endif

typedef struct {
  uint64_t begin, end, bytes;
  int32_t peer, what;
} Record;

enum {
  kRecords = 8192,
  kSend = 1,
  kRecv,
  kIrecv,
  kWait,
  kIprobe,
  kAllreduce,
  kPut,
  kFence,
  kBegin,
  kEnd
};
static __thread Record records[kRecords] __attribute__((tls_model("initial-exec")));
static __thread unsigned used __attribute__((tls_model("initial-exec")));

static inline void keep(uint64_t begin, int what, int peer, int count, MPI_Datatype type) {
  int size = 0;
  if (count) PMPI_Type_size(type, &size);
  records[used++ % kRecords] =
      (Record){begin, TICKS(), (uint64_t)count * (unsigned)size, peer, what};
}

#define WRAP(call, what, peer, count, type) \
  {                                         \
    const uint64_t begin = TICKS();         \
    const int status = call;                \
    keep(begin, what, peer, count, type);   \
    return status;                          \
  }

int MPI_Send(const void* b, int n, MPI_Datatype t, int to, int tag,
             MPI_Comm c) WRAP(PMPI_Send(b, n, t, to, tag, c), kSend, to, n, t)

    int MPI_Recv(void* b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c,
                 MPI_Status* s) WRAP(PMPI_Recv(b, n, t, from, tag, c, s), kRecv, from, n, t)

        int MPI_Irecv(void* b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c,
                      MPI_Request* r) WRAP(PMPI_Irecv(b, n, t, from, tag, c, r), kIrecv, from, n, t)

            int MPI_Wait(MPI_Request* r, MPI_Status* s) WRAP(PMPI_Wait(r, s), kWait, 0, 0, MPI_BYTE)

                int MPI_Iprobe(int from, int tag, MPI_Comm c, int* flag, MPI_Status* s)
                    WRAP(PMPI_Iprobe(from, tag, c, flag, s), kIprobe, from, 0, MPI_BYTE)

                        int MPI_Allreduce(const void* a, void* b, int n, MPI_Datatype t, MPI_Op op,
                                          MPI_Comm c)
                            WRAP(PMPI_Allreduce(a, b, n, t, op, c), kAllreduce, 0, n, t)

                                int MPI_Put(const void* a, int n, MPI_Datatype t, int to,
                                            MPI_Aint at, int m, MPI_Datatype u, MPI_Win w)
                                    WRAP(PMPI_Put(a, n, t, to, at, m, u, w), kPut, to, n, t)

                                        int MPI_Win_fence(int how, MPI_Win w)
                                            WRAP(PMPI_Win_fence(how, w), kFence, 0, 0, MPI_BYTE)

    // A pair of regions: what pathline.h calls.
    void pathline_record_region_begin(const char* name) {
  records[used++ % kRecords] = (Record){TICKS(), 0, (uintptr_t)name, 0, kBegin};
}

void pathline_record_region_end(const char* name) {
  records[used++ % kRecords] = (Record){TICKS(), 0, (uintptr_t)name, 0, kEnd};
}
