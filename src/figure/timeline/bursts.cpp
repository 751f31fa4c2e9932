// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/bursts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "base/text.hpp"
#include "layout/text.hpp"

namespace pathline::figure {
namespace {

/// Beyond this, numbers and hairlines would be the clutter that bursts are to avoid.
constexpr size_t kMaxLabelled = 2000;
constexpr double kMinBarPx = 3;

}  // namespace

std::vector<Burst> find_bursts(const layout::Segments& lines, const std::vector<LineRows>& rows,
                               double gap_px) {
  struct Send {
    uint32_t row;
    float x;
    float arrival;
    uint32_t target;
  };
  std::vector<Send> sends;
  sends.reserve(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    sends.push_back({rows[i].sender, lines.x1[i], lines.x2[i], rows[i].receiver});
  }
  std::sort(sends.begin(), sends.end(), [](const Send& a, const Send& b) {
    return std::tie(a.row, a.x, a.arrival, a.target) < std::tie(b.row, b.x, b.arrival, b.target);
  });
  std::vector<Burst> bursts;
  const auto finish = [&] {
    if (bursts.empty()) return;
    auto& targets = bursts.back().targets;
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  };
  for (size_t i = 0; i < sends.size(); ++i) {
    const Send& send = sends[i];
    const bool is_next =
        i == 0 || send.row != sends[i - 1].row || double{send.x} - sends[i - 1].x >= gap_px;
    if (is_next) {
      finish();
      bursts.push_back({send.row, send.x, send.x, 0, {}});
    }
    Burst& burst = bursts.back();
    burst.end_px = std::max({burst.end_px, double{send.x}, double{send.arrival}});
    ++burst.count;
    burst.targets.push_back(send.target);
  }
  finish();
  return bursts;
}

void add_bursts(layout::Scene& scene, const std::vector<Burst>& bursts, const layout::Rect& plot,
                size_t row_count, const layout::Gradient& colors, const layout::Theme& theme) {
  const double row_px = plot.h / static_cast<double>(row_count);
  const auto y_of = [&](uint32_t row) { return plot.y + (row + 0.5) * row_px; };
  double most = 1;
  for (const Burst& burst : bursts) most = std::max(most, static_cast<double>(burst.count));
  layout::Boxes bars;
  bars.snap = false;
  layout::Boxes dots;
  dots.snap = false;
  layout::Polylines hairs;
  layout::Labels numbers;
  const bool is_labelled = bursts.size() <= kMaxLabelled;
  const double full = std::clamp(row_px * 0.8, 1.0, 18.0);
  const double dot = std::clamp(row_px / 8, 1.0, 2.0);
  for (const Burst& burst : bursts) {
    const double begin = std::max(burst.begin_px, plot.x);
    const double end = std::min(std::max(burst.end_px, begin + kMinBarPx), plot.right());
    if (end <= begin) continue;
    const double share = std::log1p(static_cast<double>(burst.count)) / std::log1p(most);
    const double height = std::max(1.0, full * (0.3 + 0.7 * share));
    bars.add({begin, y_of(burst.row) - height / 2, end - begin, height}, colors.begin);
    // A burst that began before the picture has no place in it where it went to its receivers.
    if (!is_labelled || burst.begin_px < plot.x) continue;
    const double x = std::min(burst.begin_px, plot.right() - 1);
    const auto [low, high] = std::minmax({burst.row, burst.targets.front(), burst.targets.back()});
    hairs.lines.push_back({.points = {{x, y_of(low)}, {x, y_of(high)}},
                           .stroke = layout::with_alpha(colors.end, 0.5)});
    for (const uint32_t target : burst.targets) {
      dots.add({x - dot, y_of(target) - dot, 2 * dot, 2 * dot}, colors.end);
    }
    const std::string text = base::human_count(burst.count);
    if (height >= theme.small_size_px &&
        layout::text_width_px(text, theme.small_size_px, layout::Weight::kRegular) + 4 <
            end - begin) {
      numbers.items.push_back(
          {.text = text,
           .at = {(begin + end) / 2, y_of(burst.row)},
           .color = layout::readable_on(colors.begin, layout::rgb(0x101010), layout::rgb(0xffffff)),
           .size_px = theme.small_size_px,
           .anchor = layout::Anchor::kMiddle,
           .baseline = layout::Baseline::kMiddle});
    }
  }
  scene.layers.emplace_back(std::move(hairs));
  scene.layers.emplace_back(std::move(bars));
  scene.layers.emplace_back(std::move(dots));
  scene.layers.emplace_back(std::move(numbers));
}

}  // namespace pathline::figure
