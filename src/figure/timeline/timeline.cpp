// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "bundle/pick.hpp"
#include "comm/matrix.hpp"
#include "comm/partners.hpp"
#include "figure/figure.hpp"
#include "figure/frame.hpp"
#include "figure/timeline/bursts.hpp"
#include "figure/timeline/cause_marks.hpp"
#include "figure/timeline/collective_marks.hpp"
#include "figure/timeline/critical_line.hpp"
#include "figure/timeline/crowding.hpp"
#include "figure/timeline/messages.hpp"
#include "figure/timeline/states.hpp"
#include "figure/timeline/step_lane.hpp"
#include "figure/timeline/strip.hpp"
#include "figure/timeline/texts.hpp"
#include "figure/timeline/trim.hpp"
#include "layout/axis.hpp"
#include "layout/legend.hpp"
#include "layout/text.hpp"

namespace pathline::figure {
namespace {

constexpr double kBurstGapPx = 6;
constexpr double kAxisHeight = 44;
constexpr size_t kMostLegendRows = 4;
constexpr double kStackedPx = 6;  // least height of a row whose columns are stacks
constexpr double kOwnRowPx = 6;   // of a row that is unlike its neighbours
constexpr double kGapPx = 4;      // between the rows and what stands below them

/// The legend's size must be known before the lines are.
constexpr const char* kLongestLinesText = "send to receive, hierarchy";

class TimelineFigure : Frame {
 public:
  TimelineFigure(const trace::Trace& trace, const trace::Selection& selection,
                 const Options& options, const StepMarks& steps, base::ThreadPool& pool)
      : Frame(options),
        trace_(trace),
        selection_(selection),
        options_(options),
        steps_(steps),
        pool_(pool),
        range_(visible_range(trace, selection)),
        remarks_(options.calls ? options.calls->remarks() : std::vector<std::string>()) {}

  base::Result<layout::Scene> draw(TimelineReport& report) {
    if (options_.order != comm::Order::kRank) {
      order_ =
          process_order(trace_, selection_, comm::matrix(trace_, selection_, {}, pool_), options_);
    }
    rows_ = choose_rows(trace_, selection_, order_ ? &*order_ : nullptr, options_.calls.get());
    if (rows_.rows.empty()) {
      return base::Error{base::ErrorCode::kInvalidArgument,
                         "there is nothing to draw: no location of the selection recorded calls or "
                         "messages"};
    }
    if (options_.trim) report.trim = trim_of(trace_, rows_, selection_);
    range_.from += report.trim.begin_ticks;
    range_.until -= report.trim.end_ticks;
    make_room(report.trim);
    report.axis_s = trace_.span_seconds(range_.until - range_.from);
    messages_ = visible_messages(trace_, rows_, range_, pool_);
    if (auto status = choose_colors(); !status) return status.error();
    const Palette palette = choose_palette();
    if (options_.critical) critical_ = critical_legend(trace_, *options_.critical, rows_, range_);
    if (options_.causes) find_causes();
    const double top = add_title(options_.title, "Timeline", subtitle(report.trim));
    const double below_title = std::round(top + 8);
    // Where the mode is chosen by the size of the plot, which depends on the mode only a little.
    place(below_title, palette, MessageMode::kLines);
    choose_mode(report);
    const bool is_invisible = report.mode == MessageMode::kLines && options_.opacity == 0.0;
    if (is_invisible) report.mode = MessageMode::kNone;
    place(below_title, palette, report.mode);
    if (plot_.w < 32 || plot_.h < 16) return too_small("this timeline");
    report.name_px = name_width_;
    // Lines lead to rows of equal height.
    if (report.mode != MessageMode::kLines) {
      places_ = places_of_rows(signatures_, pixels_in(plot_.h), pixels_in(kOwnRowPx));
    }
    add_ground(plot_);
    add_axis();
    const RowPlaces* places = places_ ? &*places_ : nullptr;
    scene_.layers.emplace_back(state_cells(trace_, rows_, range_, plot_, scene_.scale, places,
                                           palette, steps_.windows, theme_, pool_));
    add_messages(report);
    add_cause_outlines(scene_, causes_, rows_, range_, plot_, places);
    if (options_.critical) {
      add_critical_line(scene_, *options_.critical, rows_, range_, plot_, places);
    }
    if (!options_.bursts) {
      for (layout::LegendEntry& entry :
           add_collective_marks(scene_, theme_, plot_, trace_, rows_, range_)) {
        legend_.push_back(std::move(entry));
      }
    }
    add_cause_names(scene_, theme_, causes_, rows_, range_, plot_, places);
    if (lane_.h > 0) add_lane();
    explain_rows();
    if (places_) {
      figure::add_row_names(scene_, theme_, plot_, scene_.scale, names_, *places_, name_width_);
    } else {
      layout::add_row_labels(scene_, theme_, plot_, names_, name_width_);
    }
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
    return messages_.size() > 0 && options_.messages != MessageMode::kNone;
  }
  [[nodiscard]] bool has_calls() const { return !trace_.locations.empty(); }

  /// Of message lines: over regions colours that no region has.
  base::Status choose_colors() {
    const bool is_over_regions = has_calls() && options_.palette == "auto";
    auto gradient =
        layout::message_gradient(is_over_regions ? "ink-pink" : options_.palette, options_.theme);
    if (!gradient) return gradient.error();
    gradient_ = gradient.value();
    return {};
  }

  /// Lines where they can be followed, the strip where they would hide the rows.
  void choose_mode(TimelineReport& report) {
    report.mode = options_.messages;
    if (!has_messages()) {
      report.mode = MessageMode::kNone;
      return;
    }
    const bool is_open =
        options_.messages == MessageMode::kAuto || options_.messages == MessageMode::kLines;
    if (!is_open) return;
    report.mode = MessageMode::kLines;
    if (!has_calls() || options_.bursts || options_.bundling.mode != bundle::Bundling::kAuto)
      return;
    const Crowding crowding(trace_, rows_, pool_);
    lines_window_ticks_ = crowding.lines_window_ticks(plot_.w, plot_.h);
    report.lines_window_s = trace_.span_seconds(lines_window_ticks_);
    has_room_ = range_.until - range_.from <= lines_window_ticks_;
    if (!has_room_ && options_.messages == MessageMode::kAuto) report.mode = MessageMode::kStrip;
  }

  [[nodiscard]] Palette choose_palette() {
    std::vector<uint64_t> ticks = region_ticks(trace_, rows_, range_, pool_, &signatures_);
    if (selection_.everything() && options_.calls) take_run_ticks(trace_, *options_.calls, ticks);
    const auto of_run =
        selection_.everything() ? ticks : run_ticks(trace_, options_.calls.get(), pool_);
    return make_palette(trace_, ticks, RegionColors(trace_.definitions, of_run, theme_), theme_);
  }

  void find_causes() {
    causes_ = visible_causes(trace_, *options_.causes, options_.critical.get(), rows_, range_);
    for (layout::LegendEntry& entry : cause_legend(causes_)) critical_.push_back(std::move(entry));
  }

  /// For as much time as was asked for: first of what was trimmed, then of none.
  void make_room(Trim& trim) {
    const auto asked = static_cast<uint64_t>(
        options_.axis_s * static_cast<double>(trace_.definitions.clock.ticks_per_second));
    const uint64_t shown = range_.until - range_.from;
    const uint64_t back = asked > shown ? std::min(asked - shown, trim.end_ticks) : 0;
    range_.until += back;
    trim.end_ticks -= back;
    shown_ = range_;
    range_.until = std::max(range_.until, range_.from + asked);
  }

  [[nodiscard]] std::string subtitle(const Trim& trim) const {
    const std::string trimmed = trim_text(trace_, trim);
    return fmt::format(
        "{}, {}, {}, {}{}{}", ranks_text(trace_, selection_), rows_text(trace_, rows_),
        messages_text(trace_, rows_, range_, selection_, messages_.size(),
                      comm::partners_text(trace_, messages_)),
        time_text(trace_, shown_, selection_), trimmed.empty() ? "" : " (" + trimmed + ")",
        order_ ? " — " + order_text(*order_) : "");
  }

  /// First the messages, because what does not fit into the legend is left out at its end.
  void make_legend(const Palette& palette, MessageMode mode) {
    legend_ = palette.legend;
    legend_.insert(legend_.begin(), critical_.begin(), critical_.end());
    if (mode == MessageMode::kNone) return;
    if (mode == MessageMode::kStrip) {
      legend_.insert(legend_.begin(), strip_->legend_entry(theme_, strip_color()));
      if (lines_window_ticks_ > 0) {
        legend_.insert(
            legend_.begin() + 1,
            {.text = fmt::format("as lines when zoomed to {}",
                                 base::human_seconds(trace_.span_seconds(lines_window_ticks_))),
             .color = layout::kTransparent});
      }
      return;
    }
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
  void place(double top, const Palette& palette, MessageMode mode) {
    if (mode == MessageMode::kStrip) {
      strip_.emplace(trace_, messages_, rows_, range_, options_.line_weight,
                     steps_of_picture(steps_, rows_));
    }
    make_legend(palette, mode);
    names_.clear();
    for (const Row& row : rows_.rows) names_.push_back(row.name);
    name_width_ = std::max(options_.least_name_px, layout::row_label_width_px(theme_, names_, 160));
    if (mode == MessageMode::kStrip) {
      name_width_ = std::max(name_width_, layout::text_width_px("messages", theme_.small_size_px));
    }
    // With room for what only the finished plot can say: marks of collectives, steps, rows.
    std::vector<layout::LegendEntry> expected = legend_;
    if (trace_.collectives.size() > 0) {
      expected.push_back({.text = "last to come to a collective"});
      expected.push_back({.text = "its root"});
    }
    if (steps_.any()) expected.push_back({.text = "1,000 periods, mean 10.0 ms"});
    expected.push_back({.text = "columns: shares of 10.0 ms"});
    for (const std::string& remark : remarks_) expected.push_back({.text = remark});
    if (rows_.rows.size() > 64) expected.push_back({.text = "rank 100: higher, unlike others"});
    const size_t legend_rows = layout::legend_row_count(theme_, expected, inner_width());
    legend_height_ = static_cast<double>(std::min(kMostLegendRows, legend_rows)) *
                     layout::legend_row_height_px(theme_);
    const double left = std::round(kMargin + name_width_ + 8);
    const double bottom = scene_.height_px - kAxisHeight - legend_height_ - kMargin;
    const double width = std::floor(scene_.width_px - kMargin - left);
    double rest = std::floor(bottom - top);
    lane_ = {left, top, width, steps_.any() ? layout::legend_row_height_px(theme_) : 0};
    if (rest < 6 * lane_.h) lane_.h = 0;
    rest -= lane_.h;
    strip_area_ = {left, top, width, 0};
    if (mode == MessageMode::kStrip) strip_area_.h = strip_->height_px(theme_, rest);
    const double gap = strip_area_.h > 0 ? kGapPx : 0;
    plot_ = {left, top, width, rest - strip_area_.h - gap};
    strip_area_.y = plot_.bottom() + gap;
    lane_.y = strip_area_.bottom();
  }

  /// Below everything that shares it.
  void add_axis() {
    const double to_ns = 1e9;
    const double begin_ns = trace_.seconds(range_.from) * to_ns;
    const double end_ns = trace_.seconds(range_.until) * to_ns;
    const layout::Rect all{plot_.x, plot_.y, plot_.w, lane_.bottom() - plot_.y};
    layout::add_bottom_axis(scene_, theme_, all, {begin_ns, end_ns, plot_.x, plot_.right()},
                            layout::time_ticks(begin_ns, end_ns, static_cast<size_t>(plot_.w / 90)),
                            "time since the start of the run");
  }

  void add_messages(TimelineReport& report) {
    if (report.mode == MessageMode::kNone) return;
    if (report.mode == MessageMode::kStrip) {
      strip_->add_to(scene_, theme_, strip_area_, strip_color());
      legend_.front() = strip_->legend_entry(theme_, strip_color());
      if (options_.pick) {
        report.picked = strip_->messages_at(strip_area_, options_.pick->x, options_.pick->y);
      }
      return;
    }
    report.bundled = add_lines_or_bursts(report);
    legend_.front().value = lines_text(report.bundled, rows_.rows.size());
  }

  [[nodiscard]] layout::Color strip_color() const {
    return mix(theme_.plot_background, gradient_.begin, 0.75);
  }

  void add_lane() {
    const std::string text = add_step_lane(scene_, theme_, lane_, trace_, range_,
                                           steps_of_picture(steps_, rows_), steps_.word);
    if (!text.empty()) legend_.push_back({.text = text, .color = layout::kTransparent});
  }

  /// returns  what became of them.
  bundle::Bundled add_lines_or_bursts(TimelineReport& report) {
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
    // Lines that can be followed need no bundles.
    bundle::BundleOptions bundling = options_.bundling;
    bundling.scale = scene_.scale;
    if (has_room_) bundling.mode = bundle::Bundling::kNone;
    if (!options_.pick) return add_lines(std::move(lines), bundling);
    bundle::Bundled bundled = add_lines(lines, bundling);
    report.picked = messages_at(*options_.pick, lines, bundled);
    return bundled;
  }

  /// The lines, or what they became, and what they are led along. returns how they are drawn.
  bundle::Bundled add_lines(layout::Segments lines, const bundle::BundleOptions& bundling) {
    const layout::SegmentStyle style = lines.style;
    bundle::Bundled bundled = bundle::bundle_lines(
        std::move(lines), {rows_.rows.size(), rows_.block_begin}, bundling, pool_);
    if (bundled.segments) {
      if (has_calls()) add_halo(*bundled.segments);
      scene_.layers.emplace_back(std::move(*bundled.segments));
      bundled.segments.reset();
    } else {
      scene_.layers.emplace_back(layout::DensityField{plot_.x, plot_.y, bundled.density, style});
    }
    if (options_.bundling.show_nodes && bundled.router != nullptr) add_nodes(*bundled.router);
    return bundled;
  }

  /// What cells of the rows stand for.
  void explain_rows() {
    const auto say = [&](std::string text) {
      legend_.push_back({.text = std::move(text), .color = layout::kTransparent});
    };
    std::for_each(remarks_.begin(), remarks_.end(), say);
    const double rows_per_px = static_cast<double>(rows_.rows.size()) / (plot_.h * scene_.scale);
    if (rows_per_px > 1) say(fmt::format("{:.1f} rows a line of pixels", rows_per_px));
    if (places_) say(unlike_text(places_->unlike, rows_));
    if (has_calls() && rows_per_px * kStackedPx <= 1) {
      const uint64_t column_ticks = (range_.until - range_.from) / pixels_in(plot_.w);
      say(fmt::format("columns: shares of {}",
                      base::human_seconds(trace_.span_seconds(column_ticks))));
    }
  }

  /// Keeps lines apart from the regions below them.
  void add_halo(const layout::Segments& lines) {
    layout::Segments halo = lines;
    halo.style = {.begin = theme_.plot_background,
                  .end = theme_.plot_background,
                  .opacity = 0.8,
                  .width_px = 3};
    scene_.layers.emplace_back(std::move(halo));
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
    scene_.message_count = messages_.size();
    scene_.description = fmt::format(
        "Calls of {} over {}", base::counted(rows_.rows.size(), "location", "locations"),
        base::human_seconds(trace_.span_seconds(range_.until - range_.from)));
    if (messages_.empty() && !remarks_.empty()) return;  // Bins know of none.
    scene_.description += ", with " + base::counted(messages_.size(), "message", "messages");
  }

  const trace::Trace& trace_;
  const trace::Selection& selection_;
  const Options& options_;
  const StepMarks& steps_;
  base::ThreadPool& pool_;
  TimeRange range_;                         // Of the axis.
  const std::vector<std::string> remarks_;  // On where the calls come from.
  TimeRange shown_{};                       // Of the run.
  layout::Gradient gradient_;
  std::optional<comm::ProcessOrder> order_;
  Rows rows_;
  std::vector<RowSignature> signatures_;
  std::optional<RowPlaces> places_;
  base::Column<uint32_t> messages_;  // Visible.
  std::vector<layout::LegendEntry> legend_;
  std::vector<layout::LegendEntry> critical_;  // And causes.
  std::vector<VisibleCause> causes_;
  double legend_height_ = 0;
  std::vector<std::string> names_;
  double name_width_ = 0;
  layout::Rect plot_;
  uint64_t lines_window_ticks_ = 0;  // Up to here lines can be followed; 0: not asked.
  bool has_room_ = false;            // For lines that can be followed.
  std::optional<MessageStrip> strip_;
  layout::Rect strip_area_;
  layout::Rect lane_;  // Of the steps.
};

}  // namespace

base::Result<layout::Scene> timeline(const trace::Trace& trace, const trace::Selection& selection,
                                     const Options& options, const StepMarks& steps,
                                     base::ThreadPool& pool, TimelineReport* report) {
  if (options.line_weight == Metric::kBandwidth) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "the bandwidths of messages cannot be added up in a timeline",
                       "Weigh them by messages, bytes or time."};
  }
  TimelineReport made;
  auto scene = TimelineFigure(trace, selection, options, steps, pool).draw(made);
  if (report != nullptr) *report = std::move(made);
  return scene;
}

}  // namespace pathline::figure
