// SPDX-License-Identifier: BSD-3-Clause
//
// A time step of 4,096 ranks on 256 nodes as VTK files: ranks, messages to six neighbours each.
#include <filesystem>

#include <benchmark/benchmark.h>

#include "base/scratch_folder.hpp"
#include "insitu/write.hpp"

namespace pathline::bench {
namespace {

insitu::Machine cluster(uint32_t nodes, uint32_t ranks_each) {
  std::vector<insitu::RankPlace> places;
  std::map<std::string, std::string> addresses;
  for (uint32_t i = 0; i < nodes; ++i) {
    const std::string host = "n" + std::to_string(i);
    addresses[host] = "top.leaf" + std::to_string(i / 16) + "." + host;
    for (uint32_t k = 0; k < ranks_each; ++k) places.push_back({host, {}});
  }
  return insitu::build_machine(places, {}, insitu::switch_tree(addresses).value());
}

void topology_step(benchmark::State& state) {
  const insitu::Machine machine = cluster(256, 16);
  const uint32_t ranks = machine.rank_count();
  insitu::Figures figures{.regions = std::vector<std::string>(12, "region"),
                          .functions = {"MPI_Isend", "MPI_Put"}};
  insitu::Step step{.ranks = std::vector<insitu::RankFigures>(ranks, {.step_s = 1}),
                    .regions = std::vector<insitu::RegionSum>(12 * size_t{ranks}, {1, 0.5})};
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    for (const uint32_t distance : {1U, 16U, 256U, ranks - 256, ranks - 16, ranks - 1}) {
      step.pairs.push_back({rank, (rank + distance) % ranks, 0, 1, 1000 + 7 * rank});
    }
  }
  const base::ScratchFolder folder;
  const insitu::Scene scene(machine, {});
  insitu::TopologyWriter writer(folder.path(), scene);
  if (!writer.begin()) return state.SkipWithError("cannot write");
  for (auto unused : state) {
    step.time_s += 1;
    if (!writer.add(figures, step)) return state.SkipWithError("cannot write");
  }
}
BENCHMARK(topology_step)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

}  // namespace
}  // namespace pathline::bench
