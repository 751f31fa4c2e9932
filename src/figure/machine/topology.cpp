// SPDX-License-Identifier: BSD-3-Clause
#include "figure/machine/topology.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/frame.hpp"
#include "figure/machine/load_text.hpp"
#include "figure/machine/node_row.hpp"
#include "figure/machine/step_sums.hpp"
#include "layout/axis.hpp"
#include "layout/legend.hpp"
#include "layout/text.hpp"

namespace pathline::figure {
namespace {

constexpr double kLeft = 92;
constexpr double kBarSpace = 118;
constexpr double kSwitchHeight = 18;
constexpr double kHardwareHeight = 20;
constexpr double kRankHeight = 30;
constexpr double kWrittenHeight = 14;
constexpr double kReceiverHeight = 10;
constexpr double kNamesHeight = 22;
constexpr double kLeastMessagesHeight = 90;
constexpr size_t kMostLines = 2000;  ///< That can be told apart, with some good will.
constexpr size_t kHeaviest = 40;     ///< Drawn over the sum of more lines than that.

class TopologyFigure : Frame {
 public:
  TopologyFigure(const insitu::Machine& machine, const insitu::Figures& figures,
                 const insitu::Step& step, const Options& options)
      : Frame(options),
        machine_(machine),
        figures_(figures),
        step_(step),
        options_(options),
        pairs_(pairs_of(step)) {
    for (const insitu::RankFigures& rank : step.ranks) {
      most_written_ = std::max(most_written_, rank.write_bytes);
    }
  }

  base::Result<layout::Scene> draw() {
    find_values();
    const double top = add_title();
    const auto levels = static_cast<double>(level_count());
    plot_ = {kLeft, std::round(top + 8),
             std::floor(options_.width_px - kLeft - kBarSpace - kMargin), 0};
    if (plot_.w < 120) return too_small("topology", 360, 320);
    row_ = place_nodes(machine_, plot_.x, plot_.w);
    shown_ = shown_rows(machine_);
    const double bottom = options_.height_px - kMargin - layout::legend_row_height_px(theme_) -
                          kNamesHeight - kReceiverHeight - 8;
    rows_top_ = plot_.y + levels * kSwitchHeight + (levels > 0 ? 10 : 0);
    const double hardware = row_.stacked ? 0 : kHardwareHeight * static_cast<double>(shown_.size());
    ranks_top_ = rows_top_ + hardware + (hardware > 0 ? 6 : 0);
    double rank_area = kRankHeight;
    if (row_.stacked) {
      const double room = 0.45 * (bottom - ranks_top_);
      rank_height_ = std::clamp(std::floor(room / static_cast<double>(row_.most_ranks)), 1.0, 14.0);
      rank_area = rank_height_ * static_cast<double>(row_.most_ranks);
    }
    from_y_ = ranks_top_ + rank_area + 5 + (shows_written() ? kWrittenHeight : 0);
    to_y_ = bottom - 5;
    if (to_y_ - from_y_ < kLeastMessagesHeight) {
      return too_small("topology", 360,
                       options_.height_px + kLeastMessagesHeight - to_y_ + from_y_);
    }
    add_switches();
    if (!row_.stacked) add_hardware();
    add_ranks();
    if (shows_written()) add_written();
    add_receivers();
    add_messages();
    add_row_names();
    add_legend(bottom + kReceiverHeight + kNamesHeight + 8);
    for (const RankPair& pair : pairs_) scene_.message_count += pair.calls;
    scene_.description = "Load of the ranks and messages between them, on the nodes of the machine";
    return std::move(scene_);
  }

 private:
  [[nodiscard]] uint32_t level_count() const {
    uint32_t levels = 0;
    for (const insitu::Switch& one : machine_.switches) levels = std::max(levels, one.level);
    return levels;
  }

  void find_values() {
    for (const insitu::RankFigures& rank : step_.ranks) {
      double value = NAN;
      switch (options_.metric) {
        case Metric::kBytes: value = static_cast<double>(rank.sent_bytes); break;
        case Metric::kMessages: value = static_cast<double>(rank.sent_messages); break;
        default: value = std::max(rank.step_s - rank.mpi_s - rank.io_s, 0.0);
      }
      values_.push_back(rank.recorded ? value : NAN);
      if (rank.recorded) highest_ = std::max(highest_, value);
    }
  }
  double add_title() {
    return Frame::add_title(options_.title, "Load and messages on the machine",
                            load_text(machine_, figures_, step_, values_, options_.metric));
  }

  void add_box(layout::Boxes& boxes, layout::Labels& labels, const layout::Rect& area,
               layout::Color fill, const std::string& text) {
    boxes.add(area, fill);
    const double size = theme_.small_size_px;
    if (layout::text_width_px(text, size) + 4 > area.w) return;
    labels.items.push_back(
        {.text = text,
         .at = {area.x + area.w / 2, area.y + area.h / 2},
         .color = layout::readable_on(fill, layout::rgb(0x16181d), layout::rgb(0xffffff)),
         .size_px = size,
         .anchor = layout::Anchor::kMiddle,
         .baseline = layout::Baseline::kMiddle});
  }

  void add_switches() {
    layout::Boxes boxes;
    layout::Labels labels;
    const uint32_t levels = level_count();
    for (const insitu::Switch& one : machine_.switches) {
      const double left = row_.nodes[one.first_node].x;
      const double right = row_.nodes[one.last_node].right();
      add_box(boxes, labels,
              {left, plot_.y + (levels - one.level) * kSwitchHeight, std::max(right - left, 1.0),
               kSwitchHeight - 4},
              theme_.tint(theme_.series_color(4), 0.35 + 0.15 * std::min(one.level, 4U)), one.name);
    }
    scene_.layers.emplace_back(std::move(boxes));
    scene_.layers.emplace_back(std::move(labels));
  }

  void add_hardware() {
    layout::Boxes boxes;
    layout::Labels labels;
    for (size_t i = 0; i < machine_.nodes.size(); ++i) {
      const insitu::Node& node = machine_.nodes[i];
      for (const insitu::HardwareCell& cell : node.hardware) {
        const auto row = std::find(shown_.begin(), shown_.end(), cell.type);
        if (row == shown_.end()) continue;
        const auto number = static_cast<double>(row - shown_.begin());
        const bool is_machine = cell.type == "Machine";
        const std::string name = is_machine && !node.host.empty()
                                     ? base::printable(node.host)
                                     : name_of(cell, (cell.end - cell.begin) * row_.scale);
        const double x = row_.nodes[i].x + cell.begin * row_.scale;
        add_box(boxes, labels,
                {x, rows_top_ + number * kHardwareHeight,
                 std::max((cell.end - cell.begin) * row_.scale - 1, 0.5), kHardwareHeight - 2},
                theme_.tint(theme_.other, is_machine ? 0.75 : 0.5), name);
      }
    }
    scene_.layers.emplace_back(std::move(boxes));
    scene_.layers.emplace_back(std::move(labels));
  }

  /// "Core 7", or "7" where there is no room for more.
  [[nodiscard]] std::string name_of(const insitu::HardwareCell& cell, double width) const {
    const std::string type = cell.type == "NUMANode"  ? "NUMA"
                             : cell.type == "L3Cache" ? "L3"
                                                      : cell.type;
    const uint32_t number =
        cell.type == "PU" && cell.os_index != UINT32_MAX ? cell.os_index : cell.logical_index;
    std::string name = cell.type == "Machine" ? type : fmt::format("{} {}", type, number);
    if (layout::text_width_px(name, theme_.small_size_px) + 6 > width) {
      name = fmt::format("{}", number);
    }
    return name;
  }

  [[nodiscard]] layout::Color color_of(double value) const {
    if (std::isnan(value)) return theme_.other;
    return theme_.heat.at(highest_ > 0 ? 0.08 + 0.92 * value / highest_ : 0);
  }

  void add_ranks() {
    layout::Boxes boxes;
    layout::Labels labels;
    // The highest last: where several share a pixel, that is the one to see.
    std::vector<std::pair<uint32_t, size_t>> order;
    for (uint32_t i = 0; i < machine_.nodes.size(); ++i) {
      for (size_t k = 0; k < machine_.nodes[i].ranks.size(); ++k) order.emplace_back(i, k);
    }
    const auto value = [&](const std::pair<uint32_t, size_t>& at) {
      const double found = values_[machine_.nodes[at.first].ranks[at.second].rank];
      return std::isnan(found) ? -1.0 : found;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](const auto& a, const auto& b) { return value(a) < value(b); });
    for (const auto& [i, k] : order) {
      const insitu::RankCell& cell = machine_.nodes[i].ranks[k];
      const layout::Rect& node = row_.nodes[i];
      const layout::Rect area =
          row_.stacked
              ? layout::Rect{node.x, ranks_top_ + static_cast<double>(k) * rank_height_,
                             std::max(node.w, 1.0), rank_height_ - (rank_height_ > 3 ? 1 : 0)}
              : layout::Rect{node.x + cell.begin * row_.scale, ranks_top_,
                             std::max((cell.end - cell.begin) * row_.scale - 1, 1.0),
                             kRankHeight - 2};
      const std::string number = fmt::format("{}", cell.rank);
      const bool fits = !row_.stacked || rank_height_ >= 12;
      add_box(boxes, labels, area, color_of(values_[cell.rank]), fits ? number : "");
    }
    scene_.layers.emplace_back(std::move(boxes));
    scene_.layers.emplace_back(std::move(labels));
    const layout::Ticks round =
        options_.metric == Metric::kTime
            ? layout::time_ticks(0, 1e9 * highest_, 6)
            : layout::count_ticks(0, highest_, 6, options_.metric == Metric::kBytes ? "B" : "");
    const double end = options_.metric == Metric::kTime ? 1e9 * highest_ : highest_;
    layout::add_color_bar(
        scene_, theme_,
        {plot_.right() + 28, ranks_top_ > plot_.y + 20 ? rows_top_ + 10 : plot_.y + 20, 16,
         std::min(200.0, to_y_ - rows_top_ - 20)},
        theme_.heat, layout::bar_ticks(round, 0, end, false), name_of_load(options_.metric), 0.08);
  }

  [[nodiscard]] bool shows_written() const { return most_written_ > 0 && !row_.stacked; }

  /// What each rank writes, as a bar below it that is as long as its share of the most.
  void add_written() {
    layout::Boxes boxes;
    const double top = ranks_top_ + kRankHeight + 1;
    for (size_t i = 0; i < machine_.nodes.size(); ++i) {
      for (const insitu::RankCell& cell : machine_.nodes[i].ranks) {
        const double x = row_.nodes[i].x + cell.begin * row_.scale;
        const double width = std::max((cell.end - cell.begin) * row_.scale - 1, 1.0);
        boxes.add({x, top, width, kWrittenHeight - 5}, theme_.tint(theme_.other, 0.2));
        const auto bytes = static_cast<double>(step_.ranks[cell.rank].write_bytes);
        if (bytes == 0) continue;
        const double share = bytes / static_cast<double>(most_written_);
        boxes.add({x, top, std::max(width * share, 1.0), kWrittenHeight - 5},
                  theme_.series_color(2));
      }
    }
    scene_.layers.emplace_back(std::move(boxes));
  }

  /// The nodes again, to which messages go.
  void add_receivers() {
    layout::Boxes boxes;
    layout::Labels labels;
    double free_from = plot_.x - 1;
    for (size_t i = 0; i < machine_.nodes.size(); ++i) {
      const layout::Rect& node = row_.nodes[i];
      boxes.add({node.x, to_y_ + 5, std::max(node.w, 1.0), kReceiverHeight},
                theme_.tint(theme_.other, 0.75));
      const std::string name = base::printable(machine_.nodes[i].host);
      const double width = layout::text_width_px(name, theme_.small_size_px);
      const double middle = node.x + node.w / 2;
      if (name.empty() || middle - width / 2 < free_from ||
          middle + width / 2 > plot_.right() + 20) {
        continue;
      }
      free_from = middle + width / 2 + 8;
      labels.items.push_back({.text = name,
                              .at = {middle, to_y_ + 5 + kReceiverHeight + 4},
                              .color = theme_.muted_text,
                              .size_px = theme_.small_size_px,
                              .anchor = layout::Anchor::kMiddle,
                              .baseline = layout::Baseline::kTop});
    }
    scene_.layers.emplace_back(std::move(boxes));
    scene_.layers.emplace_back(std::move(labels));
  }

  [[nodiscard]] bool leaves_node(const RankPair& pair) const {
    return machine_.node_of_rank[pair.source] != machine_.node_of_rank[pair.destination];
  }
  [[nodiscard]] layout::Color between() const { return theme_.series_color(1); }
  [[nodiscard]] layout::Color inside() const { return theme_.series_color(0); }

  [[nodiscard]] layout::Polyline line(const RankPair& pair, uint64_t most) const {
    const bool empty = pair.bytes == 0;
    // Thinner where there are more of them.
    const double widest = std::clamp(240 / static_cast<double>(pairs_.size()), 1.5, 4.0);
    const double share =
        static_cast<double>(pair.bytes) / static_cast<double>(std::max(most, uint64_t{1}));
    const layout::Color color =
        empty ? theme_.highlight
              : layout::with_alpha(leaves_node(pair) ? between() : inside(), 0.35 + 0.6 * share);
    layout::Polyline out{.points = {{row_.place_of_rank[pair.source], from_y_},
                                    {row_.place_of_rank[pair.destination], to_y_}},
                         .stroke = color,
                         .width_px = empty ? 1.5 : 0.75 + (widest - 0.75) * share};
    if (empty) out.dash_px = {4, 3};
    return out;
  }

  void add_messages() {
    for (const RankPair& pair : pairs_) {
      (pair.bytes == 0 ? empty_ : leaves_node(pair) ? between_total_ : inside_total_).add(pair);
    }
    if (pairs_.empty()) return;
    const uint64_t most = pairs_.back().bytes;
    size_t first = 0;  // Of those that are lines of their own.
    const size_t full = pairs_.size() - empty_.pairs;
    if (full > kMostLines) {
      first = pairs_.size() - kHeaviest;
      const double weight_of_all = static_cast<double>(most);
      for (const bool leaves : {true, false}) {
        layout::Segments sum{
            .clip = {plot_.x, from_y_, plot_.w, to_y_ - from_y_},
            .style = {leaves ? between() : inside(), leaves ? between() : inside()}};
        for (size_t i = empty_.pairs; i < first; ++i) {
          if (leaves_node(pairs_[i]) == leaves) add_to(sum, pairs_[i], weight_of_all);
        }
        if (sum.size() > 0) scene_.layers.emplace_back(std::move(sum));
      }
    }
    layout::Polylines lines;
    for (size_t i = std::max(first, empty_.pairs); i < pairs_.size(); ++i) {
      lines.lines.push_back(line(pairs_[i], most));
    }
    if (empty_.pairs <= kMostLines) {
      for (size_t i = 0; i < empty_.pairs; ++i) lines.lines.push_back(line(pairs_[i], most));
    }
    scene_.layers.emplace_back(std::move(lines));
    if (empty_.pairs > kMostLines) {
      layout::Segments sum{.clip = {plot_.x, from_y_, plot_.w, to_y_ - from_y_},
                           .style = {theme_.highlight, theme_.highlight}};
      for (size_t i = 0; i < empty_.pairs; ++i) add_to(sum, pairs_[i], 0);
      scene_.layers.emplace_back(std::move(sum));
    }
  }
  /// most  bytes of a line of weight 1; 0: all lines weigh the same
  void add_to(layout::Segments& sum, const RankPair& pair, double most) const {
    sum.add(static_cast<float>(row_.place_of_rank[pair.source]), static_cast<float>(from_y_),
            static_cast<float>(row_.place_of_rank[pair.destination]), static_cast<float>(to_y_));
    sum.weight.push_back(
        most > 0 ? static_cast<float>(std::max(static_cast<double>(pair.bytes) / most, 1e-4))
                 : 1.F);
  }

  void add_row_names() {
    layout::Labels labels;
    const auto name = [&](double y, std::string text, bool muted = true) {
      labels.items.push_back({.text = std::move(text),
                              .at = {plot_.x - 10, y},
                              .color = muted ? theme_.muted_text : theme_.text,
                              .size_px = theme_.small_size_px,
                              .anchor = layout::Anchor::kEnd,
                              .baseline = layout::Baseline::kMiddle});
    };
    if (level_count() > 0) name(plot_.y + level_count() * kSwitchHeight / 2.0 - 2, "switches");
    if (!row_.stacked) {
      for (size_t i = 0; i < shown_.size(); ++i) {
        const std::string& type = shown_[i];
        name(rows_top_ + (static_cast<double>(i) + 0.5) * kHardwareHeight - 1,
             type == "Machine"    ? "node"
             : type == "NUMANode" ? "NUMA node"
             : type == "L3Cache"  ? "L3 cache"
             : type == "Package"  ? "package"
             : type == "Core"     ? "core"
                                  : type);
      }
    }
    const double ranks_end = from_y_ - 5 - (shows_written() ? kWrittenHeight : 0);
    name((ranks_top_ + ranks_end) / 2, row_.stacked ? "ranks" : "rank", false);
    if (shows_written()) name(ranks_end + kWrittenHeight / 2 - 1, "written", false);
    name(from_y_ + 12, "sender", false);
    name(to_y_ - 8, "receiver", false);
    scene_.layers.emplace_back(std::move(labels));
  }

  void add_legend(double y) {
    std::vector<layout::LegendEntry> entries;
    const auto add = [&](const char* text, layout::Color color, const PairTotal& total) {
      if (total.pairs == 0) return;
      entries.push_back(
          {.text = text,
           .color = color,
           .swatch = layout::Swatch::kLine,
           .value = fmt::format("{}, {} pairs", base::human_bytes(static_cast<double>(total.bytes)),
                                base::human_count(total.pairs))});
    };
    add("between nodes", between(), between_total_);
    add("inside a node", inside(), inside_total_);
    if (empty_.pairs > 0) {
      entries.push_back(
          {.text = "empty messages",
           .color = theme_.highlight,
           .swatch = layout::Swatch::kDashedLine,
           .value = fmt::format("{} between {} pairs", base::human_count(empty_.calls),
                                base::human_count(empty_.pairs))});
    }
    if (entries.empty()) {
      entries.push_back({.text = "no messages", .color = theme_.muted_text});
    }
    layout::add_legend(
        scene_, theme_,
        {plot_.x, y, options_.width_px - plot_.x - kMargin, layout::legend_row_height_px(theme_)},
        entries);
  }

  const insitu::Machine& machine_;
  const insitu::Figures& figures_;
  const insitu::Step& step_;
  const Options& options_;
  uint64_t most_written_ = 0;  // By a rank.
  std::vector<RankPair> pairs_;
  std::vector<double> values_;  // Per rank; NaN where nothing was recorded.
  double highest_ = 0;
  layout::Rect plot_;
  NodeRow row_;
  std::vector<std::string> shown_;  // Rows of hardware.
  double rank_height_ = 0;          // Of one rank where a node is a column.
  double rows_top_ = 0;
  double ranks_top_ = 0;
  double from_y_ = 0;
  double to_y_ = 0;
  PairTotal between_total_, inside_total_, empty_;
};

}  // namespace

base::Result<layout::Scene> topology(const insitu::Machine& machine, const insitu::Figures& figures,
                                     const insitu::Step& step, const Options& options) {
  if (machine.rank_count() == 0) {
    return base::Error{base::ErrorCode::kInvalidArgument, "there is nothing to draw: no ranks"};
  }
  if (options.metric == Metric::kBandwidth) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "a bandwidth cannot be added up: the metric is to be messages, bytes or "
                       "time"};
  }
  return TopologyFigure(machine, figures, step, options).draw();
}

}  // namespace pathline::figure
