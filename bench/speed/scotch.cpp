// SPDX-License-Identifier: BSD-3-Clause
//
// The peer of `remap`: Scotch (Pellegrini, HPCN 1994) maps the graph of what nodes exchange onto
// the machine. Its placement is judged by our Problem::cost(), one item on each place.
#include <cinttypes>
#include <cstdio>
#include <scotch.h>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/speed/network_cases.hpp"
#include "network/torus.hpp"

namespace pathline::bench {
namespace {

/// The items and what they exchange.
class ItemGraph {
 public:
  explicit ItemGraph(const mapping::Problem& problem) {
    for (uint32_t item = 0; item < problem.size(); ++item) {
      first_.push_back(static_cast<SCOTCH_Num>(to_.size()));
      for (const auto& partner : problem.partners(item)) {
        to_.push_back(static_cast<SCOTCH_Num>(partner.item));
        weight_.push_back(static_cast<SCOTCH_Num>(partner.weight));
      }
    }
    first_.push_back(static_cast<SCOTCH_Num>(to_.size()));
    SCOTCH_graphInit(&graph_);
    good_ = SCOTCH_graphBuild(&graph_, 0, problem.size(), first_.data(), nullptr, nullptr, nullptr,
                              static_cast<SCOTCH_Num>(to_.size()), to_.data(), weight_.data()) == 0;
  }
  ~ItemGraph() { SCOTCH_graphExit(&graph_); }
  ItemGraph(const ItemGraph&) = delete;
  ItemGraph& operator=(const ItemGraph&) = delete;

  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] SCOTCH_Graph* get() { return &graph_; }

 private:
  std::vector<SCOTCH_Num> first_;
  std::vector<SCOTCH_Num> to_;
  std::vector<SCOTCH_Num> weight_;
  SCOTCH_Graph graph_;
  bool good_ = false;
};

/// A machine as Scotch knows it; place i is its vertex i.
class Machine {
 public:
  explicit Machine(const network::Torus& torus) {
    SCOTCH_archInit(&whole_);
    SCOTCH_archInit(&part_);
    const network::TorusShape& shape = torus.shape();
    std::vector<SCOTCH_Num> sizes;
    for (size_t d = shape.sizes.size(); d-- > 0;) {
      // It knows meshes and tori, but no machine of both: a row is half of a ring.
      const bool is_row = !shape.wrap[d] && shape.sizes[d] > 2;
      sizes.push_back((is_row ? 2 : 1) * static_cast<SCOTCH_Num>(shape.sizes[d]));
      is_part_ = is_part_ || is_row;
    }
    good_ = SCOTCH_archTorusX(&whole_, static_cast<SCOTCH_Num>(sizes.size()), sizes.data()) == 0 &&
            (!is_part_ || take_part(torus, sizes));
    // The vertices have to be the places.
    for (uint32_t node = 0; good_ && node < torus.node_count(); node += 61) {
      good_ = distance(1, node) == torus.distance(network::Vertex(1), network::Vertex(node));
    }
  }
  ~Machine() {
    SCOTCH_archExit(&part_);
    SCOTCH_archExit(&whole_);
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] SCOTCH_Arch* get() { return is_part_ ? &part_ : &whole_; }

 private:
  /// Scotch's first dimension runs fastest, ours the last one; its sizes come first dimension
  /// first.
  bool take_part(const network::Torus& torus, std::span<const SCOTCH_Num> sizes) {
    std::vector<SCOTCH_Num> vertices;
    std::vector<uint32_t> address(sizes.size());
    for (uint32_t node = 0; node < torus.node_count(); ++node) {
      torus.coordinates(network::Vertex(node), address);
      SCOTCH_Num vertex = 0;
      for (size_t d = 0; d < address.size(); ++d) {
        vertex = vertex * sizes[address.size() - 1 - d] + address[d];
      }
      vertices.push_back(vertex);
    }
    return SCOTCH_archSub(&part_, &whole_, static_cast<SCOTCH_Num>(vertices.size()),
                          vertices.data()) == 0;
  }
  [[nodiscard]] uint32_t distance(uint32_t from, uint32_t to) {
    SCOTCH_ArchDom a;
    SCOTCH_ArchDom b;
    SCOTCH_archDomTerm(get(), &a, from);
    SCOTCH_archDomTerm(get(), &b, to);
    return static_cast<uint32_t>(SCOTCH_archDomDist(get(), &a, &b));
  }

  SCOTCH_Arch whole_;
  SCOTCH_Arch part_;
  bool is_part_ = false;
  bool good_ = false;
};

/// Scotch balances, but does not promise one item on each place. Items that are too many move to
/// the free places where they cost least, one after the other.
///
/// returns  how many had to move.
uint32_t make_permutation(const mapping::Problem& problem, mapping::Permutation& place_of_item) {
  std::vector<bool> taken(problem.size());
  std::vector<uint32_t> homeless;
  for (uint32_t item = 0; item < problem.size(); ++item) {
    if (taken[place_of_item[item]]) homeless.push_back(item);
    taken[place_of_item[item]] = true;
  }
  for (const uint32_t item : homeless) {
    int64_t least = INT64_MAX;
    uint32_t best = 0;
    for (uint32_t place = 0; place < problem.size(); ++place) {
      if (taken[place]) continue;
      int64_t cost = 0;
      for (const auto& partner : problem.partners(item)) {
        cost += partner.weight * problem.distance(place, place_of_item[partner.item]);
      }
      if (cost < least) {
        least = cost;
        best = place;
      }
    }
    place_of_item[item] = best;
    taken[best] = true;
  }
  return static_cast<uint32_t>(homeless.size());
}

/// One iteration for each of the seeds 1 to 5, the graph and the machine made in each.
void scotch(benchmark::State& state, const NetworkCase& which, bool quality) {
  base::ThreadPool pool;
  const auto input = read_case(which, pool);
  if (!input) {
    state.SkipWithError(kSkipped);
    return;
  }
  const auto& torus = dynamic_cast<const network::Torus&>(*input->machine.network);
  const mapping::Problem problem = problem_of(*input, pool);
  std::vector<double> reductions;
  uint32_t repaired = 0;
  SCOTCH_Num seed = 0;
  for (auto unused : state) {
    SCOTCH_randomSeed(++seed);
    SCOTCH_randomReset();
    ItemGraph graph(problem);
    Machine machine(torus);
    SCOTCH_Strat strategy;
    SCOTCH_stratInit(&strategy);
    std::vector<SCOTCH_Num> place_of_item(problem.size());
    const bool good =
        graph.good() && machine.good() &&
        (!quality || SCOTCH_stratGraphMapBuild(&strategy, SCOTCH_STRATBALANCE | SCOTCH_STRATQUALITY,
                                               problem.size(), 0) == 0) &&
        SCOTCH_graphMap(graph.get(), machine.get(), &strategy, place_of_item.data()) == 0;
    SCOTCH_stratExit(&strategy);
    state.PauseTiming();
    if (!good) {
      state.SkipWithError("Scotch failed");
      return;
    }
    mapping::Permutation places(place_of_item.begin(), place_of_item.end());
    repaired += make_permutation(problem, places);
    reductions.push_back(reduction_pct(problem, places));
    state.ResumeTiming();
  }
  state.counters["reduction-%"] = median(reductions);
  state.counters["best-%"] = *std::max_element(reductions.begin(), reductions.end());
  state.counters["repaired"] = repaired / static_cast<double>(state.iterations());
}

void once_for_each_seed(benchmark::internal::Benchmark* benchmark) {
  benchmark->Iterations(5)
      ->Repetitions(1)
      ->Unit(benchmark::kMillisecond)
      ->MeasureProcessCPUTime()
      ->UseRealTime();
}
BENCHMARK_CAPTURE(scotch, MiniAMR_1024, kMiniAmr1024, false)->Apply(once_for_each_seed);
BENCHMARK_CAPTURE(scotch, MiniAMR_2048_c2, kMiniAmr2048, false)->Apply(once_for_each_seed);
BENCHMARK_CAPTURE(scotch, MiniAMR_4096, kMiniAmr4096, false)->Apply(once_for_each_seed);
BENCHMARK_CAPTURE(scotch, MiniMD_2048_w, kMiniMd2048w, false)->Apply(once_for_each_seed);
BENCHMARK_CAPTURE(scotch, MiniMD_2048_s1, kMiniMd2048s1, false)->Apply(once_for_each_seed);
BENCHMARK_CAPTURE(scotch, MiniAMR_1024_quality, kMiniAmr1024, true)->Apply(once_for_each_seed);
BENCHMARK_CAPTURE(scotch, MiniAMR_2048_c2_quality, kMiniAmr2048, true)->Apply(once_for_each_seed);
BENCHMARK_CAPTURE(scotch, MiniAMR_4096_quality, kMiniAmr4096, true)->Apply(once_for_each_seed);
BENCHMARK_CAPTURE(scotch, MiniMD_2048_w_quality, kMiniMd2048w, true)->Apply(once_for_each_seed);
BENCHMARK_CAPTURE(scotch, MiniMD_2048_s1_quality, kMiniMd2048s1, true)->Apply(once_for_each_seed);

}  // namespace
}  // namespace pathline::bench
