// SPDX-License-Identifier: BSD-3-Clause
#include "examples/poisson/halo.hpp"

#include <array>

#include "pathline/pathline.h"

namespace poisson {

Halo::Halo(const RankGrid& ranks, int nx, int ny) : ranks_(ranks), nx_(nx), ny_(ny) {
  MPI_Type_vector(ny, 1, nx + 2, MPI_DOUBLE, &column_);
  MPI_Type_commit(&column_);
}

Halo::~Halo() { MPI_Type_free(&column_); }

void Halo::exchange(Array& values) const {
  const pathline::Region region("halo_exchange");
  const int x = ranks_.x;
  const int y = ranks_.y;
  struct Side {
    int neighbour;
    double* inside;
    double* outside;
    bool is_column;
  };
  const std::array<Side, 4> sides = {
      Side{ranks_.rank_at(x - 1, y), &values(0, 0), &values(-1, 0), true},
      Side{ranks_.rank_at(x + 1, y), &values(nx_ - 1, 0), &values(nx_, 0), true},
      Side{ranks_.rank_at(x, y - 1), &values(0, 0), &values(0, -1), false},
      Side{ranks_.rank_at(x, y + 1), &values(0, ny_ - 1), &values(0, ny_), false}};

  std::array<MPI_Request, 8> requests{};
  size_t count = 0;
  const auto type = [&](const Side& side) { return side.is_column ? column_ : MPI_DOUBLE; };
  const auto length = [&](const Side& side) { return side.is_column ? 1 : nx_; };
  for (const Side& side : sides) {
    MPI_Irecv(side.outside, length(side), type(side), side.neighbour, 0, MPI_COMM_WORLD,
              &requests[count++]);
  }
  for (const Side& side : sides) {
    MPI_Isend(side.inside, length(side), type(side), side.neighbour, 0, MPI_COMM_WORLD,
              &requests[count++]);
  }
  MPI_Waitall(static_cast<int>(count), requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace poisson
