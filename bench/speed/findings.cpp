// SPDX-License-Identifier: BSD-3-Clause
//
// What `pathline findings` computes, kernel by kernel and all of it, on the archive whose reading
// is `read`; and a program of messages without any collective operation, in which two ranks meet
// seldom.
#include <algorithm>
#include <ctime>
#include <random>

#include <benchmark/benchmark.h>

#include "bench/speed/archive.hpp"
#include "comm/dependencies.hpp"
#include "findings/critical_path.hpp"
#include "findings/delay_costs.hpp"
#include "findings/efficiency.hpp"
#include "findings/model.hpp"
#include "findings/replay.hpp"
#include "findings/what_if.hpp"
#include "trace/finish.hpp"
#include "trace/ranks.hpp"

namespace pathline::bench {
namespace {

/// All kernels of one trace, each made once.
struct Kernels {
  explicit Kernels(const trace::Trace& trace)
      : pool(1),
        all(comm::dependencies(trace, pool)),
        model(findings::model(trace, all, findings::program_window(trace, all),
                              trace::marked_steps(trace), pool)),
        replay(model),
        measured(replay.run_measured()) {}
  base::ThreadPool pool;
  comm::Dependencies all;
  findings::Model model;
  findings::Replay replay;
  findings::Measured measured;
};

const trace::Trace& fd4() {
  static const trace::Trace trace = read_trace(fd4_archive(), 0);
  return trace;
}
const Kernels& fd4_kernels() {
  static const Kernels kernels(fd4());
  return kernels;
}

void dependencies(benchmark::State& state) {
  base::ThreadPool pool(1);
  for (auto unused : state) benchmark::DoNotOptimize(comm::dependencies(fd4(), pool).violations);
}
void model(benchmark::State& state) {
  base::ThreadPool pool(1);
  const comm::Dependencies& all = fd4_kernels().all;
  const findings::Window window = findings::program_window(fd4(), all);
  for (auto unused : state) {
    const findings::Model made =
        findings::model(fd4(), all, window, trace::marked_steps(fd4()), pool);
    benchmark::DoNotOptimize(made.piece_ticks.size());
  }
}
void schedule(benchmark::State& state) {
  for (auto unused : state) {
    benchmark::DoNotOptimize(findings::schedule(fd4_kernels().model).size());
  }
}
void replay(benchmark::State& state) {
  const Kernels& kernels = fd4_kernels();
  const auto times = kernels.replay.times(findings::CallCost::kTypical);
  for (auto unused : state) {
    benchmark::DoNotOptimize(kernels.replay.play(times).ticks);
  }
}
void delay_costs(benchmark::State& state) {
  const Kernels& kernels = fd4_kernels();
  for (auto unused : state) {
    benchmark::DoNotOptimize(findings::delay_costs(kernels.model, kernels.measured).wait_ticks);
  }
}
void critical_path(benchmark::State& state) {
  for (auto unused : state) {
    benchmark::DoNotOptimize(findings::critical_path(fd4_kernels().model).segments.size());
  }
}

/// All of it, with so many what-ifs.
void findings_kernels(benchmark::State& state) {
  for (auto unused : state) {
    Kernels kernels(fd4());
    benchmark::DoNotOptimize(findings::delay_costs(kernels.model, kernels.measured).wait_ticks);
    benchmark::DoNotOptimize(
        findings::efficiency(kernels.model, kernels.replay, kernels.measured, kernels.pool)
            .parallel);
    const findings::CriticalPath path = findings::critical_path(kernels.model);
    if (state.range(0) == 0) continue;
    const findings::WhatIf what_if(kernels.model, kernels.replay);
    for (int64_t i = 0; i < state.range(0); ++i) {
      const auto& total = path.totals[static_cast<size_t>(i) % path.totals.size()];
      benchmark::DoNotOptimize(what_if.gain({{total.path}, findings::Change::kStep, {}}));
    }
  }
}

/// 256 ranks that exchange with another partner in each of 2,000 rounds.
trace::Trace messages_only() {
  constexpr uint32_t kRanks = 256;
  constexpr uint32_t kRounds = 2000;
  constexpr uint32_t kWorld = 1;
  trace::Trace trace;
  auto& definitions = trace.definitions;
  const auto define = [&](trace::DefinitionKind kind, std::vector<uint32_t> words) {
    definitions.add(kind, words);
  };
  using trace::DefinitionKind;
  constexpr uint32_t kNone = trace::kUndefined;
  uint32_t text = 0;
  const auto string = [&](const std::string& name) {
    definitions.add_string(++text, name);
    return text;
  };
  define(DefinitionKind::kClockProperties, {1'000'000'000, 0, 0, 0, 0, 0, ~0U, ~0U});
  define(DefinitionKind::kSystemTreeNode, {0, string("node"), string("node"), kNone});
  std::vector<uint32_t> locations = {
      1, string(""), static_cast<uint32_t>(trace::GroupType::kCommLocations), trace::kParadigmMpi,
      0, kRanks};
  std::vector<uint32_t> world = {
      2, string(""), static_cast<uint32_t>(trace::GroupType::kCommGroup), trace::kParadigmMpi,
      0, kRanks};
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    define(DefinitionKind::kLocationGroup,
           {rank, string("rank"), static_cast<uint32_t>(trace::LocationGroupType::kProcess), 0,
            kNone});
    for (auto* members : {&locations, &world}) {
      members->push_back(rank);
      members->push_back(0);
    }
  }
  definitions.add(DefinitionKind::kGroup, locations);
  definitions.add(DefinitionKind::kGroup, world);
  define(DefinitionKind::kComm, {kWorld, string("world"), 2, kNone, 0});
  constexpr uint32_t kRegions = 20;
  for (uint32_t i = 0; i <= kRegions; ++i) {
    const std::string name = i == 0 ? "MPI_Sendrecv" : "work " + std::to_string(i);
    define(DefinitionKind::kRegion, {i, string(name), kNone, kNone, 1,
                                     trace::kParadigmMpi * (i == 0 ? 1U : 0U), 0, kNone, 0, 0});
  }

  std::vector<trace::EventsBuilder> events(kRanks);
  std::vector<uint64_t> clock(kRanks, 0);
  std::mt19937 random(1);
  for (uint32_t round = 0; round < kRounds; ++round) {
    const auto distance = static_cast<uint32_t>(1 + random() % (kRanks - 1));
    for (uint32_t rank = 0; rank < kRanks; ++rank) {
      const trace::Region work(1 + random() % kRegions);
      events[rank].enter(clock[rank], work);
      clock[rank] += 1000 + random() % 1000;
      events[rank].leave(clock[rank], work);
    }
    const std::vector<uint64_t> begin = clock;
    for (uint32_t rank = 0; rank < kRanks; ++rank) {
      const uint32_t sender = (rank + kRanks - distance) % kRanks;
      clock[rank] = std::max(begin[rank], begin[sender]) + 3;
      events[rank].enter(begin[rank], trace::Region(0));
      const uint32_t sent[] = {(rank + distance) % kRanks, kWorld, 0, 8, 0};
      std::copy(std::begin(sent), std::end(sent),
                events[rank].add_words(trace::EventKind::kMpiSend, begin[rank], 5));
      const uint32_t received[] = {sender, kWorld, 0, 8, 0};
      std::copy(std::begin(received), std::end(received),
                events[rank].add_words(trace::EventKind::kMpiRecv, clock[rank], 5));
      events[rank].leave(clock[rank], trace::Region(0));
    }
  }
  trace.locations.resize(kRanks);
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    trace::Location& location = trace.locations[rank];
    location.id = rank;
    location.type = trace::LocationType::kCpuThread;
    location.events = events[rank].finish();
    define(DefinitionKind::kLocation,
           {rank, 0, string("thread"), static_cast<uint32_t>(location.type), 0, 0, rank});
  }
  if (!definitions.finish()) std::abort();
  trace::assign_ranks(trace);
  base::ThreadPool pool(1);
  base::Progress progress;
  trace::finish(trace, pool, progress);
  return trace;
}

void delay_costs_of_messages_only(benchmark::State& state) {
  static const trace::Trace trace = messages_only();
  static const Kernels kernels(trace);
  for (auto unused : state) {
    benchmark::DoNotOptimize(findings::delay_costs(kernels.model, kernels.measured).wait_ticks);
  }
  state.counters["messages"] = static_cast<double>(trace.messages.size());
}

BENCHMARK(dependencies)->Unit(benchmark::kMillisecond);
BENCHMARK(model)->Unit(benchmark::kMillisecond);
BENCHMARK(schedule)->Unit(benchmark::kMillisecond);
BENCHMARK(replay)->Unit(benchmark::kMillisecond);
BENCHMARK(delay_costs)->Unit(benchmark::kMillisecond);
BENCHMARK(critical_path)->Unit(benchmark::kMillisecond);
BENCHMARK(findings_kernels)->Arg(0)->Arg(10)->ArgName("what-ifs")->Unit(benchmark::kMillisecond);
BENCHMARK(delay_costs_of_messages_only)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pathline::bench
