// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/row_places.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "layout/axis.hpp"

namespace pathline::figure {

std::optional<RowPlaces> places_of_rows(const std::vector<RowSignature>& signatures,
                                        uint32_t height_px, uint32_t own_px) {
  constexpr size_t kAround = 64;
  constexpr float kUnlike = 0.25F;
  constexpr float kUnusual = 6;
  constexpr uint32_t kPxPerOwn = 40;
  const size_t row_count = signatures.size();
  if (row_count < kAround || 3 * uint64_t{height_px} >= 2 * uint64_t{own_px} * row_count) return {};
  std::vector<float> distances(row_count);
  std::vector<std::pair<float, uint32_t>> unlike;
  for (size_t begin = 0; begin < row_count; begin += kAround) {
    const size_t first = std::min(begin, row_count - kAround);
    RowSignature usual;
    std::array<float, kAround> values;
    const auto median = [&] {
      std::nth_element(values.begin(), values.begin() + kAround / 2, values.end());
      return values[kAround / 2];
    };
    for (size_t k = 0; k < usual.size(); ++k) {
      for (size_t i = 0; i < kAround; ++i) values[i] = signatures[first + i][k];
      usual[k] = median();
    }
    for (size_t i = 0; i < kAround; ++i) {
      float distance = 0;
      for (size_t k = 0; k < usual.size(); ++k) {
        distance += std::abs(signatures[first + i][k] - usual[k]);
      }
      values[i] = distances[first + i] = distance;
    }
    const float least = std::max(kUnlike, kUnusual * median());
    for (size_t row = begin; row < std::min(row_count, begin + kAround); ++row) {
      if (distances[row] > least) unlike.emplace_back(-distances[row], static_cast<uint32_t>(row));
    }
  }
  std::sort(unlike.begin(), unlike.end());
  unlike.resize(std::min<size_t>(unlike.size(), height_px / kPxPerOwn));
  if (unlike.empty()) return {};
  RowPlaces places;
  for (const auto& [distance, row] : unlike) places.unlike.push_back(row);
  std::sort(places.unlike.begin(), places.unlike.end());
  const size_t own = places.unlike.size();
  const double rest_px = height_px - static_cast<double>(own) * own_px;
  const double px = rest_px / static_cast<double>(row_count - own);
  double top = 0;
  for (uint32_t row = 0, next = 0; row < row_count; ++row) {
    places.tops.push_back(static_cast<uint32_t>(std::lround(top)));
    const bool is_own = next < own && places.unlike[next] == row;
    if (is_own) ++next;
    top += is_own ? own_px : px;
  }
  places.tops.push_back(height_px);
  return places;
}

void add_row_names(layout::Scene& scene, const layout::Theme& theme, const layout::Rect& plot,
                   double scale, std::span<const std::string> names, const RowPlaces& places,
                   double max_width_px) {
  layout::Labels labels;
  const auto add = [&](size_t row) {
    const double y = plot.y + (places.tops[row] + places.tops[row + 1]) / 2.0 / scale;
    const bool has_room =
        std::none_of(labels.items.begin(), labels.items.end(), [&](const layout::Label& label) {
          return std::abs(label.at.y - y) < theme.small_size_px * 1.2;
        });
    if (!has_room) return;
    labels.items.push_back({.text = names[row],
                            .at = {plot.x - 8, y},
                            .color = theme.text,
                            .size_px = theme.small_size_px,
                            .anchor = layout::Anchor::kEnd,
                            .baseline = layout::Baseline::kMiddle,
                            .max_width_px = max_width_px});
  };
  for (const uint32_t row : places.unlike) add(row);
  const size_t every = layout::row_label_distance(theme, plot, names.size());
  for (size_t row = 0; row < names.size(); row += every) add(row);
  scene.layers.emplace_back(std::move(labels));
}

}  // namespace pathline::figure
