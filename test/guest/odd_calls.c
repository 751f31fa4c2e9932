// SPDX-License-Identifier: BSD-3-Clause
//
// odd_calls CASE: legal things that programs do seldom, and mistakes that MPI is to answer in the
// way the program chose. Prints what it saw; `run` compares that with and without the recorder.
// Case by case cut down from MPICH's own test suite, where the recorder once did harm.
#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <mpi.h>

static int rank, size;
static MPI_Comm own;  // A duplicate of the world that returns errors.
static int buffer[4096], result[4096];

static void say(const char* what, int number) {
  printf("rank %d: %s %d\n", rank, what, number);
  fflush(stdout);
}

static int class_of(int error) {
  int found = -1;
  MPI_Error_class(error, &found);
  return found;
}

// A type that is none: where it does not count, nobody may look at it.
static MPI_Datatype no_type(void) { return (MPI_Datatype)0; }

static void return_errors(void) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

// ---- What does not count
// -------------------------------------------------------------------------

static void gather_in_place(void) {
  const int error = MPI_Gather(rank ? (void*)buffer : MPI_IN_PLACE, 1, rank ? MPI_INT : no_type(),
                               result, 1, MPI_INT, 0, own);
  say("gather", class_of(error));
}

static void gather_elsewhere(void) {
  const int error = MPI_Gather(buffer, 1, MPI_INT, rank ? NULL : result, rank ? -3 : 1,
                               rank ? no_type() : MPI_INT, 0, own);
  say("gather", class_of(error));
}

static void scatter_in_place(void) {
  const int error = MPI_Scatter(buffer, 1, MPI_INT, rank ? (void*)result : MPI_IN_PLACE, 1,
                                rank ? MPI_INT : no_type(), 0, own);
  say("scatter", class_of(error));
}

static void gatherv_in_place(void) {
  int counts[64], places[64];
  for (int i = 0; i < 64; ++i) counts[i] = 1, places[i] = i;
  const int error = MPI_Gatherv(rank ? (void*)buffer : MPI_IN_PLACE, 1, rank ? MPI_INT : no_type(),
                                result, counts, places, MPI_INT, 0, own);
  say("gatherv", class_of(error));
}

static void alltoallw_in_place(void) {
  int counts[64], places[64];
  MPI_Datatype types[64];
  for (int i = 0; i < size; ++i) counts[i] = 1, places[i] = 4 * i, types[i] = MPI_INT;
  const int error =
      MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, result, counts, places, types, own);
  say("alltoallw", class_of(error));
}

static void get_accumulate_without_origin(void) {
  MPI_Win win;
  MPI_Win_create(buffer, sizeof buffer, 4, MPI_INFO_NULL, own, &win);
  MPI_Win_fence(0, win);
  const int error =
      MPI_Get_accumulate(NULL, 1, no_type(), result, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  say("get_accumulate", class_of(error));
}

// Two sides of 1 and the other ranks; the counts of the own side end where their page ends.
static void reduce_scatter_between_two_sides(void) {
  MPI_Comm side, both;
  int members = 0;
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &side);
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, rank > 0 ? 0 : 1, 5, &both);
  MPI_Comm_size(both, &members);
  const long page = sysconf(_SC_PAGESIZE);
  char* pages =
      mmap(NULL, (size_t)(2 * page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(pages + page, (size_t)page);
  int* counts = (int*)(pages + page) - members;
  for (int i = 0; i < members; ++i) counts[i] = 4 / members;
  for (int i = 0; i < 4; ++i) buffer[i] = 1;
  MPI_Reduce_scatter(buffer, result, counts, MPI_INT, MPI_SUM, both);
  say("got", result[0]);
  MPI_Comm_free(&both);
  MPI_Comm_free(&side);
}

// ---- Mistakes
// ------------------------------------------------------------------------------------

static void send_of_no_type(void) {
  say("send", class_of(MPI_Send(buffer, 1, no_type(), rank, 0, own)));
}

static void put_of_no_type(void) {
  MPI_Win win;
  MPI_Win_create(buffer, sizeof buffer, 4, MPI_INFO_NULL, own, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_fence(0, win);
  say("put", class_of(MPI_Put(buffer, 1, no_type(), 0, 0, 1, MPI_INT, win)));
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

static int handler_calls;
static void count_call(MPI_Comm* comm, int* error, ...) {
  (void)comm, (void)error;
  ++handler_calls;
}

static void handler_of_no_communicator(void) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(count_call, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Send(buffer, 1, MPI_INT, 0, 0, (MPI_Comm)0);
  say("calls of the handler", handler_calls);
  MPI_Errhandler_free(&handler);
}

static void wait_for_null(void) {
  return_errors();
  say("waitall", class_of(MPI_Waitall(2, NULL, MPI_STATUSES_IGNORE)));
}

static void isend_to_nobody(void) {
  MPI_Request request = MPI_REQUEST_NULL;
  say("isend", class_of(MPI_Isend(buffer, 1, MPI_INT, size + 5, 0, own, &request)));
  say("send", class_of(MPI_Send(buffer, 1, MPI_INT, 0, -7, own)));
}

static void truncation(void) {
  if (rank == 0) {
    for (int i = 1; i <= 4; ++i) MPI_Send(buffer, i == 1 ? 4 : i, MPI_INT, 1, 7, own);
  }
  if (rank == 1) {
    say("recv", class_of(MPI_Recv(result, 2, MPI_INT, 0, 7, own, MPI_STATUS_IGNORE)));
    for (int i = 2; i <= 4; ++i) MPI_Recv(result, 4, MPI_INT, 0, 7, own, MPI_STATUS_IGNORE);
  }
}

static void error_in_status(void) {
  return_errors();
  MPI_Request requests[2];
  MPI_Status statuses[2];
  for (int round = 0; round < 3; ++round) {
    if (rank == 0) {
      for (int i = 0; i < 2; ++i)
        MPI_Send(buffer, round != 1 && i == 1 ? 6 : 2, MPI_INT, 1, i, own);
    }
    if (rank == 1) {
      for (int i = 0; i < 2; ++i) {
        MPI_Irecv(result + 8 * i, 2, MPI_INT, 0, i, own, &requests[i]);
      }
      const int error = MPI_Waitall(2, requests, round == 2 ? MPI_STATUSES_IGNORE : statuses);
      say("waitall", class_of(error));
      if (round < 2 && error != MPI_SUCCESS) say("second", class_of(statuses[1].MPI_ERROR));
    }
  }
}

// ---- Leaving in odd ways
// -------------------------------------------------------------------------

static jmp_buf back;
static void jump(MPI_Comm* comm, int* error, ...) {
  (void)comm, (void)error;
  longjmp(back, 1);
}

static void jump_out_of(int who) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(jump, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  if (rank == 0 || who < 0) {
    if (setjmp(back) == 0) {
      MPI_Send(buffer, 1, MPI_INT, size + 9, 0, MPI_COMM_WORLD);
    } else {
      say("jumped", 1);
    }
  }
  for (int i = 0; i < 10; ++i) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Group group;
  MPI_Comm made;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Comm_create_group(MPI_COMM_WORLD, group, 3, &made);
  MPI_Barrier(made);
  MPI_Comm_free(&made);
  MPI_Group_free(&group);
  MPI_Errhandler_free(&handler);
}
static void jump_on_one(void) { jump_out_of(0); }
static void jump_on_all(void) { jump_out_of(-1); }

// ---- Communicators and requests
// ------------------------------------------------------------------

static int copy_key(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  MPI_Comm* made = malloc(sizeof *made);
  MPI_Comm_dup(*(MPI_Comm*)in, made);
  *(MPI_Comm**)out = made;
  *flag = 1;
  return MPI_SUCCESS;
}
static int delete_key(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)extra;
  MPI_Comm_free(value);
  free(value);
  return MPI_SUCCESS;
}

// A common way for a library to keep a communicator of its own.
static void communicators_of_callbacks(void) {
  int key = MPI_KEYVAL_INVALID, found = 0;
  MPI_Comm first, second, *kept = malloc(sizeof *kept), *copied = NULL;
  MPI_Comm_create_keyval(copy_key, delete_key, &key, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_dup(MPI_COMM_WORLD, kept);
  MPI_Comm_set_attr(first, key, kept);
  for (int i = 0; i < 3; ++i) {
    MPI_Comm_dup(first, &second);
    MPI_Comm_get_attr(second, key, &copied, &found);
    MPI_Sendrecv(&i, 1, MPI_INT, (rank + 1) % size, i, result, 1, MPI_INT, (rank + size - 1) % size,
                 i, *copied, MPI_STATUS_IGNORE);
    MPI_Comm_free(&second);
  }
  MPI_Comm_free(&first);
  MPI_Comm_free_keyval(&key);
}

static void groups(void) {
  MPI_Group group;
  MPI_Comm made, side, both;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Comm_create_group(MPI_COMM_WORLD, group, 3, &made);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &side);
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &both);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, result, 1, MPI_INT,
               (rank + size - 1) % size, 1, made, MPI_STATUS_IGNORE);
  MPI_Barrier(both);
  MPI_Group_free(&group);
  MPI_Comm_free(&made);
  MPI_Comm_free(&side);
  MPI_Comm_free(&both);
}

/* Two halves of one world meet at a port, twice. */
static void port(void) {
  char name[MPI_MAX_PORT_NAME] = "";
  MPI_Comm side, both;
  if (rank == 0) MPI_Open_port(MPI_INFO_NULL, name);
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &side);
  for (int round = 0; round < 2; ++round) {
    if (rank % 2 == 0) {
      MPI_Comm_accept(name, MPI_INFO_NULL, 0, side, &both);
      MPI_Recv(result, 1, MPI_INT, 0, round, both, MPI_STATUS_IGNORE);
    } else {
      MPI_Comm_connect(name, MPI_INFO_NULL, 0, side, &both);
      MPI_Send(&rank, 1, MPI_INT, 0, round, both);
    }
    MPI_Comm_disconnect(&both);
  }
  if (rank == 0) MPI_Close_port(name);
  MPI_Comm_free(&side);
}

static void persistent_bsend(void) {
  int bytes = 1000000;
  void* space = malloc((size_t)bytes);
  MPI_Buffer_attach(space, bytes);
  for (int round = 0; round < 2; ++round) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0) MPI_Bsend_init(buffer, 4096, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
    if (rank == 1) MPI_Recv_init(buffer, 4096, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
    if (rank > 1) break;
    for (int i = 0; i < 8; ++i) {
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Buffer_detach(&space, &bytes);
  free(space);
}

// ---- The environment of the thread
// ---------------------------------------------------------------

static void floating_point(void) {
  say("flags after MPI_Init", fetestexcept(FE_ALL_EXCEPT));
  say("traps after MPI_Init", fegetexcept());
  say("rounding after MPI_Init", fegetround());
  feclearexcept(FE_ALL_EXCEPT);
  for (int i = 0; i < 10; ++i) MPI_Allreduce(&rank, result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, "floating_point.dat", MPI_MODE_CREATE | MPI_MODE_RDWR,
                MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, rank * 4, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  say("flags after work", fetestexcept(FE_ALL_EXCEPT));
}

static void timing_loop(void) {
  const double begin = MPI_Wtime();
  while (MPI_Wtime() - begin < 0.5) {
  }
}

static void feature_test(void) {
  say("sessions", dlsym(RTLD_DEFAULT, "MPI_Session_init") != NULL);
  say("fault tolerance", dlsym(RTLD_DEFAULT, "MPIX_Comm_revoke") != NULL);
  say("sends", dlsym(RTLD_DEFAULT, "MPI_Send") != NULL);
}

static const struct {
  const char* name;
  void (*go)(void);
} cases[] = {{"gather_in_place", gather_in_place},
             {"gather_elsewhere", gather_elsewhere},
             {"scatter_in_place", scatter_in_place},
             {"gatherv_in_place", gatherv_in_place},
             {"alltoallw_in_place", alltoallw_in_place},
             {"get_accumulate_without_origin", get_accumulate_without_origin},
             {"reduce_scatter_between_two_sides", reduce_scatter_between_two_sides},
             {"send_of_no_type", send_of_no_type},
             {"put_of_no_type", put_of_no_type},
             {"handler_of_no_communicator", handler_of_no_communicator},
             {"wait_for_null", wait_for_null},
             {"isend_to_nobody", isend_to_nobody},
             {"truncation", truncation},
             {"error_in_status", error_in_status},
             {"jump_on_one", jump_on_one},
             {"jump_on_all", jump_on_all},
             {"communicators_of_callbacks", communicators_of_callbacks},
             {"groups", groups},
             {"port", port},
             {"persistent_bsend", persistent_bsend},
             {"floating_point", floating_point},
             {"timing_loop", timing_loop},
             {"feature_test", feature_test}};

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (strcmp(argv[1], "floating_point") == 0) {
    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
    fesetround(FE_UPWARD);
    feclearexcept(FE_ALL_EXCEPT);
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  int found = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    if (strcmp(argv[1], cases[i].name) != 0) continue;
    cases[i].go();
    found = 1;
  }
  MPI_Comm_free(&own);
  MPI_Finalize();
  say("done", found);
  return found ? 0 : 2;
}
