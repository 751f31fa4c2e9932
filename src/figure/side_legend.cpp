// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/network/view.hpp"
#include "layout/axis.hpp"
#include "layout/text.hpp"

namespace pathline::figure {
namespace {

constexpr double kLineHeight = 1.35;  // Of the size of the text.
constexpr double kBarHeight = 110;

/// "router (9 2) → (10 2)": what both are is said once.
std::string link_name(const std::string& from, const std::string& to) {
  const size_t word = from.find('(');
  const bool is_same =
      word != std::string::npos && word > 0 && to.compare(0, word + 1, from, 0, word + 1) == 0;
  return fmt::format("{} → {}", from, is_same ? to.substr(word) : to);
}

}  // namespace

void SideLegend::heading(const std::string& text) {
  const double height = theme_.text_size_px * kLineHeight;
  if (left_px() < height) return;
  layout::Labels labels;
  labels.items.push_back({.text = text,
                          .at = {area_.x, y_ + height / 2},
                          .color = theme_.text,
                          .size_px = theme_.text_size_px,
                          .baseline = layout::Baseline::kMiddle,
                          .weight = layout::Weight::kBold,
                          .max_width_px = area_.w});
  scene_.layers.emplace_back(std::move(labels));
  y_ += height + 2;
}

void SideLegend::note(const std::string& text) {
  const double height = theme_.small_size_px * kLineHeight;
  layout::Labels labels;
  std::string line;
  const auto add = [&] {
    if (line.empty()) return;
    if (left_px() >= height) {
      labels.items.push_back({.text = line,
                              .at = {area_.x, y_ + height / 2},
                              .color = theme_.muted_text,
                              .size_px = theme_.small_size_px,
                              .baseline = layout::Baseline::kMiddle,
                              .max_width_px = area_.w});
      y_ += height;
    } else if (!labels.items.empty() && !labels.items.back().text.ends_with("…")) {
      labels.items.back().text += " …";
    }
    line.clear();
  };
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const std::string longer = line.empty() ? word : line + ' ' + word;
    if (layout::text_width_px(longer, theme_.small_size_px) > area_.w) {
      add();
      line = word;
    } else {
      line = longer;
    }
    begin = end + 1;
  }
  add();
  scene_.layers.emplace_back(std::move(labels));
}

void SideLegend::scale(const ValueScale& scale, RouteMetric metric, LoadUnit unit,
                       const char* what) {
  const double height = std::min(kBarHeight, left_px() - 12);
  if (height < 24) return;
  const layout::Rect bar{area_.x + 1, std::round(y_ + 6), 14, std::round(height)};
  layout::add_color_bar(scene_, theme_, bar, theme_.heat, scale.ticks(metric, unit), "",
                        ValueScale::kRampBegin);
  y_ = bar.bottom() + 12;
  if (scale.alike == 0) return;
  note(fmt::format("{} of {} {}s have about {}: the colours tell the others apart, by rank.",
                   base::human_count(scale.alike), base::human_count(scale.count), what,
                   metric_text(metric, unit, scale.alike_value)));
  space(4);
}

void SideLegend::scale(const DifferenceScale& scale, LoadUnit unit) {
  const double height = std::min(kBarHeight, left_px() - 12);
  if (height < 24) return;
  const layout::Rect bar{area_.x + 1, std::round(y_ + 6), 14, std::round(height)};
  layout::add_color_bar(scene_, theme_, bar, theme_.diverging, scale.ticks(unit), "");
  y_ = bar.bottom() + 12;
}

void SideLegend::changes(const NetworkView& view, const NetworkOptions& options,
                         const DifferenceScale& scale, std::span<const LinkChange> changes) {
  constexpr size_t kMostLinks = 16;
  if (changes.empty() || left_px() < 50) return;
  heading(view.is_merged() ? "Largest differences, groups" : "Largest differences of links");
  std::vector<const LinkChange*> order;
  for (const LinkChange& change : changes) order.push_back(&change);
  std::stable_sort(order.begin(), order.end(), [](const LinkChange* a, const LinkChange* b) {
    return std::abs(a->difference()) > std::abs(b->difference());
  });
  layout::Boxes boxes;
  for (size_t i = 0; i < std::min(order.size(), kMostLinks) && left_px() > 15; ++i) {
    const LinkChange& change = *order[i];
    const std::string link = link_name(view.names[change.from], view.names[change.to]) + "  ";
    std::string text = link + fmt::format("{} → {}", load_text(options.unit, change.before),
                                          load_text(options.unit, change.after));
    if (layout::text_width_px(text, theme_.small_size_px) > area_.w - 20) {
      const std::string difference = difference_text(options.unit, change.difference());
      text = link + difference;
      if (layout::text_width_px(text, theme_.small_size_px) > area_.w - 20) {
        text = difference + "  " + link;
      }
    }
    const layout::Point at = sample(15, 20, text);
    boxes.add({at.x + 2, at.y - 4, 8, 8}, scale.color(theme_, change.difference()));
  }
  scene_.layers.emplace_back(std::move(boxes));
}

void SideLegend::links(const NetworkView& view, const NetworkOptions& options,
                       const ValueScale& scale, std::span<const GroupLink* const> order,
                       size_t ringed) {
  constexpr size_t kMostLinks = 16;
  if (order.empty() || left_px() < 50) return;
  std::string what = "First";
  if (options.color == RouteMetric::kBytes) what = "Most loaded";
  if (options.color == RouteMetric::kRoutes) what = "Most used";
  heading(what + (view.is_merged() ? " between groups" : " links"));
  layout::Boxes boxes;
  layout::Polylines rings;
  for (size_t i = 0; i < std::min(order.size(), kMostLinks) && left_px() > 15; ++i) {
    const GroupLink& link = *order[i];
    const std::string value = metric_text(options.color, options.unit, link.value);
    const std::string name = link_name(view.names[link.from], view.names[link.to]);
    std::string text = fmt::format("{}  {}", name, value);
    if (layout::text_width_px(text, theme_.small_size_px) > area_.w - 20) {
      text = fmt::format("{}  {}", value, name);
    }
    const std::string count = ", " + base::counted(link.routes, "route", "routes");
    const bool fits = layout::text_width_px(text + count, theme_.small_size_px) < area_.w - 20;
    if (fits && options.unit == LoadUnit::kBytes && options.color != RouteMetric::kRoutes) {
      text += count;
    }
    const layout::Point at = sample(15, 20, text);
    boxes.add({at.x + 3, at.y - 3, 6, 6}, scale.color(theme_, link.value));
    if (i < ringed) rings.lines.push_back(ring(theme_, {at.x + 6, at.y}, 6));
  }
  scene_.layers.emplace_back(std::move(boxes));
  scene_.layers.emplace_back(std::move(rings));
}

void SideLegend::routes(const NetworkView& view, const NetworkOptions& options) {
  heading("Routes");
  layout::Polylines lines;
  for (size_t i = 0; i < view.drawn.size() && left_px() > 15; ++i) {
    const uint32_t route = view.drawn[i];
    std::string text = fmt::format("{} → {}", view.names[view.group_of[view.routes->from[route]]],
                                   view.names[view.group_of[view.routes->to[route]]]);
    // What finds room.
    std::vector<std::string> facts;
    if (options.unit == LoadUnit::kBytes) {
      facts.push_back(load_text(options.unit, route_value(view, route, RouteMetric::kBytes)));
    }
    facts.push_back(base::counted(view.routes->length(route), "hop", "hops"));
    facts.push_back("load up to " +
                    load_text(options.unit, route_value(view, route, RouteMetric::kMaxLoad)));
    for (const std::string& fact : facts) {
      const std::string longer = text + ", " + fact;
      if (layout::text_width_px(longer, theme_.small_size_px) < area_.w - 24) text = longer;
    }
    const layout::Point at = sample(15, 24, text);
    lines.add_rule({at.x, at.y}, {at.x + 18, at.y}, theme_.series_color(i), 2);
  }
  scene_.layers.emplace_back(std::move(lines));
}

layout::Point SideLegend::sample(double height_px, double indent_px, const std::string& text) {
  const double height = std::max(height_px, theme_.small_size_px * kLineHeight);
  const layout::Point at{area_.x, y_ + height / 2};
  layout::Labels labels;
  labels.items.push_back({.text = text,
                          .at = {area_.x + indent_px, at.y},
                          .color = theme_.text,
                          .size_px = theme_.small_size_px,
                          .baseline = layout::Baseline::kMiddle,
                          .max_width_px = area_.w - indent_px});
  scene_.layers.emplace_back(std::move(labels));
  y_ += height;
  return at;
}

layout::Polyline ring(const layout::Theme& theme, layout::Point middle, double radius_px) {
  layout::Polyline line = circle(middle, radius_px, layout::kTransparent, theme.highlight, 1.5);
  line.fill.reset();
  return line;
}

layout::Polyline circle(layout::Point middle, double radius_px, layout::Color fill,
                        layout::Color rim, double rim_px) {
  // Corners are less than 0.1 px off the circle.
  const int corners =
      static_cast<int>(std::clamp(std::ceil(4 * std::sqrt(radius_px)) * 2, 8.0, 96.0));
  layout::Polyline line{.stroke = rim, .width_px = rim_px, .fill = fill};
  for (int i = 0; i <= corners; ++i) {
    const double angle = 2 * std::numbers::pi * i / corners;
    line.points.push_back(
        {middle.x + radius_px * std::cos(angle), middle.y + radius_px * std::sin(angle)});
  }
  return line;
}

}  // namespace pathline::figure
