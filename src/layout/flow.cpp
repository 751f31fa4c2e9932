// SPDX-License-Identifier: BSD-3-Clause
#include "layout/flow.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>

namespace pathline::layout {
namespace {

constexpr double kLargestHalfWidth = 6;  // px, of the 99th percentile.
constexpr double kBaseHalfWidth = 0.5;   // px; and as much room on both sides.
constexpr double kLeastHalfWidth = 0.2;  // px, where there are many lanes.
constexpr double kRowShare = 0.84;       // Of the distance of rows, for lanes.
constexpr double kLeafPx = 4;            // px between the fans of processes that lie closer ...
constexpr double kLeastPitch = 1.5;      // px ... than this.
constexpr double kFanShare = 0.15;       // Of the width, on either side.
constexpr double kNoFanShare = 0.04;     // The same where each group is one process.
constexpr uint32_t kMinColumns = 4;

/// Processes of one group that end in one fan.
struct Leaf {
  uint32_t group = 0;
  double y = 0;
};

class Builder {
 public:
  Builder(std::span<const PairValue> pairs, const FlowOptions& options)
      : options_(options), groups_(static_cast<uint32_t>(options.group_begin.size())) {
    place_processes();
    sum(pairs);
    choose_thickness();
    place_lanes();
    // Wide over narrow at the ends, where fans cross; the grid on top of both.
    add_sender_fans();
    add_receiver_fans();
    for (uint32_t from = 0; from < groups_; ++from) {
      if (options_.beta < 1) {
        add_free_super_edges(from);
      } else {
        add_super_edges(from);
      }
    }
  }

  Flow take() { return std::move(flow_); }

 private:
  uint32_t group_end(uint32_t group) const {
    return group + 1 < groups_ ? options_.group_begin[group + 1] : options_.process_count;
  }

  void place_processes() {
    const Rect& area = options_.area;
    const double pitch = area.h / options_.process_count;
    leaf_of_.resize(options_.process_count);
    for (uint32_t group = 0; group < groups_; ++group) {
      const uint32_t begin = options_.group_begin[group];
      const uint32_t end = group_end(group);
      flow_.group_y.push_back(area.y + pitch * (begin + end) / 2);
      double last_bin = -1;
      for (uint32_t i = begin; i < end; ++i) {
        const double y = pitch * (i + 0.5);
        const double bin = std::floor(y / kLeafPx);
        if (pitch >= kLeastPitch || i == begin || bin != last_bin) {
          leaves_.push_back({group, area.y + (pitch >= kLeastPitch ? y : (bin + 0.5) * kLeafPx)});
        }
        last_bin = bin;
        leaf_of_[i] = static_cast<uint32_t>(leaves_.size() - 1);
      }
    }
    leaf_pitch_ = pitch >= kLeastPitch ? pitch : kLeafPx;
    columns_ = std::max(groups_, kMinColumns);
    const double fan = (leaves_.size() == groups_ ? kNoFanShare : kFanShare) * area.w;
    hub_x_ = area.x + fan;
    far_hub_x_ = area.right() - fan;
    // Half a column of trunk on both sides.
    column_px_ = (far_hub_x_ - hub_x_) / columns_;
    row_px_ = area.h;
    for (uint32_t row = 1; row < groups_; ++row) {
      row_px_ = std::min(row_px_, flow_.group_y[row] - flow_.group_y[row - 1]);
    }
  }

  void sum(std::span<const PairValue> pairs) {
    flow_.value.assign(size_t{groups_} * groups_, 0);
    sent_.assign(leaves_.size(), 0);
    received_.assign(size_t{groups_} * leaves_.size(), 0);
    for (const PairValue& pair : pairs) {
      if (!(pair.value > 0)) continue;
      const uint32_t from = leaf_of_[pair.sender];
      const uint32_t to = leaf_of_[pair.receiver];
      const uint32_t group = leaves_[from].group;
      flow_.value[size_t{group} * groups_ + leaves_[to].group] += pair.value;
      sent_[from] += pair.value;
      received_[group * leaves_.size() + to] += pair.value;
    }
  }

  double value(uint32_t from, uint32_t to) const {
    return flow_.value[size_t{from} * groups_ + to];
  }

  void choose_thickness() {
    std::vector<double> values;
    for (const double v : flow_.value) {
      if (v > 0) values.push_back(v);
    }
    if (values.empty()) return;
    std::sort(values.begin(), values.end());
    Thickness& thickness = flow_.thickness;
    thickness.linear = options_.linear;
    thickness.smallest = values.front();
    thickness.k = 1;
    const double wide = values[std::min(values.size() - 1, values.size() * 99 / 100)];
    uint32_t most_lanes = 1;
    for (uint32_t row = 0; row < groups_; ++row) {
      uint32_t lanes = 0;
      for (uint32_t from = 0; from < groups_; ++from) lanes += value(from, row) > 0 ? 1 : 0;
      most_lanes = std::max(most_lanes, lanes);
    }
    const double row_room = kRowShare * row_px_;
    // Not more than a third of a row for what is the same for every lane.
    const double base =
        std::clamp(row_room / 3 / (4 * most_lanes), kLeastHalfWidth, kBaseHalfWidth);
    thickness.base_px = 0;
    gap_px_ = 2 * base;
    double k = (kLargestHalfWidth - base) / half(wide);
    for (uint32_t row = 0; row < groups_; ++row) {
      double narrow = 0;
      double share = 0;
      for (uint32_t from = 0; from < groups_; ++from) {
        if (value(from, row) <= 0) continue;
        narrow += 4 * base;
        share += 2 * half(value(from, row));
      }
      if (share > 0) k = std::min(k, std::max(0.0, row_room - narrow) / share);
    }
    thickness.base_px = base;
    thickness.k = k;
  }

  double half(double v) const { return flow_.thickness.half_width_px(v); }
  /// Of one of many bands that begin in one: the soft edges of many add up to a hard one, which
  /// must not lie outside.
  double fan_half(double v, double whole) const {
    if (v == whole) return half(v);
    return std::min(half(v), std::max(kLeastHalfWidth, half(whole) - 0.5));
  }

  /// Lanes of a row from top to bottom by the sender's row: those that come from farthest join
  /// last, and hence outside.
  void place_lanes() {
    lane_y_.assign(size_t{groups_} * groups_, 0);
    for (uint32_t row = 0; row < groups_; ++row) {
      double height = -gap_px_;
      for (uint32_t from = 0; from < groups_; ++from) {
        if (value(from, row) > 0) height += 2 * half(value(from, row)) + gap_px_;
      }
      const double squeeze = std::min(1.0, kRowShare * row_px_ / std::max(height, 1e-9));
      double at = -height / 2;
      for (uint32_t from = 0; from < groups_; ++from) {
        if (value(from, row) <= 0) continue;
        const double width = 2 * half(value(from, row));
        lane_y_[size_t{from} * groups_ + row] = flow_.group_y[row] + squeeze * (at + width / 2);
        at += width + gap_px_;
      }
    }
  }
  double lane_y(uint32_t from, uint32_t to) const { return lane_y_[size_t{from} * groups_ + to]; }

  void add(const Bezier& curve, double v, double half_width, uint32_t from, uint32_t to,
           FlowPart part, bool first = false) {
    flow_.pieces.push_back({curve, v, half_width, from, to, part, first});
  }

  /// An S from `begin` to `end`, horizontal at both, in two pieces.
  void add_bend(Point begin, Point end, double v, double half_width, uint32_t from, uint32_t to,
                FlowPart part, bool first_at_begin) {
    const Point middle = between(begin, end);
    const double x = (end.x - begin.x) / 4;
    add({begin, {begin.x + x, begin.y}, middle}, v, half_width, from, to, part, first_at_begin);
    add({middle, {end.x - x, end.y}, end}, v, half_width, from, to, part, !first_at_begin);
  }

  double sent_by(uint32_t group) const {
    double sum = 0;
    for (uint32_t to = 0; to < groups_; ++to) sum += value(group, to);
    return sum;
  }

  void add_sender_fans() {
    std::vector<double> widths(groups_, 0);
    for (size_t i = 0; i < leaves_.size(); ++i) {
      if (sent_[i] > 0) widths[leaves_[i].group] += half(sent_[i]);
    }
    std::vector<double> before(groups_, 0);
    for (size_t i = 0; i < leaves_.size(); ++i) {
      const uint32_t group = leaves_[i].group;
      if (sent_[i] <= 0) continue;
      const double own = fan_half(sent_[i], sent_by(group));
      // Spread over the trunk that they feed.
      const double room = std::max(0.0, half(sent_by(group)) - own);
      const double share = (before[group] + own / 2) / widths[group] * 2 - 1;
      before[group] += own;
      add_bend({options_.area.x, leaves_[i].y}, {hub_x_, flow_.group_y[group] + room * share},
               sent_[i], own, group, UINT32_MAX, FlowPart::kSenderFan, true);
    }
  }

  void add_receiver_fans() {
    const size_t count = leaves_.size();
    // Per leaf, from top to bottom, what arrives from each group of senders.
    std::vector<double> height(count, 0);
    std::vector<double> widths(size_t{groups_} * groups_, 0);
    const auto received = [&](uint32_t from, size_t leaf) {
      return received_[from * count + leaf];
    };
    for (uint32_t from = 0; from < groups_; ++from) {
      for (size_t i = 0; i < count; ++i) {
        if (received(from, i) <= 0) continue;
        height[i] += 2 * half(received(from, i));
        widths[size_t{from} * groups_ + leaves_[i].group] += half(received(from, i));
      }
    }
    std::vector<double> at(count);
    for (size_t i = 0; i < count; ++i) at[i] = -height[i] / 2;
    std::vector<double> before(size_t{groups_} * groups_, 0);
    for (uint32_t from = 0; from < groups_; ++from) {
      for (size_t i = 0; i < count; ++i) {
        const double v = received(from, i);
        if (v <= 0) continue;
        const uint32_t to = leaves_[i].group;
        const size_t edge = size_t{from} * groups_ + to;
        const double own = fan_half(v, value(from, to));
        const double room = std::max(0.0, half(value(from, to)) - own);
        const double share = (before[edge] + own / 2) / widths[edge] * 2 - 1;
        before[edge] += own;
        const double squeeze = std::min(1.0, 0.9 * leaf_pitch_ / height[i]);
        const double y = leaves_[i].y + squeeze * (at[i] + own);
        at[i] += 2 * own;
        add_bend({far_hub_x_, lane_y(from, to) + room * share}, {options_.area.right(), y}, v, own,
                 from, to, FlowPart::kReceiverFan, false);
      }
    }
  }

  Point node(FlowNode at) const {
    return {hub_x_ + (at.column + 0.5) * column_px_, flow_.group_y[at.row]};
  }

  /// Half of the way from a group's hub to the grid.
  Point entry(uint32_t from) const { return {hub_x_ + 0.25 * column_px_, flow_.group_y[from]}; }

  void add_super_edges(uint32_t from) {
    const double all = sent_by(from);
    if (all <= 0) return;
    const double trunk = half(all);
    const Point hub = {hub_x_, flow_.group_y[from]};
    add({hub, between(hub, entry(from)), entry(from)}, all, trunk, from, UINT32_MAX,
        FlowPart::kTrunk);
    add_straight_on(from, trunk);
    add_diagonal(from, trunk, -1);
    add_diagonal(from, trunk, +1);
  }

  /// What a group sends to its own row.
  void add_straight_on(uint32_t from, double trunk) {
    const double v = value(from, from);
    if (v <= 0) return;
    double up = 0;
    double down = 0;
    for (uint32_t to = 0; to < groups_; ++to) {
      (to < from ? up : down) += to == from ? 0 : value(from, to);
    }
    // Beside what leaves the trunk upwards and downwards.
    const double own = half(v);
    const double room = trunk - own;
    const double share = up > 0 && down > 0 ? 0 : up > 0 ? 1 : down > 0 ? -1 : 0;
    const Point begin = {entry(from).x, flow_.group_y[from] + room * share};
    const Point end = {node({1, from}).x, lane_y(from, from)};
    add_bend(begin, end, v, own, from, from, FlowPart::kTurn, false);
    add_lane(end, from, from);
  }

  void add_lane(Point begin, uint32_t from, uint32_t to) {
    const Point end = {far_hub_x_, begin.y};
    add({begin, between(begin, end), end}, value(from, to), half(value(from, to)), from, to,
        FlowPart::kLane);
  }

  /// All that goes to rows above (step -1) or below (+1): along the diagonal, from which one
  /// super-edge after the other turns off.
  void add_diagonal(uint32_t from, double trunk, int step) {
    const auto row = [&](uint32_t distance) {
      return static_cast<uint32_t>(static_cast<int>(from) + step * static_cast<int>(distance));
    };
    const uint32_t farthest = step < 0 ? from : groups_ - 1 - from;
    std::vector<double> ahead(size_t{farthest} + 2, 0);  // Sum of those at least that far.
    for (uint32_t distance = farthest; distance > 0; --distance) {
      ahead[distance] = ahead[distance + 1] + value(from, row(distance));
    }
    if (farthest == 0 || ahead[1] <= 0) return;
    const std::vector<FlowNode> way = yx_route(from, row(farthest), columns_);
    // Into the diagonal from the upper or lower side of the trunk.
    const Point side = {entry(from).x, entry(from).y + step * (trunk - half(ahead[1]))};
    const Point first = between(node(way[0]), node(way[1]));
    add({side, control_between(side, first, node(way[1])), first}, ahead[1], half(ahead[1]), from,
        UINT32_MAX, FlowPart::kDiagonal);
    for (uint32_t distance = 1; distance <= farthest; ++distance) {
      const Point begin = between(node(way[distance - 1]), node(way[distance]));
      const double v = value(from, row(distance));
      if (v > 0) add_turn(begin, node(way[distance]), from, row(distance), half(ahead[distance]));
      if (distance == farthest || ahead[distance + 1] <= 0) break;
      const Point end = between(node(way[distance]), node(way[distance + 1]));
      add({begin, node(way[distance]), end}, ahead[distance + 1], half(ahead[distance + 1]), from,
          UINT32_MAX, FlowPart::kDiagonal);
    }
  }

  /// Where the horizontal through `begin` meets the line through `end` and `beyond`.
  static Point control_between(Point begin, Point end, Point beyond) {
    const double slope = (beyond.x - end.x) / (beyond.y - end.y);
    return {std::clamp(end.x + (begin.y - end.y) * slope, begin.x, end.x), begin.y};
  }

  /// From the middle of a diagonal step, at the side where it leaves, into the lane.
  void add_turn(Point begin, Point corner, uint32_t from, uint32_t to, double bundle) {
    const double v = value(from, to);
    const double own = half(v);
    const double length = std::hypot(corner.x - begin.x, corner.y - begin.y);
    const Point along = {(corner.x - begin.x) / length, (corner.y - begin.y) / length};
    // The side that looks to the right: up when going down.
    const double turn = along.y > 0 ? 1 : -1;
    // Not beyond the corner: in narrow areas a bundle may be wider than a column.
    const double most = (corner.x - begin.x) / std::abs(along.y);
    const double room = std::clamp(bundle - own, 0.0, most);
    begin.x += turn * along.y * room;
    begin.y -= turn * along.x * room;
    const double y = lane_y(from, to);
    const Point end = {corner.x + 0.45 * column_px_, y};  // Some lane remains.
    const Point control = {std::clamp(begin.x + (y - begin.y) * along.x / along.y, begin.x, end.x),
                           y};
    add({begin, control, end}, v, own, from, to, FlowPart::kTurn);
    add_lane(end, from, to);
  }

  /// Each super-edge as a straightened spline of its own.
  void add_free_super_edges(uint32_t from) {
    std::vector<Point> control;
    for (uint32_t to = 0; to < groups_; ++to) {
      const double v = value(from, to);
      if (v <= 0) continue;
      control.assign(1, {hub_x_, flow_.group_y[from]});
      for (const FlowNode& at : yx_route(from, to, columns_)) {
        control.push_back(node(at));
        if (at.row == to && at.column > 0) control.back().y = lane_y(from, to);
      }
      control.push_back({far_hub_x_, lane_y(from, to)});
      straighten(control, options_.beta);
      for (size_t i = 0; i < quadratic_piece_count(control.size()); ++i) {
        add(quadratic_piece(control, i), v, half(v), from, to, FlowPart::kLane);
      }
    }
  }

  const FlowOptions& options_;
  uint32_t groups_;
  Flow flow_;
  std::vector<Leaf> leaves_;
  std::vector<uint32_t> leaf_of_;  // By position.
  std::vector<double> sent_;       // Per leaf.
  std::vector<double> received_;   // Per group of senders and leaf.
  std::vector<double> lane_y_;     // Per super-edge.
  double leaf_pitch_ = 1;
  double gap_px_ = 1;  // Between lanes.
  uint32_t columns_ = 1;
  double hub_x_ = 0;
  double far_hub_x_ = 0;
  double column_px_ = 1;
  double row_px_ = 1;  // The smallest distance of rows.
};

}  // namespace

std::vector<FlowNode> yx_route(uint32_t from_row, uint32_t to_row, uint32_t columns) {
  assert(columns > 0);
  std::vector<FlowNode> way = {{0, from_row}};
  const auto step = [&](uint32_t column) {
    const uint32_t row = way.back().row;
    way.push_back({column, row < to_row ? row + 1 : row > to_row ? row - 1 : row});
  };
  const uint32_t rows = from_row < to_row ? to_row - from_row : from_row - to_row;
  for (uint32_t i = columns - 1; i < rows; ++i) step(0);
  for (uint32_t column = 1; column < columns; ++column) step(column);
  return way;
}

std::vector<uint32_t> flow_groups(uint32_t process_count, std::span<const uint32_t> block_begin) {
  if (block_begin.size() >= 4 && block_begin.size() <= 16) {
    return {block_begin.begin(), block_begin.end()};
  }
  uint32_t count = process_count < 8 ? process_count : 8;
  for (uint32_t divisor = 16; divisor >= 6 && process_count >= 8; --divisor) {
    if (process_count % divisor != 0) continue;
    count = divisor;
    break;
  }
  std::vector<uint32_t> begin(count);
  for (uint32_t i = 0; i < count; ++i) {
    begin[i] = static_cast<uint32_t>(uint64_t{i} * process_count / count);
  }
  return begin;
}

double Thickness::half_width_px(double value) const {
  return base_px + k * (linear ? value / smallest : std::log2(1 + value / smallest));
}

double Flow::total() const { return std::accumulate(value.begin(), value.end(), 0.0); }

Flow flow(std::span<const PairValue> pairs, const FlowOptions& options) {
  if (options.process_count == 0) return {};
  assert(!options.group_begin.empty() && options.group_begin.front() == 0);
  return Builder(pairs, options).take();
}

}  // namespace pathline::layout
