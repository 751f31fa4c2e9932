// SPDX-License-Identifier: BSD-3-Clause
#include "app/bench.hpp"

#include <csignal>
#include <random>
#include <set>
#include <sys/wait.h>
#include <tuple>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "predict/tables.hpp"
#include "store/database.hpp"

namespace pathline::app {
namespace {

using testing::HasSubstr;

/// Prints what the benchmark programs would print on a machine that follows a formula: messages
/// of 4 KiB and more wait for the receiver. Counts its starts in the file "starts"; with a file
/// "die" it ends behind so many points, in the middle of a line.
constexpr const char* kProgram = R"py(#!/usr/bin/env python3
import json, os, sys
here = os.path.dirname(os.path.abspath(__file__))
with open(here + "/starts", "a") as file:
    file.write(" ".join(sys.argv) + "\n")
options = {name: sys.argv[i + 1] for i, name in enumerate(sys.argv[:-1]) if name.startswith("--")}
left = int(open(here + "/die").read()) if os.path.exists(here + "/die") else 10**9
def say(line):
    global left
    text = json.dumps(line, separators=(",", ":"))
    if left == 0:
        sys.stdout.write(text[:20])
        sys.stdout.flush()
        print("some words\nthe last words", file=sys.stderr)
        sys.exit(3)
    left -= 1
    print(text, flush=True)
print("a launcher says something")
print(json.dumps({"program": "fake", "version": 1, "mpi": "Fake MPI"}))
if "--sizes" in options:
    for size in options["--sizes"].split(","):
        m, n = map(int, size.split("x"))
        for kernel in ("phase1", "phase2", "filter", "copies"):
            say({"point": "compute", "kernel": kernel, "m": m, "n": n, "bytes": 104 * (m + 2) * (n + 2),
                 "ranks": 1, "repeat": 1, "samples": [[1e-9 * m * n] * 3]})
elif "--probe" in sys.argv:
    for size in map(int, options["--bytes"].split(",")):
        say({"point": "probe", "bytes": size, "late_s": 1e-3, "send_s": [1e-3 if size >= 4096 else 1e-7],
             "receive_wait_s": [1e-6], "receive_away_s": [1e-6], "overhead_s": [1e-7], "oneway_s": [1e-6]})
else:
    for size in map(int, options["--bytes"].split(",")):
        for layout in options["--layouts"].split(","):
            say({"point": "halo", "bytes": size, "layout": layout, "stride": 1, "lanes": int(options["--lanes"]),
                 "places": 2, "batch": 1, "samples": [1e-6 + 1e-9 * size] * 3})
print(json.dumps({"done": True}))
)py";

class Bench : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"bench-compute", "bench-halo"}) {
      const auto path = folder_.write(name, kProgram);
      std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }
    request_.database = folder_.path() / "a.db";
    request_.launcher = {"env"};
    request_.programs = folder_.path();
    request_.machine = "fake";
    request_.node = "core:2 pu:1";
    request_.launches = 2;
  }

  base::Result<BenchReport> run() {
    base::Progress progress;
    return run_benchmarks(request_, progress);
  }
  [[nodiscard]] size_t starts() const {
    const std::string text = folder_.read("starts");
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  store::Database database() const {
    auto opened = store::Database::open(request_.database, store::Database::Access::kRead);
    EXPECT_TRUE(opened) << opened.error().message;
    return std::move(opened).value();
  }

  /// Each thing that was to be measured is there, and once.
  void expect_complete() {
    auto stored = database();
    std::map<store::Id, uint32_t> numbers;
    const auto launches = stored.launches(1).value();
    for (const auto& launch : launches) numbers[launch.id] = launch.number;
    std::map<std::tuple<uint32_t, store::Id, uint32_t>, std::multiset<std::string>> kernels;
    const auto computes = stored.computes(1).value();
    for (const auto& row : computes) {
      kernels[{numbers[row.launch], row.scenario, row.m}].insert(row.kernel);
    }
    // Two scenarios, two launches. A size whose kernels were not all there is measured again.
    EXPECT_GE(kernels.size(), 4 * 23U);
    for (const auto& [key, names] : kernels) {
      EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 4U)
          << "launch " << std::get<0>(key) << " scenario " << std::get<1>(key) << " size "
          << std::get<2>(key);
    }
    std::set<std::tuple<uint32_t, std::string, std::string, uint64_t>> halos;
    const auto found = stored.halos(1).value();
    for (const auto& row : found) {
      EXPECT_TRUE(halos.emplace(numbers[row.launch], row.connection, row.layout, row.bytes).second);
    }
    EXPECT_TRUE(halos.contains({1, "Machine", "contiguous", 4096}));
    EXPECT_TRUE(halos.contains({1, "Machine", "contiguous", 4088}));  // The edge of a protocol.
    EXPECT_TRUE(halos.contains({0, "Core", "packed", 8}));
    const std::vector<store::Probe> probes = stored.probes(1).value();
    EXPECT_THAT(predict::protocol_changes(probes), testing::ElementsAre(std::pair(4088, 4096)));
  }

  base::ScratchFolder folder_;
  BenchRequest request_;
};

TEST_F(Bench, MeasuresOnceWhatIsMissing) {
  const auto first = run();
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first.value().started, starts());
  EXPECT_EQ(first.value().present, 0U);
  expect_complete();
  EXPECT_EQ(database().launches(1).value().at(0).mpi, "Fake MPI");
  const size_t before = starts();
  const auto second = run();
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second.value().added, 0U);
  EXPECT_EQ(second.value().present, first.value().added);
  EXPECT_EQ(starts(), before);
  request_.launches = 3;
  const auto third = run();
  ASSERT_TRUE(third);
  EXPECT_GT(third.value().added, 0U);
}

TEST_F(Bench, KeepsWhatAProgramSaidThatFailed) {
  folder_.write("die", "7");
  const auto failed = run();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "bench-compute ended with status 3: the last words");
  EXPECT_EQ(database().computes(1).value().size(), 7U);
  std::filesystem::remove(folder_.path() / "die");
  const auto done = run();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done.value().present, 7U);
  expect_complete();
}

TEST_F(Bench, GoesOnAfterAKillAtAnyMoment) {
  std::mt19937_64 random(11);
  request_.launches = 1;
  for (int i = 0; i < 12; ++i) {
    const int child = fork();
    if (child == 0) {
      (void)run();
      _exit(0);
    }
    usleep(static_cast<useconds_t>(random() % 250'000));
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
  }
  request_.launches = 2;
  const auto done = run();
  ASSERT_TRUE(done) << done.error().message;
  expect_complete();
}

TEST_F(Bench, RefusesWhatDoesNotBelongTogether) {
  request_.halos = false;
  request_.launches = 1;
  ASSERT_TRUE(run());
  request_.node = "core:3 pu:1";
  EXPECT_THAT(run().error().message,
              HasSubstr("has another machine 'fake', not with the same cores"));
  request_.node = "core:2 pu:1";
  request_.simulated = true;
  EXPECT_THAT(run().error().message, HasSubstr("not with the same kind"));
  request_.machine = "simulated";
  EXPECT_THAT(run().error().message, HasSubstr("does not say where ranks are"));
  request_.simulated = false;
  request_.machine = "other";
  request_.programs = "/nowhere";
  EXPECT_THAT(run().error().message, HasSubstr("there is no /nowhere/bench-compute"));
  request_.node = "nonsense";
  EXPECT_THAT(run().error().message, HasSubstr("is no hardware"));
  request_.node = "core:2 pu:1";
  request_.network = "nonsense";
  EXPECT_FALSE(run());
}

}  // namespace
}  // namespace pathline::app
