// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "scaling/experiment.hpp"
#include "scaling/model.hpp"
#include "scaling/search/hypotheses.hpp"

namespace pathline::scaling::test {

/// Kernels whose models are known, measured with noise: what tests and benchmarks judge the search
/// by. After the recipe of test/data/pmnf-synthetic: 15 % constants, 65 % with one term and 20 %
/// with two; the leading term is 0.5 to 100 times the constant at the largest measured point, a
/// second one 0.1 to 1 times the leading one; half of the exponents are common ones; repetitions
/// are truth * (1 + u), u uniform in +-noise, written with 10 digits.
struct SyntheticKernels {
  Experiment experiment;
  std::vector<Model> truth;  ///< Per kernel.
  /// 4 and 16 times the largest scale.
  std::vector<std::vector<double>> targets;
};

class KernelGenerator {
 public:
  explicit KernelGenerator(uint64_t seed) : random_(seed) {}

  /// Points first, 2 * first, 4 * first, ...
  SyntheticKernels one_parameter(size_t kernel_count, double first, size_t point_count,
                                 double noise, size_t repetitions = 5) {
    ExperimentBuilder builder({"p"});
    SyntheticKernels result;
    const double last = first * std::exp2(double(point_count) - 1);
    for (size_t k = 0; k < kernel_count; ++k) {
      const Model model = draw(last);
      for (size_t p = 0; p < point_count; ++p) {
        const double x = first * std::exp2(double(p));
        measure(builder, k, model, std::array{x}, noise, repetitions);
      }
      result.truth.push_back(model);
    }
    result.targets = {{4 * last}, {16 * last}};
    result.experiment = std::move(builder).finish();
    return result;
  }

  /// p = 4 .. 64 times s = 10 .. 50: 25 points.
  SyntheticKernels two_parameters(size_t kernel_count, double noise, size_t repetitions = 5) {
    ExperimentBuilder builder({"p", "s"});
    SyntheticKernels result;
    for (size_t k = 0; k < kernel_count; ++k) {
      const Model model = draw_of_two(64, 50);
      for (size_t i = 0; i < 5; ++i) {
        for (size_t j = 0; j < 5; ++j) {
          const std::array x = {4 * std::exp2(double(i)), 10.0 * double(j + 1)};
          measure(builder, k, model, x, noise, repetitions);
        }
      }
      result.truth.push_back(model);
    }
    result.targets = {{256, 100}, {1024, 200}};
    result.experiment = std::move(builder).finish();
    return result;
  }

 private:
  double uniform() { return double(random_() >> 11) * 0x1p-53; }
  double log_uniform(double low, double high) { return low * std::pow(high / low, uniform()); }

  Exponents common_pair() {
    constexpr Exponents kCommon[] = {{0, 1, 1}, {0, 1, 2}, {1, 4, 0}, {1, 3, 0},
                                     {1, 2, 0}, {1, 2, 1}, {2, 3, 0}, {1, 1, 0},
                                     {1, 1, 1}, {3, 2, 0}, {2, 1, 0}, {3, 1, 0}};
    return kCommon[size_t(uniform() * double(std::size(kCommon)))];
  }
  Exponents pair() {
    if (uniform() < 0.5) return common_pair();
    return exponent_pairs()[size_t(uniform() * double(kGrowingPairCount))];
  }

  Model draw(double largest) {
    Model model;
    model.constant = log_uniform(1e-3, 1e3);
    const double kind = uniform();
    if (kind < 0.15) return model;
    const double lead = model.constant * log_uniform(0.5, 100);
    Exponents first = pair();
    Exponents second = pair();
    while (second == first) second = pair();
    const bool two_terms = kind >= 0.8;
    if (two_terms && compare_growth(first, second) < 0) std::swap(first, second);
    model.terms.push_back({lead / factor_value(first, largest), {{0, first}}});
    if (two_terms) {
      const double size = lead * (0.1 + 0.9 * uniform());
      model.terms.push_back({size / factor_value(second, largest), {{0, second}}});
    }
    return model;
  }

  Model draw_of_two(double largest_x, double largest_y) {
    Model model;
    model.constant = log_uniform(1e-3, 1e2);
    const Factor x = {0, common_pair()};
    const Factor y = {1, common_pair()};
    const auto term = [&](std::vector<Factor> factors) {
      double at_largest = 1;
      for (const Factor& f : factors) {
        at_largest *= factor_value(f.exponents, f.parameter == 0 ? largest_x : largest_y);
      }
      return Term{model.constant * log_uniform(0.5, 100) / at_largest, std::move(factors)};
    };
    const double kind = uniform();
    if (kind < 0.1) return model;
    if (kind < 0.25) {
      model.terms = {term({x})};
    } else if (kind < 0.35) {
      model.terms = {term({y})};
    } else if (kind < 0.5) {
      model.terms = {term({x}), term({y})};
    } else if (kind < 0.7) {
      model.terms = {term({x, y})};
    } else {
      model.terms = {term({x, y}), term({y})};
    }
    return model;
  }

  void measure(ExperimentBuilder& builder, size_t kernel, const Model& model,
               std::span<const double> x, double noise, size_t repetitions) {
    const uint32_t call_path = builder.call_path(fmt::format("main->k{:04}", kernel));
    const uint32_t metric = builder.metric("time");
    const uint32_t point = builder.point(x);
    const double truth = evaluate(model, x);
    for (size_t r = 0; r < repetitions; ++r) {
      const double value = truth * (1 + noise * (2 * uniform() - 1));
      builder.add(call_path, metric, point, std::stod(fmt::format("{:.10g}", value)));
    }
  }

  std::mt19937_64 random_;
};

/// The experiment as keyword text.
inline std::string keyword_text(const Experiment& experiment) {
  std::string text = fmt::format("PARAMETER {}\n", fmt::join(experiment.parameters, " "));
  for (size_t p = 0; p < experiment.point_count(); ++p) {
    text += fmt::format("POINTS ({})\n", fmt::join(experiment.point(p), " "));
  }
  for (size_t k = 0; k < experiment.kernels.size(); ++k) {
    const Kernel kernel = experiment.kernels[k];
    text += fmt::format("METRIC {}\nREGION {}\n", experiment.metrics[kernel.metric],
                        experiment.call_paths[kernel.call_path]);
    for (size_t p = 0; p < experiment.point_count(); ++p) {
      text += fmt::format("DATA {}\n", fmt::join(experiment.samples_of(k, p), " "));
    }
  }
  return text;
}

/// The terms that no other term outgrows in every parameter.
inline std::vector<std::vector<Factor>> leading_terms(const Model& model) {
  const auto exponents = [](const Term& term, uint32_t parameter) {
    for (const Factor& f : term.factors) {
      if (f.parameter == parameter) return f.exponents;
    }
    return Exponents{};
  };
  std::vector<std::vector<Factor>> leading;
  for (const Term& term : model.terms) {
    const bool outgrown = std::ranges::any_of(model.terms, [&](const Term& other) {
      if (other == term) return false;
      for (uint32_t d = 0; d < 2; ++d) {
        if (compare_growth(exponents(term, d), exponents(other, d)) > 0) return false;
      }
      return true;
    });
    if (!outgrown) leading.push_back(term.factors);
  }
  std::ranges::sort(leading, [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() < b.size() : a[0].parameter < b[0].parameter;
  });
  return leading;
}

}  // namespace pathline::scaling::test
