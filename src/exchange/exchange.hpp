// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <type_traits>
#include <vector>

#include "base/result.hpp"
#include "exchange/job.hpp"

struct PathlineExchange;  // mpi_functions.h

namespace pathline::exchange {

using Bytes = std::vector<uint8_t>;

/// What the processes of one job tell each other while they share an analysis. By default there is
/// one, without any MPI; join() loads the library for the MPI that started several.
///
/// All functions but abort() are collective: every process calls the same ones in the same order,
/// from one thread. An error of MPI ends the job with MPI's message.
class Exchange {
 public:
  Exchange() = default;
  /// By functions that have started; place() tells how many processes there are.
  explicit Exchange(const PathlineExchange& started);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  Exchange(Exchange&& other) noexcept;
  Exchange& operator=(Exchange&& other) noexcept;
  /// A process that did not leave() has no answer for the others: ends the job.
  ~Exchange();

  /// Meets the other processes of the job, of which none may have started MPI before.
  ///
  /// folders  where the libraries may be.
  /// errors   kUnsupported: no library for this MPI, or it cannot be loaded; MPI knows another
  ///          number of processes than the launcher.
  static base::Result<Exchange> join(const Job& job,
                                     const std::vector<std::filesystem::path>& folders);

  [[nodiscard]] unsigned rank() const { return rank_; }
  [[nodiscard]] unsigned size() const { return size_; }

  /// What each process says, in the order of ranks.
  template <class T>
  std::vector<T> all_gather(const T& mine) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(size_);
    gather_fixed(&mine, sizeof mine, all.data());
    return all;
  }
  /// parts    per rank, what it is to get.
  /// returns  per rank, what it sent.
  std::vector<Bytes> all_to_all(const std::vector<Bytes>& parts);
  /// What each process has; only rank 0 gets it, the others nothing.
  std::vector<Bytes> gather(Bytes mine);
  /// One outcome for all: success where all have that, else the error of the smallest `place`, of
  /// equal ones that of the lowest rank.
  base::Status agree(const base::Status& mine, uint64_t place = 0);

  /// Nothing follows: afterwards each process is alone. Does not wait for work of others.
  void leave();
  /// Ends all processes of the job at once, this one with `status`.
  [[noreturn]] void abort(int status);

  /// Of all_to_all(), at a time. For tests.
  void set_slice_bytes(uint64_t bytes) { slice_bytes_ = bytes; }

 private:
  void gather_fixed(const void* mine, uint32_t bytes, void* all);

  const PathlineExchange* mpi_ = nullptr;
  unsigned rank_ = 0;
  unsigned size_ = 1;
  uint64_t slice_bytes_ = uint64_t{1} << 30U;
};

}  // namespace pathline::exchange
