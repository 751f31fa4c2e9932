// SPDX-License-Identifier: BSD-3-Clause
#include "zoo.h"

void zoo_communicators(void) {
  MPI_Comm comm, other;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -zoo_rank, &comm);  // all ranks, backwards
  zoo_ring(comm, 3, 1);
  MPI_Comm_dup(comm, &other);
  MPI_Comm_set_name(other, "backwards again");
  zoo_ring(other, 4, 1);
  MPI_Comm_free(&comm);
  zoo_ring(other, 5, 1);
  MPI_Comm_free(&other);

  MPI_Comm_split(MPI_COMM_WORLD, zoo_rank % 2, -zoo_rank, &comm);
  zoo_ring(comm, 6, 2);
  MPI_Request request;
  MPI_Comm_idup(comm, &other, &request);
  zoo_ring(comm, 7, 2);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  zoo_ring(other, 8, 2);
  MPI_Comm_free(&other);
  MPI_Comm_free(&comm);

  MPI_Comm_split(MPI_COMM_WORLD, zoo_rank == 0 ? MPI_UNDEFINED : 1, 0, &comm);
  CHECK((comm == MPI_COMM_NULL) == (zoo_rank == 0));
  if (comm != MPI_COMM_NULL) {
    zoo_ring(comm, 9, 3);
    MPI_Comm_free(&comm);
  }
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -zoo_rank, MPI_INFO_NULL, &comm);
  zoo_ring(comm, 10, 4);
  MPI_Comm_free(&comm);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
  zoo_ring(comm, 11, 5);
  MPI_Comm_free(&comm);

  // The last and the first rank, in this order; the others do not take part in making the second.
  MPI_Group world, group;
  const int members[] = {zoo_size - 1, 0};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 2, members, &group);
  MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
  if (comm != MPI_COMM_NULL) {
    zoo_ring(comm, 12, 6);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &other);
    zoo_ring(other, 13, 7);
    MPI_Comm_free(&other);
    MPI_Comm_free(&comm);
  }
  MPI_Group_free(&group);
  MPI_Group_free(&world);

  // As many as a program that forgets to reuse them makes.
  for (int i = 0; i < 40; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    zoo_ring(comm, 1, i);
    MPI_Comm_free(&comm);
  }
}

void zoo_intercommunicators(void) {
  MPI_Comm side, inter, merged;
  const int color = zoo_rank % 2;
  MPI_Comm_split(MPI_COMM_WORLD, color, -zoo_rank, &side);
  // The leaders are the last ranks of each colour, which are the first of their side.
  const int leader = color ? zoo_size - 2 : zoo_size - 1;
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, leader, 3, &inter);
  int rank, out, in = -1;
  MPI_Comm_rank(inter, &rank);
  out = zoo_rank;
  MPI_Status status;
  MPI_Sendrecv(&out, 1, MPI_INT, rank, 1, &in, 1, MPI_INT, rank, 1, inter, &status);
  CHECK(in == (zoo_rank ^ 1) && status.MPI_SOURCE == rank);
  int sum = 0, expected = 0;
  MPI_Allreduce(&zoo_rank, &sum, 1, MPI_INT, MPI_SUM, inter);
  for (int i = !color; i < zoo_size; i += 2) expected += i;
  CHECK(sum == expected);
  MPI_Barrier(inter);
  MPI_Intercomm_merge(inter, color, &merged);
  zoo_ring(merged, 3, 2);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&side);
}

static void neighbours_of(MPI_Comm comm, int degree) {
  int* out = calloc((size_t)degree, sizeof *out);
  int* in = malloc((size_t)degree * sizeof *in);
  int* one = malloc((size_t)degree * sizeof *one);
  int* at = malloc((size_t)degree * sizeof *at);
  for (int i = 0; i < degree; ++i) {
    out[i] = zoo_rank;
    one[i] = 1;
    at[i] = i;
  }
  MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
  MPI_Neighbor_allgather(&zoo_rank, 1, MPI_INT, in, 1, MPI_INT, comm);
  MPI_Neighbor_alltoallv(out, one, at, MPI_INT, in, one, at, MPI_INT, comm);
  MPI_Request request;
  MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ineighbor_allgather(&zoo_rank, 1, MPI_INT, in, 1, MPI_INT, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < degree; ++i) CHECK(in[i] >= 0 && in[i] < zoo_size);
  free(out);
  free(in);
  free(one);
  free(at);
}

void zoo_topologies(void) {
  MPI_Comm comm, row;
  const int sizes[] = {2, zoo_size / 2}, periods[] = {1, 0}, keep[] = {0, 1};
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 1, &comm);
  zoo_ring(comm, 3, 1);
  for (int dimension = 0; dimension < 2; ++dimension) {
    int from, to, in = -1;
    MPI_Cart_shift(comm, dimension, 1, &from, &to);
    MPI_Sendrecv(&zoo_rank, 1, MPI_INT, to, 2, &in, 1, MPI_INT, from, 2, comm, MPI_STATUS_IGNORE);
    CHECK((in == -1) == (from == MPI_PROC_NULL));
  }
  int out[4] = {zoo_rank, zoo_rank, zoo_rank, zoo_rank}, in[4] = {-1, -1, -1, -1};
  MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
  MPI_Cart_sub(comm, keep, &row);
  zoo_ring(row, 4, 3);
  MPI_Comm_free(&row);
  MPI_Comm_free(&comm);

  int neighbours[] = {(zoo_rank + 1) % zoo_size, (zoo_rank + zoo_size - 1) % zoo_size};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, neighbours, MPI_UNWEIGHTED, 2, neighbours,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  zoo_ring(comm, 5, 4);
  neighbours_of(comm, 2);
  MPI_Comm_free(&comm);
  const int degree = 1;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &zoo_rank, &degree, neighbours, MPI_UNWEIGHTED,
                        MPI_INFO_NULL, 0, &comm);
  neighbours_of(comm, 1);
  MPI_Comm_free(&comm);
}

void zoo_collectives(void) {
  int* values = malloc((size_t)zoo_size * sizeof *values);
  int* results = malloc((size_t)zoo_size * sizeof *results);
  int* one = malloc((size_t)zoo_size * sizeof *one);
  int* at = malloc((size_t)zoo_size * sizeof *at);
  for (int i = 0; i < zoo_size; ++i) {
    values[i] = zoo_rank;
    one[i] = 1;
    at[i] = i;
  }
  const int total = zoo_size * (zoo_size - 1) / 2;
  int sum = 0, mine = zoo_rank;
  MPI_Bcast(&sum, 1, MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Reduce(&zoo_rank, &sum, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
  CHECK(zoo_rank != 1 || sum == total);
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(mine == total);
  MPI_Scan(&zoo_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == zoo_rank * (zoo_rank + 1) / 2);
  MPI_Exscan(&zoo_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Gather(&zoo_rank, 1, MPI_INT, results, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Gatherv(&zoo_rank, 1, MPI_INT, results, one, at, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Scatter(results, 1, MPI_INT, &mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
  CHECK(mine == zoo_rank);
  MPI_Scatterv(results, one, at, MPI_INT, &mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
  CHECK(mine == zoo_rank);
  if (zoo_rank == 0) {
    MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, results, 1, MPI_INT, 0, MPI_COMM_WORLD);
  } else {
    MPI_Gather(&zoo_rank, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
  }
  MPI_Allgather(&zoo_rank, 1, MPI_INT, results, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Allgatherv(&zoo_rank, 1, MPI_INT, results, one, at, MPI_INT, MPI_COMM_WORLD);
  CHECK(results[zoo_size - 1] == zoo_size - 1);
  MPI_Alltoall(values, 1, MPI_INT, results, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoallv(values, one, at, MPI_INT, results, one, at, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, results, one, at, MPI_INT,
                MPI_COMM_WORLD);
  MPI_Alltoall(values, 1, MPI_INT, results, 1, MPI_INT, MPI_COMM_WORLD);
  CHECK(results[2] == 2);
  MPI_Reduce_scatter(values, &sum, one, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter_block(values, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == total);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(NULL, 0, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Allreduce(&zoo_rank, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_SELF);
  free(values);
  free(results);
  free(one);
  free(at);
}

void zoo_nonblocking_collectives(void) {
  int* results = malloc((size_t)zoo_size * sizeof *results);
  int* values = calloc((size_t)zoo_size, sizeof *values);
  int sums[2] = {0, 0}, number = zoo_rank == 2 ? 42 : 0, in = -1;
  MPI_Request requests[8];
  MPI_Ibcast(&number, 1, MPI_INT, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Iallreduce(&zoo_rank, &sums[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
  MPI_Ialltoall(values, 1, MPI_INT, results, 1, MPI_INT, MPI_COMM_WORLD, &requests[2]);
  MPI_Ireduce(&zoo_rank, &sums[1], 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &requests[3]);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[4]);
  // Messages among them, completed together.
  MPI_Irecv(&in, 1, MPI_INT, zoo_rank ^ 1, 1, MPI_COMM_WORLD, &requests[5]);
  MPI_Isend(&zoo_rank, 1, MPI_INT, zoo_rank ^ 1, 1, MPI_COMM_WORLD, &requests[6]);
  MPI_Waitall(7, requests, MPI_STATUSES_IGNORE);
  const int total = zoo_size * (zoo_size - 1) / 2;
  CHECK(number == 42 && sums[0] == total && in == (zoo_rank ^ 1));
  CHECK(zoo_rank != 0 || sums[1] == total);
  MPI_Iallgather(&zoo_rank, 1, MPI_INT, results, 1, MPI_INT, MPI_COMM_WORLD, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Igather(&zoo_rank, 1, MPI_INT, values, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Iscan(&zoo_rank, &sums[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
  for (int flag = 0; !flag;) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
  CHECK(results[3] == 3 && sums[0] == zoo_rank * (zoo_rank + 1) / 2);
  free(results);
  free(values);
}
