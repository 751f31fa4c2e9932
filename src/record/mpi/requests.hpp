// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include <mpi.h>

#include "record/mpi/call.hpp"

namespace pathline::record {

/// What a request stands for, from the call that made it to the one that saw it complete.
struct Request {
  enum Kind : uint8_t { kNone, kSend, kReceive, kCollective, kRma, kIo, kCommunicator };
  Kind kind = kNone;
  bool recorded = false;  ///< Its beginning was; otherwise its end is not either.
  bool persistent = false;
  bool active = false;  ///< Of a persistent one: it was started.
  uint64_t id = 0;      ///< Used once in a process.
  uint32_t comm = 0;    ///< Id of the communicator, window or file.
  int peer = MPI_ANY_SOURCE;
  int tag = 0;
  uint8_t operation = 0;  ///< OTF2 number of a collective.
  uint32_t root = 0;
  uint64_t bytes_sent = 0;  ///< Bytes of a send.
  uint64_t bytes_received = 0;
  bool fixed = false;  ///< A partitioned receive: peer, tag and bytes are known from the start.
};

/// Bytes received. Reads the fields of the status, whose layout is part of each MPI's ABI: asking
/// PMPI_Get_elements_x takes longer than everything else that is recorded of a receive.
inline uint64_t received_bytes(const MPI_Status& status) {
#if defined(OPEN_MPI)
  return status._ucount;
#elif defined(PATHLINE_SMPI)
  return static_cast<unsigned>(status.count);
#else
  return static_cast<uint64_t>(static_cast<unsigned>(status.count_hi_and_cancelled) >> 1U) << 32U |
         static_cast<unsigned>(status.count_lo);
#endif
}

inline bool was_cancelled(const MPI_Status& status) {
#if defined(OPEN_MPI)
  return status._cancelled != 0;
#elif defined(PATHLINE_SMPI)
  return status.cancelled != 0;
#else
  return (static_cast<unsigned>(status.count_hi_and_cancelled) & 1U) != 0;
#endif
}

/// MPI_ERR_TRUNCATE and the like for what a function returned.
inline int error_class(int code) {
  int found = code;
  return PMPI_Error_class(code, &found) == MPI_SUCCESS ? found : code;
}

uint64_t next_request_id();

/// More threads than one may call MPI: the table locks from now on.
void lock_requests();

/// Remembers what the handle stands for. Several live requests may have the same handle (Open MPI
/// has one for all sends that were complete at once); the oldest is found first.
void request_made(MPI_Request handle, const Request& request);

/// A copy of the program's handles, as MPI overwrites them. Small numbers need no memory.
class Handles {
 public:
  /// from  may be nullptr. Without memory there is none.
  Handles(int count, const MPI_Request* from);
  ~Handles();
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;

  [[nodiscard]] int count() const { return count_; }
  MPI_Request operator[](int i) const { return at_[i]; }

 private:
  static constexpr int kFew = 16;
  int count_ = 0;
  MPI_Request* at_ = few_;
  MPI_Request few_[kFew];
};

/// The requests that a wait or test may complete, looked at before the call.
class Pending {
 public:
  Pending(Call& call, int count, const MPI_Request* handles);
  ~Pending();
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  /// Statuses to hand to MPI: the program's, or our own where it ignores them.
  MPI_Status* statuses(MPI_Status* wanted);
  MPI_Status* status(MPI_Status* wanted) { return wanted == MPI_STATUS_IGNORE ? &own_ : wanted; }

  /// Request number `index` is complete.
  void complete(int index, MPI_Status* status);
  /// All are.
  void complete_all(MPI_Status* statuses) {
    for (int i = 0; i < handles_.count(); ++i)
      complete(i, statuses == nullptr ? nullptr : statuses + i);
  }
  /// Those listed are; statuses in the order of the list.
  void complete_some(int count, const int* indices, MPI_Status* statuses) {
    for (int i = 0; i < count; ++i) complete(indices[i], statuses + i);
  }
  /// MPI returned an error, though some may be complete.
  ///
  /// statuses  one for each request, or only one
  void failed(int answer, MPI_Status* statuses, bool each);
  /// Of MPI_Waitsome and MPI_Testsome, whose statuses are in the order of `indices`.
  void failed_some(int answer, const int* count, const int* indices, MPI_Status* statuses);

 private:
  /// `index` is over, as `code` says.
  void end(int index, MPI_Status* status, int code);

  Call& call_;
  const MPI_Request* given_;
  const Handles handles_;
  MPI_Status* statuses_ = nullptr;
  MPI_Status own_;
  Request* claimed_ = nullptr;  ///< What the handles stand for; only with several threads.
};

/// Persistent requests that MPI_Start or MPI_Startall are about to start, recorded at once.
class Starting {
 public:
  Starting(Call& call, int count, MPI_Request* handles);
  /// Open MPI gives a buffered send that is still on its way another handle.
  void succeeded();
  void failed();

 private:
  Call& call_;
  const MPI_Request* given_;
  const Handles handles_;
};

void request_freed(Call& call, MPI_Request handle);

/// Notes at the end how many requests nobody completed.
void define_open_requests();
/// May a receive of the program's still take a message, of whatever tag?
bool may_receive();

}  // namespace pathline::record
