// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/counter_findings.hpp"
#include "app/findings.hpp"

namespace pathline::app {

/// A finding in one of two runs, or in both: of the same kind at the same call path.
struct FindingChange {
  std::string verdict;  ///< "gone", "better", "same" (within a tenth), "worse", "new".
  std::string kind;
  std::string ranks;  ///< Of the later run, of the earlier one for what is gone.
  std::string call_path;
  std::optional<double> before_s;  ///< Recoverable.
  std::optional<double> after_s;
};

struct FindingsChange {
  double before_s = 0;  ///< Length of the focus.
  double after_s = 0;
  uint32_t before_ranks = 0;
  uint32_t after_ranks = 0;
  double before_useful_s = 0;  ///< Rank seconds.
  double after_useful_s = 0;
  double before_parallel = 0;  ///< Efficiency.
  double after_parallel = 0;
  std::optional<WorkScaling> work;  ///< By hardware counters.
  std::vector<FindingChange> rows;  ///< By how much they changed.

  /// How much work there is for the later run's, of the same problem: less than 1 where more ranks
  /// do more in total (POP's computation scaling).
  [[nodiscard]] double computation_scaling() const;
};

FindingsChange compare_findings(const FindingsReport& before, const FindingsReport& after);

/// "3.07 s -> 1.47 s (-52 %); parallel efficiency 61.0 % -> 88.2 %; ...".
std::string change_text(const FindingsChange& change);
nlohmann::ordered_json change_json(const FindingsChange& change);
nlohmann::ordered_json scaling_json(const FindingsChange& change);

}  // namespace pathline::app
