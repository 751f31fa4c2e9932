// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/hierarchy_router.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "bundle/mean_shift.hpp"
#include "bundle/router_input.hpp"

namespace pathline::bundle {
namespace {

constexpr uint32_t kMaxLevels = 8;

/// The centres of a level as points of the next one.
Clusters cluster_centres(const Clusters& below, const layout::Rect& area, double radius_px,
                         base::ThreadPool& pool) {
  std::vector<float> x, y;
  std::vector<uint64_t> weight;
  for (const Clusters::Centre& centre : below.centres()) {
    x.push_back(static_cast<float>(centre.at.x));
    y.push_back(static_cast<float>(centre.at.y));
    weight.push_back(centre.weight);
  }
  const WeightedPoints points[] = {{x, y, weight}};
  return mean_shift(points, area, radius_px, pool);
}

class HierarchyRouter final : public Router {
 public:
  HierarchyRouter(const layout::Segments& lines, const HierarchyOptions& options,
                  base::ThreadPool& pool) {
    const layout::Rect area = plot_area(lines.clip);
    double radius_px = options.radius_px > 0 ? options.radius_px : default_radius_px(area);
    const auto units = weight_units(lines, pool);
    const WeightedPoints ends[] = {{lines.x1, lines.y1, units}, {lines.x2, lines.y2, units}};
    events_ = mean_shift(ends, area, radius_px, pool);
    if (events_.centres().empty()) return;

    Clusters level = events_;
    level_count_ = std::clamp(options.level_count, 1U, kMaxLevels);
    for (uint32_t l = 0; l < level_count_; ++l) {
      const size_t first = nodes_.size();
      for (const Clusters::Centre& centre : level.centres()) nodes_.push_back({centre.at, l});
      const size_t above = nodes_.size();
      if (l + 1 == level_count_) {
        parent_.resize(above, static_cast<uint32_t>(above));
        break;
      }
      radius_px *= std::max(1.0, options.radius_growth);
      Clusters next = cluster_centres(level, area, radius_px, pool);
      for (size_t i = first; i < above; ++i) {
        parent_.push_back(static_cast<uint32_t>(above) + next.of(nodes_[i].at));
      }
      level = std::move(next);
    }
    nodes_.push_back({events_.centroid(), level_count_});
    parent_.push_back(static_cast<uint32_t>(nodes_.size() - 1));
  }

  void route(layout::Point from, layout::Point to,
             std::vector<layout::Point>& control) const override {
    control.assign(1, from);
    // All events are equally far below the root: climbing in step meets at the common ancestor.
    std::array<uint32_t, kMaxLevels + 1> down{};
    size_t down_count = 0;
    uint32_t a = events_.of(from);
    uint32_t b = events_.of(to);
    if (a != Clusters::kNone && b != Clusters::kNone) {
      for (; a != b; a = parent_[a], b = parent_[b]) {
        add_inner(nodes_[a].at, control);
        down[down_count++] = b;
      }
      add_inner(nodes_[a].at, control);
      while (down_count > 0) add_inner(nodes_[down[--down_count]].at, control);
    }
    add_last(to, control);
  }

  std::vector<Node> nodes() const override { return nodes_; }

 private:
  uint32_t level_count_ = 0;
  Clusters events_;
  std::vector<Node> nodes_;       // level by level, the root last
  std::vector<uint32_t> parent_;  // index in nodes_; the root is its own
};

}  // namespace

std::unique_ptr<Router> make_hierarchy_router(const layout::Segments& lines,
                                              const HierarchyOptions& options,
                                              base::ThreadPool& pool) {
  return std::make_unique<HierarchyRouter>(lines, options, pool);
}

}  // namespace pathline::bundle
