// SPDX-License-Identifier: BSD-3-Clause
//
// Reading one large location: 10 million events of one thread, which are decoded in pieces. The
// peer in the same run is the OTF2 library, which reads a location from its begin to its end.
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/speed/archive.hpp"
#include "otf2/reader.hpp"
#include "otf2/writer.hpp"

namespace pathline::bench {
namespace {

constexpr size_t kEvents = 10'000'000;
constexpr uint32_t kRegions = 40;

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "pathline-bench: {}\n", why);
  std::exit(2);
}

void define(trace::Definitions& definitions) {
  using trace::DefinitionKind;
  const auto add = [&](DefinitionKind kind, const std::vector<uint32_t>& words) {
    definitions.add(kind, words);
  };
  definitions.add_string(0, "");
  definitions.add_string(1, "thread");
  definitions.add_string(2, "cycles");
  add(DefinitionKind::kClockProperties, {1'000'000'000, 0, 0, 0, UINT32_MAX, 100, 0, 0});
  add(DefinitionKind::kSystemTreeNode, {0, 1, 1, trace::kUndefined});
  add(DefinitionKind::kLocationGroup, {0, 1, 1, 0, trace::kUndefined});
  add(DefinitionKind::kLocation, {0, 0, 1, 1, kEvents, 0, 0});
  for (uint32_t id = 0; id < kRegions; ++id) {
    definitions.add_string(3 + id, fmt::format("function_{}", id));
    add(DefinitionKind::kRegion, {id, 3 + id, 3 + id, 0, 1, 1, 0, trace::kUndefined, 0, 0});
  }
  add(DefinitionKind::kMetricMember, {0, 2, 0, 0, 0, 4, 0, 0, 0, 0});
  add(DefinitionKind::kMetricClass, {0, 1, 0, 1, 2});
  if (const auto status = definitions.finish(); !status) give_up(status.error().message);
}

/// Calls up to twelve deep; a counter at one of eight events.
trace::Events calls() {
  std::mt19937 random(1);
  trace::EventsBuilder builder;
  builder.reserve(kEvents);
  std::vector<trace::Region> open;
  uint64_t ticks = 1000;
  uint64_t cycles = 0;
  while (builder.size() + open.size() < kEvents) {
    ticks += 20 + random() % 500;
    if (random() % 8 == 0) {
      trace::WordWriter words(builder.add_words(trace::EventKind::kMetric, ticks, 5));
      for (const uint32_t word : {0U, 1U, 4U}) words.put(word, 1);
      words.put(cycles += random() % 2000, 2);
    } else if (open.size() < 2 || (open.size() < 12 && random() % 2 == 0)) {
      open.emplace_back(random() % kRegions);
      builder.enter(ticks, open.back());
    } else {
      builder.leave(ticks, open.back());
      open.pop_back();
    }
  }
  for (; !open.empty(); open.pop_back()) builder.leave(ticks, open.back());
  return builder.finish();
}

const std::filesystem::path& archive() {
  static const std::filesystem::path anchor = [] {
    const auto folder = program("pathline").parent_path().parent_path() / "bench/one_location";
    if (std::filesystem::exists(folder / "traces.otf2")) return folder / "traces.otf2";
    std::filesystem::remove_all(folder);
    trace::Trace trace;
    define(trace.definitions);
    trace.locations.resize(1);
    trace.locations[0].id = trace.definitions.locations[0].id;
    trace.locations[0].events = calls();
    base::Progress progress;
    const auto status = otf2::write(trace, folder, "traces", progress);
    if (!status) give_up(status.error().message);
    return folder / "traces.otf2";
  }();
  return anchor;
}

void read(benchmark::State& state, bool by_library) {
  base::ThreadPool pool(static_cast<unsigned>(state.range(0)));
  base::Progress progress;
  double cpu_s = 0;
  uint64_t events = 0;
  for (auto unused : state) {
    const std::clock_t start = std::clock();
    auto trace = otf2::read(archive(), {.events_by_library = by_library}, pool, progress);
    cpu_s += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    state.PauseTiming();
    if (!trace) give_up(trace.error().message);
    events += trace.value().event_count();
    trace = trace::Trace();
    state.ResumeTiming();
  }
  state.counters["events/CPU-s"] = static_cast<double>(events) / cpu_s;
}

void read_one_location(benchmark::State& state) { read(state, false); }
void one_location_by_library(benchmark::State& state) { read(state, true); }

BENCHMARK(read_one_location)
    ->Arg(1)
    ->Arg(2)
    ->ArgName("threads")
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(one_location_by_library)
    ->Arg(1)
    ->ArgName("threads")
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

}  // namespace
}  // namespace pathline::bench
