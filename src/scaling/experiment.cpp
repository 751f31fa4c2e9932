// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/experiment.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/text.hpp"

namespace pathline::scaling {
namespace {

/// A long call path may be skipped for each of many metrics, and every entry names it.
constexpr uint64_t kMaxSkippedBytes = uint64_t{64} << 20;

}  // namespace

double aggregate(std::span<const double> ascending, Aggregate how) {
  assert(!ascending.empty());
  const size_t n = ascending.size();
  switch (how) {
    case Aggregate::kMean: {
      double mean = std::accumulate(ascending.begin(), ascending.end(), 0.0) / double(n);
      if (!std::isfinite(mean)) {  // The sum of large values is beyond what a double holds.
        mean = 0;
        for (const double value : ascending) mean += value / double(n);
      }
      // Rounding must not make equal values differ from their mean.
      return std::clamp(mean, ascending.front(), ascending.back());
    }
    case Aggregate::kMedian: return std::midpoint(ascending[(n - 1) / 2], ascending[n / 2]);
    case Aggregate::kMin: return ascending.front();
    case Aggregate::kMax: return ascending.back();
  }
  return 0;
}

ExperimentBuilder::ExperimentBuilder(std::vector<std::string> parameters)
    : parameters_(std::move(parameters)) {
  assert(!parameters_.empty());
}

uint32_t ExperimentBuilder::id_of(std::string_view name, Names& ids,
                                  std::vector<std::string>& names) {
  const auto at = ids.find(name);
  if (at != ids.end()) return at->second;
  const auto id = uint32_t(names.size());
  ids.emplace(name, id);
  names.emplace_back(name);
  return id;
}

uint32_t ExperimentBuilder::call_path(std::string_view name) {
  return id_of(name, call_path_ids_, call_paths_);
}

uint32_t ExperimentBuilder::metric(std::string_view name) {
  return id_of(name, metric_ids_, metrics_);
}

void ExperimentBuilder::set_unit(uint32_t metric, std::string unit) {
  if (units_.size() <= metric) units_.resize(metric + size_t{1});
  units_[metric] = std::move(unit);
}

uint32_t ExperimentBuilder::point(std::span<const double> coordinates) {
  assert(coordinates.size() == parameters_.size());
  point_key_.clear();
  for (const double x : coordinates) {
    assert(std::isfinite(x));
    const double positive_zero = x + 0.0;
    point_key_.append(reinterpret_cast<const char*>(&positive_zero), sizeof positive_zero);
  }
  const auto [at, is_new] = point_ids_.try_emplace(point_key_, uint32_t(point_ids_.size()));
  if (is_new) {
    for (const double x : coordinates) coordinates_.push_back(x + 0.0);
  }
  return at->second;
}

void ExperimentBuilder::declare(uint32_t call_path, uint32_t metric) {
  if (kernels_.empty() || kernels_[last_kernel_].call_path != call_path ||
      kernels_[last_kernel_].metric != metric) {
    const auto [at, is_new] =
        kernel_ids_.try_emplace(uint64_t{call_path} << 32 | metric, uint32_t(kernels_.size()));
    if (is_new) kernels_.push_back({call_path, metric});
    last_kernel_ = at->second;
  }
}

void ExperimentBuilder::add(uint32_t call_path, uint32_t metric, uint32_t point, double value) {
  assert(std::isfinite(value));
  declare(call_path, metric);
  samples_.push_back({last_kernel_, point, value + 0.0});  // Not -0, which would be shown.
}

void ExperimentBuilder::warn(std::string warning) { warnings_.push_back(std::move(warning)); }

std::vector<uint32_t> ExperimentBuilder::points_in_order() const {
  const auto coordinates_of = [&](uint32_t p) {
    return std::span(coordinates_).subspan(p * parameters_.size(), parameters_.size());
  };
  std::vector<uint32_t> order(point_ids_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::ranges::lexicographical_compare(coordinates_of(a), coordinates_of(b));
  });
  return order;
}

/// By kernel, point and value. No table of kernels x points is made: few of the kernels may have
/// a value at more than one of many points.
std::vector<ExperimentBuilder::Sample> ExperimentBuilder::samples_in_order(
    std::span<const uint32_t> order) const {
  std::vector<uint32_t> place(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<uint64_t> end(kernels_.size() + 1);
  for (const Sample& sample : samples_) ++end[sample.kernel + 1];
  std::partial_sum(end.begin(), end.end(), end.begin());
  std::vector<Sample> sorted(samples_.size());
  for (const Sample& sample : samples_) {
    sorted[end[sample.kernel]++] = {sample.kernel, place[sample.point], sample.value};
  }
  uint64_t begin = 0;
  for (size_t k = 0; k < kernels_.size(); ++k) {
    std::sort(sorted.begin() + ptrdiff_t(begin), sorted.begin() + ptrdiff_t(end[k]),
              [](const Sample& a, const Sample& b) {
                return a.point != b.point ? a.point < b.point : a.value < b.value;
              });
    begin = end[k];
  }
  return sorted;
}

void ExperimentBuilder::take(uint32_t kernel, std::span<const Sample> of_kernel,
                             Experiment& result) {
  uint32_t point_count = 0;
  for (size_t i = 0; i < of_kernel.size(); ++i) {
    point_count += i == 0 || of_kernel[i].point != of_kernel[i - 1].point ? 1 : 0;
  }
  if (point_count < point_ids_.size()) {
    skip(kernel, of_kernel, result);
    return;
  }
  result.kernels.push_back(kernels_[kernel]);
  for (size_t i = 0; i < of_kernel.size(); ++i) {
    result.samples.push_back(of_kernel[i].value);
    if (i + 1 == of_kernel.size() || of_kernel[i + 1].point != of_kernel[i].point) {
      result.sample_end.push_back(result.samples.size());
    }
  }
}

void ExperimentBuilder::skip(uint32_t kernel, std::span<const Sample> of_kernel,
                             Experiment& result) {
  uint32_t present = 0;
  uint32_t lacking = 0;
  for (size_t i = 0; i < of_kernel.size(); ++i) {
    if (i > 0 && of_kernel[i].point == of_kernel[i - 1].point) continue;
    ++present;
    if (of_kernel[i].point == lacking) ++lacking;
  }
  const std::string& call_path = call_paths_[kernels_[kernel].call_path];
  const std::string& metric = metrics_[kernels_[kernel].metric];
  skipped_bytes_ += call_path.size() + metric.size();
  if (skipped_bytes_ > kMaxSkippedBytes) {
    ++unlisted_;
    return;
  }
  result.skipped.push_back(
      {call_path, metric,
       present == 0 ? "it has no values"
                    : fmt::format("it has values at {} of {} points, none at ({})", present,
                                  point_ids_.size(), fmt::join(result.point(lacking), ", "))});
}

void ExperimentBuilder::warn_of_few_values(const Experiment& result) {
  constexpr ptrdiff_t kEnough = 5;
  std::vector<double> values;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    values.clear();
    for (size_t p = 0; p < point_ids_.size(); ++p) values.push_back(result.point(p)[i]);
    std::sort(values.begin(), values.end());
    const auto distinct = std::unique(values.begin(), values.end()) - values.begin();
    if (distinct >= kEnough) continue;
    warnings_.push_back(
        fmt::format("parameter {} has {}: with fewer than {} a model is little more than a guess",
                    base::printable(parameters_[i]),
                    base::counted(uint64_t(distinct), "value", "values"), kEnough));
  }
}

Experiment ExperimentBuilder::finish() && {
  Experiment result;
  result.parameters = parameters_;
  const std::vector<uint32_t> order = points_in_order();
  result.coordinates.reserve(coordinates_.size());
  for (const uint32_t p : order) {
    const auto x = std::span(coordinates_).subspan(p * parameters_.size(), parameters_.size());
    result.coordinates.insert(result.coordinates.end(), x.begin(), x.end());
  }
  const std::vector<Sample> samples = samples_in_order(order);
  samples_ = {};
  result.samples.reserve(samples.size());
  size_t end = 0;
  for (uint32_t kernel = 0; kernel < kernels_.size() && !samples.empty(); ++kernel) {
    const size_t begin = end;
    while (end < samples.size() && samples[end].kernel == kernel) ++end;
    take(kernel, std::span(samples).subspan(begin, end - begin), result);
  }
  if (unlisted_ > 0) {
    warnings_.push_back(fmt::format("{} more lack points and are not listed",
                                    base::counted(unlisted_, "kernel", "kernels")));
  }
  warn_of_few_values(result);
  result.call_paths = std::move(call_paths_);
  units_.resize(metrics_.size());
  result.units = std::move(units_);
  result.metrics = std::move(metrics_);
  result.warnings = std::move(warnings_);
  return result;
}

}  // namespace pathline::scaling
