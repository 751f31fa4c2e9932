// SPDX-License-Identifier: BSD-3-Clause
#include "examples/heat3d/exchange.hpp"

namespace heat3d {
namespace {

/// Each rank puts its edges into the halos of its neighbours, between two fences.
class Put : public Exchange {
 public:
  Put(Grid& grid, const Sides& sides, MPI_Comm cartesian) : grid_(grid), sides_(sides) {
    // A process alone has nobody to put to, and Open MPI 4.1 may refuse to make a window for it.
    int processes = 0;
    MPI_Comm_size(cartesian, &processes);
    if (processes == 1) return;
    MPI_Win_create(grid.field(0), static_cast<MPI_Aint>(grid.value_count() * sizeof(double)),
                   sizeof(double), MPI_INFO_NULL, cartesian, &window_);
  }

  ~Put() override {
    if (window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
  }

  Put(const Put&) = delete;
  Put& operator=(const Put&) = delete;

  void fill_halo(int field) override {
    if (window_ == MPI_WIN_NULL) return;
    const double* values = grid_.field(field);
    const auto start = static_cast<MPI_Aint>(grid_.field_offset(field));
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window_);
    for (int i = 0; i < Sides::kCount; ++i) {
      MPI_Put(values, 1, sides_.edge[i], sides_.neighbor[i], start, 1, sides_.halo[i ^ 1], window_);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window_);
  }

 private:
  Grid& grid_;
  const Sides& sides_;
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace

std::unique_ptr<Exchange> make_put(Grid& grid, const Sides& sides, MPI_Comm cartesian) {
  return std::make_unique<Put>(grid, sides, cartesian);
}

}  // namespace heat3d
