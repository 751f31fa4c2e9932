// SPDX-License-Identifier: BSD-3-Clause
#include "examples/heat3d/exchange.hpp"

namespace heat3d {
namespace {

/// MPI_Irecv and MPI_Isend at each side, then MPI_Waitall.
class Isend : public Exchange {
 public:
  Isend(Grid& grid, const Sides& sides, MPI_Comm cartesian)
      : grid_(grid), sides_(sides), cartesian_(cartesian) {}

  void fill_halo(int field) override {
    double* values = grid_.field(field);
    constexpr int kRequestCount = 2 * Sides::kCount;
    std::array<MPI_Request, kRequestCount> requests;
    // A message has the number of the side where it leaves its sender as its tag.
    for (int i = 0; i < Sides::kCount; ++i) {
      MPI_Irecv(values, 1, sides_.halo[i], sides_.neighbor[i], i ^ 1, cartesian_, &requests[i]);
    }
    for (int i = 0; i < Sides::kCount; ++i) {
      MPI_Isend(values, 1, sides_.edge[i], sides_.neighbor[i], i, cartesian_,
                &requests[Sides::kCount + i]);
    }
    MPI_Waitall(kRequestCount, requests.data(), MPI_STATUSES_IGNORE);
  }

 private:
  Grid& grid_;
  const Sides& sides_;
  MPI_Comm cartesian_;
};

}  // namespace

std::unique_ptr<Exchange> make_isend(Grid& grid, const Sides& sides, MPI_Comm cartesian) {
  return std::make_unique<Isend>(grid, sides, cartesian);
}

}  // namespace heat3d
