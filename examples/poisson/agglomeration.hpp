// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "examples/poisson/array.hpp"
#include "examples/poisson/rank_grid.hpp"

namespace poisson {

/// Two by two ranks give their parts of a grid to one of them, the leader, and wait until they get
/// them back. (Two, where there is one rank in a direction.) Messages are as long as a part: nobody
/// receives more because there are more ranks.
class Agglomeration {
 public:
  /// ranks   powers of two in both directions, more than one in all.
  /// nx, ny  cells of each rank.
  Agglomeration(const RankGrid& ranks, int nx, int ny);

  [[nodiscard]] bool is_leader() const;
  [[nodiscard]] RankGrid leaders() const;

  /// Cells of a leader.
  [[nodiscard]] int whole_nx() const { return nx_ * block_x_; }
  [[nodiscard]] int whole_ny() const { return ny_ * block_y_; }

  /// part   values of the cells or faces of this rank, without the frame. Where faces of two parts
  ///        are the same, values must be, too.
  /// whole  on the leader those of the whole block; elsewhere null.
  void gather(const Array& part, Array* whole) const;
  void scatter(const Array* whole, Array& part) const;

 private:
  struct Member {
    int rank;
    int first_x;  ///< Cells, in the block.
    int first_y;
  };
  /// All of the block but the leader.
  [[nodiscard]] std::vector<Member> members() const;
  [[nodiscard]] int leader_rank() const;

  RankGrid ranks_;
  int nx_;
  int ny_;
  int block_x_;
  int block_y_;
};

}  // namespace poisson
