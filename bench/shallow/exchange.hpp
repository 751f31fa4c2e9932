// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>

#include <mpi.h>

#include "bench/shallow/division.hpp"
#include "bench/shallow/fields.hpp"

namespace shallow {

/// Fills halos by shifts: MPI_Sendrecv of a column (n values, strided, 8 n bytes) to one neighbour
/// in x and from the other one, then of a row (m + 1 values in one piece, 8 (m + 1) bytes) in y,
/// which carries the corner that the first shift brought.
///
/// A value is needed from one side only in each direction, as its position in the cell tells: u
/// and cu (west faces) from east and south, v and cv (south faces) from west and north, z (corners)
/// from east and north, p and h (centres) from west and south. A rank that is alone in a direction
/// sends to itself, by the same calls.
class Exchange {
 public:
  enum class Storage {
    kFields,    ///< The field is one of Fields.
    kHaloOnly,  ///< There is no field, only buffer_size() values: columns are strided by 2.
  };

  Exchange(const Division& division, Storage storage, MPI_Comm communicator);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Collective. All ranks call it for the same field.
  void fill_halo(double* field, Position position) const;

  [[nodiscard]] size_t buffer_size() const;

 private:
  /// Where a shift reads and writes, in values from the begin of the field.
  struct Side {
    size_t send;
    size_t receive;
    int to;
    int from;
  };
  struct Sides {
    Side column;
    Side row;
  };

  [[nodiscard]] Sides sides_of(Position position, const Division& division) const;

  Grid grid_;
  Storage storage_;
  MPI_Comm communicator_;
  MPI_Datatype column_ = MPI_DATATYPE_NULL;
  std::array<Sides, 4> sides_;  // by Position
};

}  // namespace shallow
