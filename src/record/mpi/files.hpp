// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <mpi.h>

#include "record/mpi/handle_table.hpp"
#include "record/mpi/messages.hpp"

// MPI-IO.

namespace pathline::record {

enum class IoMode : uint8_t { kRead = 0, kWrite = 1, kFlush = 2 };        // OTF2_IoOperationMode
enum : unsigned { kIoPlain = 0, kIoNonblocking = 1, kIoCollective = 2 };  // OTF2_IoOperationFlag

/// Of what a handle is known so far. For `Freed`.
HandleTable& files();

void file_opened(Call& call, MPI_Comm comm, const char* name, int mode, MPI_File file);
/// id  what files() had of it, 0 for nothing
void file_closed(Call& call, uint64_t id);
void file_sought(Call& call, MPI_File file, MPI_Offset offset, int whence);

/// Blocking.
void io_done(Call& call, MPI_File file, IoMode mode, unsigned flags, uint64_t bytes,
             const MPI_Status* status);
/// Nonblocking, and split collective ones without a request.
void io_runs(Call& call, MPI_File file, IoMode mode, unsigned flags, uint64_t bytes,
             MPI_Request request);

}  // namespace pathline::record
