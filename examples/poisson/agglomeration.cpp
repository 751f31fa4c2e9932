// SPDX-License-Identifier: BSD-3-Clause
#include "examples/poisson/agglomeration.hpp"

#include <mpi.h>

#include "pathline/pathline.h"

namespace poisson {
namespace {

/// Values in a rectangle of the size of `part` that begins at a cell of `whole`, in one piece.
std::vector<double> packed(const Array& whole, int first_x, int first_y, const Array& part) {
  std::vector<double> values;
  values.reserve(static_cast<size_t>(part.width()) * static_cast<size_t>(part.height()));
  for (int y = 0; y < part.height(); ++y) {
    for (int x = 0; x < part.width(); ++x) values.push_back(whole(first_x + x, first_y + y));
  }
  return values;
}

void unpack(const std::vector<double>& values, Array& whole, int first_x, int first_y,
            const Array& part) {
  size_t i = 0;
  for (int y = 0; y < part.height(); ++y) {
    for (int x = 0; x < part.width(); ++x) whole(first_x + x, first_y + y) = values[i++];
  }
}

}  // namespace

Agglomeration::Agglomeration(const RankGrid& ranks, int nx, int ny)
    : ranks_(ranks),
      nx_(nx),
      ny_(ny),
      block_x_(ranks.px > 1 ? 2 : 1),
      block_y_(ranks.py > 1 ? 2 : 1) {}

bool Agglomeration::is_leader() const {
  return ranks_.x % block_x_ == 0 && ranks_.y % block_y_ == 0;
}

RankGrid Agglomeration::leaders() const {
  RankGrid leaders = ranks_;
  leaders.px /= block_x_;
  leaders.py /= block_y_;
  leaders.x /= block_x_;
  leaders.y /= block_y_;
  leaders.stride_x *= block_x_;
  leaders.stride_y *= block_y_;
  return leaders;
}

int Agglomeration::leader_rank() const {
  return ranks_.rank_at(ranks_.x / block_x_ * block_x_, ranks_.y / block_y_ * block_y_);
}

std::vector<Agglomeration::Member> Agglomeration::members() const {
  std::vector<Member> members;
  for (int y = 0; y < block_y_; ++y) {
    for (int x = 0; x < block_x_; ++x) {
      if (x + y == 0) continue;
      members.push_back({ranks_.rank_at(ranks_.x + x, ranks_.y + y), x * nx_, y * ny_});
    }
  }
  return members;
}

void Agglomeration::gather(const Array& part, Array* whole) const {
  const pathline::Region region("gather");
  std::vector<double> own = packed(part, 0, 0, part);
  const auto count = static_cast<int>(own.size());
  if (!is_leader()) {
    MPI_Send(own.data(), count, MPI_DOUBLE, leader_rank(), 0, MPI_COMM_WORLD);
    return;
  }
  unpack(own, *whole, 0, 0, part);
  for (const Member& member : members()) {
    MPI_Recv(own.data(), count, MPI_DOUBLE, member.rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    unpack(own, *whole, member.first_x, member.first_y, part);
  }
}

void Agglomeration::scatter(const Array* whole, Array& part) const {
  const pathline::Region region("scatter");
  std::vector<double> own(static_cast<size_t>(part.width()) * static_cast<size_t>(part.height()));
  const auto count = static_cast<int>(own.size());
  if (!is_leader()) {
    MPI_Recv(own.data(), count, MPI_DOUBLE, leader_rank(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    unpack(own, part, 0, 0, part);
    return;
  }
  for (const Member& member : members()) {
    own = packed(*whole, member.first_x, member.first_y, part);
    MPI_Send(own.data(), count, MPI_DOUBLE, member.rank, 0, MPI_COMM_WORLD);
  }
  unpack(packed(*whole, 0, 0, part), part, 0, 0, part);
}

}  // namespace poisson
