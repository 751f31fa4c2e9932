// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/ink_profile.hpp"

#include <algorithm>
#include <cmath>

#include "bundle/raster_quality.hpp"

namespace pathline::bundle {

InkProfile ink_profile(const layout::Segments& lines, const BandIndex& row_index) {
  constexpr double kUpright = 8;  // px; wider lines keep their place in time
  const auto width = static_cast<size_t>(std::max(1.0, std::ceil(lines.clip.w)));
  InkProfile profile{std::vector<double>(width), std::vector<double>(width)};
  std::vector<double> steps(width + 1);  // of what is spread over columns, from one to the next
  const auto last = static_cast<double>(width - 1);
  for (size_t i = 0; i < lines.size(); ++i) {
    const double from_x = std::min(lines.x1[i], lines.x2[i]) - lines.clip.x;
    const double to_x = std::max(lines.x1[i], lines.x2[i]) - lines.clip.x;
    if (!(to_x >= 0 && from_x < lines.clip.w)) continue;
    const double height = std::abs(double{lines.y2[i]} - lines.y1[i]);
    const uint32_t from = row_index.at(lines.y1[i]);
    const uint32_t to = row_index.at(lines.y2[i]);
    const bool is_movable =
        std::max(from, to) - std::min(from, to) >= 2 && to_x - from_x < kUpright;
    const auto first_column = static_cast<size_t>(std::clamp(from_x, 0.0, last));
    const auto last_column = static_cast<size_t>(std::min(to_x, last));
    // Whole units, so that the order of the lines does not matter.
    if (is_movable) {
      profile.movable[(first_column + last_column) / 2] += std::floor(height + 1);
    } else {
      const double per_column = std::max(1.0, std::floor(height / (to_x - from_x + 1)));
      steps[first_column] += per_column;
      steps[last_column + 1] -= per_column;
    }
  }
  double fixed = 0;
  for (size_t x = 0; x < width; ++x) profile.fixed[x] = fixed += steps[x];
  return profile;
}

double expected_fidelity(const InkProfile& profile, const std::vector<Band>& columns, double left) {
  std::vector<double> straight(profile.fixed);
  std::vector<double> bundled(profile.fixed);
  size_t band = 0;
  for (size_t x = 0; x < profile.movable.size(); ++x) {
    const double at = left + static_cast<double>(x) + 0.5;
    while (band + 1 < columns.size() && columns[band].end <= at) ++band;
    const double node = std::floor(columns[band].node - left);
    const auto last = static_cast<double>(profile.movable.size() - 1);
    straight[x] += profile.movable[x];
    bundled[static_cast<size_t>(std::clamp(node, 0.0, last))] += profile.movable[x];
  }
  return phase_fidelity(bundled, straight);
}

double dominant_period_px(const InkProfile& profile) {
  constexpr size_t kLongest = 80;
  constexpr double kAlike = 0.5;
  constexpr double kGap = 0.25;
  const size_t width = profile.movable.size();
  std::vector<double> ink(width);
  double mean = 0;
  for (size_t x = 0; x < width; ++x) {
    ink[x] = profile.movable[x] + profile.fixed[x];
    mean += ink[x] / static_cast<double>(width);
  }
  for (double& value : ink) value -= mean;
  const auto correlation = [&](size_t lag) {
    double sum = 0;
    for (size_t x = lag; x < width; ++x) sum += ink[x] * ink[x - lag];
    return sum;
  };
  const double itself = correlation(0);
  if (!(itself > 0)) return 0;
  double before = correlation(1);
  double here = correlation(2);
  double least = before;
  for (size_t lag = 2; lag <= std::min(kLongest, width / 4); ++lag) {
    const double after = correlation(lag + 1);
    const bool is_peak = here > before && here >= after;
    // A period leaves gaps; without them it is a phase that is rough.
    if (is_peak && here > kAlike * itself && here - least > kGap * itself) {
      return static_cast<double>(lag);
    }
    least = std::min(least, here);
    before = here;
    here = after;
  }
  return 0;
}

}  // namespace pathline::bundle
