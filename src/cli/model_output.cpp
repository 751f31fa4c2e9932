// SPDX-License-Identifier: BSD-3-Clause
#include "cli/model_output.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/table.hpp"
#include "scaling/formula.hpp"

namespace pathline::cli {
namespace {

using Json = nlohmann::ordered_json;
using scaling::Fit;
using scaling::Flag;
using scaling::Ranked;

constexpr std::array<std::pair<Flag, std::string_view>, 10> kFlagNames = {{
    {Flag::kConstantByNoise, "constant-by-noise"},
    {Flag::kNegativePrediction, "negative-prediction"},
    {Flag::kDecreasing, "decreasing"},
    {Flag::kAmbiguous, "ambiguous"},
    {Flag::kNegativeValues, "negative-values"},
    {Flag::kFewPoints, "few-points"},
    {Flag::kNoRepetitions, "no-repetitions"},
    {Flag::kNotSeparable, "not-separable"},
    {Flag::kPoorFit, "poor-fit"},
    {Flag::kNoLogarithms, "no-logarithms"},
}};

/// What cannot be told is null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json point_json(const ModelReport& report, const std::vector<double>& point) {
  Json json = Json::object();
  for (size_t i = 0; i < point.size(); ++i) {
    json[base::printable(report.experiment.parameters[i])] = point[i];
  }
  return json;
}

Json terms_json(const ModelReport& report, const scaling::Model& model) {
  Json terms = Json::array();
  for (const scaling::Term& term : model.terms) {
    Json exponents = Json::object();
    for (const auto& [parameter, e] : term.factors) {
      exponents[base::printable(report.experiment.parameters[parameter])] = {
          {"power", e.power()}, {"log", static_cast<int>(e.log)}};
    }
    terms.push_back({{"coefficient", number(term.coefficient)}, {"exponents", exponents}});
  }
  return terms;
}

/// Fewest measurements of the kernel at a point.
size_t repetitions(const ModelReport& report, const Fit& fit) {
  size_t fewest = std::numeric_limits<size_t>::max();
  for (size_t p = 0; p < report.experiment.point_count(); ++p) {
    fewest = std::min(fewest, report.experiment.samples_of(fit.kernel, p).size());
  }
  return fewest;
}

/// Parameters in which the model falls from the smallest to the largest measured value, the others
/// being largest.
std::vector<uint32_t> falling_in(const ModelReport& report, const Fit& fit) {
  std::vector<uint32_t> falling;
  const double largest = scaling::evaluate(fit.model, report.largest);
  for (uint32_t i = 0; i < report.largest.size(); ++i) {
    std::vector<double> x = report.largest;
    for (size_t p = 0; p < report.experiment.point_count(); ++p) {
      x[i] = std::min(x[i], report.experiment.point(p)[i]);
    }
    if (scaling::evaluate(fit.model, x) > largest) falling.push_back(i);
  }
  return falling;
}

Json model_json(const ModelReport& report, const Ranked& row) {
  const std::vector<std::string>& names = report.experiment.parameters;
  const Fit& fit = report.fits[row.fit];
  Json json;
  json["rank"] = row.rank;
  json["callpath"] = base::printable(report.call_path(row));
  json["metric"] = base::printable(report.metric(row));
  json["formula"] = scaling::formula(fit.model, names, scaling::Notation::kText);
  json["leading_order"] = scaling::leading_order(fit.model, names);
  if (names.size() > 1) json["maximal_terms"] = scaling::maximal_terms(fit.model, names);
  json["probability"] = number(fit.probability);
  json["constant"] = number(fit.model.constant);
  json["terms"] = terms_json(report, fit.model);
  json["smape"] = number(fit.smape);
  json["rss"] = number(fit.rss);
  json["adjusted_r2"] = number(fit.adjusted_r2);
  json["cv_error"] = number(fit.cv_error);
  json["noise_pct"] = number(100 * fit.noise);
  json["points"] = report.experiment.point_count();
  json["repetitions"] = repetitions(report, fit);
  json["measured"] = number(report.measured(row));
  json["prediction"] = number(fit.predictions[0].value);
  json["prediction_low"] = number(fit.predictions[0].low);
  json["prediction_high"] = number(fit.predictions[0].high);
  if (report.targets.size() > 1) {
    Json predictions = Json::array();
    for (size_t t = 0; t < report.targets.size(); ++t) {
      predictions.push_back({{"at", point_json(report, report.targets[t])},
                             {"value", number(fit.predictions[t].value)},
                             {"low", number(fit.predictions[t].low)},
                             {"high", number(fit.predictions[t].high)}});
    }
    json["predictions"] = predictions;
  }
  json["growth_factor"] = number(row.growth_factor);
  json["share"] = has_share(report, row) ? number(row.share) : Json();
  json["share_gained"] = has_share(report, row) ? number(row.share_gained) : Json();
  json["rivals"] = Json::array();
  for (const scaling::Rival& rival : fit.rivals) {
    json["rivals"].push_back(
        {{"formula", scaling::formula(rival.model, names, scaling::Notation::kText)},
         {"leading_order", scaling::leading_order(rival.model, names)},
         {"probability", number(rival.probability)}});
  }
  if (!report.expected.empty()) {
    json["expectation"] = report.worse[row.fit] ? "worse" : "met";
    json["rivals_disagree"] = report.rivals_disagree[row.fit];
  }
  if (fit.flags.has(Flag::kDecreasing)) {
    Json falling = Json::array();
    for (const uint32_t p : falling_in(report, fit)) falling.push_back(base::printable(names[p]));
    json["decreasing_in"] = falling;
  }
  json["flags"] = flags_of(report, row);
  return json;
}

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
    const bool share = has_share(report, row);
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
               fmt::format("{}", repetitions(report, fit)),
               fmt::format("{}", fmt::join(flags_of(report, row), ";"))});
  }
  return table.finish();
}

}  // namespace

std::vector<std::string_view> flags_of(const ModelReport& report, const Ranked& row) {
  std::vector<std::string_view> names;
  if (report.worse[row.fit]) names.emplace_back("worse-than-expected");
  for (const auto& [flag, name] : kFlagNames) {
    if (report.fits[row.fit].flags.has(flag)) names.push_back(name);
  }
  return names;
}

bool has_share(const ModelReport& report, const Ranked& row) {
  return report.adds_up[report.experiment.kernels[report.fits[row.fit].kernel].metric];
}

double ModelReport::measured(const Ranked& row) const {
  // The values of all parameters need not be largest at one point.
  size_t best = 0;
  double best_sum = -HUGE_VAL;
  for (size_t p = 0; p < experiment.point_count(); ++p) {
    double sum = 0;
    for (size_t i = 0; i < largest.size(); ++i) {
      if (largest[i] > 0) sum += experiment.point(p)[i] / largest[i];
    }
    if (sum < best_sum) continue;
    best = p;
    best_sum = sum;
  }
  return scaling::aggregate(experiment.samples_of(fits[row.fit].kernel, best), aggregate);
}

std::string point_text(const ModelReport& report, const std::vector<double>& point) {
  std::vector<std::string> values;
  for (size_t i = 0; i < point.size(); ++i) {
    values.push_back(
        fmt::format("{} = {}", base::printable(report.experiment.parameters[i]), point[i]));
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

Json to_json(const ModelReport& report) {
  const scaling::Experiment& experiment = report.experiment;
  const auto printable = [](const std::vector<std::string>& texts) {
    Json json = Json::array();
    for (const std::string& text : texts) json.push_back(base::printable(text));
    return json;
  };
  Json json;
  json["data"] = base::printable(report.data);
  json["parameters"] = printable(experiment.parameters);
  json["range"] = Json::object();
  for (size_t i = 0; i < experiment.parameters.size(); ++i) {
    double least = report.largest[i];
    for (size_t p = 0; p < experiment.point_count(); ++p) {
      least = std::min(least, experiment.point(p)[i]);
    }
    json["range"][base::printable(experiment.parameters[i])] = {least, report.largest[i]};
  }
  json["points"] = experiment.point_count();
  json["metrics"] = printable(experiment.metrics);
  json["kernels"] = experiment.kernels.size();
  json["value_is"] =
      experiment.value_is.empty() ? Json() : Json(base::printable(experiment.value_is));
  json.update(report.settings);
  json["targets"] = Json::array();
  for (const auto& target : report.targets) json["targets"].push_back(point_json(report, target));
  if (!report.expected.empty()) {
    json["expectation"] = base::printable(report.expected);
    json["worse_than_expected"] = report.worse_count;
  }
  json["models"] = Json::array();
  for (const Ranked& row : report.rows) json["models"].push_back(model_json(report, row));
  json["skipped"] = Json::array();
  for (const auto& [call_path, metric, reason] : experiment.skipped) {
    json["skipped"].push_back({{"callpath", base::printable(call_path)},
                               {"metric", base::printable(metric)},
                               {"reason", base::printable(reason)}});
  }
  json["warnings"] = printable(experiment.warnings);
  return json;
}

base::Status print_rows(const CommonOptions& options, const ModelReport& report) {
  return options.format == "csv" ? print_csv(options, report) : print_table(options, report);
}

}  // namespace pathline::cli
