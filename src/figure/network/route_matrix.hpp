// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "figure/network/folded_axis.hpp"
#include "figure/network/view.hpp"

namespace pathline::figure {

/// The adjacency matrix of the network as it lies in the picture: groups in the order of their
/// addresses along both axes, those that routes drawn do not touch folded.
class RouteMatrix {
 public:
  /// Neighbours with the same coordinates up to a level.
  struct Block {
    double begin_px = 0;  ///< From the edge of the matrix.
    double end_px = 0;
    uint32_t coordinate = 0;
  };

  RouteMatrix(const NetworkView& view, const NetworkOptions& options, const layout::Theme& theme);

  /// Finds room below `top`, and for a legend at the right.
  /// errors  kInvalidArgument for a picture too small.
  base::Status place(double top);

  [[nodiscard]] const layout::Rect& plot() const { return plot_; }
  [[nodiscard]] const FoldedAxis& axis() const { return *axis_; }
  /// Beside the matrix; without width when the picture has no room for it.
  [[nodiscard]] layout::Rect legend() const;
  /// Right of the legend, for parts enlarged; without width where cells are large enough or the
  /// picture has no room for them.
  [[nodiscard]] layout::Rect lenses() const;

  [[nodiscard]] uint32_t slot_of_group(uint32_t group) const {
    return axis_->slot_of(item_of_[group]);
  }
  /// Of the row and the column of a vertex, from the edge of the matrix.
  [[nodiscard]] double middle(uint32_t vertex) const {
    return axis_->place(item_of_[view_.group_of[vertex]]).middle_px();
  }
  [[nodiscard]] layout::Rect cell(uint32_t row_slot, uint32_t column_slot) const;

  /// Groups in the order of the axes.
  [[nodiscard]] uint32_t item_count() const { return static_cast<uint32_t>(group_at_.size()); }
  [[nodiscard]] uint32_t item_of_group(uint32_t group) const { return item_of_[group]; }
  /// Coordinates of an item, one per level; none of a switch.
  [[nodiscard]] const std::vector<uint32_t>& address(uint32_t item) const {
    return addresses_[group_at_[item]];
  }
  [[nodiscard]] const std::string& name(uint32_t item) const {
    return view_.names[group_at_[item]];
  }
  /// Of the dimension of a level.
  [[nodiscard]] const std::string& level_name(size_t level) const {
    return view_.network->dimensions()[levels_[level]].name;
  }
  /// Of all links of the network, used or not; rows ascending, then columns.
  [[nodiscard]] std::vector<std::pair<uint32_t, uint32_t>> adjacent_cells() const;

  /// The same by items.
  [[nodiscard]] std::vector<std::pair<uint32_t, uint32_t>> adjacent_items() const;

  /// Dimensions along the axes, outermost first.
  [[nodiscard]] size_t level_count() const { return levels_.size(); }
  /// Those of a level that are not folded whole, ascending.
  [[nodiscard]] std::vector<Block> blocks(size_t level) const;
  /// Mean size, px.
  [[nodiscard]] double usual_block(size_t level) const;

  /// Between the blocks of the outermost dimensions.
  void add_block_rules(layout::Scene& scene) const;
  /// Strips with the coordinates of each dimension, names of what has none, and at the right what
  /// stripes stand for.
  void add_rulers(layout::Scene& scene) const;

 private:
  void sort_items();
  void find_touched();
  base::Status try_place(double top, double strip_count);
  void add_strips(size_t level, double x, double y, layout::Boxes& strips,
                  layout::Labels& labels) const;
  void add_names(layout::Labels& labels) const;
  void add_fold_labels(layout::Labels& labels) const;
  void add_axis_title(layout::Labels& labels) const;
  [[nodiscard]] layout::Label label(std::string text, layout::Point at, layout::Color color,
                                    layout::Anchor anchor) const;

  const NetworkView& view_;
  const NetworkOptions& options_;
  const layout::Theme& theme_;
  layout::Rect plot_;
  std::vector<size_t> levels_;
  std::vector<std::vector<uint32_t>> addresses_;  // Per group, a coordinate per level.
  std::vector<uint32_t> group_at_;                // Per item of the axis.
  std::vector<uint32_t> item_of_;                 // Per group.
  std::vector<bool> touched_;                     // Per item.
  std::optional<FoldedAxis> axis_;
  double legend_width_ = 0;
  double lens_width_ = 0;
  double names_width_ = 0;
};

}  // namespace pathline::figure
