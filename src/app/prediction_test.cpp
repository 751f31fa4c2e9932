// SPDX-License-Identifier: BSD-3-Clause
#include "app/prediction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/bench_programs.hpp"
#include "app/outcomes.hpp"
#include "base/scratch_folder.hpp"
#include "network/spec.hpp"
#include "predict/test_rows.hpp"

namespace pathline::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A ring of four nodes with two cores, on which a kernel takes a nanosecond for a cell and
/// messages a microsecond and a nanosecond for each byte, half of it inside a node.
class Deployment : public testing::Test {
 protected:
  void SetUp() override {
    store::Database database = open();
    store::Machine row{.name = "ring", .network = "torus:4"};
    row.kind = store::MachineKind::kSimulated;
    row.config_json = R"({"hosts":["n0","n1","n2","n3"],"launcher":["env","A={n}"]})";
    row.levels = {{"Machine", 0, 2}, {"Core", 0, 1}};
    row.cores = {"0/0", "0/1"};
    const store::Id machine = database.add(row).value();
    const store::Id launch = database.add(machine, store::Launch{}).value();
    const std::vector<std::vector<uint32_t>> scenarios = {{0}, {0, 1}};
    for (const auto& cores : scenarios) {
      const store::Id scenario = database.scenario(machine, {.cores = cores}).value();
      for (uint32_t side = 4; side <= 1024; side *= 2) {
        for (const char* kernel : {"phase1", "phase2", "filter", "copies"}) {
          const double seconds = 1e-9 * side * side;
          store::Compute compute{.launch = launch, .scenario = scenario, .kernel = kernel};
          compute.m = compute.n = side;
          compute.bytes = uint64_t{104} * (side + 2) * (side + 2);
          compute.samples = {seconds, seconds, seconds};
          ASSERT_TRUE(database.add(compute));
        }
      }
    }
    predict::TestRows rows;
    for (const uint32_t lanes : {1U, 2U}) {
      rows.add_halos("Core", 0, lanes, [](double) { return 1e-7; });
      rows.add_halos("Machine", 0, lanes, [](double bytes) { return 0.5e-6 + 0.5e-9 * bytes; });
      rows.add_halos("network", 1, lanes,
                     [&](double bytes) { return 1e-6 + 1e-9 * lanes * bytes; });
      rows.add_halos("network", 2, lanes,
                     [&](double bytes) { return 2e-6 + 1e-9 * lanes * bytes; });
    }
    for (store::Halo row_of : rows.halos) {
      row_of.launch = launch;
      ASSERT_TRUE(database.add(row_of));
    }
  }

  [[nodiscard]] store::Database open() const {
    auto opened = store::Database::open(path(), store::Database::Access::kCreate);
    EXPECT_TRUE(opened) << opened.error().message;
    return std::move(opened).value();
  }
  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "ring.db"; }
  [[nodiscard]] MeasuredMachine machine() const {
    store::Database database = open();
    auto opened = open_machine(database, path(), "");
    EXPECT_TRUE(opened) << opened.error().message;
    return std::move(opened).value();
  }
  [[nodiscard]] std::vector<Forecast> answer(const DeploymentChoices& choices) const {
    const MeasuredMachine ring = machine();
    const auto deployed = deployments(choices, predict::shallow(), ring);
    EXPECT_TRUE(deployed) << deployed.error().message;
    base::ThreadPool pool(2);
    base::Progress progress;
    auto forecasts = forecast(deployed.value(), predict::shallow(), ring, predict::Calibration(),
                              pool, progress);
    rank(forecasts);
    return forecasts;
  }
  /// What is wrong with the choices.
  [[nodiscard]] std::string fault(const DeploymentChoices& choices) const {
    const auto deployed = deployments(choices, predict::shallow(), machine());
    EXPECT_FALSE(deployed);
    return deployed ? "" : deployed.error().message;
  }

  base::ScratchFolder folder_;
};

TEST_F(Deployment, ChoicesMultiply) {
  const auto deployed = deployments({.grids = {"64x64", "64x128"},
                                     .ranks = {"4", "8"},
                                     .per_node = {"1", "2"},
                                     .mappings = {"smp", "block", "smp"},
                                     .binds = {"compact", "spread"}},
                                    predict::shallow(), machine());
  ASSERT_TRUE(deployed) << deployed.error().message;
  EXPECT_EQ(deployed.value().size(), 2U * 2 * 2 * 2 * 2);
}

TEST_F(Deployment, RanksAreDividedLikeASquareUnlessSaid) {
  const auto grids_of = [&](const DeploymentChoices& choices) {
    const auto deployed = deployments(choices, predict::shallow(), machine());
    EXPECT_TRUE(deployed) << deployed.error().message;
    std::vector<std::string> texts;
    for (const Deployed& each : deployed.value()) texts.push_back(grid_text(each.ranks));
    return texts;
  };
  EXPECT_THAT(grids_of({.grids = {"64x64"}, .ranks = {"8"}}), ElementsAre("4x2"));
  // No more ranks than cells along an axis.
  EXPECT_THAT(grids_of({.grids = {"3x64"}, .ranks = {"8"}}), ElementsAre("2x4"));
  EXPECT_THAT(grids_of({.grids = {"64x64"}, .ranks = {"8"}, .rank_grids = {"all"}}),
              ElementsAre("1x8", "2x4", "4x2", "8x1"));
  EXPECT_THAT(grids_of({.grids = {"64x64"}, .rank_grids = {"8x1", "2x2"}}),
              ElementsAre("8x1", "2x2"));
}

TEST_F(Deployment, WhatContradictsIsNamed) {
  EXPECT_THAT(fault({.grids = {"64"}, .ranks = {"2"}}),
              HasSubstr("--grid is '64', expected 2 sizes as in 2048x1024"));
  EXPECT_THAT(fault({.grids = {"64x64"}}), HasSubstr("--ranks is missing"));
  EXPECT_THAT(fault({.ranks = {"4"}}), HasSubstr("--grid is missing"));
  EXPECT_THAT(fault({.grids = {"64x64"}, .ranks = {"0"}}), HasSubstr("--ranks is '0'"));
  EXPECT_THAT(fault({.grids = {"2x2"}, .ranks = {"8"}}), HasSubstr("fewer cells than ranks"));
  EXPECT_THAT(fault({.grids = {"64x64"}, .ranks = {"8"}, .rank_grids = {"3x3"}}),
              HasSubstr("no --rank-grid has as many ranks"));
  EXPECT_THAT(fault({.grids = {"64x64"}, .ranks = {"8"}, .binds = {"loose"}}),
              HasSubstr("--bind is 'loose', expected compact or spread"));
}

TEST_F(Deployment, TheFastestComesFirstAndRefusalsLast) {
  const auto forecasts = answer({.grids = {"256x256"},
                                 .ranks = {"8"},
                                 .rank_grids = {"8x1", "4x2"},
                                 .mappings = {"smp", "round-robin", "folded"}});
  ASSERT_EQ(forecasts.size(), 6U);
  bool is_refused = false;
  double last = 0;
  for (const Forecast& each : forecasts) {
    is_refused = is_refused || !each.prediction;
    EXPECT_EQ(!each.prediction, is_refused);
    EXPECT_EQ(each.reason.empty(), each.prediction.has_value());
    if (!each.prediction) continue;
    EXPECT_GE(each.prediction->step.value, last);
    EXPECT_LE(each.prediction->step.low, each.prediction->step.value);
    EXPECT_GE(each.prediction->step.high, each.prediction->step.value);
    last = each.prediction->step.value;
  }
  EXPECT_FALSE(forecasts.front().is_tie);
  // Four kernels, a nanosecond each for 8192 cells.
  EXPECT_NEAR(forecasts.front().prediction->compute.value, 4 * 8192e-9, 1e-9);
}

TEST_F(Deployment, AFileSaysWhereRanksRun) {
  const std::string file = folder_.write("hosts", "n3\nn3\nn0\nn0\n").string();
  const MeasuredMachine ring = machine();
  const Deployed deployed{
      .grid = {64, 64}, .ranks = {2, 2}, .per_node = 2, .mapping = file, .bind = {}};
  const auto placement = place(deployed, ring);
  ASSERT_TRUE(placement) << placement.error().message;
  EXPECT_THAT(placement.value().node_of_rank, ElementsAre(network::Vertex(3), network::Vertex(3),
                                                          network::Vertex(0), network::Vertex(0)));
  Deployed missing = deployed;
  missing.mapping = "blok";
  EXPECT_THAT(place(missing, ring).error().message,
              HasSubstr("--mapping is 'blok', which is neither smp, round-robin"));
}

TEST_F(Deployment, MachinesAreFoundByName) {
  store::Database database = open();
  EXPECT_THAT(open_machine(database, path(), "square").error().advice, HasSubstr("It has ring."));
  ASSERT_TRUE(database.add(store::Machine{.name = "other"}));
  EXPECT_THAT(open_machine(database, path(), "").error().message,
              HasSubstr("holds 2 machines: --machine says which"));
  EXPECT_TRUE(open_machine(database, path(), "ring"));
}

TEST_F(Deployment, RealAndSimulatedRowsNeverMix) {
  const DeploymentChoices choices = {.grids = {"256x256"}, .ranks = {"4"}};
  const double before = answer(choices).front().prediction->step.value;
  {
    // The same cores and names, a thousand times slower, and real.
    store::Database database = open();
    store::Machine row{.name = "real", .network = "torus:4"};
    row.levels = {{"Machine", 0, 2}, {"Core", 0, 1}};
    row.cores = {"0/0", "0/1"};
    const store::Id other = database.add(row).value();
    const store::Id launch = database.add(other, store::Launch{}).value();
    const store::Id scenario = database.scenario(other, {.cores = {0, 1}}).value();
    store::Compute compute{.launch = launch, .scenario = scenario, .kernel = "phase1"};
    compute.m = compute.n = 128;
    compute.bytes = uint64_t{104} * 130 * 130;
    compute.samples = {1e3, 1e3, 1e3};
    ASSERT_TRUE(database.add(compute));
    predict::TestRows rows;
    rows.add_halos("network", 1, 1, [](double) { return 1e3; });
    for (store::Halo halo : rows.halos) {
      halo.launch = launch;
      ASSERT_TRUE(database.add(halo));
    }
  }
  store::Database database = open();
  const auto simulated = open_machine(database, path(), "ring");
  ASSERT_TRUE(simulated) << simulated.error().message;
  base::ThreadPool pool(1);
  base::Progress progress;
  const auto deployed = deployments(choices, predict::shallow(), simulated.value());
  const auto after = forecast(deployed.value(), predict::shallow(), simulated.value(),
                              predict::Calibration(), pool, progress);
  EXPECT_EQ(after.front().prediction->step.value, before);
  // And the real one has too few of its own to say anything.
  const auto real = open_machine(database, path(), "real");
  const auto refused = forecast(deployed.value(), predict::shallow(), real.value(),
                                predict::Calibration(), pool, progress);
  EXPECT_FALSE(refused.front().prediction);
  EXPECT_FALSE(refused.front().reason.empty());
}

class Trial : public Deployment {
 protected:
  /// A program that takes as long as its grid has cells, in nanoseconds a thousand.
  base::Result<TrialReport> run(const std::string& says, const DeploymentChoices& choices) {
    const auto script =
        folder_.write("program", "#!/bin/sh\necho \"$@\" >> " +
                                     (folder_.path() / "calls").string() + "\n" + says);
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    store::Database database = open();
    const MeasuredMachine ring = machine();
    base::Progress progress;
    const TrialRequest request{
        .application = "shallow",
        .deployed = deployments(choices, predict::shallow(), ring).value(),
        .command = {"{launcher}", script.string(), "{n}", "{grid}", "{rank_grid}",
                    "{ranks_per_node}", "--steps={steps}", "{hostfile}"},
        .steps = 7};
    return run_trials(request, database, ring, progress);
  }
};

TEST_F(Trial, RunsWhatWasNotRunBeforeAndComparesIt) {
  const std::string says =
      "echo phase1 1e-6 2e-6 3e-6 4e-6\necho phase2 is fine\necho 'seconds per step = 4.5e-5'\n";
  const DeploymentChoices two = {.grids = {"64x64"}, .ranks = {"4"}, .mappings = {"smp", "block"}};
  const auto first = run(says, two);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first.value().started, 2U);
  EXPECT_EQ(folder_.read("calls").substr(0, 24), "4 64x64 2x2 2 --steps=7 ");
  EXPECT_EQ(folder_.read("ring.db.hosts"), "n0\nn0\nn1\nn1\n");
  DeploymentChoices three = two;
  three.mappings = {"smp", "round-robin", "block", "folded"};
  const auto second = run(says, three);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second.value().started, 1U);
  EXPECT_EQ(second.value().present, 2U);
  EXPECT_THAT(second.value().left_out, ElementsAre(HasSubstr("folded")));

  store::Database database = open();
  const auto outcomes = outcomes_of(database, 1).value();
  ASSERT_EQ(outcomes.size(), 3U);
  for (const RunOutcome& outcome : outcomes) {
    EXPECT_DOUBLE_EQ(outcome.run.total_s, 4.5e-5);
    EXPECT_DOUBLE_EQ(outcome.run.compute_s, 3e-6);
    ASSERT_TRUE(outcome.prediction);
    EXPECT_FALSE(outcome.prediction->refused) << outcome.prediction->reason;
    EXPECT_NEAR(outcome.prediction->total_s,
                outcome.prediction->compute_s + outcome.prediction->communication_s, 1e-12);
  }
  EXPECT_EQ(calibration_of(database, 1).value().runs(), 3U);
  const Choices choices = choices_of(outcomes);
  EXPECT_EQ(choices.groups, 1U);
  EXPECT_EQ(choices.named, 1U);  // All take as long.
}

TEST_F(Trial, StoredRunsArePredictedAnewFromOtherGrids) {
  ASSERT_TRUE(run("echo 'seconds per step = 4e-5'\n",
                  {.grids = {"64x64", "128x128"}, .ranks = {"4"}, .mappings = {"smp", "block"}}));
  store::Database database = open();
  base::ThreadPool pool(2);
  base::Progress progress;
  const auto again = predict_again("shallow", database, machine(), pool, progress);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again.value(), 4U);
  EXPECT_EQ(database.predictions(1).value().size(), 8U);
}

TEST_F(Trial, WordsInBracesThatMeanNothingAreNamed) {
  store::Database database = open();
  const MeasuredMachine ring = machine();
  base::Progress progress;
  TrialRequest request{
      .application = "shallow",
      .deployed =
          deployments({.grids = {"64x64"}, .ranks = {"2"}}, predict::shallow(), ring).value(),
      .command = {"true", "--ranks={rankgrid}"}};
  EXPECT_THAT(run_trials(request, database, ring, progress).error().message,
              HasSubstr("'{rankgrid}', which nothing is filled in for"));
}

TEST_F(Trial, ProgramsThatFailOrDoNotSayTheirTimeAreNamed) {
  const DeploymentChoices one = {.grids = {"64x64"}, .ranks = {"4"}};
  EXPECT_THAT(run("echo no >&2\nexit 3\n", one).error().message,
              HasSubstr("the run ended with status 3: no"));
  EXPECT_THAT(run("echo fine\n", one).error().message,
              HasSubstr("expected a line 'seconds per step = X'"));
  store::Database database = open();
  const auto outcomes = outcomes_of(database, 1);
  EXPECT_TRUE(outcomes.value().empty());
}

TEST(BenchPrograms, TheLineThatTellsWhyIsFound) {
  EXPECT_EQ(
      telling_line("a warning\nbench-halo: no memory\n-----------\nmpirun noticed\n", "bench-halo"),
      "bench-halo: no memory");
  EXPECT_EQ(telling_line("-----------\nmpirun has detected\nmore\n-----------\n", "bench-halo"),
            "mpirun has detected");
  EXPECT_EQ(telling_line("first\nlast\n\n", "bench-halo"), "last");
  EXPECT_EQ(telling_line("\n----\n", "bench-halo"), "it said nothing");
}

TEST(HostNames, NameNodesOrCores) {
  const auto ring = network::parse_network("torus:2");
  const network::Network* two = ring.value().network.get();
  const HostNames nodes({"a", "b"}, two, 2);
  EXPECT_EQ(nodes.node_count(), 2U);
  EXPECT_EQ(nodes.of(1, 1), "b");
  const HostNames cores({"a0", "a1", "b0", "b1"}, two, 2);
  EXPECT_EQ(cores.node_count(), 2U);
  EXPECT_EQ(cores.of(1, 0), "b0");
  EXPECT_EQ(cores.of(0, 1), "a1");
  // Without a network nobody knows.
  EXPECT_EQ(HostNames({"a", "b", "c", "d"}, nullptr, 2).node_count(), 4U);
  EXPECT_EQ(HostNames({}, two, 2).of(0, 0), "localhost");
  EXPECT_EQ(HostNames({}, two, 2).node_count(), 1U);
}

TEST(BenchPrograms, WordsAreDividedByBlanksOutsideOfQuotes) {
  EXPECT_THAT(words_of("  mpirun  -n {n} "), ElementsAre("mpirun", "-n", "{n}"));
  EXPECT_THAT(words_of("a 'b c'd \"e 'f\" ''"), ElementsAre("a", "b cd", "e 'f", ""));
  EXPECT_THAT(words_of(""), ElementsAre());
}

}  // namespace
}  // namespace pathline::app
