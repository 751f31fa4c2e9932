// SPDX-License-Identifier: BSD-3-Clause
//
// Placing ranks on a machine, routes through it, and which machine it was. Everything is in memory
// before the clock starts; the peer of `remap` is in scotch.cpp.
#include <algorithm>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/text_input.hpp"
#include "bench/speed/network_cases.hpp"
#include "mapping/qap/qap.hpp"
#include "mapping/qap/test_qap.hpp"
#include "mapping/search/multilevel.hpp"
#include "network/hop_bytes.hpp"
#include "network/infer.hpp"
#include "network/reroute_many.hpp"

namespace pathline::bench {
namespace {

/// What `pathline remap` does by default; one iteration for each of the seeds 1 to 5.
void remap(benchmark::State& state, const NetworkCase& which) {
  base::ThreadPool pool;
  const auto input = read_case(which, pool);
  if (!input) {
    state.SkipWithError(kSkipped);
    return;
  }
  std::vector<double> reductions;
  uint64_t seed = 0;
  for (auto unused : state) {
    const mapping::Problem problem = problem_of(*input, pool);
    const auto found = mapping::multilevel(problem, mapping::identity(problem.size()),
                                           {.seed = ++seed, .effort = 1}, pool);
    state.PauseTiming();
    reductions.push_back(reduction_pct(problem, found.place_of_item));
    state.ResumeTiming();
  }
  state.counters["reduction-%"] = median(reductions);
  state.counters["best-%"] = *std::max_element(reductions.begin(), reductions.end());
}

/// How far from the best solution known a search of the default length ends, within ten seconds.
void qap(benchmark::State& state, const char* name) {
  if (mapping::qaplib_folder().empty()) {
    state.SkipWithError(kSkipped);
    return;
  }
  const mapping::QaplibProblem problem = mapping::read_qaplib(name);
  base::ThreadPool pool;
  for (auto unused : state) {
    const auto found = mapping::search_qap(problem.qap, {}, {.time_limit_s = 10}, pool);
    if (!found) {
      state.SkipWithError(found.error().message.c_str());
      return;
    }
    const auto best = static_cast<double>(problem.best_cost);
    state.counters["gap-%"] = 100 * (static_cast<double>(found.value().cost) - best) / best;
    state.counters["swaps"] = static_cast<double>(found.value().swap_count);
  }
}

/// `pathline reroute` of the recorded routes over the top 5 % of the links, limits as given.
void reroute(benchmark::State& state, const NetworkCase& which) {
  base::ThreadPool pool;
  const auto input = read_case(which, pool);
  if (!input) {
    state.SkipWithError(kSkipped);
    return;
  }
  const network::Network& network = *input->machine.network;
  const auto links = network::top_links(network::link_loads(network, input->routes), 0.05);
  const auto selected = network::routes_over(input->routes, links, network.link_limit());
  double seconds = 0;
  uint64_t searches = 0;
  for (auto unused : state) {
    const auto result = network::reroute(network, input->routes, selected,
                                         {.delta = static_cast<uint32_t>(state.range(0))}, pool);
    seconds += result.search_seconds;
    searches += result.searches;
  }
  state.counters["routes"] = static_cast<double>(selected.size());
  state.counters["us/search"] = 1e6 * seconds / static_cast<double>(searches);
}

/// `pathline routes`: each pair's route, the loads of links and the totals.
void routes(benchmark::State& state, const NetworkCase& which) {
  base::ThreadPool pool;
  const auto input = read_case(which, pool);
  if (!input) {
    state.SkipWithError(kSkipped);
    return;
  }
  const network::Network& network = *input->machine.network;
  for (auto unused : state) {
    const auto all = network::route_traffic(network, input->node_traffic, pool);
    benchmark::DoNotOptimize(network::totals(all, network::link_loads(network, all)));
  }
  state.counters["pairs"] = static_cast<double>(input->routes.size());
}

/// `pathline infer` from hop counts.
void infer(benchmark::State& state, const NetworkCase& which) {
  const std::string file = par_comm_file("hopbyte", which.hop_bytes);
  if (file.empty()) {
    state.SkipWithError(kSkipped);
    return;
  }
  const auto text = base::TextInput::open(file);
  const auto hop_bytes = network::parse_hop_bytes(text.value().text(), file);
  for (auto unused : state) {
    const auto answers = network::infer(&hop_bytes.value(), nullptr);
    if (!answers || answers.value().empty() || answers.value().front().share() < 1) {
      state.SkipWithError("the machine is not found");
      return;
    }
    state.SetLabel(answers.value().front().spec);
  }
}

void once_for_each_seed(benchmark::internal::Benchmark* benchmark) {
  benchmark->Iterations(5)
      ->Repetitions(1)
      ->Unit(benchmark::kMillisecond)
      ->MeasureProcessCPUTime()
      ->UseRealTime();
}
BENCHMARK_CAPTURE(remap, MiniAMR_1024, kMiniAmr1024)->Apply(once_for_each_seed);
BENCHMARK_CAPTURE(remap, MiniAMR_2048_c2, kMiniAmr2048)->Apply(once_for_each_seed);
BENCHMARK_CAPTURE(remap, MiniAMR_4096, kMiniAmr4096)->Apply(once_for_each_seed);
BENCHMARK_CAPTURE(remap, MiniMD_2048_w, kMiniMd2048w)->Apply(once_for_each_seed);
BENCHMARK_CAPTURE(remap, MiniMD_2048_s1, kMiniMd2048s1)->Apply(once_for_each_seed);

void once(benchmark::internal::Benchmark* benchmark) {
  benchmark->Iterations(1)
      ->Repetitions(1)
      ->Unit(benchmark::kSecond)
      ->MeasureProcessCPUTime()
      ->UseRealTime();
}
BENCHMARK_CAPTURE(qap, sko100a, "sko100a")->Apply(once);
BENCHMARK_CAPTURE(qap, wil100, "wil100")->Apply(once);
BENCHMARK_CAPTURE(qap, tho150, "tho150")->Apply(once);

BENCHMARK_CAPTURE(reroute, MiniMD_2048_w, kMiniMd2048w)
    ->Arg(0)
    ->Arg(2)
    ->ArgName("delta")
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK_CAPTURE(routes, MiniAMR_2048_c2, kMiniAmr2048)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK_CAPTURE(infer, MiniAMR_4096, kMiniAmr4096)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace pathline::bench
