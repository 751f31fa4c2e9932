// SPDX-License-Identifier: BSD-3-Clause
//
// Campaigns: what a run costs that does nothing, and 10,000 of them. The peer is JUBE, where its
// command `jube` is installed, with the same runs.
#include <filesystem>
#include <system_error>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "base/scratch_folder.hpp"
#include "bench/speed/archive.hpp"
#include "bench/speed/child.hpp"
#include "campaign/plan.hpp"
#include "campaign/state.hpp"

namespace pathline::bench {
namespace {

constexpr int kRuns = 200;
constexpr int kMany = 10'000;

/// "1, 2, ..., n"
std::string up_to(int n, std::string_view between) {
  std::string text;
  for (int i = 1; i <= n; ++i) text += fmt::format("{}{}", i == 1 ? "" : between, i);
  return text;
}

/// Runs the command once in each iteration; nothing that it made is left.
/// runs  What a run costs is the time over this; 0: not shown.
void measure(benchmark::State& state, const std::vector<std::string>& command, int runs,
             const std::filesystem::path& made, const char* failure) {
  double cpu_s = 0;
  double peak_bytes = 0;
  for (auto unused : state) {
    const auto usage = launcher->run(command);
    if (!usage) {
      state.SkipWithError(failure);
      return;
    }
    cpu_s += usage->cpu_s;
    peak_bytes = std::max(peak_bytes, usage->peak_bytes);
    state.PauseTiming();
    std::error_code ignored;
    if (!made.empty()) std::filesystem::remove_all(made, ignored);
    state.ResumeTiming();
  }
  const double each = cpu_s / static_cast<double>(state.iterations());
  state.counters["CPU-s"] = each;
  if (runs != 0) state.counters["CPU-ms/run"] = 1e3 * each / runs;
  state.counters["peak_MB"] = 1e-6 * peak_bytes;
}

std::string study_of_true(int runs) {
  return fmt::format(
      "[parameters]\ni = [{}]\n[[steps]]\nname = \"run\"\ncores = 1\ncommand = \"true\"\n",
      up_to(runs, ", "));
}

void campaign_of_true(benchmark::State& state) {
  const base::ScratchFolder folder;
  const auto study = folder.write("true.toml", study_of_true(kRuns));
  measure(state, {program("pathline").string(), "campaign", "run", study.string(), "--quiet"},
          kRuns, folder.path() / "true.campaign", "pathline campaign run failed");
}

void campaign_of_true_by_jube(benchmark::State& state) {
  const base::ScratchFolder folder;
  const auto made = folder.path() / "made";
  const auto study =
      folder.write("true.xml", fmt::format(R"(<jube><benchmark name="true" outpath="{}">
  <parameterset name="all"><parameter name="i" type="int">{}</parameter></parameterset>
  <step name="run"><use>all</use><do>true</do></step>
</benchmark></jube>
)",
                                           made.string(), up_to(kRuns, ",")));
  measure(state, {"/usr/bin/env", "jube", "run", "--hide-animation", study.string()}, kRuns, made,
          "skipped: there is no command 'jube' (JUBE), or it failed");
}

/// 10 points, 1,000 repetitions.
std::string study_of_many() {
  return fmt::format(
      "[campaign]\nrepetitions = {}\n[parameters]\np = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]\n"
      "[[steps]]\nname = \"run\"\ncores = 1\nrecord = true\ncommand = \"true\"\n"
      "[results]\nt = {{ step = \"run\", pattern = '(.*)' }}\n",
      kMany / 10);
}

void campaign_plan_of_10000(benchmark::State& state) {
  const base::ScratchFolder folder;
  const auto study = folder.write("many.toml", study_of_many());
  measure(state,
          {program("pathline").string(), "campaign", "run", study.string(), "--dry-run", "--quiet"},
          0, {}, "pathline campaign run --dry-run failed");
}

/// A campaign that is done, as if each run had been recorded: 50 regions, 4 metrics, 4 locations.
class DoneCampaign {
 public:
  DoneCampaign() {
    if (const auto filled = fill(); !filled) {
      fmt::print(stderr, "pathline-bench: {}\n", filled.error().message);
    }
  }
  [[nodiscard]] std::filesystem::path folder() const { return folder_.path() / "many.campaign"; }

 private:
  base::Status fill() {
    auto study = campaign::read_study(folder_.write("many.toml", study_of_many()), {});
    if (!study) return study.error();
    auto plan = campaign::plan(study.value());
    if (!plan) return plan.error();
    std::filesystem::create_directory(folder());
    auto state = campaign::State::create(folder(), study.value(), {}, plan.value());
    if (!state) return state.error();
    profile::MetricTable profile;
    profile.location_count = 4;
    for (uint32_t rank = 0; rank < 4; ++rank) profile.rank_of_location.emplace_back(rank);
    profile.metrics = {{.name = "time", .unit = "sec"},
                       {.name = "visits", .unit = "occ"},
                       {.name = "bytes_sent", .unit = "bytes"},
                       {.name = "bytes_received", .unit = "bytes"}};
    profile.call_paths = {{profile::MetricNode::kNoParent, "main"}};
    for (int i = 1; i < 50; ++i) profile.call_paths.push_back({0, fmt::format("solve_{}", i)});
    profile.values.assign(4, std::vector<double>(200));
    for (const campaign::Package& package : plan.value().packages) {
      const double p = std::stod(plan.value().points[package.point][0]);
      for (auto& metric : profile.values) {
        for (size_t i = 0; i < metric.size(); ++i) {
          metric[i] = static_cast<double>(i + 1) * p + package.repetition % 7;
        }
      }
      const auto id = static_cast<int64_t>(&package - plan.value().packages.data()) + 1;
      const auto status = state.value().finish(id, 1, {}, &profile);
      if (!status) return status.error();
    }
    return {};
  }

  base::ScratchFolder folder_;
};

const std::filesystem::path& done_campaign() {
  static const DoneCampaign campaign;
  static const std::filesystem::path folder = campaign.folder();
  return folder;
}

void campaign_status_of_10000(benchmark::State& state) {
  measure(state, {program("pathline").string(), "campaign", "status", done_campaign().string()}, 0,
          {}, "pathline campaign status failed");
}

void models_of_10000_profiles(benchmark::State& state) {
  measure(state,
          {program("pathline").string(), "model", done_campaign().string(), "--quiet", "--threads",
           "1"},
          0, {}, "pathline model failed");
}

BENCHMARK(campaign_of_true)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(campaign_of_true_by_jube)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(campaign_plan_of_10000)->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK(campaign_status_of_10000)->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK(models_of_10000_profiles)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace pathline::bench
