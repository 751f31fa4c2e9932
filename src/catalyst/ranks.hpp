// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "catalyst/catalyst.h"

namespace pathline::catalyst {

/// An array that all ranks have: its value here, and over all ranks with cells. Deviation that of
/// the ranks; imbalance the most over the mean, minus 1.
struct SharedArray {
  std::string name;
  int32_t type;
  double value;
  double mean;
  double deviation;
  double least;
  double most;
  double imbalance;
};

/// What the ranks must know of each other before ParaView sees anything. All of them call these.
class Ranks {
 public:
  /// world  belongs to this from now on, until it is freed.
  explicit Ranks(MPI_Comm world);

  /// The arrays of all ranks, in the same order everywhere: those of rank 0 where all have the
  /// same, else by name.
  ///
  /// counts  whether this rank has cells
  /// cost    four reductions; one exchange of all names when they are not the same
  std::vector<SharedArray> share(std::span<const PathlineCatalystArray> arrays, bool counts) const;

  /// The text of the lowest rank that has one, "" if none does.
  [[nodiscard]] std::string first(const std::string& text) const;
  [[nodiscard]] bool all(bool here) const;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] MPI_Comm world() const { return world_; }

 private:
  [[nodiscard]] std::vector<SharedArray> union_of(std::vector<SharedArray> here) const;

  MPI_Comm world_;
  int rank_ = 0;
  int count_ = 1;
};

}  // namespace pathline::catalyst
