// SPDX-License-Identifier: BSD-3-Clause
//
// pathline-bench: the speed of what Pathline promises to do fast, with the peer beside it in the
// same run. Options are those of Google Benchmark; doc/performance.md holds the figures.
#include <chrono>
#include <ctime>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <benchmark/benchmark.h>

#include "app/picture.hpp"
#include "base/heap.hpp"
#include "bench/speed/archive.hpp"
#include "bench/speed/child.hpp"
#include "bench/speed/library_alone.hpp"
#include "comm/detect_steps.hpp"

namespace pathline::bench {

Launcher* launcher = nullptr;

namespace {

/// Process CPU time of the iterations of one benchmark, without what is paused.
class CpuTime {
 public:
  void start() { start_ = std::clock(); }
  void stop() { sum_ += static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC; }
  [[nodiscard]] double seconds() const { return sum_; }

 private:
  std::clock_t start_ = 0;
  double sum_ = 0;
};

void library_alone(benchmark::State& state) {
  const auto anchor = fd4_archive();
  CpuTime cpu;
  uint64_t events = 0;
  for (auto unused : state) {
    cpu.start();
    events += count_events_with_library(anchor);
    cpu.stop();
  }
  state.counters["events/CPU-s"] = static_cast<double>(events) / cpu.seconds();
}

void read(benchmark::State& state) {
  const auto anchor = fd4_archive();
  CpuTime cpu;
  uint64_t events = 0;
  for (auto unused : state) {
    cpu.start();
    auto trace = read_trace(anchor, static_cast<unsigned>(state.range(0)));
    cpu.stop();
    state.PauseTiming();
    events += trace.event_count();
    trace = {};
    state.ResumeTiming();
  }
  state.counters["events/CPU-s"] = static_cast<double>(events) / cpu.seconds();
}

/// The search for a period in the calls, which comes after reading.
void detect(benchmark::State& state) {
  const trace::Trace trace = read_trace(fd4_archive(), 0);
  base::ThreadPool pool(1);
  CpuTime cpu;
  uint64_t events = 0;
  for (auto unused : state) {
    cpu.start();
    benchmark::DoNotOptimize(comm::detect_steps(trace, pool));
    cpu.stop();
    events += trace.event_count();
  }
  state.counters["events/CPU-s"] = static_cast<double>(events) / cpu.seconds();
}

/// The whole program in a process of its own: what `time pathline info` shows.
void info_command(benchmark::State& state) {
  const auto anchor = fd4_archive();
  double cpu_s = 0;
  double peak_bytes = 0;
  for (auto unused : state) {
    const auto usage = launcher->run({program("pathline").string(), "info", anchor.string(),
                                      "--quiet", "--threads", std::to_string(state.range(0))});
    if (!usage) {
      state.SkipWithError("pathline info failed");
      return;
    }
    cpu_s += usage->cpu_s;
    peak_bytes = std::max(peak_bytes, usage->peak_bytes);
  }
  state.counters["CPU-s"] = cpu_s / static_cast<double>(state.iterations());
  state.counters["peak/archive"] = peak_bytes / static_cast<double>(archive_bytes(anchor));
}

void picture(benchmark::State& state, app::FigureKind kind) {
  const trace::Trace trace = read_trace(fd4_archive(), 0);
  base::ThreadPool pool(1);
  const trace::Selection selection;
  const auto file = std::filesystem::temp_directory_path() / "pathline-bench.png";
  for (auto unused : state) {
    const auto scene = app::make_scene(kind, trace, selection, {}, {}, pool);
    if (!scene || !app::write_picture(scene.value(), file.string(), pool, nullptr)) {
      state.SkipWithError("the picture failed");
    }
  }
  std::filesystem::remove(file);
}

BENCHMARK(library_alone)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
BENCHMARK(read)
    ->Arg(1)
    ->Arg(2)
    ->ArgName("threads")
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(detect)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
BENCHMARK(info_command)
    ->Arg(1)
    ->Arg(2)
    ->ArgName("threads")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(picture, timeline, app::FigureKind::kTimeline)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(picture, matrix, app::FigureKind::kMatrix)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(picture, chord, app::FigureKind::kChord)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(picture, flow, app::FigureKind::kFlow)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(picture, profile, app::FigureKind::kProfile)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pathline::bench

int main(int argc, char** argv) {
  pathline::base::keep_freed_memory();  // as pathline does
  pathline::bench::Launcher launcher;
  pathline::bench::launcher = &launcher;
  // Medians of interleaved runs: the machine may have something else to do. What the user says
  // comes later and wins.
  std::vector<char*> arguments = {argv[0]};
  char repetitions[] = "--benchmark_repetitions=5";
  char interleaved[] = "--benchmark_enable_random_interleaving=true";
  char aggregates[] = "--benchmark_report_aggregates_only=true";
  for (char* fixed : {repetitions, interleaved, aggregates}) arguments.push_back(fixed);
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
