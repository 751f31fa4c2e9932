// SPDX-License-Identifier: BSD-3-Clause
#include "bench/synth/definitions.hpp"

#include <map>
#include <string>

#include <fmt/format.h>

namespace pathline::synth {
namespace {

using trace::DefinitionKind;
using trace::kUndefined;

constexpr uint64_t kRealtimeNs = 1'790'000'000'000'000'000;  // Wall clock at kStartNs: 2026-09-21.
constexpr uint32_t kProcessParadigmClass = 0;
constexpr uint32_t kUserParadigm = 1;
constexpr uint32_t kUnsignedParameter = 2;

uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
uint32_t high(uint64_t value) { return static_cast<uint32_t>(value >> 32U); }

/// Adds definitions in an order in which nothing refers to what follows.
class DefinitionMaker {
 public:
  DefinitionMaker(const Simulation& simulation, trace::Definitions& definitions)
      : simulation_(simulation), definitions_(definitions) {}

  void add_all(const std::vector<trace::Events>& events) {
    add_clock();
    add(DefinitionKind::kParadigm, {trace::kParadigmMpi, text("MPI"), kProcessParadigmClass});
    add(DefinitionKind::kParameter, {kStepParameter, text("step"), kUnsignedParameter});
    add_machine(events);
    add_regions();
    add_communicators();
  }

 private:
  void add(DefinitionKind kind, const std::vector<uint32_t>& words) {
    definitions_.add(kind, words);
  }

  /// Id of a text, which is defined when it is needed for the first time.
  uint32_t text(std::string_view text) {
    const auto [at, is_new] =
        strings_.try_emplace(std::string(text), static_cast<uint32_t>(strings_.size()));
    if (is_new) definitions_.add_string(at->second, text);
    return at->second;
  }

  void add_clock() {
    const uint64_t length = simulation_.latest_ns() - kStartNs;
    const uint64_t ticks_per_second = 1'000'000'000;
    add(DefinitionKind::kClockProperties,
        {low(ticks_per_second), high(ticks_per_second), low(kStartNs), high(kStartNs), low(length),
         high(length), low(kRealtimeNs), high(kRealtimeNs)});
  }

  void add_machine(const std::vector<trace::Events>& events) {
    add(DefinitionKind::kSystemTreeNode,
        {0, text("synthetic cluster"), text("machine"), kUndefined});
    for (uint32_t rank = 0; rank < events.size(); ++rank) {
      const uint32_t node = 1 + rank / simulation_.ranks_per_node();
      if (rank % simulation_.ranks_per_node() == 0) {
        add(DefinitionKind::kSystemTreeNode,
            {node, text(fmt::format("node{:03}", node)), text("node"), 0});
      }
      add(DefinitionKind::kLocationGroup,
          {rank, text(fmt::format("MPI Rank {}", rank)),
           static_cast<uint32_t>(trace::LocationGroupType::kProcess), node, kUndefined});
      add(DefinitionKind::kLocation,
          {rank, 0, text("Master thread"), static_cast<uint32_t>(trace::LocationType::kCpuThread),
           low(events[rank].size()), high(events[rank].size()), rank});
    }
  }

  void add_regions() {
    uint32_t id = 0;
    for (const RegionText& region : simulation_.regions()) {
      const bool is_mpi = region.file == "MPI";
      const uint32_t name = text(region.name);
      add(DefinitionKind::kRegion,
          {id++, name, name, text(""), static_cast<uint32_t>(region.role),
           is_mpi ? uint32_t{trace::kParadigmMpi} : kUserParadigm, region.flags,
           region.file.empty() ? kUndefined : text(region.file), region.line, region.line});
    }
  }

  void add_communicators() {
    const uint32_t count = simulation_.rank_count();
    add_group(0, "", trace::GroupType::kCommLocations, count);
    add_group(1, "MPI_COMM_WORLD", trace::GroupType::kCommGroup, count);
    add_group(2, "MPI_COMM_SELF", trace::GroupType::kCommSelf, 0);
    add(DefinitionKind::kComm, {kWorld, text("MPI_COMM_WORLD"), 1, kUndefined, 0});
    add(DefinitionKind::kComm, {kWorld + 1, text("MPI_COMM_SELF"), 2, kUndefined, 0});
  }

  void add_group(uint32_t id, const std::string& name, trace::GroupType type, uint32_t count) {
    std::vector<uint32_t> words = {id, text(name), static_cast<uint32_t>(type), trace::kParadigmMpi,
                                   0,  count};
    for (uint32_t rank = 0; rank < count; ++rank) words.insert(words.end(), {rank, 0});
    add(DefinitionKind::kGroup, words);
  }

  const Simulation& simulation_;
  trace::Definitions& definitions_;
  std::map<std::string, uint32_t> strings_;
};

}  // namespace

base::Result<trace::Trace> make_trace(Simulation& simulation, std::string_view program) {
  trace::Trace trace;
  trace.creator = "pathline-synth";
  trace.machine = "synthetic cluster";
  trace.description = fmt::format("synthetic trace '{}'", program);
  std::vector<trace::Events> events = simulation.take_events();
  DefinitionMaker(simulation, trace.definitions).add_all(events);
  if (const auto status = trace.definitions.finish(); !status) return status.error();
  trace.locations.resize(events.size());
  for (size_t rank = 0; rank < events.size(); ++rank) {
    trace::Location& location = trace.locations[rank];
    location.id = rank;
    location.name = trace.definitions.locations[rank].name;
    location.type = trace::LocationType::kCpuThread;
    location.rank = trace::Rank(rank);
    location.events = std::move(events[rank]);
  }
  return trace;
}

}  // namespace pathline::synth
