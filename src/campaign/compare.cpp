// SPDX-License-Identifier: BSD-3-Clause
//
// The only file of this layer that knows Boost.Math.
#include "campaign/compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "campaign/value.hpp"

namespace pathline::campaign {
namespace {

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double squares_around(const std::vector<double>& values, double mean) {
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

/// Where the trigamma function has this value, by Newton on its reciprocal (Smyth 2004, appendix).
double trigamma_inverse(double value) {
  if (value > 1e7) return 1 / std::sqrt(value);
  if (value < 1e-6) return 1 / value;
  double x = 0.5 + 1 / value;
  for (int i = 0; i < 50; ++i) {
    const double at = boost::math::trigamma(x);
    const double step = at * (1 - at / value) / boost::math::polygamma(2, x);
    x += step;
    if (-step / x < 1e-8) break;
  }
  return x;
}

/// What all rows together say of the spread: as if each had `freedom` more repetitions of it.
struct Prior {
  double freedom = 0;  ///< Infinite where all rows spread alike.
  double variance = 0;
};

struct RowSpread {
  double variance = 0;
  double freedom = 0;
};

Prior prior_of(const std::vector<RowSpread>& rows) {
  std::vector<double> centred;
  double expected = 0;
  for (const RowSpread& row : rows) {
    if (row.freedom <= 0 || row.variance <= 0) continue;
    const double half = row.freedom / 2;
    centred.push_back(std::log(row.variance) - boost::math::digamma(half) + std::log(half));
    expected += boost::math::trigamma(half);
  }
  if (centred.size() < 3) return {};
  const double mean = mean_of(centred);
  const double spread = squares_around(centred, mean) / static_cast<double>(centred.size() - 1) -
                        expected / static_cast<double>(centred.size());
  if (spread <= 0) return {.freedom = INFINITY, .variance = std::exp(mean)};
  const double half = trigamma_inverse(spread);
  return {.freedom = 2 * half,
          .variance = std::exp(mean + boost::math::digamma(half) - std::log(half))};
}

/// The rows of one column.
class ColumnTest {
 public:
  ColumnTest(std::vector<Comparison>& rows, size_t begin, const CompareOptions& options)
      : rows_(rows), begin_(begin), options_(options) {}

  void run() {
    const bool positive = std::all_of(rows_.begin() + offset(), rows_.end(), [](const auto& row) {
      return row.before.front() > 0 && row.after.front() > 0;
    });
    std::vector<RowSpread> spreads;
    std::vector<double> differences;
    for (size_t i = begin_; i < rows_.size(); ++i) {
      Comparison& row = rows_[i];
      std::vector<double> before = row.before;
      std::vector<double> after = row.after;
      if (positive) {
        for (double& value : before) value = std::log(value);
        for (double& value : after) value = std::log(value);
      }
      const double from = mean_of(before);
      const double to = mean_of(after);
      const auto freedom = static_cast<double>(before.size() + after.size() - 2);
      const double squares = squares_around(before, from) + squares_around(after, to);
      spreads.push_back({.variance = freedom > 0 ? squares / freedom : 0, .freedom = freedom});
      differences.push_back(to - from);
      row.change = positive    ? std::exp(to - from) - 1
                   : from != 0 ? (to - from) / std::abs(from)
                               : 0;
    }
    const bool any_repeated = std::any_of(spreads.begin(), spreads.end(),
                                          [](const RowSpread& row) { return row.freedom > 0; });
    const bool is_exact =
        any_repeated && std::all_of(spreads.begin(), spreads.end(),
                                    [](const RowSpread& row) { return row.variance < 1e-24; });
    const Prior prior = prior_of(spreads);
    for (size_t i = 0; i < spreads.size(); ++i) {
      rows_[begin_ + i].p = is_exact ? (std::abs(differences[i]) > 1e-12 ? 0 : 1)
                                     : chance(rows_[begin_ + i], differences[i], spreads[i], prior);
    }
    decide(is_exact);
  }

 private:
  [[nodiscard]] ptrdiff_t offset() const { return static_cast<ptrdiff_t>(begin_); }

  static double chance(const Comparison& row, double difference, const RowSpread& own,
                       const Prior& prior) {
    const double freedom = own.freedom + prior.freedom;
    if (freedom <= 0) return 1;
    const double variance =
        std::isinf(prior.freedom)
            ? prior.variance
            : (prior.freedom * prior.variance + own.freedom * own.variance) / freedom;
    const double error = std::sqrt(variance * (1 / static_cast<double>(row.before.size()) +
                                               1 / static_cast<double>(row.after.size())));
    if (error <= 0) return difference == 0 ? 1 : 0;
    const double t = std::abs(difference) / error;
    // As normal from there on.
    const boost::math::students_t distribution(std::min(freedom, 1e6));
    return 2 * boost::math::cdf(boost::math::complement(distribution, t));
  }

  /// Benjamini and Hochberg: the largest p below its share of the rate, and all below that.
  void decide(bool is_exact) {
    std::vector<double> ascending;
    for (size_t i = begin_; i < rows_.size(); ++i) ascending.push_back(rows_[i].p);
    std::sort(ascending.begin(), ascending.end());
    double bound = -1;
    for (size_t i = 0; i < ascending.size(); ++i) {
      const double share =
          options_.false_rate * static_cast<double>(i + 1) / static_cast<double>(ascending.size());
      if (ascending[i] <= share) bound = ascending[i];
    }
    for (size_t i = begin_; i < rows_.size(); ++i) {
      Comparison& row = rows_[i];
      const bool all_equal = row.before.front() == row.before.back() &&
                             row.before == std::vector<double>(row.before.size(), row.after[0]) &&
                             row.after.front() == row.after.back();
      const double least = is_exact ? 0 : options_.min_change;
      if (all_equal && row.before.size() + row.after.size() > 2) {
        row.verdict = Verdict::kSame;
      } else if (row.p <= bound && std::abs(row.change) >= least) {
        row.verdict = row.change < 0 ? Verdict::kLess : Verdict::kMore;
      }
    }
  }

  std::vector<Comparison>& rows_;
  const size_t begin_;
  const CompareOptions& options_;
};

bool is_time(const std::string& column) {
  for (const std::string_view end : {"_s", "_ms", "_us", "_ns", "time", "seconds", "runtime"}) {
    if (column.ends_with(end)) return true;
  }
  return false;
}

std::string word_of(Verdict verdict, const ResultColumn& column) {
  const bool more = verdict == Verdict::kMore;
  if (verdict == Verdict::kCannotTell) return "cannot tell";
  if (verdict == Verdict::kSame) return "same";
  if (is_time(column.name) && column.better != "more") return more ? "slower" : "faster";
  if (column.better.empty()) return more ? "more" : "less";
  return more == (column.better == "more") ? "better" : "worse";
}

/// Repetitions of one side, by the values of parameters.
using Side = std::map<std::vector<std::string>, std::vector<const ResultRow*>>;

class Comparer {
 public:
  Comparer(const ResultTable& before, const ResultTable& after, const CompareOptions& options)
      : before_(before), after_(after), options_(options) {}

  base::Result<ComparisonReport> run() {
    find_parameters();
    const Side left = side(before_);
    const Side right = side(after_);
    for (const auto& [key, rows] : left) {
      if (!right.contains(key)) report_.only_before.push_back(text_of(key));
    }
    for (const auto& [key, rows] : right) {
      if (!left.contains(key)) report_.only_after.push_back(text_of(key));
    }
    for (const ResultColumn& column : after_.columns) {
      if (column.kind == CellKind::kValue && column.is_number) add_column(column, left, right);
    }
    if (report_.rows.empty()) {
      return base::Error{base::ErrorCode::kInvalidArgument,
                         "the two campaigns have no numbers of the same column and parameters in "
                         "common",
                         "Compare a campaign with an earlier run of the same study."};
    }
    return std::move(report_);
  }

 private:
  void find_parameters() {
    for (const ResultColumn& column : before_.columns) {
      if (column.kind != CellKind::kParameter) continue;
      if (place_of(after_, column.name) != SIZE_MAX) names_.push_back(column.name);
    }
  }

  static size_t place_of(const ResultTable& table, const std::string& name) {
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].name == name) return c;
    }
    return SIZE_MAX;
  }

  [[nodiscard]] std::vector<std::string> key_of(const ResultTable& table,
                                                const ResultRow& row) const {
    std::vector<std::string> key;
    for (const std::string& name : names_) key.push_back(row.cells[place_of(table, name)]);
    return key;
  }

  [[nodiscard]] Side side(const ResultTable& table) const {
    Side side;
    for (const ResultRow& row : table.rows) side[key_of(table, row)].push_back(&row);
    return side;
  }

  [[nodiscard]] std::string text_of(const std::vector<std::string>& key) const {
    std::vector<std::string> words;
    for (size_t i = 0; i < key.size(); ++i) words.push_back(names_[i] + "=" + key[i]);
    return fmt::format("{}", fmt::join(words, " "));
  }

  static std::vector<double> numbers(const std::vector<const ResultRow*>& rows, size_t column) {
    std::vector<double> numbers;
    for (const ResultRow* row : rows) {
      if (const auto number = number_of(row->cells[column])) numbers.push_back(*number);
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }

  void add_column(const ResultColumn& column, const Side& left, const Side& right) {
    const size_t from = place_of(before_, column.name);
    const size_t to = place_of(after_, column.name);
    if (from == SIZE_MAX) return;
    const size_t begin = report_.rows.size();
    // In the order of the study.
    std::map<std::vector<std::string>, bool> seen;
    for (const ResultRow& first : after_.rows) {
      const std::vector<std::string> key = key_of(after_, first);
      const auto other = left.find(key);
      if (other == left.end() || !seen.emplace(key, true).second) continue;
      Comparison row{.column = column.title};
      row.before = numbers(other->second, from);
      row.after = numbers(right.at(key), to);
      if (row.before.empty() || row.after.empty()) continue;
      for (size_t i = 0; i < names_.size(); ++i) {
        if (before_.columns[place_of(before_, names_[i])].varies ||
            after_.columns[place_of(after_, names_[i])].varies) {
          row.parameters.emplace_back(names_[i], key[i]);
        }
      }
      report_.rows.push_back(std::move(row));
    }
    if (begin == report_.rows.size()) return;
    ColumnTest(report_.rows, begin, options_).run();
    for (size_t i = begin; i < report_.rows.size(); ++i) {
      report_.rows[i].word = word_of(report_.rows[i].verdict, column);
    }
  }

  const ResultTable& before_;
  const ResultTable& after_;
  const CompareOptions& options_;
  std::vector<std::string> names_;  // Parameters of both.
  ComparisonReport report_;
};

}  // namespace

void judge(std::vector<Comparison>& rows, const CompareOptions& options) {
  if (!rows.empty()) ColumnTest(rows, 0, options).run();
}

base::Result<ComparisonReport> compare(const ResultTable& before, const ResultTable& after,
                                       const CompareOptions& options) {
  return Comparer(before, after, options).run();
}

}  // namespace pathline::campaign
