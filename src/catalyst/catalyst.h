// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the recorder asks of libpathline-catalyst.so, which it loads when the program runs. Nothing
// of VTK or MPI stands here, so that a library for another way to look on fits as well; it has the
// same three functions.
//
//   threads     one at a time
//   the host    signal handlers, locale and working directory of the program are afterwards what
//               they were before each call
//   MPI         all ranks call all functions, which talk to each other on a communicator of their
//               own; between MPI_Init and MPI_Finalize

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PATHLINE_CATALYST_VERSION = 1 };  // Of what stands here.

struct PathlineCatalystStart {
  int32_t version;      // PATHLINE_CATALYST_VERSION
  int32_t world;        // Handle of the communicator of all ranks, as Fortran has it.
  const char* scripts;  // Files, separated by colons.
  const char* folder;   // Where to write; exists on rank 0.
  // Shows a line to whoever started the program; `what` has no end of line.
  void (*say)(const char* what);
};

// A part of a mesh in the memory of the program, which stays valid during the call. Cell types of
// VTK but polyhedra, points as x y z, connectivity from 0 on, offsets where the points of each cell
// end. That it is a mesh has been looked at.
struct PathlineCatalystGrid {
  const double* points;
  int64_t n_points;
  const int64_t* connectivity;
  const int64_t* offsets;
  const uint8_t* types;
  int64_t n_cells;
};

enum { PATHLINE_INT32, PATHLINE_UINT32, PATHLINE_UINT64, PATHLINE_FLOAT64 };

// An array on cells that has one value on all cells of this rank.
struct PathlineCatalystArray {
  const char* name;
  int32_t type;
  double value;
};

// Starts ParaView and reads the scripts. What goes wrong is said.
//
// returns  0, or 1 if nothing can be shown: on all ranks the same. No other function may be called
//          then.
// cost     some seconds of CPU time, and 80 MB of each rank beside 270 MB of shared libraries
int pathline_catalyst_start(const struct PathlineCatalystStart* start);

// Hands a time step to the scripts. Of a rank that has no grid (null pointers, no cells) the arrays
// do not count. The ranks may have different arrays: all get all of them, 0 where there was none.
//
// returns  0, or 1 if there is no script (any more) that wants to see anything; on all ranks the
// same
int pathline_catalyst_execute(const struct PathlineCatalystGrid* grid,
                              const struct PathlineCatalystArray* arrays, int32_t array_count,
                              int64_t step, double time_s);

// Ends ParaView, and says if scripts failed or wrote nothing.
void pathline_catalyst_end(void);

#ifdef __cplusplus
}
#endif
