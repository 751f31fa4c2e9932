// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/grid_router.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "bundle/mean_shift.hpp"
#include "bundle/router_input.hpp"

namespace pathline::bundle {
namespace {

constexpr double kDefaultSpacingPx = 40;
constexpr uint32_t kMaxNodesPerSide = 1024;

uint32_t nodes_along(uint32_t wanted, double length_px) {
  const double count = wanted > 0 ? wanted : std::round(length_px / kDefaultSpacingPx);
  return static_cast<uint32_t>(std::clamp<double>(count, 2, kMaxNodesPerSide));
}

int32_t sign(int32_t value) { return (value > 0 ? 1 : 0) - (value < 0 ? 1 : 0); }

/// The neighbour that is nearer to `to` in column and row, as far as they differ: diagonal steps
/// first.
GridNode step(GridNode at, GridNode to) {
  return {at.column + sign(to.column - at.column), at.row + sign(to.row - at.row)};
}

void walk(GridNode at, GridNode to, std::vector<GridNode>& path) {
  while (at != to) path.push_back(at = step(at, to));
}

class GridRouter final : public Router {
 public:
  GridRouter(const layout::Segments& lines, const GridOptions& options, base::ThreadPool& pool)
      : area_(plot_area(lines.clip)),
        column_count_(nodes_along(options.column_count, area_.w)),
        row_count_(nodes_along(options.row_count, area_.h)),
        cluster_centres_(options.cluster_centres) {
    if (!cluster_centres_) return;
    const auto units = weight_units(lines, pool);
    const WeightedPoints ends[] = {{lines.x1, lines.y1, units}, {lines.x2, lines.y2, units}};
    const double radius_px = options.radius_px > 0 ? options.radius_px : default_radius_px(area_);
    events_ = mean_shift(ends, area_, radius_px, pool);
  }

  void route(layout::Point from, layout::Point to,
             std::vector<layout::Point>& control) const override {
    control.assign(1, from);
    if (is_finite(from) && is_finite(to)) add_way(from, to, control);
    add_last(to, control);
  }

  std::vector<Node> nodes() const override {
    std::vector<Node> nodes;
    for (const Clusters::Centre& centre : events_.centres()) nodes.push_back({centre.at, 0});
    for (uint32_t row = 0; row < row_count_; ++row) {
      for (uint32_t column = 0; column < column_count_; ++column) {
        nodes.push_back({at({static_cast<int32_t>(column), static_cast<int32_t>(row)}), 1});
      }
    }
    return nodes;
  }

 private:
  void add_way(layout::Point from, layout::Point to, std::vector<layout::Point>& control) const {
    const uint32_t a = events_.of(from);
    const uint32_t b = events_.of(to);
    const bool has_clusters = a != Clusters::kNone;
    const layout::Point first = has_clusters ? events_.centres()[a].at : from;
    const layout::Point last = has_clusters ? events_.centres()[b].at : to;
    if (has_clusters) add_inner(first, control);
    if (has_clusters && a == b) return;
    GridNode node = nearest(first);
    const GridNode target = nearest(last);
    add_inner(at(node), control);
    while (node != target) {
      node = step(node, target);
      add_inner(at(node), control);
    }
    if (has_clusters) add_inner(last, control);
  }

  layout::Point at(GridNode node) const {
    return {area_.x + (node.column + 0.5) * area_.w / column_count_,
            area_.y + (node.row + 0.5) * area_.h / row_count_};
  }
  GridNode nearest(layout::Point p) const {
    return {index((p.x - area_.x) / area_.w, column_count_),
            index((p.y - area_.y) / area_.h, row_count_)};
  }
  static int32_t index(double share, uint32_t count) {
    return static_cast<int32_t>(std::clamp(std::floor(share * count), 0.0, count - 1.0));
  }

  layout::Rect area_;
  uint32_t column_count_;
  uint32_t row_count_;
  bool cluster_centres_;
  Clusters events_;
};

}  // namespace

void octile_route(GridNode from, GridNode to, std::vector<GridNode>& path) {
  path.push_back(from);
  walk(from, to, path);
}

std::unique_ptr<Router> make_grid_router(const layout::Segments& lines, const GridOptions& options,
                                         base::ThreadPool& pool) {
  return std::make_unique<GridRouter>(lines, options, pool);
}

}  // namespace pathline::bundle
