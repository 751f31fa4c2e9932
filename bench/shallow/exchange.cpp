// SPDX-License-Identifier: BSD-3-Clause
#include "bench/shallow/exchange.hpp"

#include <algorithm>

namespace shallow {

Exchange::Exchange(const Division& division, Storage storage, MPI_Comm communicator)
    : grid_(division.own), storage_(storage), communicator_(communicator) {
  const int stride = storage == Storage::kFields ? static_cast<int>(grid_.stride()) : 2;
  MPI_Type_vector(grid_.n, 1, stride, MPI_DOUBLE, &column_);
  MPI_Type_commit(&column_);
  for (const Position position :
       {Position::kCentre, Position::kWestFace, Position::kSouthFace, Position::kCorner}) {
    sides_[static_cast<size_t>(position)] = sides_of(position, division);
  }
}

Exchange::~Exchange() { MPI_Type_free(&column_); }

size_t Exchange::buffer_size() const {
  return 2 * std::max(2 * static_cast<size_t>(grid_.n), static_cast<size_t>(grid_.m) + 1);
}

Exchange::Sides Exchange::sides_of(Position position, const Division& division) const {
  const bool from_east = position == Position::kWestFace || position == Position::kCorner;
  const bool from_north = position == Position::kSouthFace || position == Position::kCorner;
  const int east = division.neighbor(1, 0);
  const int west = division.neighbor(-1, 0);
  const int north = division.neighbor(0, 1);
  const int south = division.neighbor(0, -1);
  const int m = grid_.m;
  const int n = grid_.n;
  const int row_begin = from_east ? 0 : -1;
  Sides sides = {
      .column = {.send = grid_.index(from_east ? 0 : m - 1, 0),
                 .receive = grid_.index(from_east ? m : -1, 0),
                 .to = from_east ? west : east,
                 .from = from_east ? east : west},
      .row = {.send = grid_.index(row_begin, from_north ? 0 : n - 1),
              .receive = grid_.index(row_begin, from_north ? n : -1),
              .to = from_north ? south : north,
              .from = from_north ? north : south},
  };
  if (storage_ == Storage::kHaloOnly) {
    for (Side* side : {&sides.column, &sides.row}) {
      side->send = 0;
      side->receive = buffer_size() / 2;
    }
  }
  return sides;
}

void Exchange::fill_halo(double* field, Position position) const {
  const auto& [column, row] = sides_[static_cast<size_t>(position)];
  constexpr int kTag = 0;
  MPI_Sendrecv(field + column.send, 1, column_, column.to, kTag, field + column.receive, 1, column_,
               column.from, kTag, communicator_, MPI_STATUS_IGNORE);
  MPI_Sendrecv(field + row.send, grid_.m + 1, MPI_DOUBLE, row.to, kTag, field + row.receive,
               grid_.m + 1, MPI_DOUBLE, row.from, kTag, communicator_, MPI_STATUS_IGNORE);
}

}  // namespace shallow
