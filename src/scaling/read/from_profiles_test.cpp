// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/read/from_profiles.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::scaling {
namespace {

using profile::Combine;
using profile::MetricTable;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint32_t kRoot = profile::MetricNode::kNoParent;

/// A profile with the metric "time".
struct TestRun {
  MetricTable table;

  explicit TestRun(uint32_t locations = 1) {
    table.location_count = locations;
    table.metrics = {{"time", "sec", Combine::kSum}};
    table.values.resize(1);
  }
  /// Returns the index of the new call path.
  uint32_t add(uint32_t parent, const std::string& region, const std::vector<double>& time) {
    table.call_paths.push_back({parent, region});
    table.values[0].insert(table.values[0].end(), time.begin(), time.end());
    return uint32_t(table.call_paths.size() - 1);
  }
  /// Of all call paths and locations; none means that the metric has no data.
  TestRun& with(const profile::Metric& metric, const std::vector<double>& values) {
    table.metrics.push_back(metric);
    table.values.push_back(values);
    return *this;
  }
  [[nodiscard]] ProfileAt at(double p) const { return {{p}, table, "run.p" + std::to_string(p)}; }
};

Experiment merge(std::vector<ProfileAt> profiles, const FromProfilesOptions& options = {}) {
  auto experiment = from_profiles({"p"}, std::move(profiles), options);
  EXPECT_TRUE(experiment.ok()) << experiment.error().message;
  return experiment ? std::move(experiment).value() : Experiment();
}

base::Error fault_of(std::vector<ProfileAt> profiles) {
  const auto experiment = from_profiles({"p"}, std::move(profiles), {});
  EXPECT_FALSE(experiment.ok());
  return experiment ? base::Error() : experiment.error();
}

std::vector<std::string> kernels_of(const Experiment& experiment) {
  std::vector<std::string> names;
  for (const Kernel& kernel : experiment.kernels) {
    names.push_back(experiment.call_paths[kernel.call_path] + "|" +
                    experiment.metrics[kernel.metric]);
  }
  return names;
}

/// A recursion of some levels, each half as dear as the one above.
TestRun multigrid(int levels, double base = 8) {
  TestRun run;
  const uint32_t root = run.add(kRoot, "main", {1});
  uint32_t parent = run.add(root, "solve", {2});
  for (int level = 0; level < levels; ++level) {
    parent = run.add(parent, "cycle", {std::ldexp(base, -level)});
    run.add(parent, "smooth", {100});
  }
  return run;
}

TEST(FromProfiles, AddsTheDeeperLevelsOfARecursionToTheDeepestCommonOne) {
  const Experiment experiment = merge({multigrid(2).at(4), multigrid(3).at(16), multigrid(5).at(64),
                                       multigrid(4).at(256), multigrid(6).at(1024)});
  EXPECT_THAT(experiment.coordinates, ElementsAre(4, 16, 64, 256, 1024));
  EXPECT_THAT(kernels_of(experiment),
              ElementsAre("main|time", "main->solve|time", "main->solve->cycle|time",
                          "main->solve->cycle->smooth|time", "main->solve->cycle->cycle|time",
                          "main->solve->cycle->cycle->smooth|time"));
  // Level 1 has 4; below are 2, 1, 1/2, 1/4 and a smoother each.
  const std::vector<double> expected = {4, 4 + 102, 4 + 303.5, 4 + 203, 4 + 403.75};
  for (size_t p = 0; p < 5; ++p) {
    EXPECT_THAT(experiment.samples_of(0, p), ElementsAre(1));
    EXPECT_THAT(experiment.samples_of(2, p), ElementsAre(8));
    EXPECT_THAT(experiment.samples_of(3, p), ElementsAre(100));
    EXPECT_THAT(experiment.samples_of(4, p), ElementsAre(expected[p]));
    EXPECT_THAT(experiment.samples_of(5, p), ElementsAre(100));
  }
  EXPECT_THAT(experiment.warnings, IsEmpty());
  EXPECT_EQ(experiment.value_is, "mean per location");
}

TEST(FromProfiles, AddsUpSiblingsOfTheSameNameAndWhatIsBelowThem) {
  TestRun run(2);
  const uint32_t root = run.add(kRoot, "main", {0, 0});
  const uint32_t first = run.add(root, "step", {1, 3});
  run.add(first, "send", {10, 30});
  const uint32_t second = run.add(root, "step", {2, 4});
  run.add(second, "send", {20, 40});
  const Experiment experiment = merge({run.at(1)}, {.locations = LocationRule::kStrong});
  EXPECT_THAT(kernels_of(experiment),
              ElementsAre("main|time", "main->step|time", "main->step->send|time"));
  EXPECT_THAT(experiment.samples, ElementsAre(0, 10, 100));
  // One sample, not one for each sibling.
  EXPECT_THAT(merge({run.at(1)}).samples, ElementsAre(0, 5, 50));
  EXPECT_EQ(experiment.value_is, "sum over locations");
}

TEST(FromProfiles, AddsUpCallPathsThatReadTheSame) {
  // Demangled names may hold arrows.
  TestRun run;
  const uint32_t root = run.add(kRoot, "main", {0});
  run.add(run.add(root, "operator", {1}), "x", {2});
  run.add(root, "operator->x", {4});
  const Experiment experiment = merge({run.at(1)});
  EXPECT_THAT(kernels_of(experiment),
              ElementsAre("main|time", "main->operator|time", "main->operator->x|time"));
  EXPECT_THAT(experiment.samples, ElementsAre(0, 1, 6));
}

TEST(FromProfiles, MakesOneSampleOfTheLocationsOfARepetition) {
  TestRun run(5);
  run.add(kRoot, "main", {9, 0, 1, 0, 2});
  TestRun again(5);
  again.add(kRoot, "main", {0, 0, 0, 0, 0});
  const auto samples = [&](LocationRule rule, Aggregate how) {
    return merge({run.at(1), again.at(1)}, {.aggregate = how, .locations = rule}).samples;
  };
  EXPECT_THAT(samples(LocationRule::kWeak, Aggregate::kMean), ElementsAre(0, 2.4));
  EXPECT_THAT(samples(LocationRule::kWeak, Aggregate::kMedian), ElementsAre(0, 1));
  EXPECT_THAT(samples(LocationRule::kWeak, Aggregate::kMax), ElementsAre(0, 9));
  EXPECT_THAT(samples(LocationRule::kWeakThreaded, Aggregate::kMean), ElementsAre(0, 4));
  EXPECT_THAT(samples(LocationRule::kWeakThreaded, Aggregate::kMedian), ElementsAre(0, 2));
  EXPECT_THAT(samples(LocationRule::kWeakThreaded, Aggregate::kMin), ElementsAre(0, 1));
  EXPECT_THAT(samples(LocationRule::kStrong, Aggregate::kMin), ElementsAre(0, 12));
}

TEST(FromProfiles, AddsPrunedCostsLocationByLocationBeforeTheMedianIsTaken) {
  TestRun flat(3);
  flat.add(kRoot, "main", {1, 2, 3});
  TestRun deep(3);
  deep.add(deep.add(kRoot, "main", {1, 2, 3}), "extra", {10, 0, 0});
  const Experiment experiment = merge({flat.at(1), deep.at(2)}, {.aggregate = Aggregate::kMedian});
  EXPECT_THAT(experiment.samples, ElementsAre(2, 3));  // Of 11, 2, 3; not 2 + 0.
}

TEST(FromProfiles, CountsZeroForAPathThatOneRepetitionLacks) {
  TestRun with;
  with.add(with.add(kRoot, "main", {1}), "rare", {5});
  TestRun without;
  without.add(kRoot, "main", {2});
  const Experiment experiment =
      merge({with.at(1), without.at(1), with.at(2), without.at(2), without.at(2)});
  EXPECT_THAT(kernels_of(experiment), ElementsAre("main|time", "main->rare|time"));
  EXPECT_THAT(experiment.samples_of(1, 0), ElementsAre(0, 5));
  EXPECT_THAT(experiment.samples_of(1, 1), ElementsAre(0, 0, 5));
  EXPECT_THAT(experiment.samples_of(0, 1), ElementsAre(1, 2, 2));
}

TEST(FromProfiles, CombinesMinimaAndMaximaByMinimumAndMaximum) {
  const auto run = [](bool is_deep) {
    TestRun made(2);
    const uint32_t root = made.add(kRoot, "main", {0, 0});
    made.add(root, "f", {0, 0});
    const uint32_t again = made.add(root, "f", {0, 0});
    if (is_deep) made.add(again, "g", {0, 0});
    std::vector<double> low = {1, 1, 5, 6, 4, 7};
    std::vector<double> high = {90, 90, 50, 60, 40, 70};
    if (is_deep) low.insert(low.end(), {4, 8});
    if (is_deep) high.insert(high.end(), {45, 80});
    return made.with({"low", "sec", Combine::kMin}, low).with({"high", "sec", Combine::kMax}, high);
  };
  const Experiment experiment =
      merge({run(false).at(1), run(true).at(2)}, {.locations = LocationRule::kStrong});
  EXPECT_THAT(kernels_of(experiment), ElementsAre("main|time", "main|low", "main|high",
                                                  "main->f|time", "main->f|low", "main->f|high"));
  EXPECT_THAT(experiment.samples, ElementsAre(0, 0, 1, 1, 90, 90, 0, 0, 4, 4, 70, 80));
  const Experiment mean = merge({run(false).at(1), run(true).at(2)});
  EXPECT_THAT(mean.samples_of(4, 1), ElementsAre(5));   // Of min(5, 4, 4) and min(6, 7, 8).
  EXPECT_THAT(mean.samples_of(5, 1), ElementsAre(65));  // Of max(50, 40, 45) and max(60, 70, 80).
}

TEST(FromProfiles, TakesNoMinimumOfWhatIsNotThere) {
  TestRun with;
  with.add(with.add(kRoot, "main", {1}), "rare", {5});
  with.with({"low", "sec", Combine::kMin}, {3, 3});
  TestRun without;
  without.add(kRoot, "main", {2});
  without.with({"low", "sec", Combine::kMin}, {4});
  const Experiment experiment = merge({with.at(1), without.at(1)});
  ASSERT_EQ(kernels_of(experiment)[3], "main->rare|low");
  EXPECT_THAT(experiment.samples_of(3, 0), ElementsAre(3));
  EXPECT_THAT(experiment.samples_of(2, 0), ElementsAre(0, 5));
}

TEST(FromProfiles, TellsMetricsWithoutDataFromMetricsThatWereNotMeasured) {
  const profile::Metric bytes = {"bytes", "bytes", Combine::kSum};
  const profile::Metric cycles = {"cycles", "", Combine::kSum};
  const profile::Metric put = {"put", "bytes", Combine::kSum};
  TestRun one;
  one.add(kRoot, "main", {1});
  one.with(bytes, {}).with(put, {}).with(cycles, {7});
  TestRun two;
  two.add(kRoot, "main", {2});
  two.with(bytes, {4096}).with(put, {});
  const Experiment experiment = merge({one.at(1), two.at(2)});
  EXPECT_THAT(kernels_of(experiment), ElementsAre("main|time", "main|bytes"));
  EXPECT_THAT(experiment.samples, ElementsAre(1, 2, 0, 4096));
  ASSERT_EQ(experiment.skipped.size(), 1U);
  EXPECT_EQ(experiment.skipped[0].metric, "cycles");
  EXPECT_EQ(experiment.skipped[0].reason, "it has values at 1 of 2 points, none at (2)");
  EXPECT_EQ(experiment.warnings.front(), "metrics without data in any profile are left out: put");
}

TEST(FromProfiles, KeepsKernelsThatAreZeroEverywhere) {
  TestRun run;
  run.add(run.add(kRoot, "main", {1}), "wait", {0});
  const Experiment experiment = merge({run.at(1), run.at(2)});
  EXPECT_THAT(kernels_of(experiment), ElementsAre("main|time", "main->wait|time"));
  EXPECT_THAT(experiment.samples_of(1, 1), ElementsAre(0));
}

TEST(FromProfiles, RefusesProfilesOfDifferentPrograms) {
  TestRun one;
  one.add(kRoot, "main", {1});
  TestRun two;
  two.add(kRoot, "start", {1});
  const base::Error error = fault_of({one.at(1), two.at(2)});
  EXPECT_EQ(error.code, base::ErrorCode::kInvalidArgument);
  EXPECT_EQ(error.message,
            "the profiles have no call path in common: run.p1.000000 begins with main, "
            "run.p2.000000 with start");
  EXPECT_THAT(fault_of({one.at(1), TestRun().at(2)}).message,
              HasSubstr("run.p2.000000 has none at all"));
}

TEST(FromProfiles, LosesNothingOfRootsThatSomeRunsLack) {
  TestRun one;
  one.add(kRoot, "main", {1});
  TestRun two;
  two.add(kRoot, "main", {2});
  two.add(two.add(kRoot, "helper", {3}), "poll", {4});
  const Experiment experiment = merge({one.at(1), two.at(2)});
  EXPECT_THAT(kernels_of(experiment), ElementsAre("main|time", "<not in all runs>|time"));
  EXPECT_THAT(experiment.samples, ElementsAre(1, 2, 0, 7));
  EXPECT_THAT(experiment.warnings.front(), HasSubstr("not all runs begin with helper"));
}

TEST(FromProfiles, RefusesWhatCannotBeCompared) {
  TestRun run;
  run.add(kRoot, "main", {1});
  TestRun other = run;
  other.table.metrics[0].unit = "cycles";
  EXPECT_EQ(fault_of({run.at(1), other.at(2)}).message,
            "metric time is not the same in run.p1.000000 and run.p2.000000: the unit is 'sec' and "
            "'cycles'");
  other = run;
  other.table.metrics[0].combine = Combine::kMax;
  EXPECT_THAT(fault_of({run.at(1), other.at(2)}).message, HasSubstr("one adds up"));
  EXPECT_THAT(fault_of({run.at(1), {{1, 2}, run.table, "two"}}).message,
              HasSubstr("cannot use two: it has values of 2 parameters, expected 1"));
  EXPECT_THAT(fault_of({run.at(NAN)}).message, HasSubstr("is not a finite number"));
  EXPECT_THAT(fault_of({}).message, HasSubstr("there are none"));
  EXPECT_THAT(fault_of({TestRun(0).at(1)}).message, HasSubstr("it has no location"));
}

TEST(FromProfiles, RefusesValuesThatAreNotFinite) {
  TestRun run(2);
  run.add(run.add(kRoot, "main", {1, 1}), "bad", {1, NAN});
  const base::Error error = fault_of({run.at(1)});
  EXPECT_EQ(error.code, base::ErrorCode::kCorrupt);
  EXPECT_EQ(error.message,
            "cannot use run.p1.000000: time: a value of call path 1 (bad) is not a finite number");
  TestRun large(2);
  large.add(kRoot, "main", {1.7e308, 1.7e308});
  const auto sum = from_profiles({"p"}, {large.at(1)}, {.locations = LocationRule::kStrong});
  ASSERT_FALSE(sum.ok());
  EXPECT_THAT(sum.error().message, HasSubstr("the sum of values of one call path"));
}

TestRun recursion(uint32_t depth) {
  TestRun run;
  uint32_t parent = kRoot;
  for (uint32_t i = 0; i < depth; ++i) parent = run.add(parent, "fib", {1});
  return run;
}

TEST(FromProfiles, FollowsADeepRecursion) {
  const Experiment experiment = merge({recursion(3).at(1), recursion(200'000).at(2)});
  ASSERT_EQ(experiment.kernels.size(), 3U);
  EXPECT_EQ(experiment.call_paths[2], "fib->fib->fib");
  EXPECT_THAT(experiment.samples_of(2, 1), ElementsAre(199'998));
}

TEST(FromProfiles, RefusesNamesThatWouldFillTheMemory) {
  const base::Error error = fault_of({recursion(200'000).at(1), recursion(200'000).at(2)});
  EXPECT_EQ(error.code, base::ErrorCode::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("200000 common call paths"));
}

/// A tree of random shape whose names come again and again, with two additive metrics.
TestRun random_run(std::mt19937& random, uint32_t locations) {
  TestRun run(locations);
  const auto draw = [&](uint32_t limit) { return uint32_t(random() % limit); };
  const uint32_t count = 1 + draw(40);
  std::vector<double> bytes;
  for (uint32_t c = 0; c < count; ++c) {
    std::vector<double> time(locations);
    for (double& value : time) value = draw(4) == 0 ? 0 : draw(1'000'000) * 1e-3;
    for (uint32_t l = 0; l < locations; ++l) bytes.push_back(draw(3) * 1e6);
    const bool is_second_root = c > 0 && draw(25) == 0;
    const uint32_t parent = c == 0 || is_second_root ? kRoot : draw(c);
    run.add(parent, c == 0 ? "main" : std::string(1, char('a' + draw(3))), time);
  }
  return run.with({"bytes", "bytes", Combine::kSum}, bytes);
}

/// Per point and metric, what is kept is all there was.
TEST(FromProfiles, KeepsTheSumOverAllCallPathsOfRandomTrees) {
  constexpr unsigned kSeed = 20261122;
  std::mt19937 random(kSeed);
  for (int trial = 0; trial < 400; ++trial) {
    SCOPED_TRACE(trial);
    // A single repetition shows that the sum holds for each.
    const uint32_t repetitions = trial % 2 == 0 ? 1 : 1 + uint32_t(random() % 3);
    const bool is_strong = random() % 2 == 0;
    std::vector<ProfileAt> profiles;
    std::map<std::pair<double, std::string>, double> all;
    for (const double p : {2, 4, 8}) {
      for (uint32_t r = 0; r < repetitions; ++r) {
        const uint32_t locations = 1 + uint32_t(random() % 4);
        profiles.push_back(random_run(random, locations).at(p));
        const MetricTable& table = profiles.back().table;
        for (size_t m = 0; m < 2; ++m) {
          const double sum = std::accumulate(table.values[m].begin(), table.values[m].end(), 0.0);
          all[{p, table.metrics[m].name}] += is_strong ? sum : sum / locations;
        }
      }
    }
    const Experiment experiment =
        merge(profiles, {.locations = is_strong ? LocationRule::kStrong : LocationRule::kWeak});
    std::map<std::pair<double, std::string>, double> kept;
    for (size_t k = 0; k < experiment.kernels.size(); ++k) {
      for (size_t p = 0; p < experiment.point_count(); ++p) {
        const auto samples = experiment.samples_of(k, p);
        ASSERT_EQ(samples.size(), repetitions);
        kept[{experiment.point(p)[0], experiment.metrics[experiment.kernels[k].metric]}] +=
            std::accumulate(samples.begin(), samples.end(), 0.0);
      }
    }
    ASSERT_EQ(kept.size(), all.size());
    for (const auto& [key, sum] : all) {
      EXPECT_THAT(kept[key], DoubleNear(sum, 1e-12 * sum + 1e-12)) << "seed " << kSeed;
    }
    EXPECT_THAT(experiment.skipped, IsEmpty());
  }
}

TEST(FromProfiles, DoesNotDependOnTheOrderOfProfilesButForNames) {
  const std::vector<ProfileAt> profiles = {multigrid(2).at(4), multigrid(3, 7).at(16),
                                           multigrid(3).at(16), multigrid(4).at(64)};
  const std::vector<ProfileAt> reversed(profiles.rbegin(), profiles.rend());
  const Experiment forward = merge(profiles);
  const Experiment backward = merge(reversed);
  EXPECT_EQ(kernels_of(forward), kernels_of(backward));
  EXPECT_EQ(forward.samples, backward.samples);
  EXPECT_EQ(forward.coordinates, backward.coordinates);
}

}  // namespace
}  // namespace pathline::scaling
