// SPDX-License-Identifier: BSD-3-Clause
//
// Reducing an archive to a summary, and what that is good for: opening it, pictures of bins and of
// events that are read again. Each is a command in a process of its own; info_command, which reads
// the whole archive once, is the peer in the same run.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/speed/archive.hpp"
#include "bench/speed/child.hpp"

namespace pathline::bench {
namespace {

namespace fs = std::filesystem;

void run(benchmark::State& state, std::vector<std::string> command) {
  command.insert(command.begin(), program("pathline").string());
  command.insert(command.end(), {"--quiet", "--threads", "1"});
  double cpu_s = 0;
  double peak_bytes = 0;
  for (auto unused : state) {
    const auto usage = launcher->run(command);
    if (!usage) {
      state.SkipWithError("the command failed");
      return;
    }
    cpu_s += usage->cpu_s;
    peak_bytes = std::max(peak_bytes, usage->peak_bytes);
  }
  state.counters["CPU-ms"] = 1e3 * cpu_s / static_cast<double>(state.iterations());
  state.counters["peak MB"] = peak_bytes / 1e6;
}

fs::path summary_file() { return fd4_archive().parent_path().parent_path() / "fd4.plsum"; }

void reduce(benchmark::State& state) {
  const fs::path file = summary_file();
  run(state, {"reduce", fd4_archive().string(), "-o", file.string(), "--memory",
              fmt::format("{}M", state.range(0))});
  if (fs::exists(file)) state.counters["file MB"] = static_cast<double>(fs::file_size(file)) / 1e6;
}

/// The summary; made if it is not there yet.
std::string summary() {
  const fs::path file = summary_file();
  if (!fs::exists(file)) {
    launcher->run({program("pathline").string(), "reduce", fd4_archive().string(), "-o",
                   file.string(), "--quiet"});
  }
  return file.string();
}

void open_summary(benchmark::State& state) { run(state, {"info", summary()}); }

/// Of the whole run, made of bins; of 15 s, about 2^20 events, which are read from the archive; and
/// the same from the archive alone.
void timeline(benchmark::State& state, bool of_summary, bool whole) {
  const auto picture = fs::temp_directory_path() / "pathline-bench.png";
  std::vector<std::string> command = {"figure", "timeline",
                                      of_summary ? summary() : fd4_archive().string(), "-o",
                                      picture.string()};
  if (!whole) command.insert(command.end(), {"--from", "150", "--until", "165"});
  run(state, command);
  fs::remove(picture);
}

BENCHMARK(reduce)->Arg(64)->Arg(256)->ArgName("MiB")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(open_summary)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(timeline, of_bins, true, true)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(timeline, read_again, true, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(timeline, of_archive, false, true)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(timeline, part_of_archive, false, false)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace pathline::bench
