// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "scaling/search/search.hpp"

namespace pathline::scaling::test {

using Function = std::function<double(std::span<const double>)>;

/// One kernel that is measured `repetitions` times without noise.
inline Experiment measure(std::vector<std::string> parameters,
                          const std::vector<std::vector<double>>& points, const Function& f,
                          size_t repetitions = 1) {
  ExperimentBuilder builder(std::move(parameters));
  const uint32_t call_path = builder.call_path("main");
  const uint32_t metric = builder.metric("time");
  for (const auto& x : points) {
    const uint32_t point = builder.point(x);
    for (size_t r = 0; r < repetitions; ++r) builder.add(call_path, metric, point, f(x));
  }
  return std::move(builder).finish();
}

inline std::vector<std::vector<double>> powers_of_two(double first, size_t count) {
  std::vector<std::vector<double>> points;
  for (size_t i = 0; i < count; ++i) points.push_back({first * std::exp2(double(i))});
  return points;
}

inline std::vector<std::vector<double>> grid(std::vector<double> xs, std::vector<double> ys) {
  std::vector<std::vector<double>> points;
  for (const double x : xs) {
    for (const double y : ys) points.push_back({x, y});
  }
  return points;
}

inline Fit only_fit(const Experiment& experiment, const SearchOptions& options = {}) {
  base::ThreadPool pool(1);
  std::vector<Fit> fits = fit_all(experiment, options, pool);
  return fits.at(0);
}

/// What is different between two models, coefficients differing by a share of `precision` at most;
/// "" for nothing.
inline std::string difference(const Model& found, const Model& expected, double precision) {
  const auto differ = [&](double a, double b) {
    return !(std::abs(a - b) <= precision * std::abs(b));
  };
  if (differ(found.constant, expected.constant)) {
    return fmt::format("the constant is {}, expected {}", found.constant, expected.constant);
  }
  if (found.terms.size() != expected.terms.size()) {
    return fmt::format("there are {} terms, expected {}", found.terms.size(),
                       expected.terms.size());
  }
  for (size_t t = 0; t < found.terms.size(); ++t) {
    if (found.terms[t].factors != expected.terms[t].factors) {
      return fmt::format("term {} has other factors", t);
    }
    if (differ(found.terms[t].coefficient, expected.terms[t].coefficient)) {
      return fmt::format("coefficient {} is {}, expected {}", t, found.terms[t].coefficient,
                         expected.terms[t].coefficient);
    }
  }
  return "";
}

}  // namespace pathline::scaling::test
