// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include <mpi.h>

#include "record/mpi/call.hpp"

namespace pathline::record {

/// What is known of a communicator. Lives until the process ends, since requests and windows may
/// refer to it after it was freed.
struct Communicator {
  uint32_t id;       ///< In this process.
  uint32_t creator;  ///< World rank of its rank 0; with `number` its name in all processes.
  uint64_t number;
  bool inter;
  int rank;
  int size;
  int remote_size;                  ///< Of an inter-communicator.
  int indegree, outdegree;          ///< Of a topology, -1 if there is none.
  std::atomic<uint32_t> creations;  ///< Communicators made from it so far, the same in all members.
};

/// Defines MPI_COMM_WORLD and MPI_COMM_SELF.
void start_communicators();

/// What `comm` is; one that nobody saw being made is defined then. nullptr only without memory.
Communicator* communicator_of(MPI_Comm comm);

/// A function made `made` collectively from `parent`. Needs no communication: all members of the
/// parent make communicators in the same order (MPI 4.0, 6.4.2), so the order and the world rank of
/// the new rank 0 name it.
void communicator_made(Call& call, MPI_Comm parent, MPI_Comm made);
/// As above, by MPI_Comm_idup: the handle is not usable yet.
void communicator_promised(Call& call, MPI_Comm parent, MPI_Comm made);
/// Made by a group only, or from two sides: its members agree by a small broadcast on it.
void communicator_agreed(Call& call, MPI_Comm made);
void communicator_freed(MPI_Comm comm);
void communicator_named(MPI_Comm comm, const char* name);

/// Bytes of one element of `type`, remembered.
uint64_t type_bytes(MPI_Datatype type);
void type_freed(MPI_Datatype type);

}  // namespace pathline::record
