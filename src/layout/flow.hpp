// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "layout/bspline.hpp"
#include "layout/pair_value.hpp"
#include "layout/scene.hpp"

// Geometry of the sender/receiver diagram (R. Brendel et al., "Edge Bundling for Visualizing
// Communication Behavior", VPA 2016, V.B): senders on the left
// edge, receivers on the right, and between them a grid along which the traffic of groups of
// processes runs. Beyond the paper: one super-edge per pair of groups, thickness by value, and a
// lane of its own for every super-edge that arrives in a row.
namespace pathline::layout {

struct FlowNode {
  uint32_t column = 0;
  uint32_t row = 0;

  friend bool operator==(const FlowNode&, const FlowNode&) = default;
};

/// The way through a grid, "YX preferring diagonals": from (0, from_row) diagonally to the target
/// row, then horizontally to the last column. If there are more rows to go than columns, the
/// remaining vertical steps come first.
///
/// columns  at least 1.
std::vector<FlowNode> yx_route(uint32_t from_row, uint32_t to_row, uint32_t columns);

/// Where groups of processes begin, for the rows of the grid: one per process below 8; the blocks
/// of the order when there are 4 to 16 of them; else as many as the largest divisor of the number
/// of processes in [6, 16], else 8 of nearly equal size.
std::vector<uint32_t> flow_groups(uint32_t process_count, std::span<const uint32_t> block_begin);

enum class FlowPart : uint8_t {
  kSenderFan,   ///< From processes to where their group's traffic enters the grid.
  kTrunk,       ///< All that a group sends.
  kDiagonal,    ///< What a group sends to rows still ahead; shared by its super-edges.
  kTurn,        ///< A super-edge leaving the diagonal for the row of its receivers.
  kLane,        ///< A super-edge in that row.
  kReceiverFan  ///< From a lane to processes.
};

/// A piece of a curve through which `value` runs.
struct FlowPiece {
  Bezier curve;
  double value = 0;
  double half_width_px = 0;
  uint32_t sender_group = 0;
  uint32_t receiver_group = UINT32_MAX;  ///< Of a turn, a lane and what follows it.
  FlowPart part = FlowPart::kLane;
  bool first = false;  ///< Of fans: the piece at the process's end.
};

struct FlowOptions {
  Rect area;
  uint32_t process_count = 0;
  std::vector<uint32_t> group_begin;  ///< From flow_groups().
  double beta = 1;                    ///< Below 1 super-edges leave the grid and share no pieces.
  bool linear = false;                ///< Widths in proportion to values, not to their logarithm.
};

/// Thickness: half width = base + k log2(1 + v / v_min), or base + k v / v_min.
struct Thickness {
  double smallest = 1;  ///< v_min: the smallest super-edge.
  double base_px = 0.5;
  double k = 0;
  bool linear = false;

  double half_width_px(double value) const;
};

struct Flow {
  std::vector<FlowPiece> pieces;
  std::vector<double> value;    ///< Of each super-edge: group_count x group_count, by sender.
  std::vector<double> group_y;  ///< Of each row of the grid.
  Thickness thickness;

  [[nodiscard]] double total() const;
};

/// The base is half a pixel, and k is such that the 99th percentile of the super-edges is 6 px to
/// each side; both are less where the lanes of a row would not fit beside each other. Processes
/// nearer to each other than 1.5 px share fans that are 4 px apart. Pairs without a positive value
/// are left out.
///
/// cost  O(pairs + groups^2 log groups + fans); fans are at most groups x (processes or pixels).
Flow flow(std::span<const PairValue> pairs, const FlowOptions& options);

}  // namespace pathline::layout
