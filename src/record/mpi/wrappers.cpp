// SPDX-License-Identifier: BSD-3-Clause
//
// The functions of MPI as a C program sees them. Which there are and what they do stands in mpi.h
// and functions.txt; generate_wrappers.py joins the two.
#include <mpi.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

#include "record/mpi/collectives.hpp"
#include "record/mpi/communicators.hpp"
#include "record/mpi/files.hpp"
#include "record/mpi/lifetime.hpp"
#include "record/mpi/messages.hpp"
#include "record/mpi/requests.hpp"
#include "record/mpi/windows.hpp"

// MPI says that these are old; programs call them all the same.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma GCC diagnostic ignored "-Wmissing-declarations"

// Linked into a program, a wrapper that its library could not replace counts: the program calls it,
// whatever was loaded before. mpi.h declares it as seen by all, which only the assembler can
// change.
#ifdef PATHLINE_SMPI
#define PATHLINE_WRAPPED(name) asm(".hidden " #name)
#else
#define PATHLINE_WRAPPED(name) static_assert(true)
#endif

namespace pathline::record {

#include "record/mpi/functions.inc"
#include "record/mpi/wrappers.inc"

namespace {

__attribute__((constructor)) void find_next() {
  for (const auto& [name, next] : kNext) {
    auto** function = static_cast<void**>(next);
    *function = behind_us(name, *function);
  }
}

}  // namespace

extern "C" {

PATHLINE_EXPORT int MPI_Init(int* argc, char*** argv) {
  const uint64_t began = now();
  int result = MPI_SUCCESS;
  {
    const Inside inside;
    result = next_MPI_Init(argc, argv);
  }
  if (result == MPI_SUCCESS && thread.inside == 0) mpi_started(kMPI_Init, began);
  return result;
}

PATHLINE_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const uint64_t began = now();
  int result = MPI_SUCCESS;
  {
    const Inside inside;
    result = next_MPI_Init_thread(argc, argv, required, provided);
  }
  if (result == MPI_SUCCESS && thread.inside == 0) mpi_started(kMPI_Init_thread, began);
  return result;
}

PATHLINE_EXPORT int MPI_Finalize(void) {
  int result = MPI_SUCCESS;
  was_left(__builtin_dwarf_cfa(), true);
  {
    const Call call(kMPI_Finalize);
    mpi_ending();
    result = next_MPI_Finalize();
  }
  mpi_ended();
  return result;
}

/// MPI 4.0, 15.2.4: 0 switches profiling off, 1 on.
PATHLINE_EXPORT int MPI_Pcontrol(const int level, ...) {
  if (level == 0 || level == 1) pause(level == 0, kByProgram);
  return MPI_SUCCESS;
}

}  // extern "C"

}  // namespace pathline::record
