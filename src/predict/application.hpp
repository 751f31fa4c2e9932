// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace pathline::predict {

constexpr size_t kMaxAxes = 3;

/// Work on every local cell.
struct Kernel {
  std::string name;
  /// Of a run that was looked at; 0: the compute benchmark has rows of this name.
  double seconds_per_cell = 0;
};

/// Each rank sends one side of its local grid to a neighbour, and gets one from the opposite.
struct Shift {
  uint32_t axis = 0;
  bool upwards = false;  ///< To the neighbour with the larger coordinate.
  std::string layout = "contiguous";
  uint32_t values_per_cell = 1;
  /// What is added to the local size of each axis but its own: 1 for a side with a corner.
  std::vector<uint32_t> extra = {};
  friend bool operator==(const Shift&, const Shift&) = default;
};

/// What happens between two moments at which a rank may wait: kernels, or shifts one after the
/// other, or shifts that are all under way at once (MPI_Isend, MPI_Irecv, MPI_Waitall).
struct Phase {
  std::vector<Kernel> kernels = {};
  std::vector<Shift> shifts = {};
  bool at_once = false;
};

/// What a program on a grid does in a time step, as far as its deployment matters.
struct Application {
  std::string name;
  uint32_t fields = 1;         ///< Arrays of 8 bytes a cell, for the working set.
  uint32_t halo = 1;           ///< Cells around a local grid.
  std::vector<bool> periodic;  ///< Of each axis; their number is that of the axes.
  std::vector<Phase> phases;

  [[nodiscard]] size_t axes() const { return periodic.size(); }
  /// Bytes that a rank's fields take.
  [[nodiscard]] uint64_t working_set(std::span<const uint32_t> local) const;
  /// Bytes of a message of `shift`.
  [[nodiscard]] uint64_t bytes(const Shift& shift, std::span<const uint32_t> local) const;
};

/// NCAR's shallow-water code after Sadourny 1975, which is bench/shallow: 13 fields, four kernels,
/// seven exchanges of a strided column and a contiguous row.
Application shallow();

/// errors  kInvalidArgument, naming what contradicts: axes of shifts, layouts, nothing to do.
base::Status check(const Application& application);

}  // namespace pathline::predict
