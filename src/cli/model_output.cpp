// SPDX-License-Identifier: BSD-3-Clause
#include "cli/model_output.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/table.hpp"
#include "scaling/formula.hpp"

namespace pathline::cli {
namespace {

using app::ModelReport;
using scaling::Fit;
using scaling::Ranked;

std::string csv_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

base::Status print_csv(const CommonOptions& options, const ModelReport& report) {
  CommonOptions csv = options;
  csv.format = "csv";
  Table table(csv, {{"rank"},
                    {"callpath", true},
                    {"metric", true},
                    {"formula", true},
                    {"leading_order", true},
                    {"measured"},
                    {"prediction"},
                    {"prediction_low"},
                    {"prediction_high"},
                    {"growth_factor"},
                    {"share"},
                    {"share_gained"},
                    {"probability"},
                    {"smape"},
                    {"rss"},
                    {"adjusted_r2"},
                    {"cv_error"},
                    {"noise_pct"},
                    {"points"},
                    {"repetitions"},
                    {"flags", true}});
  const std::vector<std::string>& names = report.experiment.parameters;
  for (const Ranked& row : report.rows) {
    const Fit& fit = report.fits[row.fit];
    const scaling::Prediction& predicted = fit.predictions[0];
    const bool share = report.has_share(row);
    table.row({fmt::format("{}", row.rank),
               base::printable(report.call_path(row)),
               base::printable(report.metric(row)),
               scaling::formula(fit.model, names, scaling::Notation::kText, 17),
               scaling::leading_order(fit.model, names),
               csv_number(report.measured(row)),
               csv_number(predicted.value),
               csv_number(predicted.low),
               csv_number(predicted.high),
               csv_number(row.growth_factor),
               share ? csv_number(row.share) : "",
               share ? csv_number(row.share_gained) : "",
               csv_number(fit.probability),
               csv_number(fit.smape),
               csv_number(fit.rss),
               csv_number(fit.adjusted_r2),
               csv_number(fit.cv_error),
               csv_number(100 * fit.noise),
               fmt::format("{}", report.experiment.point_count()),
               fmt::format("{}", report.repetitions(row)),
               fmt::format("{}", fmt::join(report.flags(row), ";"))});
  }
  return table.finish();
}

}  // namespace

base::Status print_rows(const CommonOptions& options, const ModelReport& report) {
  return options.format == "csv" ? print_csv(options, report) : print_table(options, report);
}

}  // namespace pathline::cli
