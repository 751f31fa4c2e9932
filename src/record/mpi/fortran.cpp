// SPDX-License-Identifier: BSD-3-Clause
//
// The routines of MPI as a Fortran program sees them: mpif.h and `use mpi` call mpi_send_ (in other
// spellings, too), `use mpi_f08` calls mpi_send_f08_. Open MPI's go straight to PMPI, so that the
// wrappers of C never see them; most of MPICH's call the functions of C.
#include "record/mpi/fortran.hpp"

#include <cstring>
#include <dlfcn.h>
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

namespace pathline::record {

void* find_routine(void*& known, const char* name) {
  void* found = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (found == nullptr) {
    found = dlsym(RTLD_DEFAULT, name);
    // pmpi_send_, pmpir_send_f08_: another tool may have an mpi_send_ behind ours.
    char public_name[128] = "mpi";
    const char* rest = std::strchr(name, '_');
    if (rest != nullptr && std::strlen(rest) < sizeof public_name - 4) {
      if (std::strncmp(name, "pmpix", 5) == 0) std::strcat(public_name, "x");
      std::strcat(public_name, rest);
      found = behind_us(public_name, found);
    }
    __atomic_store_n(&known, found, __ATOMIC_RELAXED);
  }
  return found;
}

namespace {

/// Addresses that the library's variables of these names have: stand-ins such as MPI_IN_PLACE.
class Addresses {
 public:
  explicit Addresses(const char* const* names) {
    for (; *names != nullptr && count_ < kMost; ++names) {
      if (void* found = dlsym(RTLD_DEFAULT, *names)) found_[count_++] = found;
    }
  }
  [[nodiscard]] bool hold(const void* address) const {
    for (unsigned i = 0; i < count_; ++i) {
      if (found_[i] == address) return true;
    }
    return false;
  }

 private:
  static constexpr unsigned kMost = 6;
  const void* found_[kMost] = {};
  unsigned count_ = 0;
};

constexpr const char* kStatusIgnore[] = {
    "mpi_fortran_status_ignore_", "mpi_fortran_statuses_ignore_", "MPIR_F08_MPI_STATUS_IGNORE_OBJ",
    "MPIR_F08_MPI_STATUSES_IGNORE_OBJ", nullptr};
constexpr const char* kInPlace[] = {"mpi_fortran_in_place_", "MPIR_F08_MPI_IN_PLACE", nullptr};
constexpr const char* kBottom[] = {"mpi_fortran_bottom_", "MPIR_F08_MPI_BOTTOM", nullptr};

}  // namespace

bool ignores_status(const void* status) {
  static const Addresses addresses(kStatusIgnore);
  return status == MPI_F_STATUS_IGNORE || status == MPI_F_STATUSES_IGNORE || addresses.hold(status);
}

void* fortran_address(void* buffer) {
  static const Addresses in_place(kInPlace);
  static const Addresses bottom(kBottom);
  if (in_place.hold(buffer)) return MPI_IN_PLACE;
  if (bottom.hold(buffer)) return MPI_BOTTOM;
  return buffer;
}

// What stands for the functions that are written by hand in wrappers.cpp.
#define PATHLINE_FORTRAN_MPI_INIT(symbol, slot)                                     \
  extern "C" PATHLINE_EXPORT void symbol(MPI_Fint* error) {                         \
    const uint64_t began = now();                                                   \
    MPI_Fint own_error = MPI_SUCCESS;                                               \
    if (error == nullptr) error = &own_error;                                       \
    {                                                                               \
      const Inside inside;                                                          \
      reinterpret_cast<void (*)(MPI_Fint*)>(fortran_routine(slot))(error);          \
    }                                                                               \
    if (*error == MPI_SUCCESS && thread.inside == 0) mpi_started(kMPI_Init, began); \
  }
#define PATHLINE_FORTRAN_MPI_INIT_THREAD(symbol, slot)                                             \
  extern "C" PATHLINE_EXPORT void symbol(void* required, void* provided, MPI_Fint* error) {        \
    const uint64_t began = now();                                                                  \
    MPI_Fint own_error = MPI_SUCCESS;                                                              \
    if (error == nullptr) error = &own_error;                                                      \
    {                                                                                              \
      const Inside inside;                                                                         \
      reinterpret_cast<void (*)(void*, void*, MPI_Fint*)>(fortran_routine(slot))(required,         \
                                                                                 provided, error); \
    }                                                                                              \
    if (*error == MPI_SUCCESS && thread.inside == 0) mpi_started(kMPI_Init_thread, began);         \
  }
#define PATHLINE_FORTRAN_MPI_FINALIZE(symbol, slot)                        \
  extern "C" PATHLINE_EXPORT void symbol(MPI_Fint* error) {                \
    was_left(__builtin_dwarf_cfa(), true);                                 \
    {                                                                      \
      const Call call(kMPI_Finalize);                                      \
      mpi_ending();                                                        \
      reinterpret_cast<void (*)(MPI_Fint*)>(fortran_routine(slot))(error); \
    }                                                                      \
    mpi_ended();                                                           \
  }
#define PATHLINE_FORTRAN_MPI_PCONTROL(symbol, slot)                 \
  extern "C" PATHLINE_EXPORT void symbol(const MPI_Fint* level) {   \
    if (*level == 0 || *level == 1) pause(*level == 0, kByProgram); \
    (void)fortran_routine(slot);                                    \
  }

// Numbers first.
// clang-format off
#include "record/mpi/functions.inc"
#include "record/mpi/fortran.inc"
// clang-format on

}  // namespace pathline::record
