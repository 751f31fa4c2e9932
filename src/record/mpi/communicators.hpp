// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include <mpi.h>

#include "record/mpi/call.hpp"
#include "record/mpi/handle_table.hpp"

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
  uint32_t* destinations;           ///< As many as outdegree: world ranks, UINT32_MAX for none.
  std::atomic<uint32_t> creations;  ///< Communicators made from it so far, the same in all members.
};

/// Defines MPI_COMM_WORLD and MPI_COMM_SELF.
void start_communicators();

/// Of what a handle is known so far; nothing here asks MPI. For `Freed`.
HandleTable& communicators();
HandleTable& types();
HandleTable& groups();

/// What `comm` is if that is known; MPI need not have seen the handle yet.
Communicator* known_communicator(MPI_Comm comm);
/// What `comm` is, with which MPI was just successful; one that nobody saw being made is defined
/// then. nullptr only without memory.
Communicator* communicator_of(MPI_Comm comm);

/// A function made `made` collectively from `parent`. Needs no communication: all members of the
/// parent make communicators in the same order (MPI 4.0, 6.4.2), so the order and the world rank of
/// the new rank 0 name it.
void communicator_made(Call& call, MPI_Comm parent, MPI_Comm made);
/// As above, by MPI_Comm_idup: the handle is not usable yet.
void communicator_promised(Call& call, MPI_Comm parent, MPI_Comm made);
/// Made by a group only, or from two sides. The same processes make such communicators in the same
/// order as far as their `tag` is the same (MPI 4.0, 6.4.2), so members, tag and order name it,
/// again without a message.
void communicator_of_group(Call& call, MPI_Comm made, uint64_t tag);
/// The number of a group, with which MPI was just successful: its members are defined when it is
/// new. 0 for an empty one, and one with processes of another world.
uint32_t group_of(MPI_Group group);
/// Two sides met at a port or a socket. Those of one world come from different parents.
void communicator_connected(Call& call, MPI_Comm parent, MPI_Comm made);
void communicator_named(MPI_Comm comm, const char* name);

/// Bytes of one element of `type`, with which MPI was just successful; remembered.
uint64_t type_bytes(MPI_Datatype type);
/// The same without asking MPI; false if it is not known.
bool known_type_bytes(MPI_Datatype type, uint64_t& bytes);
void type_committed(MPI_Datatype type);

/// MPI_TAG_UB.
extern int largest_tag;

}  // namespace pathline::record
