// SPDX-License-Identifier: BSD-3-Clause
#include "examples/heat3d/exchange.hpp"

namespace heat3d {
namespace {

/// The messages of the isend exchange, set up once for each field and started in every step.
class Persistent : public Exchange {
 public:
  Persistent(Grid& grid, const Sides& sides, MPI_Comm cartesian) {
    for (const int field : {0, 1}) {
      double* values = grid.field(field);
      for (int i = 0; i < Sides::kCount; ++i) {
        MPI_Recv_init(values, 1, sides.halo[i], sides.neighbor[i], i ^ 1, cartesian,
                      &requests_[field][i]);
        MPI_Send_init(values, 1, sides.edge[i], sides.neighbor[i], i, cartesian,
                      &requests_[field][Sides::kCount + i]);
      }
    }
  }

  ~Persistent() override {
    for (Requests& requests : requests_) {
      for (MPI_Request& request : requests) MPI_Request_free(&request);
    }
  }

  Persistent(const Persistent&) = delete;
  Persistent& operator=(const Persistent&) = delete;

  void fill_halo(int field) override {
    Requests& requests = requests_[field];
    MPI_Startall(kRequestCount, requests.data());
    MPI_Waitall(kRequestCount, requests.data(), MPI_STATUSES_IGNORE);
  }

 private:
  static constexpr int kRequestCount = 2 * Sides::kCount;
  using Requests = std::array<MPI_Request, kRequestCount>;
  std::array<Requests, 2> requests_;
};

}  // namespace

std::unique_ptr<Exchange> make_persistent(Grid& grid, const Sides& sides, MPI_Comm cartesian) {
  return std::make_unique<Persistent>(grid, sides, cartesian);
}

}  // namespace heat3d
