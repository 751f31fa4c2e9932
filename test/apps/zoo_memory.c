// SPDX-License-Identifier: BSD-3-Clause
//
// Windows and files: what moves data without a message.
#include <unistd.h>

#include "zoo.h"

static int next_rank(void) { return (zoo_rank + 1) % zoo_size; }
static int previous_rank(void) { return (zoo_rank + zoo_size - 1) % zoo_size; }

void zoo_fence(void) {
  int window[8] = {0}, got = -1;
  MPI_Win win;
  MPI_Win_create(window, sizeof window, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_name(win, "fence");
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  MPI_Put(&zoo_rank, 1, MPI_INT, next_rank(), 0, 1, MPI_INT, win);
  MPI_Put(&zoo_rank, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
  MPI_Accumulate(&zoo_rank, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_fence(0, win);
  CHECK(window[0] == previous_rank());
  CHECK(zoo_rank != 0 || window[1] == zoo_size * (zoo_size - 1) / 2);
  MPI_Get(&got, 1, MPI_INT, next_rank(), 0, 1, MPI_INT, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  CHECK(got == zoo_rank);
  MPI_Win_free(&win);
}

void zoo_post_start(void) {
  int* window;
  MPI_Win win;
  MPI_Group world, to, from;
  const int target = next_rank(), origin = previous_rank();
  MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &target, &to);
  MPI_Group_incl(world, 1, &origin, &from);
  window[0] = -1;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 2; ++i) {
    MPI_Win_post(from, 0, win);
    MPI_Win_start(to, 0, win);
    MPI_Put(&zoo_rank, 1, MPI_INT, target, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
    int done = i;
    if (i == 1) MPI_Win_wait(win);
    while (!done) MPI_Win_test(win, &done);
    CHECK(window[0] == origin);
  }
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  MPI_Group_free(&world);
  MPI_Win_free(&win);
}

void zoo_locks(void) {
  long* window;
  MPI_Win win;
  MPI_Win_allocate(8 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win);
  for (int i = 0; i < 8; ++i) window[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const long one = 1, zero = 0;
  long old = -1;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win);
  MPI_Win_unlock(0, win);
  MPI_Win_lock_all(0, win);
  MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 1, MPI_SUM, win);
  MPI_Win_flush(0, win);
  CHECK(old >= 0 && old < zoo_size);
  MPI_Get_accumulate(&one, 1, MPI_LONG, &old, 1, MPI_LONG, 0, 2, 1, MPI_LONG, MPI_SUM, win);
  MPI_Win_flush_local(0, win);
  MPI_Compare_and_swap(&one, &zero, &old, MPI_LONG, next_rank(), 3, win);
  MPI_Win_flush_all(win);
  CHECK(old == 0);
  const long number = zoo_rank;
  MPI_Request requests[3];
  MPI_Rput(&number, 1, MPI_LONG, next_rank(), 4, 1, MPI_LONG, win, &requests[0]);
  MPI_Raccumulate(&one, 1, MPI_LONG, next_rank(), 5, 1, MPI_LONG, MPI_SUM, win, &requests[1]);
  MPI_Rget(&old, 1, MPI_LONG, zoo_rank, 6, 1, MPI_LONG, win, &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  MPI_Win_flush_local_all(win);
  MPI_Win_sync(win);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, zoo_rank, 0, win);
  CHECK(window[4] == previous_rank() && window[5] == 1);
  CHECK(zoo_rank != 0 || (window[0] == zoo_size && window[1] == zoo_size && window[2] == zoo_size));
  MPI_Win_unlock(zoo_rank, win);
  MPI_Win_free(&win);
}

void zoo_windows(void) {
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -zoo_rank, MPI_INFO_NULL, &node);
  int* mine;
  MPI_Win win;
  MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mine, &win);
  MPI_Win_lock_all(0, win);
  *mine = zoo_rank;
  MPI_Win_sync(win);
  MPI_Barrier(node);
  MPI_Aint size;
  int unit, *first;
  MPI_Win_shared_query(win, 0, &size, &unit, &first);
  CHECK(*first >= 0 && *first < zoo_size);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Comm_free(&node);

  int room = -1;
  MPI_Aint address, theirs;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, &room, sizeof room);
  MPI_Get_address(&room, &address);
  MPI_Sendrecv(&address, 1, MPI_AINT, previous_rank(), 1, &theirs, 1, MPI_AINT, next_rank(), 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_fence(0, win);
  MPI_Put(&zoo_rank, 1, MPI_INT, next_rank(), theirs, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  CHECK(room == previous_rank());
  MPI_Win_detach(win, &room);
  MPI_Win_free(&win);
}

void zoo_files(void) {
  char path[] = "zoo.tmp";
  MPI_File file;
  MPI_Status status;
  MPI_Request request;
  int out[4] = {zoo_rank, zoo_rank, zoo_rank, zoo_rank}, in[4] = {-1, -1, -1, -1}, count;
  const MPI_Offset mine = zoo_rank * (MPI_Offset)sizeof out;
  CHECK(MPI_File_open(MPI_COMM_WORLD, "there/is/no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL,
                      &file) != MPI_SUCCESS);
  if (MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file)) {
    CHECK(!"the file can be opened");
    return;
  }
  MPI_File_write_at_all(file, mine, out, 4, MPI_INT, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == 4);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at(file, next_rank() * (MPI_Offset)sizeof out, in, 4, MPI_INT, &status);
  CHECK(in[3] == next_rank());
  MPI_File_iwrite_at(file, mine, out, 4, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_seek(file, mine, MPI_SEEK_SET);
  MPI_File_iread(file, in, 2, MPI_INT, &request);
  MPI_Wait(&request, &status);
  CHECK(in[0] == zoo_rank);
  MPI_File_read(file, in, 2, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_set_view(file, mine, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, out, 4, MPI_INT, &status);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_read_all(file, in, 4, MPI_INT, &status);
  MPI_File_read_all(file, NULL, 0, MPI_INT, MPI_STATUS_IGNORE);
  CHECK(in[3] == zoo_rank);
  MPI_File_close(&file);
  MPI_Barrier(MPI_COMM_WORLD);
  if (zoo_rank == 0) CHECK(MPI_File_delete(path, MPI_INFO_NULL) == MPI_SUCCESS);
}
