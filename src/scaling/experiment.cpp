// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/experiment.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace pathline::scaling {

double aggregate(std::span<const double> ascending, Aggregate how) {
  assert(!ascending.empty());
  const size_t n = ascending.size();
  switch (how) {
    case Aggregate::kMean: {
      // Divided first: the sum of large values may be beyond what a double holds.
      double mean = 0;
      for (const double value : ascending) mean += value / double(n);
      return mean;
    }
    case Aggregate::kMedian:
      return n % 2 == 1 ? ascending[n / 2] : ascending[n / 2 - 1] / 2 + ascending[n / 2] / 2;
    case Aggregate::kMin: return ascending.front();
    case Aggregate::kMax: return ascending.back();
  }
  return 0;
}

ExperimentBuilder::ExperimentBuilder(std::vector<std::string> parameters)
    : parameters_(std::move(parameters)) {}

uint32_t ExperimentBuilder::id_of(std::string_view name, Names& ids,
                                  std::vector<std::string>& names) {
  const auto [at, is_new] = ids.try_emplace(std::string(name), uint32_t(names.size()));
  if (is_new) names.emplace_back(name);
  return at->second;
}

uint32_t ExperimentBuilder::call_path(std::string_view name) {
  return id_of(name, call_path_ids_, call_paths_);
}

uint32_t ExperimentBuilder::metric(std::string_view name) {
  return id_of(name, metric_ids_, metrics_);
}

uint32_t ExperimentBuilder::point(std::span<const double> coordinates) {
  assert(coordinates.size() == parameters_.size());
  std::string key;
  for (const double x : coordinates) {
    const double positive_zero = x + 0.0;
    key.append(reinterpret_cast<const char*>(&positive_zero), sizeof positive_zero);
  }
  const auto [at, is_new] = point_ids_.try_emplace(std::move(key), uint32_t(point_ids_.size()));
  if (is_new) coordinates_.insert(coordinates_.end(), coordinates.begin(), coordinates.end());
  return at->second;
}

void ExperimentBuilder::add(uint32_t call_path, uint32_t metric, uint32_t point, double value) {
  assert(std::isfinite(value));
  samples_.push_back({uint64_t{call_path} << 32 | metric, point, value});
}

void ExperimentBuilder::warn(std::string warning) { warnings_.push_back(std::move(warning)); }

Experiment ExperimentBuilder::finish() && {
  const size_t arity = parameters_.size();
  const size_t point_count = point_ids_.size();
  const auto coordinates_of = [&](uint32_t p) {
    return std::span(coordinates_).subspan(p * arity, arity);
  };
  std::vector<uint32_t> order(point_count);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::ranges::lexicographical_compare(coordinates_of(a), coordinates_of(b));
  });

  Experiment result;
  std::vector<uint32_t> place(point_count);
  for (uint32_t i = 0; i < point_count; ++i) {
    place[order[i]] = i;
    const auto x = coordinates_of(order[i]);
    result.coordinates.insert(result.coordinates.end(), x.begin(), x.end());
  }
  for (Sample& sample : samples_) sample.point = place[sample.point];

  // Kernels in the order in which they first appear, which is that of their first sample.
  std::unordered_map<uint64_t, uint32_t> kernel_ids;
  std::vector<uint64_t> kernels;
  std::vector<uint64_t> count;  // Kernel x point; then where the next sample goes.
  for (const Sample& sample : samples_) {
    const auto [at, is_new] = kernel_ids.try_emplace(sample.kernel, uint32_t(kernels.size()));
    if (is_new) {
      kernels.push_back(sample.kernel);
      count.resize(count.size() + point_count);
    }
    ++count[at->second * point_count + sample.point];
  }
  std::vector<uint64_t> next(count.size(), UINT64_MAX);
  uint64_t end = 0;
  for (size_t k = 0; k < kernels.size(); ++k) {
    const auto of_kernel = std::span(count).subspan(k * point_count, point_count);
    const Kernel kernel = {uint32_t(kernels[k] >> 32), uint32_t(kernels[k])};
    const auto lacking = std::ranges::find(of_kernel, uint64_t{0});
    if (lacking != of_kernel.end()) {
      const auto x = result.coordinates.begin() + (lacking - of_kernel.begin()) * ptrdiff_t(arity);
      const auto has = point_count - size_t(std::ranges::count(of_kernel, uint64_t{0}));
      result.skipped.push_back(
          {call_paths_[kernel.call_path], metrics_[kernel.metric],
           fmt::format("it has values at {} of {} points, none at ({})", has, point_count,
                       fmt::join(x, x + ptrdiff_t(arity), ", "))});
      continue;
    }
    result.kernels.push_back(kernel);
    for (size_t p = 0; p < point_count; ++p) {
      next[k * point_count + p] = end;
      end += of_kernel[p];
      result.sample_end.push_back(end);
    }
  }
  result.samples.resize(end);
  for (const Sample& sample : samples_) {
    uint64_t& at = next[kernel_ids.at(sample.kernel) * point_count + sample.point];
    if (at != UINT64_MAX) result.samples[at++] = sample.value;
  }
  for (uint64_t begin = 0; const uint64_t stop : result.sample_end) {
    std::sort(result.samples.begin() + ptrdiff_t(begin), result.samples.begin() + ptrdiff_t(stop));
    begin = stop;
  }

  for (size_t i = 0; i < arity; ++i) {
    std::vector<double> values;
    for (size_t p = 0; p < point_count; ++p) values.push_back(result.coordinates[p * arity + i]);
    std::sort(values.begin(), values.end());
    const auto distinct = size_t(std::unique(values.begin(), values.end()) - values.begin());
    if (distinct < 5) {
      warnings_.push_back(fmt::format(
          "parameter {} has {} value{}: with fewer than 5 a model is little more than a guess",
          parameters_[i], distinct, distinct == 1 ? "" : "s"));
    }
  }
  result.parameters = std::move(parameters_);
  result.call_paths = std::move(call_paths_);
  result.metrics = std::move(metrics_);
  result.warnings = std::move(warnings_);
  return result;
}

}  // namespace pathline::scaling
