// SPDX-License-Identifier: BSD-3-Clause
#include "layout/chord.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "figure/figure.hpp"
#include "figure/frame.hpp"
#include "figure/pairs/pairs.hpp"
#include "layout/axis.hpp"
#include "layout/flow.hpp"
#include "layout/legend.hpp"
#include "layout/text.hpp"

namespace pathline::figure {
namespace {

using layout::Point;

constexpr double kLegendWidth = 190;
constexpr double kWithLegendFrom = 640;  // px of the picture's width.
constexpr double kRingDistance = 6;      // px from the circle to the middle of the ring.
constexpr double kRingHalfWidth = 3;
constexpr double kBarsFrom = 9;     // px from the circle, where the bars stand.
constexpr double kPartnersPx = 12;  // Of the longest bar.
constexpr double kValuesPx = 16;
constexpr double kBetweenBarsPx = 3;
constexpr double kWidestBarPx = 14;
constexpr double kBarsPx = kPartnersPx + kBetweenBarsPx + kValuesPx;
constexpr double kDefaultBeta = 0.85;
constexpr size_t kMaxBlocks = 64;
constexpr size_t kMaxBands = 1200;       // Pairs; more are lines of a density picture.
constexpr double kLargestHalfWidth = 4;  // px

class ChordFigure : Frame {
 public:
  ChordFigure(const comm::ProcessOrder& order, const Options& options)
      : Frame(options), order_(order), options_(options) {
    has_blocks_ = order.block_begin.size() > 1 && order.block_begin.size() <= kMaxBlocks;
  }

  base::Result<layout::Scene> draw(const PairsText& text,
                                   std::span<const layout::PairValue> edges) {
    const auto gradient = layout::message_gradient(options_.palette, options_.theme);
    if (!gradient) return gradient.error();
    scene_.message_count = text.message_count;
    const double top = add_title(
        options_.title, "Who sends to whom",
        legend_width() > 0 ? text.subtitle : fmt::format("lines: {} — {}", unit(), text.subtitle));
    for (const uint32_t rank : order_.rank_at_position) {
      label_width_ =
          std::max(label_width_, layout::text_width_px(std::to_string(rank), theme_.small_size_px));
    }
    double block_width = 0;
    if (has_blocks_) {
      for (const std::string& name : order_.block_name) {
        block_width = std::max(block_width, layout::text_width_px(name, theme_.small_size_px) + 8);
      }
    }
    block_width_ = std::min(block_width, 120.0);
    const double height = options_.height_px - top - 8 - kMargin;
    // Bars are for pictures that have room for them.
    bars_px_ = legend_width() > 0 && height >= 360 ? kBarsPx : 0;
    const double outside = kRingDistance + kRingHalfWidth + bars_px_ + 8;
    const double around = outside + label_width_ + block_width_;
    const double above = outside + (has_blocks_ ? 32 : 16);
    const double radius = std::floor(std::min(
        (options_.width_px - legend_width() - 2 * kMargin) / 2 - around, height / 2 - above));
    if (radius < 40) {
      return too_small("a circle");
    }
    // In the middle of the picture as long as the legend has its room.
    const double middle = std::min(options_.width_px / 2,
                                   options_.width_px - legend_width() - kMargin - around - radius);
    circle_ = {.centre = {std::round(middle), std::round(top + 8 + height / 2)},
               .radius_px = radius,
               .beta = options_.beta.value_or(kDefaultBeta)};
    rank_label_px_ = kRingDistance + kRingHalfWidth + bars_px_ + 7;
    block_label_px_ = rank_label_px_ + label_width_ + 8;

    const size_t drawn = add_edges(edges, gradient.value());
    add_ring();
    if (bars_px_ > 0 && drawn > 0) add_bars(edges, gradient.value());
    add_labels();
    if (drawn > 0) {
      if (legend_width() > 0) add_legend(gradient.value());
    } else {
      layout::add_remark(
          scene_, theme_, box(circle_.radius_px),
          text.message_count == 0 ? "no point-to-point messages" : "no value above zero");
    }
    scene_.description = "What processes on a circle send to each other";
    return std::move(scene_);
  }

 private:
  double legend_width() const { return options_.width_px < kWithLegendFrom ? 0 : kLegendWidth; }
  layout::Rect box(double radius) const {
    return {circle_.centre.x - radius, circle_.centre.y - radius, 2 * radius, 2 * radius};
  }
  Point at(double position, double distance) const {
    return layout::on_circle(circle_, position, order_.size(), circle_.radius_px + distance);
  }

  size_t add_edges(std::span<const layout::PairValue> edges, const layout::Gradient& gradient) {
    const layout::ChordTree tree(order_.size(), has_blocks_
                                                    ? std::span<const uint32_t>(order_.block_begin)
                                                    : std::span<const uint32_t>());
    std::vector<layout::PairValue> shown;
    for (const layout::PairValue& edge : edges) {
      if (edge.value > 0) shown.push_back(edge);
    }
    if (shown.size() <= kMaxBands) {
      add_bands(std::move(shown), tree, gradient);
      return bands_.size();
    }
    layout::Segments segments;
    segments.clip = box(circle_.radius_px + 1);
    segments.style = {.begin = gradient.begin,
                      .end = gradient.end,
                      .opacity = options_.opacity,
                      .blend = options_.blend};
    layout::add_chords(by_quantile(std::move(shown)), tree, circle_, segments.curves);
    const size_t count = segments.curves.size();
    scene_.layers.emplace_back(std::move(segments));
    return count;
  }

  /// Values of 0.1 to 1 by their place among all: beside the largest of thousands the others would
  /// not be seen.
  static std::vector<layout::PairValue> by_quantile(std::vector<layout::PairValue> edges) {
    std::vector<double> values;
    for (const layout::PairValue& edge : edges) values.push_back(edge.value);
    std::sort(values.begin(), values.end());
    for (layout::PairValue& edge : edges) {
      // Equal values have one place, in the middle of theirs.
      const auto [first, last] = std::equal_range(values.begin(), values.end(), edge.value);
      const auto place =
          static_cast<double>((first - values.begin()) + (last - values.begin())) / 2;
      edge.value = 0.1 + 0.9 * place / static_cast<double>(values.size());
    }
    return edges;
  }

  /// Outside of the ring how many partners each process has, and behind that what it sends and
  /// receives, one on top of the other. Neighbours share a bar where they share a pixel: the
  /// largest.
  void add_bars(std::span<const layout::PairValue> edges, const layout::Gradient& gradient) {
    const uint32_t count = order_.size();
    std::vector<double> partners(count);
    std::vector<double> sent(count);
    std::vector<double> received(count);
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
    for (const layout::PairValue& edge : edges) {
      if (!(edge.value > 0)) continue;
      sent[edge.sender] += edge.value;
      received[edge.receiver] += edge.value;
      if (edge.sender != edge.receiver) pairs.emplace_back(std::minmax(edge.sender, edge.receiver));
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    for (const auto& [one, other] : pairs) {
      ++partners[one];
      ++partners[other];
    }
    for (uint32_t i = 0; i < count; ++i) {
      most_partners_ = std::max(most_partners_, partners[i]);
      most_value_ = std::max(most_value_, sent[i] + received[i]);
    }
    const double circumference =
        2 * std::numbers::pi * (circle_.radius_px + kRingDistance + kBarsFrom);
    const auto step =
        std::max<uint32_t>(1, static_cast<uint32_t>(std::ceil(count / circumference)));
    layout::Polylines bars;
    const double values_from = kBarsFrom + kPartnersPx + kBetweenBarsPx;
    for (uint32_t begin = 0; begin < count; begin += step) {
      const uint32_t end = std::min(count, begin + step);
      uint32_t largest = begin;
      double most = 0;
      for (uint32_t i = begin; i < end; ++i) {
        most = std::max(most, partners[i]);
        if (sent[i] + received[i] > sent[largest] + received[largest]) largest = i;
      }
      const auto bar = [&](double from_px, double to_px, layout::Color color) {
        if (!(to_px > from_px)) return;
        // Of a few processes bars are narrower than their part of the ring.
        const double middle = (begin + end - 1.0) / 2;
        const double room = (end - begin) / 2.0 - (circumference / count >= 4 ? 0.1 : 0);
        const double half = std::min(room, kWidestBarPx / 2 / circumference * count);
        const double left = middle - half;
        const double right = middle + half;
        bars.lines.push_back(
            {.points = {at(left, from_px), at(right, from_px), at(right, to_px), at(left, to_px)},
             .fill = color});
      };
      if (most_partners_ > 0) {
        bar(kBarsFrom, kBarsFrom + most / most_partners_ * kPartnersPx,
            layout::mix(theme_.background, theme_.axis, 0.8));
      }
      if (!(most_value_ > 0)) continue;
      const double middle = values_from + sent[largest] / most_value_ * kValuesPx;
      bar(values_from, middle, gradient.begin);
      bar(middle, middle + received[largest] / most_value_ * kValuesPx, gradient.end);
    }
    scene_.layers.emplace_back(std::move(bars));
  }

  /// Few pairs: bands as wide as their value, the narrow ones on top.
  void add_bands(std::vector<layout::PairValue> edges, const layout::ChordTree& tree,
                 const layout::Gradient& gradient) {
    std::stable_sort(edges.begin(), edges.end(),
                     [](const auto& a, const auto& b) { return a.value > b.value; });
    layout::Ribbons ribbons;
    ribbons.clip = box(circle_.radius_px + 4);
    if (!edges.empty()) {
      const double room = 2 * std::numbers::pi * circle_.radius_px / order_.size();
      const double widest = std::clamp(0.1 * room, 0.8, kLargestHalfWidth);
      thickness_.smallest = edges.back().value;
      thickness_.k = 1;
      const double high = thickness_.half_width_px(edges[edges.size() / 100].value);
      thickness_.k = (widest - thickness_.base_px) / (high - thickness_.base_px);
    }
    for (const layout::PairValue& edge : edges) {
      layout::add_chord_ribbons(edge, tree, circle_, thickness_.half_width_px(edge.value),
                                gradient.begin, gradient.end, ribbons);
    }
    scene_.layers.emplace_back(std::move(ribbons));
    bands_ = std::move(edges);
  }

  /// An arc between two positions as ribbons.
  void add_arc(double begin, double end, double distance, double half_width, layout::Color color,
               layout::Ribbons& ribbons) const {
    const double per_piece = order_.size() / 48.0;
    const auto pieces = static_cast<int>(std::ceil((end - begin) / per_piece));
    for (int i = 0; i < pieces; ++i) {
      const double from = begin + (end - begin) * i / pieces;
      const double to = begin + (end - begin) * (i + 1) / pieces;
      // Where the tangents at both ends meet.
      const double half_angle = std::numbers::pi * (to - from) / order_.size();
      const double corner = (circle_.radius_px + distance) / std::cos(half_angle);
      ribbons.add(at(from, distance),
                  layout::on_circle(circle_, (from + to) / 2, order_.size(), corner),
                  at(to, distance), half_width, color);
    }
  }

  void add_ring() {
    layout::Ribbons ring;
    ring.clip = box(circle_.radius_px + kRingDistance + kRingHalfWidth + 1);
    const double count = order_.size();
    const double circumference = 2 * std::numbers::pi * (circle_.radius_px + kRingDistance);
    const auto add_part = [&](double begin, double end, size_t part) {
      // A gap of 2 px, but not more than a third of the part.
      const double gap = std::min(2 / circumference * count, (end - begin) / 3);
      const layout::Color color =
          layout::mix(theme_.background, theme_.axis, part % 2 == 0 ? 1 : 0.6);
      add_arc(begin - 0.5 + gap / 2, end - 0.5 - gap / 2, kRingDistance, kRingHalfWidth, color,
              ring);
    };
    if (has_blocks_) {
      for (size_t i = 0; i < order_.block_begin.size(); ++i) {
        add_part(order_.block_begin[i], order_.block_end(i), i);
      }
    } else if (circumference / count >= 6) {
      for (uint32_t i = 0; i < order_.size(); ++i) add_part(i, i + 1, 0);
    } else {
      add_arc(-0.5, count - 0.5, kRingDistance, 1, theme_.axis, ring);
    }
    scene_.layers.emplace_back(std::move(ring));
  }

  void add_label(const std::string& text, double position, double distance, layout::Color color,
                 layout::Labels& labels) const {
    const Point place = at(position, distance);
    const double across = (place.x - circle_.centre.x) / (circle_.radius_px + distance);
    layout::Label label{.text = text,
                        .at = place,
                        .color = color,
                        .size_px = theme_.small_size_px,
                        .anchor = across > 0.25    ? layout::Anchor::kStart
                                  : across < -0.25 ? layout::Anchor::kEnd
                                                   : layout::Anchor::kMiddle,
                        .baseline = layout::Baseline::kMiddle};
    labels.items.push_back(std::move(label));
  }

  void add_labels() {
    layout::Labels labels;
    const double circumference = 2 * std::numbers::pi * (circle_.radius_px + rank_label_px_);
    // Above and below the circle they stand side by side.
    const double room = std::max(2.2 * theme_.small_size_px, label_width_ + 8);
    uint32_t every = 1;
    for (uint32_t step = 1; every * circumference < room * order_.size(); ++step) {
      constexpr uint32_t kSteps[] = {1, 2, 5};
      every = kSteps[step % 3] * static_cast<uint32_t>(std::pow(10, step / 3));
    }
    // The last label must not touch the first.
    for (uint32_t i = 0; i < order_.size() && (i == 0 || i + every <= order_.size()); i += every) {
      add_label(std::to_string(order_.rank_at_position[i]), i, rank_label_px_, theme_.text, labels);
    }
    if (has_blocks_ && circumference / static_cast<double>(order_.block_begin.size()) >
                           1.5 * theme_.small_size_px) {
      for (size_t i = 0; i < order_.block_begin.size(); ++i) {
        const double middle = (order_.block_begin[i] + order_.block_end(i) - 1.0) / 2;
        add_label(layout::fit_text_middle(order_.block_name[i], block_width_, theme_.small_size_px),
                  middle, block_label_px_, theme_.muted_text, labels);
      }
    }
    scene_.layers.emplace_back(std::move(labels));
  }

  void add_legend(const layout::Gradient& gradient) {
    const double x = options_.width_px - kMargin - kLegendWidth + 16;
    const double y = circle_.centre.y - circle_.radius_px;
    const std::vector<layout::LegendEntry> entry = {{.text = "sender to receiver",
                                                     .color = gradient.begin,
                                                     .swatch = layout::Swatch::kGradient,
                                                     .end_color = gradient.end}};
    layout::add_legend(scene_, theme_, {x, y, kLegendWidth - 16, 24}, entry);
    if (!bands_.empty()) return add_band_legend(x, y);
    layout::Labels labels;
    double at_y = y + 34;
    for (const std::string& line :
         {fmt::format("The more {} among", unit()), std::string("all pairs, the stronger."),
          std::string(direction_text()), bar_text(0), bar_text(1), bar_text(2)}) {
      if (line.empty()) continue;
      labels.items.push_back({.text = line,
                              .at = {x, at_y},
                              .color = theme_.muted_text,
                              .size_px = theme_.small_size_px,
                              .baseline = layout::Baseline::kMiddle});
      at_y += std::round(theme_.small_size_px * 1.5);
    }
    scene_.layers.emplace_back(std::move(labels));
  }

  void add_band_legend(double x, double y) {
    layout::Labels labels;
    const auto write = [&](const std::string& text, double at_x, double at_y, layout::Color color) {
      labels.items.push_back({.text = text,
                              .at = {at_x, at_y},
                              .color = color,
                              .size_px = theme_.small_size_px,
                              .baseline = layout::Baseline::kMiddle});
    };
    const double line = std::round(theme_.small_size_px * 1.5);
    y += 2 * line;
    write(fmt::format("width: {} of a pair,", unit()), x, y, theme_.text);
    y += line;
    write("logarithmic", x, y, theme_.text);
    y += line + 2;
    const double high = bands_.front().value;
    const double low = bands_.back().value;
    std::vector<double> values = {high};
    if (high > 4 * low) values.push_back(std::sqrt(high) * std::sqrt(low));
    if (high > low) values.push_back(low);
    layout::Ribbons samples;
    samples.clip = {x, y - line, 26, line * 4};
    for (const double value : values) {
      samples.add({x, y}, {x + 13, y}, {x + 26, y}, thickness_.half_width_px(value), theme_.other);
      write(value_text(options_.metric, std::round(value * 1e12) / 1e12), x + 33, y, theme_.text);
      y += line;
    }
    y += 4;
    for (const std::string& text :
         {std::string("Messages keep to the right."), std::string(direction_text()), bar_text(0),
          bar_text(1), bar_text(2)}) {
      if (text.empty()) continue;
      write(text, x, y, theme_.muted_text);
      y += line;
    }
    scene_.layers.emplace_back(std::move(samples));
    scene_.layers.emplace_back(std::move(labels));
  }

  /// What the bars outside are; "" without any.
  [[nodiscard]] std::string bar_text(int line) const {
    if (bars_px_ == 0) return "";
    if (line == 0) return fmt::format("Bars: partners, up to {:.0f};", most_partners_);
    if (line == 1) return fmt::format("outer: {} both ways,", unit());
    return fmt::format("up to {}.", value_text(options_.metric, most_value_));
  }

  const char* direction_text() const {
    return options_.order == comm::Order::kRank ? "Ranks run clockwise."
                                                : "The order runs clockwise.";
  }

  const char* unit() const {
    return options_.metric == Metric::kMessages ? "messages"
           : options_.metric == Metric::kTime   ? "time"
                                                : "bytes";
  }

  const comm::ProcessOrder& order_;
  const Options& options_;
  layout::ChordOptions circle_;
  std::vector<layout::PairValue> bands_;  // By falling value; empty when drawn as lines.
  layout::Thickness thickness_;
  double bars_px_ = 0;        // Room for the bars outside.
  double most_partners_ = 0;  // Of one process.
  double most_value_ = 0;     // Sent and received by one.
  bool has_blocks_ = false;
  double block_width_ = 0;
  double label_width_ = 0;  // Of the widest number of a rank.
  double rank_label_px_ = 0;
  double block_label_px_ = 0;
};

}  // namespace

base::Result<layout::Scene> chord(const trace::Trace& trace, const trace::Selection& selection,
                                  const comm::Matrix& matrix, const Options& options) {
  const auto pairs = ordered_pairs(trace, selection, matrix, options);
  if (!pairs) return pairs.error();
  const auto& [order, values] = pairs.value();
  return ChordFigure(order, options).draw(pairs_text(trace, selection, matrix, order), values);
}

}  // namespace pathline::figure
