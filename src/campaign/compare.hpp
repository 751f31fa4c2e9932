// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "campaign/result_table.hpp"

namespace pathline::campaign {

enum class Verdict : uint8_t {
  kCannotTell,  ///< The repetitions spread so far that chance explains the difference.
  kSame,        ///< Every repetition gave the same on both sides.
  kLess,
  kMore,
};

/// Values of one column at one combination of parameters, in two campaigns.
struct Comparison {
  std::vector<std::pair<std::string, std::string>> parameters;  ///< Name and value.
  std::string column;
  std::vector<double> before;  ///< Of the repetitions, ascending; not empty.
  std::vector<double> after;   ///< The same.
  double change = 0;           ///< Of the geometric mean (of the mean, if a value is not above 0).
  double p = 1;                ///< How often chance alone makes such a difference.
  Verdict verdict = Verdict::kCannotTell;
  std::string word;  ///< "slower", "faster", "better", "worse", "more", "less", "same" ...
  [[nodiscard]] bool is_worse() const { return word == "slower" || word == "worse"; }
};

struct CompareOptions {
  double min_change = 0.01;  ///< Smaller ones are not told from none.
  double false_rate = 0.05;  ///< Of all that are called different, so many may be by chance.
};

struct ComparisonReport {
  std::vector<Comparison> rows;          ///< By column, then in the order of `before`.
  std::vector<std::string> only_before;  ///< Combinations that one side alone has: "p=4 n=8".
  std::vector<std::string> only_after;
  std::vector<std::string> warnings;
};

/// Sets change, p and verdict of rows of one kind, which have before and after.
/// cost  O(values).
void judge(std::vector<Comparison>& rows, const CompareOptions& options);

/// Which rows of a campaign that was run again differ from what they were. Logarithms of times are
/// compared by Student's t with the spread of a row moderated by that of all rows of the column
/// (Smyth, Statistical Applications in Genetics and Molecular Biology 3, 2004), as five repetitions
/// say little of it; the number of rows is allowed for by the false discovery rate (Benjamini and
/// Hochberg, 1995). A column in which no repetition differs from another has no spread, and there
/// every difference counts.
///
/// errors  kInvalidArgument when the two have no parameters or no numbers in common.
base::Result<ComparisonReport> compare(const ResultTable& before, const ResultTable& after,
                                       const CompareOptions& options);

}  // namespace pathline::campaign
