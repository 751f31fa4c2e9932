// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/smoothing.hpp"

#include <algorithm>
#include <cmath>

namespace pathline::figure {
namespace {

constexpr uint32_t kLongestGap = 4;
constexpr uint32_t kHalfBox = static_cast<uint32_t>(kSmoothPx) / 4;

/// Means over a box of 2 * kHalfBox + 1 columns, as far as it lies in the zone.
void box_mean(FastZone zone, size_t value_count, std::span<float> values,
              std::vector<double>& sums) {
  const uint32_t length = zone.end - zone.begin;
  sums.assign((size_t{length} + 1) * value_count, 0);
  for (uint32_t i = 0; i < length; ++i) {
    const float* const from = &values[(zone.begin + i) * value_count];
    for (size_t k = 0; k < value_count; ++k) {
      sums[(i + 1) * value_count + k] = sums[i * value_count + k] + double{from[k]};
    }
  }
  for (uint32_t i = 0; i < length; ++i) {
    const uint32_t first = i - std::min(i, kHalfBox);
    const uint32_t end = std::min(length, i + kHalfBox + 1);
    const double share = 1.0 / (end - first);
    float* const to = &values[(zone.begin + i) * value_count];
    const double* const above = &sums[end * value_count];
    const double* const below = &sums[first * value_count];
    for (size_t k = 0; k < value_count; ++k) {
      to[k] = static_cast<float>(std::max(0.0, (above[k] - below[k]) * share));
    }
  }
}

/// Time from one step to the next, of those in the range.
double median_ticks(std::span<const trace::StepWindow> steps, TimeRange range) {
  std::vector<double> lengths;
  for (size_t i = 1; i < steps.size(); ++i) {
    if (steps[i].begin_ticks < range.from || steps[i - 1].begin_ticks > range.until) continue;
    lengths.push_back(static_cast<double>(steps[i].begin_ticks - steps[i - 1].begin_ticks));
  }
  if (lengths.empty()) return 0;
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

}  // namespace

StepMeans::StepMeans(std::span<const trace::StepWindow> steps, TimeRange range,
                     uint32_t column_count, size_t value_count)
    : range_(range),
      ticks_per_column_(static_cast<double>(range.until - range.from) / column_count),
      value_count_(value_count),
      columns_(column_count) {
  constexpr double kToldApartPx = 6;
  constexpr double kLeastPx = 0.5;  // shorter steps are joined: there is no end to their number
  constexpr size_t kFewest = 4;     // in a row
  constexpr double kUnusual = 3;    // times the median
  double widest = kToldApartPx * ticks_per_column_;
  const double median = median_ticks(steps, range);
  if (median < widest) widest = std::max(widest, kUnusual * median);
  const double least = kLeastPx * ticks_per_column_;
  const auto span = static_cast<double>(range.until - range.from);
  const auto since = [&](uint64_t ticks) {
    return std::clamp(static_cast<double>(static_cast<int64_t>(ticks - range.from)), 0.0, span);
  };
  size_t run = 0;  // the first bin of the steps in a row
  const auto close = [&] {
    if (bins_.size() - run < kFewest) bins_.resize(run);
    if (bins_.size() > run) bins_.back().goes_on = false;
    run = bins_.size();
  };
  for (size_t i = 0; i < steps.size(); ++i) {
    const double begin = since(steps[i].begin_ticks);
    // What lies between two steps belongs to the first.
    const bool is_last = i + 1 == steps.size();
    const double end = since(is_last ? steps[i].end_ticks : steps[i + 1].begin_ticks);
    if (!(end > begin)) continue;
    const bool follows = bins_.size() > run && bins_.back().end == begin;
    if (!follows || end - begin >= widest) close();
    if (end - begin >= widest) continue;
    const bool is_joined = bins_.size() > run && bins_.back().end - bins_.back().begin < least;
    if (is_joined) {
      bins_.back().end = end;
    } else {
      bins_.push_back({begin, end, true});
    }
  }
  close();
  ticks_.resize(bins_.size() * value_count);
  for (size_t first = 0; first < bins_.size();) {
    size_t last = first;
    while (bins_[last].goes_on) ++last;
    const auto begin = static_cast<size_t>(std::ceil(bins_[first].begin / ticks_per_column_));
    const auto end = static_cast<size_t>(std::floor(bins_[last].end / ticks_per_column_));
    for (size_t column = begin; column < std::min<size_t>(end, column_count); ++column) {
      columns_[column] = 1;
    }
    first = last + 1;
  }
}

void StepMeans::add(uint64_t from, uint64_t until, size_t k) {
  const auto begin = static_cast<double>(from - range_.from);
  const auto end = static_cast<double>(until - range_.from);
  while (at_ < bins_.size() && bins_[at_].end <= begin) ++at_;
  for (size_t bin = at_; bin < bins_.size() && bins_[bin].begin < end; ++bin) {
    ticks_[bin * value_count_ + k] +=
        std::min(end, bins_[bin].end) - std::max(begin, bins_[bin].begin);
  }
}

void StepMeans::add_at(uint64_t ticks, double amount, size_t k) {
  const auto at = static_cast<double>(ticks - range_.from);
  while (at_ < bins_.size() && bins_[at_].end <= at) ++at_;
  if (at_ < bins_.size() && bins_[at_].begin <= at) ticks_[at_ * value_count_ + k] += amount;
}

void StepMeans::add_means(double weight, std::span<float> values) const {
  size_t bin = 0;
  for (size_t column = 0; column < columns_.size(); ++column) {
    if (columns_[column] == 0) continue;
    const double begin = static_cast<double>(column) * ticks_per_column_;
    const double end = begin + ticks_per_column_;
    while (bins_[bin].end <= begin) ++bin;
    for (size_t at = bin; at < bins_.size() && bins_[at].begin < end; ++at) {
      const double overlap = std::min(end, bins_[at].end) - std::max(begin, bins_[at].begin);
      const double share = weight * overlap / ticks_per_column_ / (bins_[at].end - bins_[at].begin);
      for (size_t k = 0; k < value_count_; ++k) {
        values[column * value_count_ + k] +=
            static_cast<float>(share * ticks_[at * value_count_ + k]);
      }
    }
  }
}

std::vector<FastZone> fast_zones(std::span<const uint8_t> is_changing) {
  constexpr auto kShortest = static_cast<uint32_t>(4 * kSmoothPx);
  std::vector<FastZone> zones;
  FastZone zone;
  const auto close = [&] {
    if (zone.end - zone.begin >= kShortest) zones.push_back(zone);
  };
  for (uint32_t column = 0; column < is_changing.size(); ++column) {
    if (is_changing[column] == 0) continue;
    if (column >= zone.end + kLongestGap) {
      close();
      zone.begin = column;
    }
    zone.end = column + 1;
  }
  close();
  return zones;
}

void smooth(std::span<const FastZone> zones, size_t value_count, std::span<float> values) {
  std::vector<double> sums;
  for (const FastZone& zone : zones) {
    box_mean(zone, value_count, values, sums);
    box_mean(zone, value_count, values, sums);
  }
}

}  // namespace pathline::figure
