// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <mpi.h>

namespace pathline::record {

/// The library's own routine of that name, looked up when it is first needed. The program has it
/// loaded, or it could not have called us.
void* find_routine(void*& known, const char* name);

/// Is this the address that stands for MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE in any binding?
bool ignores_status(const void* status);

/// A choice buffer as C names it: MPI_BOTTOM and MPI_IN_PLACE have addresses of their own.
void* fortran_address(void* buffer);

// How arrays of handles are converted. Tags, because MPICH's handles are all of one type.
struct Requests {
  using Handle = MPI_Request;
  static Handle to_c(MPI_Fint value) { return PMPI_Request_f2c(value); }
  static MPI_Fint to_fortran(Handle value) { return PMPI_Request_c2f(value); }
};
struct Datatypes {
  using Handle = MPI_Datatype;
  static Handle to_c(MPI_Fint value) { return PMPI_Type_f2c(value); }
};

/// An array of handles in C. Without memory it is nullptr.
template <class Kind>
class Converted {
 public:
  using Handle = typename Kind::Handle;
  Converted(void* fortran, int count) : fortran_(static_cast<MPI_Fint*>(fortran)) {
    if (count <= 0) return;
    values_ = count <= kFew
                  ? few_
                  : static_cast<Handle*>(std::malloc(sizeof(Handle) * static_cast<size_t>(count)));
    if (values_ == nullptr) return;
    count_ = count;
    for (int i = 0; i < count; ++i) values_[i] = Kind::to_c(fortran_[i]);
  }
  ~Converted() {
    if (values_ != few_) std::free(values_);
  }
  Converted(const Converted&) = delete;
  Converted& operator=(const Converted&) = delete;
  Handle* data() { return values_; }
  [[nodiscard]] const Handle* data() const { return values_; }
  void give_back() {
    for (int i = 0; i < count_; ++i) fortran_[i] = Kind::to_fortran(values_[i]);
  }

 private:
  static constexpr int kFew = 16;
  MPI_Fint* fortran_;
  Handle few_[kFew];
  Handle* values_ = nullptr;
  int count_ = 0;
};

class FortranStatuses {
 public:
  FortranStatuses(void* fortran, int count)
      : fortran_(static_cast<MPI_Fint*>(fortran)), values_(MPI_STATUSES_IGNORE) {
    if (count <= 0 || ignores_status(fortran)) return;
    own_ = static_cast<MPI_Status*>(std::malloc(sizeof(MPI_Status) * static_cast<size_t>(count)));
    if (own_ != nullptr) values_ = own_;
  }
  ~FortranStatuses() { std::free(own_); }
  FortranStatuses(const FortranStatuses&) = delete;
  FortranStatuses& operator=(const FortranStatuses&) = delete;
  MPI_Status* data() { return values_; }
  void give_back(int count) {
    if (own_ == nullptr || count == MPI_UNDEFINED) return;
    for (int i = 0; i < count; ++i) {
      PMPI_Status_c2f(&own_[i], fortran_ + static_cast<size_t>(i) * kFortranStatusSize);
    }
  }

 private:
#ifdef MPI_F_STATUS_SIZE
  static constexpr size_t kFortranStatusSize = MPI_F_STATUS_SIZE;
#else
  static constexpr size_t kFortranStatusSize = sizeof(MPI_Status) / sizeof(MPI_Fint);
#endif
  MPI_Fint* fortran_;
  MPI_Status* own_ = nullptr;
  MPI_Status* values_;
};

/// A blank-padded text with a zero at its end instead.
class FortranText {
 public:
  FortranText(const void* text, size_t length) {
    const char* begin = static_cast<const char*>(text);
    while (length > 0 && begin[length - 1] == ' ') --length;
    while (length > 0 && *begin == ' ') {
      ++begin;
      --length;
    }
    text_ = static_cast<char*>(std::malloc(length + 1));
    if (text_ == nullptr) return;
    std::memcpy(text_, begin, length);
    text_[length] = '\0';
  }
  ~FortranText() { std::free(text_); }
  FortranText(const FortranText&) = delete;
  FortranText& operator=(const FortranText&) = delete;
  [[nodiscard]] const char* data() const { return text_ == nullptr ? "" : text_; }

 private:
  char* text_;
};

}  // namespace pathline::record
