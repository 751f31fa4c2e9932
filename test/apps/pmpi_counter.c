// SPDX-License-Identifier: BSD-3-Clause
//
// An oracle for the recorder, sharing nothing with it: preloaded into the ranks of a program it
// counts the messages they send, and MPI_Finalize writes them to
// $PATHLINE_ORACLE_DIRECTORY/<rank>.csv as `sender,receiver,messages,bytes` with ranks of
// MPI_COMM_WORLD. A message counts once its call (for a persistent request its start) succeeded.
//
// Fortran calls arrive in three ways that depend on the MPI (mpi_send_, mpi_send_f08_,
// mpi_send_f08ts_; some of them end in the C function as well), so all are wrapped and `depth`
// keeps the second sighting of a call from counting. They go on to the symbol of the same name,
// which knows what a buffer is in Fortran; here all arguments are just addresses.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

enum { kMaxRequests = 65536 };

typedef struct {
  MPI_Request handle;
  int receiver;
  long long bytes;
} Persistent;

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static long long* messages;  // by receiver
static long long* bytes;
static int world_size;
static Persistent persistent[kMaxRequests];
static int persistent_count;
static __thread int depth;

static int world_rank_of(int rank, MPI_Comm comm) {
  MPI_Group group, world;
  int inter, result;
  PMPI_Comm_test_inter(comm, &inter);
  if (inter) {
    PMPI_Comm_remote_group(comm, &group);
  } else {
    PMPI_Comm_group(comm, &group);
  }
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(group, 1, &rank, world, &result);
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  return result;
}

static void add(int receiver, long long size) {
  if (receiver == MPI_UNDEFINED) return;  // of another world
  pthread_mutex_lock(&lock);
  if (!messages) {
    PMPI_Comm_size(MPI_COMM_WORLD, &world_size);
    messages = calloc((size_t)world_size, sizeof *messages);
    bytes = calloc((size_t)world_size, sizeof *bytes);
  }
  messages[receiver] += 1;
  bytes[receiver] += size;
  pthread_mutex_unlock(&lock);
}

static long long size_of(long long count, MPI_Datatype type) {
  MPI_Count size;
  PMPI_Type_size_x(type, &size);
  return count * size;
}

static void sent(long long count, MPI_Datatype type, int dest, MPI_Comm comm) {
  if (dest != MPI_PROC_NULL) add(world_rank_of(dest, comm), size_of(count, type));
}

static void made(MPI_Request handle, long long count, MPI_Datatype type, int dest, MPI_Comm comm) {
  if (dest == MPI_PROC_NULL) return;
  const Persistent entry = {handle, world_rank_of(dest, comm), size_of(count, type)};
  pthread_mutex_lock(&lock);
  if (persistent_count == kMaxRequests) abort();
  persistent[persistent_count++] = entry;
  pthread_mutex_unlock(&lock);
}

static void started(MPI_Request handle) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < persistent_count; ++i) {
    if (persistent[i].handle == handle) add(persistent[i].receiver, persistent[i].bytes);
  }
  pthread_mutex_unlock(&lock);
}

static void freed(MPI_Request handle) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < persistent_count; ++i) {
    if (persistent[i].handle == handle) persistent[i] = persistent[--persistent_count];
  }
  pthread_mutex_unlock(&lock);
}

static void finish(void) {
  const char* folder = getenv("PATHLINE_ORACLE_DIRECTORY");
  char path[4096];
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof path, "%s/%d.csv", folder ? folder : ".", rank);
  FILE* file = fopen(path, "w");
  if (!file) {
    perror(path);
    return;
  }
  for (int i = 0; messages && i < world_size; ++i) {
    if (messages[i]) fprintf(file, "%d,%d,%lld,%lld\n", rank, i, messages[i], bytes[i]);
  }
  fclose(file);
}

// Runs `call`, which sets `status`, and then `action` if this was the program's own call.
#define COUNTED(call, succeeded, action)   \
  do {                                     \
    ++depth;                               \
    call;                                  \
    --depth;                               \
    if (depth == 0 && (succeeded)) action; \
  } while (0)

// ---- C ------------------------------------------------------------------------------------------

#define SEND(name, count_type)                                                                 \
  int MPI_##name(const void* buffer, count_type count, MPI_Datatype type, int dest, int tag,   \
                 MPI_Comm comm) {                                                              \
    int status;                                                                                \
    COUNTED(status = PMPI_##name(buffer, count, type, dest, tag, comm), status == MPI_SUCCESS, \
            sent(count, type, dest, comm));                                                    \
    return status;                                                                             \
  }
#define SEND_REQUEST(name, count_type, action)                                               \
  int MPI_##name(const void* buffer, count_type count, MPI_Datatype type, int dest, int tag, \
                 MPI_Comm comm, MPI_Request* request) {                                      \
    int status;                                                                              \
    COUNTED(status = PMPI_##name(buffer, count, type, dest, tag, comm, request),             \
            status == MPI_SUCCESS, action);                                                  \
    return status;                                                                           \
  }
#define ISEND(name, count_type) SEND_REQUEST(name, count_type, sent(count, type, dest, comm))
#define INIT(name, count_type) \
  SEND_REQUEST(name, count_type, made(*request, count, type, dest, comm))
#define SENDRECV(name, count_type)                                                              \
  int MPI_##name(const void* buffer, count_type count, MPI_Datatype type, int dest, int tag,    \
                 void* into, count_type room, MPI_Datatype into_type, int source, int into_tag, \
                 MPI_Comm comm, MPI_Status* result) {                                           \
    int status;                                                                                 \
    COUNTED(status = PMPI_##name(buffer, count, type, dest, tag, into, room, into_type, source, \
                                 into_tag, comm, result),                                       \
            status == MPI_SUCCESS, sent(count, type, dest, comm));                              \
    return status;                                                                              \
  }
#define SENDRECV_REPLACE(name, count_type)                                                         \
  int MPI_##name(void* buffer, count_type count, MPI_Datatype type, int dest, int tag, int source, \
                 int into_tag, MPI_Comm comm, MPI_Status* result) {                                \
    int status;                                                                                    \
    COUNTED(status = PMPI_##name(buffer, count, type, dest, tag, source, into_tag, comm, result),  \
            status == MPI_SUCCESS, sent(count, type, dest, comm));                                 \
    return status;                                                                                 \
  }
#define ALL_C(suffix, count_type)        \
  SEND(Send##suffix, count_type)         \
  SEND(Bsend##suffix, count_type)        \
  SEND(Ssend##suffix, count_type)        \
  SEND(Rsend##suffix, count_type)        \
  ISEND(Isend##suffix, count_type)       \
  ISEND(Ibsend##suffix, count_type)      \
  ISEND(Issend##suffix, count_type)      \
  ISEND(Irsend##suffix, count_type)      \
  INIT(Send_init##suffix, count_type)    \
  INIT(Bsend_init##suffix, count_type)   \
  INIT(Ssend_init##suffix, count_type)   \
  INIT(Rsend_init##suffix, count_type)   \
  SENDRECV(Sendrecv##suffix, count_type) \
  SENDRECV_REPLACE(Sendrecv_replace##suffix, count_type)

ALL_C(, int)
#if MPI_VERSION >= 4
ALL_C(_c, MPI_Count)

int MPI_Isendrecv(const void* buffer, int count, MPI_Datatype type, int dest, int tag, void* into,
                  int room, MPI_Datatype into_type, int source, int into_tag, MPI_Comm comm,
                  MPI_Request* request) {
  int status;
  COUNTED(status = PMPI_Isendrecv(buffer, count, type, dest, tag, into, room, into_type, source,
                                  into_tag, comm, request),
          status == MPI_SUCCESS, sent(count, type, dest, comm));
  return status;
}

int MPI_Isendrecv_replace(void* buffer, int count, MPI_Datatype type, int dest, int tag, int source,
                          int into_tag, MPI_Comm comm, MPI_Request* request) {
  int status;
  COUNTED(status = PMPI_Isendrecv_replace(buffer, count, type, dest, tag, source, into_tag, comm,
                                          request),
          status == MPI_SUCCESS, sent(count, type, dest, comm));
  return status;
}

int MPI_Psend_init(const void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int dest,
                   int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  int status;
  COUNTED(status = PMPI_Psend_init(buffer, partitions, count, type, dest, tag, comm, info, request),
          status == MPI_SUCCESS, made(*request, partitions * count, type, dest, comm));
  return status;
}
#endif

int MPI_Start(MPI_Request* request) {
  int status;
  COUNTED(status = PMPI_Start(request), status == MPI_SUCCESS, started(*request));
  return status;
}

int MPI_Startall(int count, MPI_Request* requests) {
  int status;
  COUNTED(status = PMPI_Startall(count, requests), status == MPI_SUCCESS,
          for (int i = 0; i < count; ++i) started(requests[i]));
  return status;
}

int MPI_Request_free(MPI_Request* request) {
  const MPI_Request handle = *request;
  int status;
  COUNTED(status = PMPI_Request_free(request), status == MPI_SUCCESS, freed(handle));
  return status;
}

int MPI_Finalize(void) {
  if (depth == 0) finish();
  return PMPI_Finalize();
}

// ---- Fortran ------------------------------------------------------------------------------------

// The address of the next function of this name. `ierror` is optional in mpi_f08, so that success
// is taken for granted: the default error handler ends the program anyway.
static void* next(const char* name) {
  void* address = dlsym(RTLD_NEXT, name);
  if (!address) abort();
  return address;
}

#define FORTRAN_SEND(symbol)                                                                      \
  void symbol(void* buffer, int* count, int* type, int* dest, int* tag, int* comm, int* ierror) { \
    void (*real)(void*, int*, int*, int*, int*, int*, int*) = next(#symbol);                      \
    COUNTED(real(buffer, count, type, dest, tag, comm, ierror), 1,                                \
            sent(*count, MPI_Type_f2c(*type), *dest, MPI_Comm_f2c(*comm)));                       \
  }
#define FORTRAN_REQUEST(symbol, action)                                                          \
  void symbol(void* buffer, int* count, int* type, int* dest, int* tag, int* comm, int* request, \
              int* ierror) {                                                                     \
    void (*real)(void*, int*, int*, int*, int*, int*, int*, int*) = next(#symbol);               \
    COUNTED(real(buffer, count, type, dest, tag, comm, request, ierror), 1, action);             \
  }
#define FORTRAN_ISEND(symbol) \
  FORTRAN_REQUEST(symbol, sent(*count, MPI_Type_f2c(*type), *dest, MPI_Comm_f2c(*comm)))
#define FORTRAN_INIT(symbol)                                                                  \
  FORTRAN_REQUEST(symbol, made(MPI_Request_f2c(*request), *count, MPI_Type_f2c(*type), *dest, \
                               MPI_Comm_f2c(*comm)))
#define FORTRAN_SENDRECV(symbol)                                                                  \
  void symbol(void* buffer, int* count, int* type, int* dest, int* tag, void* into, int* room,    \
              int* into_type, int* source, int* into_tag, int* comm, void* result, int* ierror) { \
    void (*real)(void*, int*, int*, int*, int*, void*, int*, int*, int*, int*, int*, void*,       \
                 int*) = next(#symbol);                                                           \
    COUNTED(real(buffer, count, type, dest, tag, into, room, into_type, source, into_tag, comm,   \
                 result, ierror),                                                                 \
            1, sent(*count, MPI_Type_f2c(*type), *dest, MPI_Comm_f2c(*comm)));                    \
  }
#define FORTRAN_SENDRECV_REPLACE(symbol)                                                        \
  void symbol(void* buffer, int* count, int* type, int* dest, int* tag, int* source,            \
              int* into_tag, int* comm, void* result, int* ierror) {                            \
    void (*real)(void*, int*, int*, int*, int*, int*, int*, int*, void*, int*) = next(#symbol); \
    COUNTED(real(buffer, count, type, dest, tag, source, into_tag, comm, result, ierror), 1,    \
            sent(*count, MPI_Type_f2c(*type), *dest, MPI_Comm_f2c(*comm)));                     \
  }
#define ALL_FORTRAN(suffix)              \
  FORTRAN_SEND(mpi_send##suffix)         \
  FORTRAN_SEND(mpi_bsend##suffix)        \
  FORTRAN_SEND(mpi_ssend##suffix)        \
  FORTRAN_SEND(mpi_rsend##suffix)        \
  FORTRAN_ISEND(mpi_isend##suffix)       \
  FORTRAN_ISEND(mpi_ibsend##suffix)      \
  FORTRAN_ISEND(mpi_issend##suffix)      \
  FORTRAN_ISEND(mpi_irsend##suffix)      \
  FORTRAN_INIT(mpi_send_init##suffix)    \
  FORTRAN_INIT(mpi_bsend_init##suffix)   \
  FORTRAN_INIT(mpi_ssend_init##suffix)   \
  FORTRAN_INIT(mpi_rsend_init##suffix)   \
  FORTRAN_SENDRECV(mpi_sendrecv##suffix) \
  FORTRAN_SENDRECV_REPLACE(mpi_sendrecv_replace##suffix)

ALL_FORTRAN(_)
ALL_FORTRAN(_f08_)
ALL_FORTRAN(_f08ts_)

#define FORTRAN_REST(suffix)                                                         \
  void mpi_start##suffix(int* request, int* ierror) {                                \
    void (*real)(int*, int*) = next("mpi_start" #suffix);                            \
    COUNTED(real(request, ierror), 1, started(MPI_Request_f2c(*request)));           \
  }                                                                                  \
  void mpi_startall##suffix(int* count, int* requests, int* ierror) {                \
    void (*real)(int*, int*, int*) = next("mpi_startall" #suffix);                   \
    COUNTED(real(count, requests, ierror), 1,                                        \
            for (int i = 0; i < *count; ++i) started(MPI_Request_f2c(requests[i]))); \
  }                                                                                  \
  void mpi_request_free##suffix(int* request, int* ierror) {                         \
    void (*real)(int*, int*) = next("mpi_request_free" #suffix);                     \
    const MPI_Request handle = MPI_Request_f2c(*request);                            \
    COUNTED(real(request, ierror), 1, freed(handle));                                \
  }                                                                                  \
  void mpi_finalize##suffix(int* ierror) {                                           \
    void (*real)(int*) = next("mpi_finalize" #suffix);                               \
    finish();                                                                        \
    ++depth;                                                                         \
    real(ierror);                                                                    \
    --depth;                                                                         \
  }
FORTRAN_REST(_)
FORTRAN_REST(_f08_)
