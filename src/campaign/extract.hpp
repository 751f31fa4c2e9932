// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "campaign/plan.hpp"
#include "campaign/state.hpp"
#include "campaign/study.hpp"
#include "profile/metric_table.hpp"

namespace pathline::campaign {

/// What a run left.
struct Extracted {
  std::vector<Value> values;  ///< One per column of the step; "" where there is none.
  std::optional<profile::MetricTable> profile;  ///< Of a run that was recorded.
  std::vector<std::string> warnings;
};

/// Reads the columns of a study out of the folders of its runs.
class Extractor {
 public:
  /// errors  kInvalidArgument naming file and line for a pattern that is no regular expression, a
  ///         JSON pointer that is none, a value that profiles do not have.
  static base::Result<Extractor> make(const Study& study, const Plan& plan);
  ~Extractor();
  Extractor(Extractor&&) noexcept;
  Extractor(const Extractor&) = delete;
  Extractor& operator=(const Extractor&) = delete;
  Extractor& operator=(Extractor&&) = delete;

  /// Values of all columns of the run's step, and its profile if it was recorded. What cannot be
  /// read is a warning and an empty value.
  /// cost  O(bytes of the files and events of the run).
  Extracted read(const Package& package, const std::filesystem::path& folder,
                 base::ThreadPool& pool) const;

  /// Definition of a column: what a value that was kept must have been read by.
  [[nodiscard]] static uint64_t definition(const Column& column);

 private:
  Extractor(const Study& study, const Plan& plan);

  struct Pattern;
  [[nodiscard]] base::Result<std::unique_ptr<Pattern>> compiled(const Column& column,
                                                                uint32_t point) const;
  [[nodiscard]] std::string by_pattern(size_t column, const Package& package,
                                       const std::filesystem::path& folder,
                                       std::vector<std::string>& warnings) const;
  [[nodiscard]] std::string by_json(const Column& column, const Package& package,
                                    const std::filesystem::path& folder,
                                    std::vector<std::string>& warnings) const;

  const Study* study_;
  const Plan* plan_;
  std::vector<std::unique_ptr<Pattern>> patterns_;  // By column; null without one.
};

/// The folder in that of a run where `pathline record` leaves it.
inline constexpr const char* kRecordedRun = "run";

}  // namespace pathline::campaign
