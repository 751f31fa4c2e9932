// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"

namespace pathline::scaling {

/// What is modelled: one metric of one call path.
struct Kernel {
  uint32_t call_path;  ///< Into Experiment::call_paths.
  uint32_t metric;     ///< Into Experiment::metrics.
};

/// A kernel that cannot be modelled, and why.
struct Skipped {
  std::string call_path;
  std::string metric;
  std::string reason;
};

/// Measurements of many kernels at the same points: values of some parameters, as the number of
/// processes and the size of the problem.
struct Experiment {
  std::vector<std::string> parameters;  ///< In the order of the input.
  std::vector<double> coordinates;      ///< Point x parameter; points ascending, none twice.
  std::vector<std::string> call_paths;  ///< Root first, joined by "->".
  std::vector<std::string> metrics;
  std::vector<std::string> units;  ///< Per metric: "sec", "bytes"; "" when the input does not say.
  std::vector<Kernel>
      kernels;  ///< Every one has a sample at every point. In the order of the input.
  /// Kernel x point: where the samples of this kernel and point end; they begin where those of
  /// the one before end.
  std::vector<uint64_t> sample_end;
  std::vector<double> samples;  ///< Repetitions, ascending. Finite.
  std::vector<Skipped> skipped;
  std::vector<std::string> warnings;
  /// What a value stands for: "mean per location", "sum over locations"; "" when the input does
  /// not say.
  std::string value_is;

  [[nodiscard]] size_t point_count() const {
    return parameters.empty() ? 0 : coordinates.size() / parameters.size();
  }
  [[nodiscard]] std::span<const double> point(size_t p) const {
    return std::span(coordinates).subspan(p * parameters.size(), parameters.size());
  }
  [[nodiscard]] std::span<const double> samples_of(size_t kernel, size_t p) const {
    const size_t i = kernel * point_count() + p;
    const uint64_t begin = i == 0 ? 0 : sample_end[i - 1];
    return std::span(samples).subspan(begin, sample_end[i] - begin);
  }
};

/// What of the repetitions is modelled.
enum class Aggregate : uint8_t { kMean, kMedian, kMin, kMax };

/// `ascending` must not be empty. The result lies between its first and its last value.
double aggregate(std::span<const double> ascending, Aggregate how);

/// Collects measurements in any order into an Experiment.
class ExperimentBuilder {
 public:
  explicit ExperimentBuilder(std::vector<std::string> parameters);

  /// Ids of what may be named again and again; equal names give equal ids.
  uint32_t call_path(std::string_view name);
  uint32_t metric(std::string_view name);
  void set_unit(uint32_t metric, std::string unit);
  uint32_t point(std::span<const double> coordinates);
  /// A kernel that must not be lost if no value of it comes.
  void declare(uint32_t call_path, uint32_t metric);
  /// value  finite.
  void add(uint32_t call_path, uint32_t metric, uint32_t point, double value);
  void warn(std::string warning);

  [[nodiscard]] const std::vector<std::string>& parameters() const { return parameters_; }

  /// Sorts everything into place. A kernel without a value at some point goes to `skipped` with
  /// how many it has and a point it lacks, unless nothing was measured at all. Warns about fewer
  /// than five values of a parameter. cost  O(samples), and the time to sort the samples of each
  /// kernel.
  Experiment finish() &&;

 private:
  struct Sample {
    uint32_t kernel;
    uint32_t point;
    double value;
  };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Names = std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>>;
  static uint32_t id_of(std::string_view name, Names& ids, std::vector<std::string>& names);

  [[nodiscard]] std::vector<uint32_t> points_in_order() const;
  [[nodiscard]] std::vector<Sample> samples_in_order(std::span<const uint32_t> order) const;
  void take(uint32_t kernel, std::span<const Sample> of_kernel, Experiment& result);
  void skip(uint32_t kernel, std::span<const Sample> of_kernel, Experiment& result);
  void warn_of_few_values(const Experiment& result);

  std::vector<std::string> parameters_;
  std::vector<double> coordinates_;
  std::vector<std::string> call_paths_;
  std::vector<std::string> metrics_;
  std::vector<std::string> units_;
  Names call_path_ids_;
  Names metric_ids_;
  Names point_ids_;  // By the bytes of the coordinates.
  std::string point_key_;
  std::vector<Kernel> kernels_;
  std::unordered_map<uint64_t, uint32_t> kernel_ids_;  // By call path << 32 | metric.
  uint32_t last_kernel_ = 0;                           // Samples come in blocks of one kernel.
  std::vector<Sample> samples_;
  std::vector<std::string> warnings_;
  uint64_t skipped_bytes_ = 0;
  uint64_t unlisted_ = 0;
};

}  // namespace pathline::scaling
