// SPDX-License-Identifier: BSD-3-Clause
#include "layout/flow.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/figure.hpp"
#include "figure/frame.hpp"
#include "figure/pairs/pairs.hpp"
#include "layout/axis.hpp"
#include "layout/text.hpp"

namespace pathline::figure {
namespace {

using layout::Color;
using layout::Rect;

constexpr double kLegendWidth = 168;
constexpr double kWithLegendFrom = 640;  // px of the picture's width.
constexpr double kBarWidth = 6;          // Of the groups at both edges.
constexpr double kLabelGap = 7;
constexpr double kMaxLabelWidth = 110;

class FlowFigure : Frame {
 public:
  FlowFigure(const comm::ProcessOrder& order, const Options& options)
      : Frame(options), order_(order), options_(options) {
    groups_ = layout::flow_groups(order.size(), order.block_begin);
  }

  base::Result<layout::Scene> draw(const PairsText& text,
                                   std::span<const layout::PairValue> pairs) {
    scene_.message_count = text.message_count;
    const double top = add_title(
        options_.title, "Who sends to whom",
        legend_width() > 0 ? text.subtitle : fmt::format("width: {} — {}", unit(), text.subtitle));
    name_rows();
    const double left = kMargin + label_width_ + kLabelGap + kBarWidth;
    const double right =
        options_.width_px - kMargin - legend_width() - label_width_ - 2 * kLabelGap - kBarWidth;
    const double y = std::round(top + 30);
    area_ = {std::round(left), y, std::round(right - left),
             std::floor(options_.height_px - kMargin - y)};
    if (area_.w < 120 || area_.h < 60) {
      return too_small("this diagram");
    }
    const layout::Flow flow = layout::flow(pairs, {.area = area_,
                                                   .process_count = order_.size(),
                                                   .group_begin = groups_,
                                                   .beta = options_.beta.value_or(1),
                                                   .linear = options_.linear_width});
    add_ground(area_);
    add_ribbons(flow);
    add_edges();
    if (flow.total() > 0) {
      if (legend_width() > 0) add_legend(flow);
    } else {
      layout::add_remark(
          scene_, theme_, area_,
          text.message_count == 0 ? "no point-to-point messages" : "no value above zero");
    }
    scene_.description = "What processes send, from the senders on the left to the receivers";
    return std::move(scene_);
  }

 private:
  double legend_width() const { return options_.width_px < kWithLegendFrom ? 0 : kLegendWidth; }
  uint32_t group_end(size_t group) const {
    return group + 1 < groups_.size() ? groups_[group + 1] : order_.size();
  }
  Color color_of(size_t group) const {
    return theme_.row.at(groups_.size() < 2 ? 0.6
                                            : static_cast<double>(group) /
                                                  static_cast<double>(groups_.size() - 1));
  }
  double y_of(uint32_t position) const {
    return area_.y + area_.h * position / static_cast<double>(order_.size());
  }

  /// A label per rank where there is room, else one per group.
  void name_rows() {
    const double room = options_.height_px - 120;
    by_rank_ = order_.size() * theme_.small_size_px * 1.4 < room;
    if (by_rank_) {
      for (uint32_t i = 0; i < order_.size(); ++i) {
        names_.push_back(fmt::format("{}", order_.rank_at_position[i]));
      }
    } else {
      for (size_t i = 0; i < groups_.size(); ++i) {
        names_.push_back(positions_text(order_, groups_[i], group_end(i)));
      }
    }
    for (const std::string& name : names_) {
      label_width_ = std::max(label_width_, layout::text_width_px(name, theme_.small_size_px));
    }
    label_width_ = std::min(std::max(label_width_ + 2, 44.0), kMaxLabelWidth);
  }

  void add_ribbons(const layout::Flow& flow) {
    // Fans below the grid. In the grid narrow bands over wide ones, so that none is hidden; of the
    // many that end in one pixel the widest on top, for its colour must be the one that is seen.
    std::vector<uint32_t> by_width(flow.pieces.size());
    for (uint32_t i = 0; i < by_width.size(); ++i) by_width[i] = i;
    const auto is_fan = [&](uint32_t i) {
      return flow.pieces[i].part == layout::FlowPart::kSenderFan ||
             flow.pieces[i].part == layout::FlowPart::kReceiverFan;
    };
    std::stable_sort(by_width.begin(), by_width.end(), [&](uint32_t a, uint32_t b) {
      if (is_fan(a) != is_fan(b)) return is_fan(a);
      const double difference = flow.pieces[a].half_width_px - flow.pieces[b].half_width_px;
      return is_fan(a) ? difference < 0 : difference > 0;
    });
    layout::Ribbons ribbons;
    ribbons.clip = area_;
    ribbons.reserve(by_width.size());
    std::vector<std::vector<uint32_t>> crossing(groups_.size());
    std::vector<size_t> widest_first;
    for (const uint32_t i : by_width) {
      const layout::FlowPiece& piece = flow.pieces[i];
      if (crosses(piece)) {
        if (crossing[piece.sender_group].empty()) widest_first.push_back(piece.sender_group);
        crossing[piece.sender_group].push_back(i);
      } else {
        add_ribbon(ribbons, piece, piece.half_width_px, color_of(piece.sender_group));
      }
    }
    // What crosses others has a rim in the colour of the ground, so that none seems to turn off
    // there; its own pieces have none between them.
    constexpr double kRim = 1.2;
    for (const size_t group : widest_first) {
      for (const uint32_t i : crossing[group]) {
        const layout::FlowPiece& piece = flow.pieces[i];
        add_ribbon(ribbons, piece, piece.half_width_px + kRim, theme_.plot_background);
      }
      for (const uint32_t i : crossing[group]) {
        add_ribbon(ribbons, flow.pieces[i], flow.pieces[i].half_width_px, color_of(group));
      }
    }
    scene_.layers.emplace_back(std::move(ribbons));
  }

  static bool crosses(const layout::FlowPiece& piece) {
    return piece.part == layout::FlowPart::kDiagonal || piece.part == layout::FlowPart::kTurn;
  }

  static void add_ribbon(layout::Ribbons& ribbons, const layout::FlowPiece& piece,
                         double half_width_px, Color color) {
    ribbons.add(piece.curve.begin, piece.curve.control, piece.curve.end, half_width_px, color);
  }

  void add_edges() {
    layout::Boxes bars;
    layout::Labels labels;
    const auto add = [&](const std::string& text, layout::Point at, layout::Anchor anchor,
                         Color color, layout::Baseline baseline, double max_width) {
      labels.items.push_back({.text = text,
                              .at = at,
                              .color = color,
                              .size_px = theme_.small_size_px,
                              .anchor = anchor,
                              .baseline = baseline,
                              .max_width_px = max_width});
    };
    const double gap = area_.h / static_cast<double>(groups_.size()) > 6 ? 1 : 0;
    for (size_t i = 0; i < groups_.size(); ++i) {
      const double y = y_of(groups_[i]);
      const double height = y_of(group_end(i)) - y - gap;
      bars.add({area_.x - kBarWidth, y, kBarWidth, height}, color_of(i));
      bars.add({area_.right(), y, kBarWidth, height}, color_of(i));
    }
    const size_t count = names_.size();
    const double pitch = area_.h / static_cast<double>(count);
    const auto every = static_cast<size_t>(std::ceil(theme_.small_size_px * 1.1 / pitch));
    for (size_t i = 0; i < count; i += every) {
      const double begin = by_rank_ ? static_cast<double>(i) : groups_[i];
      const double end = by_rank_ ? begin + 1 : group_end(i);
      const double y = area_.y + area_.h * (begin + end) / 2 / order_.size();
      add(names_[i], {area_.x - kBarWidth - kLabelGap, y}, layout::Anchor::kEnd, theme_.text,
          layout::Baseline::kMiddle, label_width_);
      add(names_[i], {area_.right() + kBarWidth + kLabelGap, y}, layout::Anchor::kStart,
          theme_.text, layout::Baseline::kMiddle, label_width_);
    }
    const double y = area_.y - 9;
    const std::string what = by_rank_ ? "rank" : "ranks";
    add("sender (" + what + ")", {area_.x - kBarWidth, y}, layout::Anchor::kStart,
        theme_.muted_text, layout::Baseline::kAlphabetic, area_.w / 2);
    add("receiver (" + what + ")", {area_.right() + kBarWidth, y}, layout::Anchor::kEnd,
        theme_.muted_text, layout::Baseline::kAlphabetic, area_.w / 2);
    scene_.layers.emplace_back(std::move(bars));
    scene_.layers.emplace_back(std::move(labels));
  }

  std::string unit() const {
    switch (options_.metric) {
      case Metric::kMessages: return "messages";
      case Metric::kTime: return "time of all messages";
      default: return "bytes";
    }
  }

  /// What width and colour mean, with three bands as samples.
  void add_legend(const layout::Flow& flow) {
    const double x = options_.width_px - kMargin - kLegendWidth + 12;
    double y = area_.y + 4;
    layout::Labels labels;
    const auto write = [&](const std::string& text, double at_x, double at_y, Color color) {
      labels.items.push_back({.text = text,
                              .at = {at_x, at_y},
                              .color = color,
                              .size_px = theme_.small_size_px,
                              .baseline = layout::Baseline::kMiddle,
                              .max_width_px = options_.width_px - at_x - 4});
    };
    const double line = std::round(theme_.small_size_px * 1.5);
    write("width: " + unit(), x, y, theme_.text);
    y += line;
    write("from group to group,", x, y, theme_.muted_text);
    y += line;
    write(options_.linear_width ? "in proportion" : "logarithmic", x, y, theme_.muted_text);
    y += line + 4;
    double high = 0;
    double low = HUGE_VAL;
    for (const double value : flow.value) {
      if (value <= 0) continue;
      high = std::max(high, value);
      low = std::min(low, value);
    }
    layout::Ribbons samples;
    std::vector<double> values = {high};
    if (high > 4 * low) values.push_back(std::sqrt(high) * std::sqrt(low));
    if (high > low) values.push_back(low);
    for (const double value : values) {
      const double half = flow.thickness.half_width_px(value);
      y += half + 3;
      samples.add({x, y}, {x + 20, y}, {x + 40, y}, half, theme_.other);
      write(value_text(options_.metric, std::round(value * 1e12) / 1e12), x + 50, y, theme_.text);
      y += std::max(half + 3, line - half - 3);
    }
    samples.clip = {x, area_.y, 40, y - area_.y + 10};
    y += 14;
    write("colour: the sender", x, y, theme_.text);
    y += line;
    for (const char* text :
         {"A bundle goes diagonally", "to the row of its receivers,", "then straight on."}) {
      write(text, x, y, theme_.muted_text);
      y += line;
    }
    if (y > area_.bottom()) return;  // Too little room to explain.
    scene_.layers.emplace_back(std::move(samples));
    scene_.layers.emplace_back(std::move(labels));
  }

  const comm::ProcessOrder& order_;
  const Options& options_;
  std::vector<uint32_t> groups_;
  std::vector<std::string> names_;
  bool by_rank_ = false;
  double label_width_ = 0;
  Rect area_;
};

}  // namespace

base::Result<layout::Scene> flow(const trace::Trace& trace, const trace::Selection& selection,
                                 const comm::Matrix& matrix, const Options& options) {
  const auto pairs = ordered_pairs(trace, selection, matrix, options);
  if (!pairs) return pairs.error();
  const auto& [order, values] = pairs.value();
  return FlowFigure(order, options).draw(pairs_text(trace, selection, matrix, order), values);
}

}  // namespace pathline::figure
