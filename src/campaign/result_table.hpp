// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "campaign/extract.hpp"
#include "campaign/plan.hpp"
#include "campaign/state.hpp"
#include "campaign/study.hpp"

namespace pathline::campaign {

enum class CellKind : uint8_t { kParameter, kRepetition, kValue };

struct ResultColumn {
  std::string name;  ///< In the study.
  std::string title;
  CellKind kind = CellKind::kValue;
  bool varies = true;       ///< A parameter with more than one value; true for others.
  bool is_number = false;   ///< All of its cells are numbers, or empty.
  std::string better = {};  ///< As Column::better.
  std::string format = {};  ///< As Shown::format.
};

struct ResultRow {
  uint32_t point = 0;  ///< Of the plan.
  uint32_t repetition = 0;
  std::vector<std::string> cells;  ///< As many as there are columns.
};

/// What a campaign came to: a row for each combination of parameters and each repetition of which
/// something is done, in the order of the plan or of Study::sorted_by.
struct ResultTable {
  std::vector<ResultColumn> columns;
  std::vector<ResultRow> rows;
  uint64_t missing = 0;  ///< Rows of which nothing is done.
  uint64_t holes = 0;    ///< Values that were not found in runs that are done.
};

/// Values that were never read, or by another pattern, are read now; they are kept if the state may
/// be written.
/// cost  O(runs x columns) where all are known; 10,000 runs take a few hundredths of a second.
base::Result<ResultTable> result_table(State& state, const Study& study, const Plan& plan,
                                       const Extractor& extractor, bool may_write,
                                       base::ThreadPool& pool);

/// One row for each combination of parameters: numbers of repetitions become their median, with
/// the least and the most behind it where they differ; other texts stay if all are equal.
/// In the order of their first rows.
/// number  prints a number.
ResultTable over_repetitions(const ResultTable& table, std::string (*number)(double));

}  // namespace pathline::campaign
