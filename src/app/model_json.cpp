// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <nlohmann/json.hpp>

#include "app/model_report.hpp"
#include "base/text.hpp"
#include "scaling/formula.hpp"

namespace pathline::app {
namespace {

using Json = nlohmann::ordered_json;
using scaling::Fit;
using scaling::Flag;
using scaling::Ranked;

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

/// Parameters in which the model falls from the smallest to the largest measured value, the others
/// being largest.
std::vector<uint32_t> falling_in(const ModelReport& report, const Fit& fit) {
  std::vector<uint32_t> falling;
  const double largest = scaling::evaluate(fit.model, report.largest);
  for (uint32_t i = 0; i < report.largest.size(); ++i) {
    std::vector<double> x = report.largest;
    x[i] = report.least[i];
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
  json["repetitions"] = report.repetitions(row);
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
  json["share"] = report.has_share(row) ? number(row.share) : Json();
  json["share_gained"] = report.has_share(row) ? number(row.share_gained) : Json();
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
  json["flags"] = report.flags(row);
  return json;
}

}  // namespace

std::string to_json(const ModelReport& report) {
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
    json["range"][base::printable(experiment.parameters[i])] = {report.least[i], report.largest[i]};
  }
  json["points"] = experiment.point_count();
  json["metrics"] = printable(experiment.metrics);
  json["kernels"] = experiment.kernels.size();
  json["value_is"] =
      experiment.value_is.empty() ? Json() : Json(base::printable(experiment.value_is));
  for (const auto& [name, value] : report.settings) json[name] = value;
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
  return json.dump(2) + '\n';
}

}  // namespace pathline::app
