// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "examples/poisson/agglomeration.hpp"
#include "examples/poisson/direct_solver.hpp"
#include "examples/poisson/halo.hpp"
#include "examples/poisson/kernels.hpp"
#include "examples/poisson/operator.hpp"
#include "examples/poisson/rank_grid.hpp"

namespace poisson {

/// A V-cycle over grids of cells that double in size, down to a grid so small that it is solved
/// directly. Where the part of a rank cannot be halved any more, ranks merge: there are as many
/// levels as the whole grid can be halved, and no rank has more cells because there are more ranks.
class Multigrid {
 public:
  /// Collective. `fine` is this rank's part; ranks are powers of two in both directions.
  Multigrid(const RankGrid& ranks, const Operator& fine, Work& work);

  /// correction = about A^-1 b
  void v_cycle(const Array& b, Array& correction);

 private:
  struct Level {
    Level(const RankGrid& its_ranks, Operator its_operator);

    RankGrid ranks;
    Operator a;
    Halo halo;
    Array b;
    Array u;
    Array r;
    std::optional<Agglomeration> merge;  ///< The next level has the same cells and less ranks.
    std::optional<DirectSolver> direct;  ///< There is no next level.
  };

  /// Solves the problem of a level, by and by.
  void v_cycle(size_t number);
  void smooth(Level& level);
  void add_levels();
  /// The level that merges this one; the leaders have it.
  void add_merged(Level& level);

  Work& work_;
  std::deque<Level> levels_;  ///< Finest first. Ranks that do not lead have no more after a merge.
};

}  // namespace poisson
