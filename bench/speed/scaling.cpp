// SPDX-License-Identifier: BSD-3-Clause
//
// Models of many kernels: what `pathline model` does on one thread from the text of the
// measurements on. The peer is Extra-P, where its command `extrap` is installed.
#include <benchmark/benchmark.h>

#include "base/scratch_folder.hpp"
#include "bench/speed/child.hpp"
#include "scaling/read/read.hpp"
#include "scaling/search/search.hpp"
#include "scaling/search/test_kernels.hpp"

namespace pathline::bench {
namespace {

constexpr double kNoise = 0.05;

/// So many kernels at five points, five repetitions each.
scaling::test::SyntheticKernels one_parameter(size_t kernels) {
  return scaling::test::KernelGenerator(1).one_parameter(kernels, 4, 5, kNoise);
}

void model(benchmark::State& state, const scaling::test::SyntheticKernels& kernels, int max_terms) {
  const std::string text = scaling::test::keyword_text(kernels.experiment);
  base::ThreadPool pool(1);
  scaling::SearchOptions options;
  options.max_terms = max_terms;
  options.targets = {kernels.targets[1]};
  size_t models = 0;
  for (auto unused : state) {
    const auto experiment = scaling::read_text(text, "benchmark");
    if (!experiment) {
      state.SkipWithError(experiment.error().message.c_str());
      return;
    }
    models += scaling::fit_all(experiment.value(), options, pool).size();
  }
  state.counters["models/s"] =
      benchmark::Counter(static_cast<double>(models), benchmark::Counter::kIsRate);
}

void model_one_term(benchmark::State& state) { model(state, one_parameter(10000), 1); }
void model_two_terms(benchmark::State& state) { model(state, one_parameter(10000), 2); }
void model_two_parameters(benchmark::State& state) {
  model(state, scaling::test::KernelGenerator(1).two_parameters(1000, kNoise), 2);
}

/// The same text in a process of its own; its start counts, so do fewer kernels in its favour.
void extrap(benchmark::State& state, const scaling::test::SyntheticKernels& kernels) {
  const base::ScratchFolder folder;
  const auto file = folder.write("kernels.txt", scaling::test::keyword_text(kernels.experiment));
  double cpu_s = 0;
  for (auto unused : state) {
    const auto usage = launcher->run({"/usr/bin/env", "extrap", "--text", file.string(),
                                      "--modeler", "default", "--print", "functions"});
    if (!usage) {
      state.SkipWithError("skipped: there is no command 'extrap' (Extra-P), or it failed");
      return;
    }
    cpu_s += usage->cpu_s;
  }
  state.counters["models/s"] =
      static_cast<double>(kernels.truth.size() * state.iterations()) / cpu_s;
}

void model_by_extrap(benchmark::State& state) { extrap(state, one_parameter(1000)); }
void model_two_parameters_by_extrap(benchmark::State& state) {
  extrap(state, scaling::test::KernelGenerator(1).two_parameters(200, kNoise));
}

BENCHMARK(model_one_term)->Unit(benchmark::kMillisecond);
BENCHMARK(model_two_terms)->Unit(benchmark::kMillisecond);
BENCHMARK(model_two_parameters)->Unit(benchmark::kMillisecond);
BENCHMARK(model_by_extrap)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(model_two_parameters_by_extrap)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace pathline::bench
