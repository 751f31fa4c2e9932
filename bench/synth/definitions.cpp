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
  DefinitionMaker(const Simulation& simulation, const Enlarge& enlarge,
                  trace::Definitions& definitions)
      : simulation_(simulation), enlarge_(enlarge), definitions_(definitions) {}

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
    const uint64_t length = enlarge_.repeat * (simulation_.latest_ns() - kStartNs);
    const uint64_t ticks_per_second = 1'000'000'000;
    add(DefinitionKind::kClockProperties,
        {low(ticks_per_second), high(ticks_per_second), low(kStartNs), high(kStartNs), low(length),
         high(length), low(kRealtimeNs), high(kRealtimeNs)});
  }

  void add_machine(const std::vector<trace::Events>& events) {
    add(DefinitionKind::kSystemTreeNode,
        {0, text("synthetic cluster"), text("machine"), kUndefined});
    const uint32_t own = simulation_.rank_count();
    for (uint32_t rank = 0; rank < enlarge_.copies * own; ++rank) {
      const uint64_t event_count = enlarge_.repeat * events[rank % own].size();
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
           low(event_count), high(event_count), rank});
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
    const uint32_t own = simulation_.rank_count();
    const uint32_t count = enlarge_.copies * own;
    add_group(0, "", trace::GroupType::kCommLocations, count);
    add_group(1, "MPI_COMM_WORLD", trace::GroupType::kCommGroup, count);
    add_group(2, "MPI_COMM_SELF", trace::GroupType::kCommSelf, 0);
    add(DefinitionKind::kComm, {kWorld, text("MPI_COMM_WORLD"), 1, kUndefined, 0});
    add(DefinitionKind::kComm, {kWorld + 1, text("MPI_COMM_SELF"), 2, kUndefined, 0});
    if (enlarge_.copies == 1) return;
    for (uint32_t copy = 0; copy < enlarge_.copies; ++copy) {
      const uint32_t id = kFirstCopy + copy;
      const std::string name = fmt::format("copy {}", copy);
      add_group(1 + id, name, trace::GroupType::kCommGroup, own, copy * own);
      add(DefinitionKind::kComm, {id, text(name), 1 + id, kWorld, 0});
    }
  }

  void add_group(uint32_t id, const std::string& name, trace::GroupType type, uint32_t count,
                 uint32_t first = 0) {
    std::vector<uint32_t> words = {id, text(name), static_cast<uint32_t>(type), trace::kParadigmMpi,
                                   0,  count};
    for (uint32_t i = 0; i < count; ++i) words.insert(words.end(), {first + i, 0});
    add(DefinitionKind::kGroup, words);
  }

  const Simulation& simulation_;
  const Enlarge& enlarge_;
  trace::Definitions& definitions_;
  std::map<std::string, uint32_t> strings_;
};

}  // namespace

base::Result<trace::Trace> make_trace(Simulation& simulation, std::string_view program,
                                      const Enlarge& enlarge) {
  trace::Trace trace;
  trace.creator = "pathline-synth";
  trace.machine = "synthetic cluster";
  trace.description = fmt::format("synthetic trace '{}'", program);
  std::vector<trace::Events> events = simulation.take_events();
  DefinitionMaker(simulation, enlarge, trace.definitions).add_all(events);
  if (const auto status = trace.definitions.finish(); !status) return status.error();
  trace.locations.resize(enlarge.copies * events.size());
  for (size_t rank = 0; rank < trace.locations.size(); ++rank) {
    trace::Location& location = trace.locations[rank];
    location.id = rank;
    location.name = trace.definitions.locations[rank].name;
    location.type = trace::LocationType::kCpuThread;
    location.rank = trace::Rank(rank);
    if (rank < events.size()) location.events = std::move(events[rank]);
  }
  return trace;
}

}  // namespace pathline::synth
