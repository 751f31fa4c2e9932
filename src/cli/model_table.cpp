// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/model_output.hpp"
#include "cli/table.hpp"
#include "scaling/call_path.hpp"
#include "scaling/formula.hpp"

namespace pathline::cli {
namespace {

using app::ModelReport;
using scaling::Fit;
using scaling::Ranked;

constexpr size_t kWhole = std::numeric_limits<size_t>::max();
constexpr size_t kLeastPath = 24;
constexpr size_t kLeastModel = 34;

/// Three digits, as the formulas have them.
std::string short_number(double value) {
  if (std::isnan(value)) return "unknown";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return scaling::formula({value, {}}, {}, scaling::Notation::kText, 3);
}

/// As people read values of this unit; three digits where it is none that they know.
std::string value_text(double value, std::string_view of_metric) {
  Column column{.name = ""};
  if (of_metric == "sec" || of_metric == "s") column.unit = Unit::kSeconds;
  if (of_metric == "bytes" || of_metric == "B") column.unit = Unit::kBytes;
  if (column.unit == Unit::kNone || !std::isfinite(value)) return short_number(value);
  return for_people(column, fmt::format("{}", value));
}

std::string range_text(const scaling::Prediction& predicted, std::string_view of_metric) {
  if (std::isnan(predicted.low) || std::isnan(predicted.high)) return "unknown";
  return fmt::format("{} to {}", value_text(predicted.low, of_metric),
                     value_text(predicted.high, of_metric));
}

std::string caption(const ModelReport& report) {
  const std::string& metric = report.experiment.metrics.front();
  const std::string& unit = report.experiment.units.front();
  std::string text;
  if (report.experiment.metrics.size() == 1 && !(metric.empty() && unit.empty())) {
    text = base::printable(metric);
    if (!unit.empty())
      text += fmt::format("{}[{}]", text.empty() ? "" : " ", base::printable(unit));
    text += ' ';
  }
  text += "predicted at " + report.point_text(report.targets[0]);
  for (size_t t = 1; t < report.targets.size(); ++t) {
    text += fmt::format("{}{}", t == 1 ? " (--format json has also " : "; ",
                        report.point_text(report.targets[t]));
  }
  if (report.targets.size() > 1) text += ')';
  text += ", measured at the largest point";
  const std::string& value_is = report.experiment.value_is;
  return value_is.empty() ? text : text + "; a value is the " + base::printable(value_is);
}

/// A column of the table before it is known to find room.
struct Cells {
  Column column;
  std::vector<std::string> rows;
  [[nodiscard]] size_t width() const {
    size_t width = letter_count(column.name);
    for (const std::string& cell : rows) width = std::max(width, letter_count(cell));
    return width;
  }
};

/// Names of call paths in at most `width` letters where that can be; different ones differ.
std::vector<std::string> fitted(const std::vector<std::string>& paths, size_t width) {
  std::vector<std::string> names;
  std::map<std::string, std::vector<std::string>> taken;
  for (const std::string& path : paths) {
    std::string name = path;
    for (std::string& shorter : scaling::shorter_call_paths(path)) {
      name = std::move(shorter);
      if (letter_count(name) <= width) break;
    }
    // Arguments of a template may be all the difference.
    std::vector<std::string>& same = taken[name];
    const auto at = std::find(same.begin(), same.end(), path);
    const auto place = at - same.begin();
    if (at == same.end()) same.push_back(path);
    names.push_back(place == 0 ? name : fmt::format("{} #{}", name, place + 1));
  }
  return names;
}

class ModelTable {
 public:
  explicit ModelTable(const ModelReport& report) : report_(report) {
    for (const Ranked& row : report.rows) (report.is_zero(row) ? zero_ : rows_).push_back(&row);
    if (rows_.empty()) rows_.swap(zero_);
  }

  base::Status print(const CommonOptions& options) {
    fill();
    fit();
    std::vector<Column> columns;
    for (const Cells& cells : columns_) columns.push_back(cells.column);
    CommonOptions table_options = options;
    table_options.format = "table";
    Table table(table_options, columns);
    table.caption(caption(report_));
    for (size_t i = 0; i < rows_.size(); ++i) {
      std::vector<std::string> cells;
      for (const Cells& column : columns_) cells.push_back(column.rows[i]);
      table.row(cells);
    }
    if (!zero_.empty()) table.footnote(zeros());
    return table.finish();
  }

 private:
  void add(std::string_view name, bool is_text, size_t least, const auto& cell) {
    Cells cells{{name, is_text, least}, {}};
    for (const Ranked* row : rows_) cells.rows.push_back(cell(*row, report_.fits[row->fit]));
    columns_.push_back(std::move(cells));
  }

  void fill() {
    const std::vector<std::string>& names = report_.experiment.parameters;
    const bool several = report_.experiment.metrics.size() > 1;
    add("rank", false, kWhole,
        [](const Ranked& row, const Fit&) { return fmt::format("{}", row.rank); });
    add("call path", true, kLeastPath,
        [&](const Ranked& row, const Fit&) { return base::printable(report_.call_path(row)); });
    if (several) {
      add("metric", true, kWhole, [&](const Ranked& row, const Fit&) {
        const std::string& of_metric = report_.unit(row);
        return base::printable(report_.metric(row)) +
               (of_metric.empty() ? "" : fmt::format(" [{}]", base::printable(of_metric)));
      });
    }
    add("model", true, kLeastModel, [&](const Ranked&, const Fit& fit) {
      return scaling::formula(fit.model, names, scaling::Notation::kText, 3);
    });
    add(kLeading, true, kWhole,
        [&](const Ranked&, const Fit& fit) { return scaling::leading_order(fit.model, names); });
    add("measured", false, kWhole, [&](const Ranked& row, const Fit&) {
      return value_text(report_.measured(row), report_.unit(row));
    });
    add("predicted", false, kWhole, [&](const Ranked& row, const Fit& fit) {
      return value_text(fit.predictions[0].value, report_.unit(row));
    });
    add("range", true, kWhole, [&](const Ranked& row, const Fit& fit) {
      return range_text(fit.predictions[0], report_.unit(row));
    });
    add("share", false, kWhole, [&](const Ranked& row, const Fit&) {
      const bool known = report_.has_share(row) && std::isfinite(row.share);
      return known ? fmt::format("{:.1f} %", 100 * row.share) : "";
    });
    add("flags", true, kWhole, [&](const Ranked& row, const Fit&) {
      return fmt::format("{}", fmt::join(report_.flags(row), ", "));
    });
  }

  [[nodiscard]] size_t excess() const {
    size_t total = 2 * (columns_.size() - 1);
    for (const Cells& cells : columns_) total += cells.width();
    return total - std::min(total, table_width());
  }

  /// What the model says again goes first, then the callers; the rest is up to the table.
  void fit() {
    if (excess() > 0) {
      std::erase_if(columns_, [](const Cells& cells) { return cells.column.name == kLeading; });
    }
    Cells& paths = columns_[1];
    const size_t width = paths.width();
    paths.rows = fitted(paths.rows, std::max(kLeastPath, width - std::min(width, excess())));
  }

  [[nodiscard]] std::string zeros() const {
    std::vector<std::string> names;
    constexpr size_t kMost = 5;
    for (const Ranked* row : zero_) {
      if (names.size() == kMost) break;
      const std::string& metric = report_.metric(*row);
      names.push_back(base::printable(report_.call_path(*row)) +
                      (metric.empty() ? "" : " (" + base::printable(metric) + ")"));
    }
    if (zero_.size() > kMost) names.push_back(fmt::format("and {} more", zero_.size() - kMost));
    return fmt::format(
        "{} 0 at every point: {}",
        zero_.size() == 1 ? "1 kernel is" : fmt::format("{} kernels are", zero_.size()),
        fmt::join(names, ", "));
  }

  static constexpr std::string_view kLeading = "leading";
  const ModelReport& report_;
  std::vector<const Ranked*> rows_;
  std::vector<const Ranked*> zero_;
  std::vector<Cells> columns_;
};

}  // namespace

base::Status print_table(const CommonOptions& options, const ModelReport& report) {
  return ModelTable(report).print(options);
}

}  // namespace pathline::cli
