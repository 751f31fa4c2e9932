// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a program may tell the recorder of `pathline record`: its time steps, its regions and its
// mesh. C99 and C++11; nothing to link. A Fortran program compiles pathline.f90, which has the same
// functions.
//
//   without the recorder   a call costs a load and a branch and does nothing
//   threads                every function may be called by any thread at any time, also before
//                          MPI_Init and after MPI_Finalize; regions belong to the calling thread
//   names                  need to be valid during the call only; equal texts are the same region
//   failure                none is reported: a program never has to care whether it is recorded.
//                          What is wrong with a mesh the recorder says on standard error, once

#include <dlfcn.h>
#include <stdint.h>

// -finstrument-functions is to see the program's functions, not these.
#define PATHLINE_UNSEEN_ __attribute__((no_instrument_function))
#ifdef __cplusplus
#define PATHLINE_INLINE_ PATHLINE_UNSEEN_ __attribute__((visibility("hidden"))) inline
extern "C" {
#else
#define PATHLINE_INLINE_ PATHLINE_UNSEEN_ static inline
#endif

// How a call reaches the recorder. It defines the hooks below, which a program never calls
// itself. A weak reference finds them when the recorder was linked; for one that was preloaded that
// is not enough, since the linker settles weak references of an executable without PIE for good, so
// the first call of each function asks the dynamic linker and remembers the answer.
__attribute__((weak)) void pathline_record_step(int64_t step, double time_s);
__attribute__((weak)) void pathline_record_region_begin(const char* name);
__attribute__((weak)) void pathline_record_region_end(const char* name);
__attribute__((weak)) void pathline_record_region_next(const char* name);
__attribute__((weak)) void pathline_record_insitu_grid(const double* points, int64_t n_points,
                                                       const int64_t* connectivity,
                                                       const int64_t* offsets, const uint8_t* types,
                                                       int64_t n_cells);
__attribute__((weak)) void pathline_record_insitu_execute(int64_t step, double time_s);
__attribute__((weak)) int pathline_record_insitu_count(void);
__attribute__((weak)) const char* pathline_record_insitu_name(int i);
__attribute__((weak)) double pathline_record_insitu_value(int i);

#ifdef RTLD_DEFAULT
#define PATHLINE_ALL_LIBRARIES_ RTLD_DEFAULT
#else
#define PATHLINE_ALL_LIBRARIES_ ((void*)0)  // its value; glibc shows the name to GNU sources only
#endif

// The answer is the address of the hook, 0 if there is no recorder, or this.
#define PATHLINE_NOT_ASKED_ ((uintptr_t)1)
#define PATHLINE_MAY_RECORD_(answer) \
  __builtin_expect(__atomic_load_n(&(answer), __ATOMIC_RELAXED) != 0, 0)

PATHLINE_INLINE_ uintptr_t pathline_internal_hook(uintptr_t* answer, uintptr_t linked,
                                                  const char* hook) {
  uintptr_t address = __atomic_load_n(answer, __ATOMIC_RELAXED);
  if (address == PATHLINE_NOT_ASKED_) {
    address = linked ? linked : (uintptr_t)dlsym(PATHLINE_ALL_LIBRARIES_, hook);
    __atomic_store_n(answer, address, __ATOMIC_RELAXED);
  }
  return address;
}

PATHLINE_INLINE_ void pathline_internal_pass_name(uintptr_t address, const char* name) {
  typedef void (*hook)(const char*);
  if (address) ((hook)address)(name);  // NOLINT(performance-no-int-to-ptr)
}

PATHLINE_INLINE_ void pathline_internal_pass_step(uintptr_t address, int64_t step, double time_s) {
  typedef void (*hook)(int64_t, double);
  if (address) ((hook)address)(step, time_s);  // NOLINT(performance-no-int-to-ptr)
}

/// Ends the open time step of this process and begins another one. The last one ends with
/// MPI_Finalize or with the process. What happens before the first call belongs to no step.
///
/// step     its number: whatever the program counts, as long as it grows and is the same on all
///          ranks; gaps are fine.
/// time_s   simulated time at which the step begins, in seconds; only passed on to pictures and
///          tables. Programs without one pass 0.
/// threads  one per process calls it, the one that runs the loop over the steps.
PATHLINE_INLINE_ void pathline_step(int64_t step, double time_s) {
  static uintptr_t answer = PATHLINE_NOT_ASKED_;
  if (PATHLINE_MAY_RECORD_(answer)) {
    const uintptr_t linked = (uintptr_t)pathline_record_step;
    pathline_internal_pass_step(pathline_internal_hook(&answer, linked, "pathline_record_step"),
                                step, time_s);
  }
}

/// Enters the region `name` on this thread. Regions nest, and may enclose time steps.
PATHLINE_INLINE_ void pathline_region_begin(const char* name) {
  static uintptr_t answer = PATHLINE_NOT_ASKED_;
  if (PATHLINE_MAY_RECORD_(answer)) {
    const uintptr_t linked = (uintptr_t)pathline_record_region_begin;
    pathline_internal_pass_name(
        pathline_internal_hook(&answer, linked, "pathline_record_region_begin"), name);
  }
}

/// Leaves the region `name`, which must be the one that this thread entered last.
PATHLINE_INLINE_ void pathline_region_end(const char* name) {
  static uintptr_t answer = PATHLINE_NOT_ASKED_;
  if (PATHLINE_MAY_RECORD_(answer)) {
    const uintptr_t linked = (uintptr_t)pathline_record_region_end;
    pathline_internal_pass_name(
        pathline_internal_hook(&answer, linked, "pathline_record_region_end"), name);
  }
}

/// Asks to measure the next call of the function `name` on this thread, and only that one: a
/// function that is called from many places is so measured from here alone. `name` is a function
/// that the recorder sees, like "MPI_Allreduce" or one compiled with -finstrument-functions.
PATHLINE_INLINE_ void pathline_region_next(const char* name) {
  static uintptr_t answer = PATHLINE_NOT_ASKED_;
  if (PATHLINE_MAY_RECORD_(answer)) {
    const uintptr_t linked = (uintptr_t)pathline_record_region_next;
    pathline_internal_pass_name(
        pathline_internal_hook(&answer, linked, "pathline_record_region_next"), name);
  }
}

/// Hands over the part of the mesh that this process has, for `pathline record --insitu geometry`.
/// Nothing is copied: the arrays stay the program's, valid and where they are until the next call
/// of this function. A mesh that has changed, also in place, is handed over again: only then it is
/// looked at. NULL and 0 take it back; whoever has no cells passes 0, with or without pointers.
///
/// points        x, y, z of each point, one point after the other: 3 * n_points values
/// connectivity  the points of the cells, one cell after the other, counted from 0
/// offsets       n_cells values: where in connectivity the points of each cell end, as VTK's XML
///               files have it. Two triangles: 3, 6
/// types         n_cells values: VTK's cell types, 10 a tetrahedron, 12 a hexahedron, 13 a wedge,
///               14 a pyramid, 5 a triangle, 9 a quadrilateral. Not 42: polyhedra have faces
/// cost          of the call none; see pathline_insitu_execute
/// threads       one per process calls this and the next function, the one that runs the loop
PATHLINE_INLINE_ void pathline_insitu_grid(const double* points, int64_t n_points,
                                           const int64_t* connectivity, const int64_t* offsets,
                                           const uint8_t* types, int64_t n_cells) {
  static uintptr_t answer = PATHLINE_NOT_ASKED_;
  if (PATHLINE_MAY_RECORD_(answer)) {
    typedef void (*hook)(const double*, int64_t, const int64_t*, const int64_t*, const uint8_t*,
                         int64_t);
    const uintptr_t linked = (uintptr_t)pathline_record_insitu_grid;
    const uintptr_t address =
        pathline_internal_hook(&answer, linked, "pathline_record_insitu_grid");
    if (address) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr)
      ((hook)address)(points, n_points, connectivity, offsets, types, n_cells);
    }
  }
}

/// The mesh as it is now belongs to the open time step, and to those after it until this is called
/// with another one: call it when the mesh of a step is complete, in each step or in those in which
/// it changed. In a program that never calls pathline_step this begins the step, as
/// pathline_step(step, time_s) would: then it stands at the top of the loop. Else the open step is
/// meant, whose number `step` is.
///
/// cost  next to nothing; with --insitu geometry, in the first step that is recorded after a mesh
/// was
///       handed over, one pass over the arrays, about as fast as memory, and if they changed
///       another one that checks them and a file of their size in the run directory
PATHLINE_INLINE_ void pathline_insitu_execute(int64_t step, double time_s) {
  static uintptr_t answer = PATHLINE_NOT_ASKED_;
  if (PATHLINE_MAY_RECORD_(answer)) {
    const uintptr_t linked = (uintptr_t)pathline_record_insitu_execute;
    pathline_internal_pass_step(
        pathline_internal_hook(&answer, linked, "pathline_record_insitu_execute"), step, time_s);
  }
}

/// For programs that bring their cells to ParaView Catalyst themselves: adds up what this process
/// has done in the open time step until now. Returns how many figures that are, 0 without
/// `pathline record --insitu geometry`. Names and order never change, and are the same on all
/// ranks.
///
/// cost  some nanoseconds for each event since the last call
PATHLINE_INLINE_ int pathline_insitu_count(void) {
  static uintptr_t answer = PATHLINE_NOT_ASKED_;
  if (PATHLINE_MAY_RECORD_(answer)) {
    typedef int (*hook)(void);
    const uintptr_t linked = (uintptr_t)pathline_record_insitu_count;
    const uintptr_t address =
        pathline_internal_hook(&answer, linked, "pathline_record_insitu_count");
    if (address) return ((hook)address)();  // NOLINT(performance-no-int-to-ptr)
  }
  return 0;
}

/// The name of figure `i`, from 0 on, as in "sent : bytes". NULL if there is no such figure.
PATHLINE_INLINE_ const char* pathline_insitu_name(int i) {
  static uintptr_t answer = PATHLINE_NOT_ASKED_;
  if (PATHLINE_MAY_RECORD_(answer)) {
    typedef const char* (*hook)(int);
    const uintptr_t linked = (uintptr_t)pathline_record_insitu_name;
    const uintptr_t address =
        pathline_internal_hook(&answer, linked, "pathline_record_insitu_name");
    if (address) return ((hook)address)(i);  // NOLINT(performance-no-int-to-ptr)
  }
  return 0;  // NOLINT(modernize-use-nullptr): C
}

/// The value of figure `i` as pathline_insitu_count() found it, the same for all cells of this
/// process: seconds, bytes or a count, as its name says. In a step that is not recorded seconds are
/// not a number and counts 0.
PATHLINE_INLINE_ double pathline_insitu_value(int i) {
  static uintptr_t answer = PATHLINE_NOT_ASKED_;
  if (PATHLINE_MAY_RECORD_(answer)) {
    typedef double (*hook)(int);
    const uintptr_t linked = (uintptr_t)pathline_record_insitu_value;
    const uintptr_t address =
        pathline_internal_hook(&answer, linked, "pathline_record_insitu_value");
    if (address) return ((hook)address)(i);  // NOLINT(performance-no-int-to-ptr)
  }
  return 0;
}

#undef PATHLINE_MAY_RECORD_
#undef PATHLINE_NOT_ASKED_
#undef PATHLINE_ALL_LIBRARIES_

#ifdef __cplusplus
}  // extern "C"

namespace pathline {

/// The rest of the enclosing block, as a region:  pathline::Region region("exchange");
/// `name` must stay valid until then.
class Region {
 public:
  PATHLINE_UNSEEN_ explicit Region(const char* name) : name_(name) { pathline_region_begin(name_); }
  PATHLINE_UNSEEN_ ~Region() { pathline_region_end(name_); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

 private:
  const char* name_;
};

}  // namespace pathline
#endif

#undef PATHLINE_INLINE_
#undef PATHLINE_UNSEEN_
