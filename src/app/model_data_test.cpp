// SPDX-License-Identifier: BSD-3-Clause
//
// The data sets of Extra-P, modelled: every kernel against the model that Extra-P 4.2.5 printed.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "app/model_input.hpp"
#include "base/test_data.hpp"
#include "cube/reader.hpp"
#include "scaling/formula.hpp"
#include "scaling/search/search.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;
using scaling::Experiment;
using scaling::Fit;

fs::path data_folder() { return base::third_party_data("extrap"); }

#define SKIP_WITHOUT_DATA() \
  if (!fs::exists(data_folder())) GTEST_SKIP() << base::kNeedsThirdPartyData

/// A model as Extra-P prints it: "1.5 + 0.5 * x^(3/2) * log2(x)^(1) + ...".
class PrintedModel {
 public:
  explicit PrintedModel(const std::string& text) {
    std::istringstream words(text);
    terms_.emplace_back();
    for (std::string word; words >> word;) {
      if (word == "+") {
        terms_.emplace_back();
      } else if (word != "*") {
        terms_.back().push_back(word);
      }
    }
  }
  [[nodiscard]] double evaluate(const Experiment& experiment, size_t point) const {
    double sum = 0;
    for (const auto& factors : terms_) {
      double product = 1;
      for (const std::string& factor : factors) product *= value(factor, experiment, point);
      sum += product;
    }
    return sum;
  }

 private:
  static double value(const std::string& factor, const Experiment& experiment, size_t point) {
    const size_t caret = factor.find("^(");
    if (caret == std::string::npos) return std::stod(factor);
    const std::string power = factor.substr(caret + 2, factor.size() - caret - 3);
    const size_t slash = power.find('/');
    const double exponent = slash == std::string::npos
                                ? std::stod(power)
                                : std::stod(power) / std::stod(power.substr(slash + 1));
    std::string name = factor.substr(0, caret);
    const bool is_log = name.starts_with("log2(");
    if (is_log) name = name.substr(5, name.size() - 6);
    for (size_t d = 0; d < experiment.parameters.size(); ++d) {
      if (experiment.parameters[d] != name) continue;
      const double x = experiment.point(point)[d];
      return std::pow(is_log ? std::log2(x) : x, exponent);
    }
    ADD_FAILURE() << "no parameter " << name;
    return 0;
  }
  std::vector<std::vector<std::string>> terms_;
};

/// Model by call path and metric, out of an expected/*.out.
std::map<std::pair<std::string, std::string>, std::string> printed_models(const fs::path& file) {
  std::map<std::pair<std::string, std::string>, std::string> models;
  std::ifstream in(file);
  std::string call_path;
  std::string metric;
  for (std::string line; std::getline(in, line);) {
    const auto rest_of = [&](const std::string& key) {
      return line.starts_with(key) ? line.substr(key.size()) : "";
    };
    if (line.starts_with("Callpath: ")) call_path = rest_of("Callpath: ");
    if (line.starts_with("\tMetric: ")) metric = rest_of("\tMetric: ");
    if (line.starts_with("\t\tModel: ")) models[{call_path, metric}] = rest_of("\t\tModel: ");
  }
  return models;
}

double smape(const Experiment& experiment, size_t kernel, const auto& model) {
  double sum = 0;
  for (size_t p = 0; p < experiment.point_count(); ++p) {
    const double y = aggregate(experiment.samples_of(kernel, p), scaling::Aggregate::kMean);
    const double value = model(p);
    const double size = std::abs(y) + std::abs(value);
    if (size > 0) sum += 200 * std::abs(y - value) / size;
  }
  return sum / double(experiment.point_count());
}

/// Calls `body(name, experiment, fits, printed)` for every data set that Extra-P has models of.
void for_each_data_set(const auto& body) {
  for (const auto& entry : fs::directory_iterator(data_folder() / "expected")) {
    std::string name = entry.path().stem().string();
    const auto printed = printed_models(entry.path());
    if (entry.path().extension() != ".out" || printed.empty()) continue;
    name.replace(name.find("__"), 2, "/");
    SCOPED_TRACE(name);
    base::ThreadPool pool(1);
    base::Progress progress;
    const auto input = open_measurements({.data = (data_folder() / name).string()}, pool, progress);
    ASSERT_TRUE(input.ok()) << input.error().message;
    const Experiment& experiment = input.value().experiment;
    body(name, experiment, fit_all(experiment, {}, pool), printed);
  }
}

/// Kernels whose model is farther from the data than Extra-P's, and why it is the better one.
const std::map<std::string, std::string>& explained() {
  constexpr auto kCountsOfOneRun =
      "a hardware counter of one run without repetitions; nothing says that it grows";
  constexpr auto kTruthIsConstant = "generated as a constant with 1 % noise";
  static const std::map<std::string, std::string> reasons = {
      {"cube/single_parameter main PAPI_FP_OPS", kCountsOfOneRun},
      {"cube/single_parameter main PAPI_L2_TCM", kCountsOfOneRun},
      {"cube/single_parameter main->init_mat PAPI_L3_TCM", kCountsOfOneRun},
      {"cube/single_parameter main->mat_mul PAPI_L2_TCM", kCountsOfOneRun},
      {"cube/single_parameter main->zero_mat PAPI_L2_TCM",
       "a few cache misses: Extra-P's plain fit follows the largest three"},
      {"cube/mg_recursive_generated main->solve->mg_cycle->prolong time", kTruthIsConstant},
      {"cube/mg_recursive_generated main->solve->mg_cycle->mg_cycle->restrict time",
       kTruthIsConstant},
  };
  return reasons;
}

TEST(ModelData, EveryModelIsAsNearToTheDataAsThatOfExtraPOrExplained) {
  SKIP_WITHOUT_DATA();
  size_t compared = 0;
  size_t nearer = 0;
  std::set<std::string> farther;
  for_each_data_set([&](const std::string& name, const Experiment& experiment,
                        const std::vector<Fit>& fits, const auto& printed) {
    EXPECT_EQ(fits.size(), printed.size());
    for (const Fit& fit : fits) {
      const scaling::Kernel kernel = experiment.kernels[fit.kernel];
      const std::pair key = {experiment.call_paths[kernel.call_path],
                             experiment.metrics[kernel.metric]};
      const auto at = printed.find(key);
      ASSERT_NE(at, printed.end()) << key.first << ' ' << key.second;
      if (at->second.find("None") != std::string::npos) continue;  // Extra-P has no number there.
      const PrintedModel theirs(at->second);
      const double their_smape =
          smape(experiment, fit.kernel, [&](size_t p) { return theirs.evaluate(experiment, p); });
      EXPECT_NEAR(fit.smape,
                  smape(experiment, fit.kernel,
                        [&](size_t p) { return evaluate(fit.model, experiment.point(p)); }),
                  1e-9);
      ++compared;
      nearer += fit.smape < 0.9 * their_smape - 0.001;
      // Small differences come from weights: Extra-P's errors are absolute, ours relative.
      constexpr double kWeightsPct = 0.5;
      const double margin = fit.model.terms.empty() ? 0.02 : kWeightsPct;
      if (fit.smape > their_smape + margin) {
        farther.insert(name + ' ' + key.first + ' ' + key.second);
      }
    }
  });
  for (const std::string& kernel : farther) {
    EXPECT_TRUE(explained().contains(kernel)) << kernel;
  }
  for (const auto& [kernel, reason] : explained()) {
    EXPECT_TRUE(farther.contains(kernel)) << kernel << " needs no explanation: " << reason;
  }
  EXPECT_GE(compared, 80U);
  EXPECT_GE(nearer, 30U);
}

TEST(ModelData, ModelsAreThose) {
  SKIP_WITHOUT_DATA();
  // What the data were made from is plain to see in most; where Extra-P has another model, why
  // ours is the better one.
  struct Case {
    std::string data;
    std::string formula;
  };
  const Case cases[] = {
      // 1 + 0.2 x^2 with 1 % noise. Extra-P: the same term, but constants of -0.9 and -1.3.
      {"text/one_parameter_1.txt", "1.51 + 0.2 * x^2"},
      {"text/one_parameter_3.txt", "1.44 + 0.2 * x^2"},
      {"text/one_parameter_5.txt", "1.44 + 0.2 * x^2"},
      {"talpas/talpas_1.txt", "1.44 + 0.2 * x^2"},
      // 1 + 0.2 x^2 log2(y). Extra-P: x^(3/2) log2(x)^2 log2(y) + log2(y), 6.6 % off instead of
      // 0.4.
      {"text/two_parameter_1.txt", "0.999 + 0.2 * x^2 * log2(y)"},
      {"jsonl/complete_matrix_2p.jsonl", "0.999 + 0.2 * x^2 * log2(y)"},
      {"talpas/talpas_2.txt", "0.999 + 0.2 * x^2 * log2(y)"},
      // Exact data. Extra-P has no second term: 2.4 + 1.5006 x^2.
      {"json/input_2.JSON", "1.5 * x^2 + 0.75 * log2(x)"},
      {"json/input_3.JSON", "1.5 * x^2 + 0.75 * log2(x)"},
      {"json/input_4.JSON", "1.5 * x^2 + 0.75 * log2(x)"},
      // As Extra-P.
      {"json/input_1.JSON", "1.5 + 0.5 * x"},
      {"json/new_input1.json", "1.5 + 0.5 * x"},
      {"jsonl/extended1.jsonl", "1 * x^2 + 1 * y"},
      {"jsonl/test1.jsonl", "1 * x^2 + 1 * y"},
      {"jsonl/matrix_3p.jsonl", "1"},
      {"jsonl/matrix_4p.jsonl", "1"},
      {"text/two_parameter_6.txt", "1 + 0.05 * p * s^(3/2)"},
      {"text/one_parameter_7.txt", "4.07"},
      {"text/strong_one_parameter_1.txt", "2486 - 407 * log2(x)"},
      // log2(p) up to p = 20, p^2 beyond: no model fits, the flag says so. As Extra-P.
      {"text/one_parameter_segmented_2.txt", "0.272 + 0.0273 * p^3"},
      {"text/one_parameter_segmented_4.txt", "0.947 + 3.83 * log2(p)^2"},
  };
  for (const Case& expected : cases) {
    base::ThreadPool pool(1);
    base::Progress progress;
    const auto input =
        open_measurements({.data = (data_folder() / expected.data).string()}, pool, progress);
    ASSERT_TRUE(input.ok()) << input.error().message;
    const Experiment& experiment = input.value().experiment;
    for (const Fit& fit : fit_all(experiment, {}, pool)) {
      EXPECT_EQ(formula(fit.model, experiment.parameters, scaling::Notation::kText, 3),
                expected.formula)
          << expected.data;
      EXPECT_EQ(fit.flags.has(scaling::Flag::kPoorFit),
                expected.data.find("segmented") != std::string::npos);
    }
  }
}

void expect_merging_keeps_time(const fs::path& folder) {
  std::map<double, std::vector<double>> totals;  // By p: per repetition, mean over locations.
  for (const auto& run : fs::directory_iterator(folder)) {
    if (!run.is_directory()) continue;
    const auto name = scaling::parse_run_name(run.path().filename().string());
    const auto file = cube::read(run.path() / "profile.cubex", {.metrics = {"time"}});
    ASSERT_TRUE(name.ok() && file.ok());
    double sum = 0;
    for (const double value : file.value().table.values.at(0)) sum += value;
    totals[name.value().parameters.at(0).second].push_back(sum / file.value().table.location_count);
  }
  base::ThreadPool pool(1);
  base::Progress progress;
  const auto input =
      open_measurements({.data = folder.string(), .metrics = {"time"}}, pool, progress);
  ASSERT_TRUE(input.ok()) << input.error().message;
  const Experiment& experiment = input.value().experiment;
  ASSERT_EQ(experiment.point_count(), totals.size());
  for (size_t p = 0; p < experiment.point_count(); ++p) {
    double merged = 0;
    for (size_t k = 0; k < experiment.kernels.size(); ++k) {
      merged += aggregate(experiment.samples_of(k, p), scaling::Aggregate::kMean);
    }
    const auto& runs = totals.at(experiment.point(p)[0]);
    const double all = std::accumulate(runs.begin(), runs.end(), 0.0) / double(runs.size());
    EXPECT_NEAR(merged, all, 1e-12 * all) << "p = " << experiment.point(p)[0];
  }
}

TEST(ModelData, MergingKeepsTheExclusiveTimeOfEveryRun) {
  expect_merging_keeps_time(base::own_data("cube-scorep/scaling"));
}

TEST(ModelData, MergingARecursionKeepsTheExclusiveTimeOfEveryRun) {
  SKIP_WITHOUT_DATA();
  expect_merging_keeps_time(data_folder() / "cube/mg_recursive_generated");
}

TEST(ModelData, MergedRecursionHasTheModelsItWasMadeFrom) {
  SKIP_WITHOUT_DATA();
  base::ThreadPool pool(1);
  base::Progress progress;
  const auto input = open_measurements(
      {.data = (data_folder() / "cube/mg_recursive_generated").string(), .metrics = {"time"}}, pool,
      progress);
  ASSERT_TRUE(input.ok()) << input.error().message;
  const Experiment& experiment = input.value().experiment;
  std::map<std::string, Fit> fits;
  for (const Fit& fit : fit_all(experiment, {}, pool)) {
    fits[experiment.call_paths[experiment.kernels[fit.kernel].call_path]] = fit;
  }
  // True exclusive times, from the README of the data.
  const scaling::Factor p = {0, {1, 1, 0}};
  const std::map<std::string, scaling::Model> truth = {
      {"main", {0.4, {}}},
      {"main->read_input", {0.9, {}}},
      {"main->assemble", {12, {}}},
      {"main->solve", {0.3, {}}},
      {"main->init_comm", {0.02, {{1e-4, {p}}}}},
      {"main->init_comm->MPI_Comm_split", {0.05, {{0.004, {{0, {0, 1, 2}}}}}}},
      {"main->solve->MPI_Allreduce", {0, {{0.01, {{0, {0, 1, 1}}}}}}},
  };
  for (const auto& [call_path, model] : truth) {
    SCOPED_TRACE(call_path);
    ASSERT_TRUE(fits.contains(call_path));
    const scaling::Model& found = fits[call_path].model;
    ASSERT_EQ(found.terms.size(), model.terms.size());
    EXPECT_NEAR(found.constant, model.constant, 0.02 * std::max(model.constant, 0.05));
    for (size_t t = 0; t < model.terms.size(); ++t) {
      EXPECT_EQ(found.terms[t].factors, model.terms[t].factors);
      EXPECT_NEAR(found.terms[t].coefficient, model.terms[t].coefficient,
                  0.03 * model.terms[t].coefficient);
    }
  }
}

}  // namespace
}  // namespace pathline::app
