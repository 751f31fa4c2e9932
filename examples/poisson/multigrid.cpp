// SPDX-License-Identifier: BSD-3-Clause
#include "examples/poisson/multigrid.hpp"

#include <algorithm>
#include <utility>

#include "pathline/pathline.h"

namespace poisson {
namespace {

constexpr int kSweeps = 2;  // before the coarser grid, and after it

/// Parts of fewer cells are not worth the messages.
constexpr int kLeastCells = 4;

bool can_be_halved(const Operator& a) { return a.nx() % 2 == 0 && a.ny() % 2 == 0; }

}  // namespace

Multigrid::Level::Level(const RankGrid& its_ranks, Operator its_operator)
    : ranks(its_ranks),
      a(std::move(its_operator)),
      halo(its_ranks, a.nx(), a.ny()),
      b(cell_values(a.nx(), a.ny())),
      u(cell_values(a.nx(), a.ny())),
      r(cell_values(a.nx(), a.ny())) {}

Multigrid::Multigrid(const RankGrid& ranks, const Operator& fine, Work& work) : work_(work) {
  const pathline::Region region("mg_setup");
  levels_.emplace_back(ranks, fine);
  add_levels();
}

void Multigrid::add_levels() {
  for (size_t i = 0; i < levels_.size(); ++i) {
    Level& level = levels_[i];
    const bool is_alone = level.ranks.size() == 1;
    const int cells = std::min(level.a.nx(), level.a.ny());
    if (!is_alone && (!can_be_halved(level.a) || cells < kLeastCells)) {
      add_merged(level);
    } else if (can_be_halved(level.a) && cells > 2) {
      levels_.emplace_back(level.ranks, level.a.coarsened());
    } else {
      level.direct.emplace(level.a, work_);
    }
  }
}

void Multigrid::add_merged(Level& level) {
  const Agglomeration& merge = level.merge.emplace(level.ranks, level.a.nx(), level.a.ny());
  if (!merge.is_leader()) {
    merge.gather(level.a.x_faces(), nullptr);
    merge.gather(level.a.y_faces(), nullptr);
    return;
  }
  Array x_faces(merge.whole_nx() + 1, merge.whole_ny());
  Array y_faces(merge.whole_nx(), merge.whole_ny() + 1);
  merge.gather(level.a.x_faces(), &x_faces);
  merge.gather(level.a.y_faces(), &y_faces);
  levels_.emplace_back(merge.leaders(), Operator(std::move(x_faces), std::move(y_faces)));
}

void Multigrid::v_cycle(const Array& b, Array& correction) {
  levels_.front().b = b;
  v_cycle(0);
  correction = levels_.front().u;
}

void Multigrid::smooth(Level& level) {
  const bool is_odd = (level.ranks.x * level.a.nx() + level.ranks.y * level.a.ny()) % 2 != 0;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    poisson::smooth(level.a, level.halo, is_odd, level.b, level.u, work_);
  }
}

void Multigrid::v_cycle(size_t number) {
  const pathline::Region region("v_cycle");
  Level& level = levels_[number];
  if (level.direct) {
    level.direct->solve(level.b, level.u, work_);
  } else if (level.merge) {
    Level* merged = level.merge->is_leader() ? &levels_[number + 1] : nullptr;
    level.merge->gather(level.b, merged != nullptr ? &merged->b : nullptr);
    if (merged != nullptr) v_cycle(number + 1);
    level.merge->scatter(merged != nullptr ? &merged->u : nullptr, level.u);
  } else {
    Level& coarse = levels_[number + 1];
    level.u.fill(0);
    smooth(level);
    residual(level.a, level.halo, level.b, level.u, level.r, work_);
    restrict_to(level.r, coarse.b, work_);
    v_cycle(number + 1);
    prolongate(level.a, coarse.halo, coarse.u, level.u, work_);
    smooth(level);
  }
}

}  // namespace poisson
