// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "figure/network/view.hpp"

namespace pathline::figure {

/// A circle of the communication graph: a node, a group of nodes, or what only passes on.
struct GraphNode {
  uint32_t group = 0;
  uint32_t out_pairs = 0;
  uint32_t in_pairs = 0;
  double out_bytes = 0;
  double in_bytes = 0;
  double inner_bytes = 0;  ///< That stay in the group.
  double radius_px = 0;
  layout::Point at;

  [[nodiscard]] uint32_t degree() const { return out_pairs + in_pairs; }
  [[nodiscard]] bool talks() const { return degree() > 0 || inner_bytes > 0; }
  /// What stays inside is sent and received here.
  [[nodiscard]] double inner_share() const {
    const double all = out_bytes + in_bytes + 2 * inner_bytes;
    return all > 0 ? 2 * inner_bytes / all : 0;
  }
};

/// What draws nodes together.
enum class PlacedBy : uint8_t {
  kPairs,  ///< What they exchange; what only passes on lies amid its links.
  kLinks   ///< What goes over the links between them.
};

/// The nodes with traffic or on a route, and where they are.
class GraphNodes {
 public:
  static constexpr double kSmallestRadius = 1.5;

  GraphNodes(const NetworkView& view, std::span<const GroupLink> links);

  [[nodiscard]] const std::vector<GraphNode>& all() const { return nodes_; }
  [[nodiscard]] size_t size() const { return nodes_.size(); }
  [[nodiscard]] uint32_t place_of(uint32_t group) const { return place_of_[group]; }
  [[nodiscard]] const GraphNode& of_group(uint32_t group) const { return nodes_[place_of_[group]]; }

  /// Fills `area` and sets the radii. errors  those of force_layout().
  base::Status place(const layout::Rect& area, PlacedBy by);

  /// False: the graph was too large for loads to be considered.
  [[nodiscard]] bool by_weight() const { return by_weight_; }
  [[nodiscard]] uint32_t most_partners() const { return most_partners_; }
  [[nodiscard]] double largest_radius_px() const { return largest_px_; }
  [[nodiscard]] double radius_px(double partners) const;
  /// Distance to the next node with traffic that three of four of them have at least.
  [[nodiscard]] double usual_distance_px() const;

 private:
  void draw_in_relays(std::vector<layout::Point>& at) const;
  void fit(std::vector<layout::Point> at, const layout::Rect& area);
  void size_circles(const layout::Rect& area);

  std::vector<GroupPair> pairs_;
  std::span<const GroupLink> links_;
  std::vector<GraphNode> nodes_;
  std::vector<uint32_t> place_of_;  // Per group; UINT32_MAX: left out.
  uint32_t most_partners_ = 0;
  double largest_px_ = 0;
  bool by_weight_ = true;
};

}  // namespace pathline::figure
