// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/thread_pool.hpp"
#include "bundle/router.hpp"
#include "layout/scene.hpp"

// Messages and promises that the tests of all routers share. Checks return what is wrong, an empty
// text if nothing is.
namespace pathline::bundle::cases {

inline layout::Point sender(const layout::Segments& lines, size_t i) {
  return {lines.x1[i], lines.y1[i]};
}
inline layout::Point receiver(const layout::Segments& lines, size_t i) {
  return {lines.x2[i], lines.y2[i]};
}

/// Phases from left to right: in each, rows send to near rows and now and then to any other.
inline layout::Segments phases(size_t count, unsigned seed,
                               layout::Rect clip = {10, 20, 640, 360}) {
  std::mt19937 random(seed);
  const auto share = [&] { return static_cast<double>(random() % 65536) / 65536; };
  layout::Segments lines;
  lines.clip = clip;
  for (size_t i = 0; i < count; ++i) {
    const double begin =
        clip.x + (static_cast<double>(random() % 8) + 0.1 + 0.2 * share()) * clip.w / 8;
    const auto row = static_cast<double>(random() % 64);
    const double far = random() % 4 == 0 ? static_cast<double>(random() % 64) - row : 3;
    const double end = begin + (0.1 + 0.5 * share()) * clip.w / 8;
    lines.add(begin, clip.y + (row + 0.5) * clip.h / 68, end,
              clip.y + (row + far + 0.5) * clip.h / 68);
    lines.weight.push_back(static_cast<float>(1 + random() % 1000));
  }
  return lines;
}

inline layout::Segments shuffled(const layout::Segments& lines, unsigned seed) {
  std::vector<size_t> order(lines.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  layout::Segments other;
  other.clip = lines.clip;
  for (const size_t i : order) {
    other.add(lines.x1[i], lines.y1[i], lines.x2[i], lines.y2[i]);
    if (!lines.weight.empty()) other.weight.push_back(lines.weight[i]);
  }
  return other;
}

/// Left and right exchanged within the clip.
inline layout::Segments mirrored(const layout::Segments& lines) {
  layout::Segments other = lines;
  const double sum = lines.clip.x + lines.clip.right();
  for (float& x : other.x1) x = static_cast<float>(sum - x);
  for (float& x : other.x2) x = static_cast<float>(sum - x);
  return other;
}

inline std::vector<layout::Point> route(const Router& router, layout::Point from,
                                        layout::Point to) {
  std::vector<layout::Point> control = {{-1, -1}, {-2, -2}, {-3, -3}};  // to be replaced
  router.route(from, to, control);
  return control;
}

inline bool is_same(const std::vector<layout::Point>& a, const std::vector<layout::Point>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](layout::Point p, layout::Point q) { return p.x == q.x && p.y == q.y; });
}

inline std::string text(const std::vector<layout::Point>& points) {
  std::string all;
  for (const layout::Point p : points) all += fmt::format(" ({}, {})", p.x, p.y);
  return all;
}

/// How nodes or routes of the first messages differ, if only by a bit.
inline std::string difference(const Router& a, const Router& b, const layout::Segments& lines) {
  const auto nodes_a = a.nodes();
  const auto nodes_b = b.nodes();
  const auto is_same_node = [](const Router::Node& p, const Router::Node& q) {
    return p.at.x == q.at.x && p.at.y == q.at.y && p.level == q.level;
  };
  if (!std::equal(nodes_a.begin(), nodes_a.end(), nodes_b.begin(), nodes_b.end(), is_same_node)) {
    return "other nodes";
  }
  for (size_t i = 0; i < std::min<size_t>(lines.size(), 3000); ++i) {
    const auto route_a = route(a, sender(lines, i), receiver(lines, i));
    const auto route_b = route(b, sender(lines, i), receiver(lines, i));
    if (!is_same(route_a, route_b)) {
      return fmt::format("message {}:{} and{}", i, text(route_a), text(route_b));
    }
  }
  return "";
}

/// Whether `make` (lines, pool) gives another router for another order or number of threads. The
/// messages are so many that threads share them out.
template <class Make>
std::string difference_by_order_and_threads(Make make) {
  const layout::Segments lines = phases(140000, 7);
  std::unique_ptr<Router> expected;
  for (const unsigned threads : {1U, 2U, 8U}) {
    // One after the other: the smallest of the pools that exist limits the threads of all.
    base::ThreadPool pool(threads);
    if (expected == nullptr) expected = make(lines, pool);
    const auto router = make(shuffled(lines, threads), pool);
    const std::string found = difference(*expected, *router, lines);
    if (!found.empty()) return fmt::format("{} threads: {}", threads, found);
  }
  return "";
}

struct Case {
  std::string name;
  layout::Segments lines;
};

/// What real pictures hardly have, and every router must bear.
inline std::vector<Case> degenerate() {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<Case> all;
  const layout::Rect clip = {0, 0, 400, 300};
  const auto add = [&](std::string name, layout::Rect area) -> layout::Segments& {
    all.push_back({std::move(name), {}});
    all.back().lines.clip = area;
    return all.back().lines;
  };
  add("no messages", clip);
  add("one message", clip).add(10, 20, 300, 200);
  layout::Segments& point = add("all at one point", clip);
  for (int i = 0; i < 50; ++i) point.add(100, 100, 100, 100);
  layout::Segments& broken = add("coordinates that are not finite", clip);
  broken.add(kNan, 1, 2, 3);
  broken.add(1, kInfinity, 2, 3);
  broken.add(5, 5, 300, 250);
  broken.add(1, 2, -kInfinity, 3);
  broken.add(1, 2, 3, kNan);
  layout::Segments& weights = add("weights of no use", clip);
  for (const float w : {0.0F, -5.0F, kNan, kInfinity, -kInfinity}) {
    weights.add(5, 5, 300, 250);
    weights.weight.push_back(w);
  }
  layout::Segments& pixel = add("a clip of one pixel", {7, 7, 1, 1});
  for (int i = 0; i < 100; ++i) pixel.add(7.0F, 7.5F, 7.0F + static_cast<float>(i) / 100, 7.25F);
  layout::Segments& crowd = add("100,000 messages in one pixel", clip);
  for (int i = 0; i < 100000; ++i) {
    const float within = static_cast<float>(i % 100) / 100;
    crowd.add(50 + within, 50, 50, 50 + within);
  }
  layout::Segments& heavy = add("weights near 2^53", clip);
  for (int i = 0; i < 1000; ++i) {
    heavy.add(static_cast<float>(i % 400), 10, 399, static_cast<float>(i % 300));
    heavy.weight.push_back(i % 2 == 0 ? 9007199254740992.0F : 1e-30F);
  }
  layout::Segments& outside = add("ends far outside", clip);
  outside.add(-1e30F, -1e30F, 1e30F, 1e30F);
  outside.add(-100, 150, 500, 150);
  add("a clip without area", {5, 5, 0, 0}).add(1, 1, 9, 9);
  add("a clip that is not finite", {0, 0, HUGE_VAL, NAN}).add(1, 1, 9, 9);
  layout::Segments& thin = add("a clip like a hair", {0, 0, 20000, 0.5});
  for (int i = 0; i < 200; ++i) {
    thin.add(static_cast<float>(100 * i), 0.25F, static_cast<float>(20000 - i), 0.3F);
  }
  return all;
}

/// What is wrong with a polygon: it begins and ends where it should and is finite in between.
inline std::string fault(const std::vector<layout::Point>& control, layout::Point from,
                         layout::Point to) {
  if (control.size() < 2) return "too short";
  if (!(std::isfinite(from.x + from.y) && std::isfinite(to.x + to.y))) {
    return control.size() == 2 ? "" : "not straight though an end is nowhere";
  }
  if (control.front().x != from.x || control.front().y != from.y) return "begins elsewhere";
  if (control.back().x != to.x || control.back().y != to.y) return "ends elsewhere";
  for (size_t i = 1; i + 1 < control.size(); ++i) {
    if (!(std::isfinite(control[i].x) && std::isfinite(control[i].y))) return "passes nowhere";
    if (control[i].x == control[i - 1].x && control[i].y == control[i - 1].y) return "stands still";
  }
  return "";
}

/// The first fault that routers of degenerate pictures show.
template <class Make>
std::string fault_with_degenerate_input(Make make) {
  base::ThreadPool pool(2);
  for (const Case& c : degenerate()) {
    const auto router = make(c.lines, pool);
    for (const Router::Node& node : router->nodes()) {
      if (!std::isfinite(node.at.x + node.at.y)) return c.name + ": a node is nowhere";
    }
    std::vector<std::pair<layout::Point, layout::Point>> pairs = {
        {{1, 2}, {350, 220}}, {{3, 3}, {3, 3}}, {{-1e9, 5}, {1e9, 7}}};
    for (size_t i = 0; i < std::min<size_t>(c.lines.size(), 500); ++i) {
      pairs.emplace_back(sender(c.lines, i), receiver(c.lines, i));
    }
    for (const auto& [from, to] : pairs) {
      const auto control = route(*router, from, to);
      const std::string found = fault(control, from, to);
      if (!found.empty()) return c.name + ": " + found + text(control);
    }
  }
  return "";
}

}  // namespace pathline::bundle::cases
