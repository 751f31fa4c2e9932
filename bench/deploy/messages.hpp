// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include <mpi.h>

#include "bench/deploy/machine.hpp"
#include "bench/deploy/options.hpp"

namespace deploy {

/// How a message lies in memory.
struct Shape {
  Layout layout;
  size_t bytes;
  size_t stride;  ///< From element to element, in doubles, unless it is contiguous.

  [[nodiscard]] size_t elements() const { return bytes / sizeof(double); }
};

/// Where messages are taken from and go to: two areas, each divided into slices that have no cache
/// line in common. A strided slice is a column of a field whose rows have `stride` values; its
/// neighbours lie between its elements.
class Slices {
 public:
  /// level_bytes  that the cache lines of all slices have together, more or less; there is at least
  ///              one slice in each area.
  Slices(const Shape& shape, size_t level_bytes);

  /// Of the memory of both areas.
  static double memory_bytes(const Shape& shape, size_t level_bytes);

  [[nodiscard]] size_t count() const { return plan_.count; }
  [[nodiscard]] double* send(size_t i) const { return send_.data() + offset(i); }
  [[nodiscard]] double* receive(size_t i) const { return receive_.data() + offset(i); }

  /// Writes every cache line of every slice. Does nothing where the machine is simulated.
  void fill();

 private:
  struct Plan {
    Shape shape;
    size_t count;    // of slices
    size_t columns;  // slices that lie between each other
    size_t pitch;    // doubles from one such group to the next
    [[nodiscard]] size_t doubles() const { return (count + columns - 1) / columns * pitch; }
  };
  static Plan plan_of(const Shape& shape, size_t level_bytes);
  [[nodiscard]] size_t offset(size_t i) const;

  Plan plan_;
  MessageMemory send_;
  MessageMemory receive_;
};

/// Evicts what is in the inner caches by reading something else.
class Eviction {
 public:
  explicit Eviction(size_t bytes);
  void run();

 private:
  std::vector<double> area_;
  double sum_ = 0;
};

/// Sends one message and receives another one of the same shape, as the application does.
class Shift {
 public:
  Shift(const Shape& shape, int to, int from, MPI_Comm communicator);
  ~Shift();
  Shift(const Shift&) = delete;
  Shift& operator=(const Shift&) = delete;

  void run(const double* send, double* receive);

 private:
  Shape shape_;
  int to_;
  int from_;
  MPI_Comm communicator_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  int count_ = 1;  // of type_
  // Two and no more, as in the application: they stay in the caches.
  MessageMemory packed_send_;
  MessageMemory packed_receive_;
};

}  // namespace deploy
