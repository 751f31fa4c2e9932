// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a program may tell the recorder of `pathline record`: its time steps and its regions. C99
// and C++11; nothing to link. A Fortran program compiles pathline.f90, which has the same
// functions.
//
//   without the recorder   a call costs a load and a branch and does nothing
//   threads                every function may be called by any thread at any time, also before
//                          MPI_Init and after MPI_Finalize; regions belong to the calling thread
//   names                  need to be valid during the call only; equal texts are the same region
//   failure                none is reported: a program never has to care whether it is recorded

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

// How a call reaches the recorder. It defines the four hooks below, which a program never calls
// itself. A weak reference finds them when the recorder was linked; for one that was preloaded that
// is not enough, since the linker settles weak references of an executable without PIE for good, so
// the first call of each function asks the dynamic linker and remembers the answer.
__attribute__((weak)) void pathline_record_step(int64_t step, double time_s);
__attribute__((weak)) void pathline_record_region_begin(const char* name);
__attribute__((weak)) void pathline_record_region_end(const char* name);
__attribute__((weak)) void pathline_record_region_next(const char* name);

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
