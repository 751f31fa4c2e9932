// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One of everything that MPI offers, in small: what a recorder must see, and must not disturb. Each
// section checks the data it gets and sends the same messages in every run.

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

extern int zoo_rank;  // in MPI_COMM_WORLD
extern int zoo_size;

/// Says what is wrong and makes the program end with 1 if `right` is false.
#define CHECK(right) zoo_check((right), #right, __FILE__, __LINE__)
void zoo_check(bool right, const char* text, const char* file, int line);

/// One message of `count` ints along the ring of a communicator, and its check.
void zoo_ring(MPI_Comm comm, int count, int tag);

// zoo_messages.c
void zoo_blocking(void);
void zoo_nonblocking(void);
void zoo_proc_null(void);
void zoo_any_source(void);
void zoo_types(void);
void zoo_persistent(void);
void zoo_probes(void);
void zoo_cancel(void);
void zoo_self(void);
void zoo_refused(void);

// zoo_completion.c
void zoo_waits(void);
void zoo_tests(void);
void zoo_odd_requests(void);
void zoo_threads(void);

// zoo_groups.c
void zoo_communicators(void);
void zoo_intercommunicators(void);
void zoo_topologies(void);
void zoo_collectives(void);
void zoo_nonblocking_collectives(void);

// zoo_memory.c
void zoo_fence(void);
void zoo_post_start(void);
void zoo_locks(void);
void zoo_windows(void);
void zoo_files(void);

// zoo_mpi4.c
void zoo_mpi4(void);
