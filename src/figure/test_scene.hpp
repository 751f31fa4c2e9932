// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "layout/scene.hpp"

namespace pathline::figure {

// What a scene holds. For tests only; no program includes this.

/// All layers of one kind, in the order in which they are painted.
template <class T>
std::vector<const T*> layers_of(const layout::Scene& scene) {
  std::vector<const T*> found;
  for (const layout::Layer& layer : scene.layers) {
    if (const T* part = std::get_if<T>(&layer)) found.push_back(part);
  }
  return found;
}

inline std::vector<layout::Label> labels_of(const layout::Scene& scene) {
  std::vector<layout::Label> found;
  for (const auto* layer : layers_of<layout::Labels>(scene)) {
    found.insert(found.end(), layer->items.begin(), layer->items.end());
  }
  return found;
}

/// The first label of this text; nullptr if there is none.
inline const layout::Label* find_label(const std::vector<layout::Label>& labels,
                                       std::string_view text) {
  for (const layout::Label& label : labels) {
    if (label.text == text) return &label;
  }
  return nullptr;
}

}  // namespace pathline::figure
