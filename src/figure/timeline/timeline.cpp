// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "bundle/pick.hpp"
#include "comm/matrix.hpp"
#include "figure/figure.hpp"
#include "figure/frame.hpp"
#include "figure/timeline/bursts.hpp"
#include "figure/timeline/messages.hpp"
#include "figure/timeline/states.hpp"
#include "layout/axis.hpp"
#include "layout/legend.hpp"

namespace pathline::figure {
namespace {

std::string rows_text(const trace::Trace& trace, const Rows& rows) {
  const size_t all = std::max<size_t>(trace.locations.size(), rows.rows.size());
  if (all == rows.rows.size()) return base::counted(all, "location", "locations");
  return fmt::format("{} of {} locations", base::human_count(rows.rows.size()),
                     base::human_count(all));
}

/// Says what the picture leaves out: tables count a message of a chosen rank wherever it goes.
std::string messages_text(const trace::Trace& trace, const Rows& rows, TimeRange range,
                          const trace::Selection& selection, size_t count) {
  std::string text = base::counted(count, "message", "messages");
  if (selection.ranks.empty()) return text;
  const size_t hidden = hidden_messages(trace, rows, range, selection);
  if (hidden > 0)
    text += fmt::format(" (and {} from or to other ranks)", base::human_count(hidden));
  return text;
}

constexpr double kBurstGapPx = 6;
constexpr double kAxisHeight = 44;

/// How the lines are drawn, for the legend.
std::string lines_text(const bundle::Bundled& bundled, size_t row_count) {
  const std::string& mode = bundled.mode;
  if (mode == "none") return "from send to receive";
  if (mode == "density") return "send to receive, density";
  if (mode == "bursts") return "bursts, dots: receivers";
  if (mode == "phases") {
    const size_t ranks = bundled.rows == 0 ? 1 : row_count / bundled.rows;
    return ranks < 2 ? "send to receive, by phase"
                     : fmt::format("by phase, {} rows a trunk", ranks);
  }
  return fmt::format("send to receive, {}", mode);
}

/// The legend's size must be known before the lines are.
constexpr const char* kLongestLinesText = "send to receive, hierarchy";

std::string time_text(const trace::Trace& trace, TimeRange range,
                      const trace::Selection& selection) {
  std::string text = base::human_seconds(trace.span_seconds(range.until - range.from));
  if (selection.from_ticks > trace.start_ticks || selection.until_ticks <= trace.end_ticks) {
    text += fmt::format(" of {}", base::human_seconds(trace.duration_seconds()));
  }
  return text;
}

class TimelineFigure : Frame {
 public:
  TimelineFigure(const trace::Trace& trace, const trace::Selection& selection,
                 const Options& options, const layout::Gradient& gradient, base::ThreadPool& pool)
      : Frame(options),
        trace_(trace),
        selection_(selection),
        options_(options),
        gradient_(gradient),
        pool_(pool),
        range_(visible_range(trace, selection)) {}

  base::Result<layout::Scene> draw(bundle::Bundled* report) {
    if (options_.order != comm::Order::kRank) {
      order_ =
          process_order(trace_, selection_, comm::matrix(trace_, selection_, {}, pool_), options_);
    }
    rows_ = choose_rows(trace_, selection_, order_ ? &*order_ : nullptr);
    if (rows_.rows.empty()) {
      return base::Error{base::ErrorCode::kInvalidArgument,
                         "there is nothing to draw: no location of the selection recorded calls or "
                         "messages"};
    }
    messages_ = visible_messages(trace_, rows_, range_, pool_);
    const Palette palette = choose_palette();
    const double top = add_title(options_.title, "Timeline", subtitle());
    make_legend(palette);
    place(top);
    if (plot_.w < 32 || plot_.h < 16) return too_small("this timeline");
    add_ground(plot_);
    add_axis();
    scene_.layers.emplace_back(state_cells(trace_, rows_, range_, plot_, palette, theme_, pool_));
    if (has_messages()) {
      bundle::Bundled bundled = add_messages();
      legend_.front().value = lines_text(bundled, rows_.rows.size());
      if (report != nullptr) *report = std::move(bundled);
    }
    layout::add_row_labels(scene_, theme_, plot_, names_, name_width_);
    if (palette.legend.empty() && messages_.size() == 0) {
      layout::add_remark(scene_, theme_, plot_, "no calls and no messages in this part of the run");
    }
    layout::add_legend(
        scene_, theme_,
        {kMargin, scene_.height_px - kMargin - legend_height_, inner_width(), legend_height_},
        legend_);
    describe();
    return std::move(scene_);
  }

 private:
  [[nodiscard]] bool has_messages() const {
    return messages_.size() > 0 && options_.opacity != 0.0;
  }

  /// Under message lines the rows are only tinted, so that the lines stand out.
  [[nodiscard]] Palette choose_palette() const {
    const std::vector<uint64_t> ticks = region_ticks(trace_, rows_, range_, pool_);
    return make_palette(trace_, ticks,
                        selection_.everything() ? ticks
                                                : region_ticks(trace_, choose_rows(trace_, {}),
                                                               visible_range(trace_, {}), pool_),
                        theme_, has_messages() ? 0.4 : 0.85);
  }

  [[nodiscard]] std::string subtitle() const {
    return fmt::format("{}, {}, {}, {}{}", ranks_text(trace_, selection_), rows_text(trace_, rows_),
                       messages_text(trace_, rows_, range_, selection_, messages_.size()),
                       time_text(trace_, range_, selection_),
                       order_ ? " — " + order_text(*order_) : "");
  }

  void make_legend(const Palette& palette) {
    legend_ = palette.legend;
    if (!has_messages()) return;
    // First, because what does not fit into the legend is left out at its end.
    legend_.insert(legend_.begin(),
                   {.text = options_.line_weight == Metric::kBytes  ? "bytes"
                            : options_.line_weight == Metric::kTime ? "time of messages"
                                                                    : "message",
                    .color = gradient_.begin,
                    .swatch = options_.bursts ? layout::Swatch::kBox : layout::Swatch::kGradient,
                    .end_color = gradient_.end,
                    .value = kLongestLinesText});
    if (options_.bundling.show_nodes && options_.bundling.mode != bundle::Bundling::kNone) {
      legend_.insert(legend_.begin() + 1, {.text = "node of bundles",
                                           .color = theme_.series_color(0),
                                           .value = "larger: higher level"});
    }
  }

  /// Between title, names, axis and legend.
  void place(double top) {
    for (const Row& row : rows_.rows) names_.push_back(row.name);
    name_width_ = layout::row_label_width_px(theme_, names_, 160);
    legend_height_ =
        std::min(4.0,
                 static_cast<double>(layout::legend_row_count(theme_, legend_, inner_width()))) *
        layout::legend_row_height_px(theme_);
    const double left = kMargin + name_width_ + 8;
    const double bottom = scene_.height_px - kAxisHeight - legend_height_ - kMargin;
    plot_ = {std::round(left), std::round(top + 8),
             std::floor(scene_.width_px - kMargin - std::round(left)),
             std::floor(bottom - std::round(top + 8))};
  }

  void add_axis() {
    const double to_ns = 1e9;
    const double begin_ns = trace_.seconds(range_.from) * to_ns;
    const double end_ns = trace_.seconds(range_.until) * to_ns;
    layout::add_bottom_axis(scene_, theme_, plot_, {begin_ns, end_ns, plot_.x, plot_.right()},
                            layout::time_ticks(begin_ns, end_ns, static_cast<size_t>(plot_.w / 90)),
                            "time since the start of the run");
  }

  /// returns  what became of them.
  bundle::Bundled add_messages() {
    layout::Segments lines =
        message_lines(trace_, messages_, rows_, range_, plot_, options_.line_weight, pool_);
    lines.style = {.begin = gradient_.begin,
                   .end = gradient_.end,
                   .opacity = options_.opacity,
                   .blend = options_.blend};
    if (options_.bursts) {
      add_bursts(scene_, find_bursts(lines, line_rows(trace_, messages_, rows_), kBurstGapPx),
                 plot_, rows_.rows.size(), gradient_, theme_);
      bundle::Bundled bundled;
      bundled.mode = "bursts";
      return bundled;
    }
    if (!options_.pick) return add_lines(std::move(lines));
    bundle::Bundled bundled = add_lines(lines);
    bundled.picked = messages_at(*options_.pick, lines, bundled);
    return bundled;
  }

  /// The lines, or what they became, and what they are led along. returns how they are drawn.
  bundle::Bundled add_lines(layout::Segments lines) {
    const layout::SegmentStyle style = lines.style;
    bundle::Bundled bundled = bundle::bundle_lines(
        std::move(lines), {rows_.rows.size(), rows_.block_begin}, options_.bundling, pool_);
    if (bundled.segments) {
      scene_.layers.emplace_back(std::move(*bundled.segments));
      bundled.segments.reset();
    } else {
      scene_.layers.emplace_back(
          layout::DensityField{std::floor(plot_.x), std::floor(plot_.y), bundled.density, style});
    }
    if (options_.bundling.show_nodes && bundled.router != nullptr) add_nodes(*bundled.router);
    return bundled;
  }

  void add_nodes(const bundle::Router& router) {
    layout::Boxes marks;
    marks.snap = false;
    for (const bundle::Router::Node& node : router.nodes()) {
      const double half = 1.5 + node.level;
      const layout::Rect mark{node.at.x - half, node.at.y - half, 2 * half, 2 * half};
      const bool is_inside = mark.x >= plot_.x && mark.right() <= plot_.right() &&
                             mark.y >= plot_.y && mark.bottom() <= plot_.bottom();
      if (is_inside) marks.add(mark, theme_.series_color(node.level));
    }
    scene_.layers.emplace_back(std::move(marks));
  }

  /// Those behind a pixel of the picture.
  [[nodiscard]] std::vector<uint32_t> messages_at(Pixel pixel, const layout::Segments& lines,
                                                  const bundle::Bundled& bundled) const {
    const double x = pixel.x - std::floor(lines.clip.x);
    const double y = pixel.y - std::floor(lines.clip.y);
    if (x < 0 || y < 0 || x >= lines.clip.w || y >= lines.clip.h) return {};
    std::vector<uint32_t> found = bundle::lines_at_pixel(
        lines, bundled.router.get(), {options_.bundling.degree, bundled.beta},
        static_cast<uint32_t>(x), static_cast<uint32_t>(y));
    for (uint32_t& line : found) line = messages_[line];
    return found;
  }

  void describe() {
    const size_t count = messages_.size();
    scene_.message_count = count;
    scene_.description = fmt::format(
        "Calls of {} over {}, with {}", base::counted(rows_.rows.size(), "location", "locations"),
        base::human_seconds(trace_.span_seconds(range_.until - range_.from)),
        base::counted(count, "message", "messages"));
  }

  const trace::Trace& trace_;
  const trace::Selection& selection_;
  const Options& options_;
  const layout::Gradient gradient_;
  base::ThreadPool& pool_;
  const TimeRange range_;
  std::optional<comm::ProcessOrder> order_;
  Rows rows_;
  base::Column<uint32_t> messages_;  // Visible.
  std::vector<layout::LegendEntry> legend_;
  double legend_height_ = 0;
  std::vector<std::string> names_;
  double name_width_ = 0;
  layout::Rect plot_;
};

}  // namespace

base::Result<layout::Scene> timeline(const trace::Trace& trace, const trace::Selection& selection,
                                     const Options& options, base::ThreadPool& pool,
                                     bundle::Bundled* report) {
  const auto gradient = layout::message_gradient(options.palette, options.theme);
  if (!gradient) return gradient.error();
  if (options.line_weight == Metric::kBandwidth) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "the bandwidths of messages cannot be added up in a timeline",
                       "Weigh them by messages, bytes or time."};
  }
  return TimelineFigure(trace, selection, options, gradient.value(), pool).draw(report);
}

}  // namespace pathline::figure
