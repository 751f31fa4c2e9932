// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "layout/scene.hpp"

namespace pathline::bundle {

/// Which way a message takes through the picture. Immutable once made and shared between threads;
/// the same two points always give the same polygon, whatever else is in the picture's order.
class Router {
 public:
  Router() = default;
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;
  virtual ~Router() = default;

  /// Replaces `control` by the control polygon from `from` (where it is sent) to `to` (where it
  /// arrives), both included, in pixels. Two points are a straight line.
  virtual void route(layout::Point from, layout::Point to,
                     std::vector<layout::Point>& control) const = 0;

  /// What --show-hierarchy marks: the nodes that polygons may pass, with their level (0 lowest).
  struct Node {
    layout::Point at;
    uint32_t level = 0;
  };
  virtual std::vector<Node> nodes() const { return {}; }
};

}  // namespace pathline::bundle
