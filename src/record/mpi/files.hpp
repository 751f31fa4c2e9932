// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <mpi.h>

#include "record/mpi/messages.hpp"

// MPI-IO.

namespace pathline::record {

enum class IoMode : uint8_t { kRead = 0, kWrite = 1, kFlush = 2 };        // OTF2_IoOperationMode
enum : unsigned { kIoPlain = 0, kIoNonblocking = 1, kIoCollective = 2 };  // OTF2_IoOperationFlag

void file_opened(Call& call, MPI_Comm comm, const char* name, int mode, MPI_File file);
/// Before the call, which overwrites the handle.
void file_closing(Call& call, MPI_File file);
void file_sought(Call& call, MPI_File file, MPI_Offset offset, int whence);

void io_begins(Call& call, MPI_File file, IoMode mode, unsigned flags, uint64_t bytes);
void io_ends(Call& call, MPI_File file, const MPI_Status* status);
/// Nonblocking, and split collective ones without a request.
void io_runs(Call& call, MPI_File file, uint64_t bytes, MPI_Request request);

}  // namespace pathline::record
