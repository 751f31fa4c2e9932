// SPDX-License-Identifier: BSD-3-Clause
#include "store/database.hpp"

#include <csignal>
#include <fstream>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"

namespace pathline::store {
namespace {

using Access = Database::Access;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

Database made(const std::filesystem::path& path) {
  auto opened = Database::open(path, Access::kCreate);
  EXPECT_TRUE(opened) << opened.error().message;
  return std::move(opened).value();
}

Machine machine(const std::string& name, MachineKind kind = MachineKind::kReal) {
  return {.name = name,
          .kind = kind,
          .tool_version = "1",
          .config_json = "{\"a\": 1}",
          .created = "2026-11-23",
          .levels = {{"Machine", 0, 2}, {"L2Cache", 1 << 20, 1}},
          .cores = {"0/0", "0/1"},
          .network = "torus:4x4"};
}

Compute compute(Id launch, Id scenario, uint32_t m) {
  return {.launch = launch,
          .scenario = scenario,
          .kernel = "phase1",
          .m = m,
          .n = 3,
          .bytes = 520,
          .ranks = 2,
          .samples = {1e-6, 2e-6, 3e-6, 1.0 / 3}};
}

TEST(Database, GivesBackWhatItTook) {
  const base::ScratchFolder folder;
  const auto path = folder.path() / "a b?%23#.db";
  {
    Database database = made(path);
    const Id id = database.add(machine("node")).value();
    EXPECT_EQ(database.add(machine("node")).error().code, base::ErrorCode::kInvalidArgument);
    ASSERT_TRUE(database.add(machine("other", MachineKind::kSimulated)));
    const Id scenario = database.scenario(id, {.cores = {0, 1}, .description = "both"}).value();
    EXPECT_EQ(database.scenario(id, {.cores = {0, 1}}).value(), scenario);
    Launch launch{.number = 3, .started = "now", .load_before = 0.5};
    launch.id = database.add(id, launch).value();
    launch.noisy = true;
    launch.mpi = "Open MPI";
    ASSERT_TRUE(database.end(launch));
    ASSERT_TRUE(database.add(compute(launch.id, scenario, 7)));
    ASSERT_TRUE(database.add(Halo{.launch = launch.id,
                                  .connection = "network",
                                  .hops = 2,
                                  .layout = "strided",
                                  .stride = 66,
                                  .bytes = uint64_t{1} << 40U,
                                  .lanes = 4,
                                  .samples = {0.5}}));
    ASSERT_TRUE(database.add(Probe{.launch = launch.id,
                                   .connection = "L2Cache",
                                   .bytes = 8,
                                   .late_s = 1e-3,
                                   .send_s = {1},
                                   .receive_wait_s = {2, 3},
                                   .oneway_s = {4}}));
    const Id run = database
                       .add(AppRun{.machine = id,
                                   .application = "shallow",
                                   .grid = {64, 32},
                                   .ranks = {2, 1},
                                   .mapping = "smp",
                                   .ranks_per_node = 2,
                                   .steps = 9,
                                   .total_s = 0.25})
                       .value();
    ASSERT_TRUE(database.add(Prediction{.app_run = run, .refused = true, .reason = "no rows"}));
  }
  auto database = Database::open(path, Access::kRead);
  ASSERT_TRUE(database) << database.error().message;
  const auto machines = database.value().machines().value();
  ASSERT_THAT(machines, SizeIs(2));
  EXPECT_EQ(machines[1].kind, MachineKind::kSimulated);
  EXPECT_EQ(machines[0].kind, MachineKind::kReal);
  EXPECT_EQ(machines[0].network, "torus:4x4");
  ASSERT_THAT(machines[0].levels, SizeIs(2));
  EXPECT_EQ(machines[0].levels[1].bytes, 1U << 20U);
  EXPECT_THAT(machines[0].cores, ElementsAre("0/0", "0/1"));
  const Id id = machines[0].id;
  EXPECT_THAT(database.value().scenarios(id).value().at(0).cores, ElementsAre(0, 1));
  const auto launches = database.value().launches(id).value();
  ASSERT_THAT(launches, SizeIs(1));
  EXPECT_TRUE(launches[0].noisy);
  EXPECT_EQ(launches[0].mpi, "Open MPI");
  EXPECT_EQ(launches[0].load_before, 0.5);
  const auto computes = database.value().computes(id).value();
  ASSERT_THAT(computes, SizeIs(1));
  EXPECT_THAT(computes[0].samples, ElementsAre(1e-6, 2e-6, 3e-6, 1.0 / 3));
  EXPECT_EQ(computes[0].m, 7U);
  const auto halos = database.value().halos(id).value();
  ASSERT_THAT(halos, SizeIs(1));
  EXPECT_EQ(halos[0].bytes, uint64_t{1} << 40U);
  EXPECT_EQ(halos[0].layout, "strided");
  const auto probes = database.value().probes(id).value();
  ASSERT_THAT(probes, SizeIs(1));
  EXPECT_THAT(probes[0].receive_wait_s, ElementsAre(2, 3));
  EXPECT_THAT(probes[0].overhead_s, SizeIs(0));
  const auto runs = database.value().app_runs(id).value();
  ASSERT_THAT(runs, SizeIs(1));
  EXPECT_THAT(runs[0].grid, ElementsAre(64, 32));
  EXPECT_EQ(database.value().predictions(id).value().at(0).reason, "no rows");
  // Nothing of one machine is seen of the other.
  EXPECT_THAT(database.value().computes(machines[1].id).value(), SizeIs(0));
  EXPECT_THAT(database.value().app_runs(machines[1].id).value(), SizeIs(0));
  EXPECT_FALSE(database.value().add(machine("third")));
}

TEST(Database, SaysWhyItIsNone) {
  const base::ScratchFolder folder;
  const auto refused = [&](const std::filesystem::path& path, Access access) {
    auto opened = Database::open(path, access);
    EXPECT_FALSE(opened);
    return opened ? base::Error{} : opened.error();
  };
  EXPECT_EQ(refused(folder.path() / "none.db", Access::kRead).code, base::ErrorCode::kNotFound);
  EXPECT_THAT(refused(folder.path(), Access::kRead).message, HasSubstr("is a folder"));
  EXPECT_EQ(refused(folder.path() / "no" / "such.db", Access::kCreate).code, base::ErrorCode::kIo);
  const auto text = folder.write("text.db", std::string(4096, 'x'));
  EXPECT_EQ(refused(text, Access::kCreate).code, base::ErrorCode::kCorrupt);
  EXPECT_THAT(refused(folder.write("empty.db", ""), Access::kRead).message, HasSubstr("empty"));
  const auto other = folder.path() / "other.db";
  {
    auto connection = Connection::open(other, Connection::Access::kCreate);
    ASSERT_TRUE(connection.value().run("CREATE TABLE a(b)"));
  }
  EXPECT_THAT(refused(other, Access::kCreate).message, HasSubstr("another program"));
  const auto newer = folder.path() / "newer.db";
  (void)made(newer);
  {
    auto connection = Connection::open(newer, Connection::Access::kWrite);
    ASSERT_TRUE(connection.value().run("PRAGMA user_version = 99"));
  }
  const base::Error error = refused(newer, Access::kCreate);
  EXPECT_EQ(error.code, base::ErrorCode::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("version 99 of the tables, expected at most"));
}

TEST(Database, DamageIsSaid) {
  const base::ScratchFolder folder;
  const auto path = folder.path() / "a.db";
  {
    Database database = made(path);
    const Id id = database.add(machine("node")).value();
    const Id scenario = database.scenario(id, {.cores = {0}}).value();
    const Id launch = database.add(id, Launch{}).value();
    for (uint32_t m = 0; m < 500; ++m) {
      ASSERT_TRUE(database.add(compute(launch, scenario, m)));
    }
  }
  const std::string whole = folder.read("a.db");
  ASSERT_GT(whole.size(), 40'000U);
  std::mt19937_64 random(3);
  int found = 0;
  for (int trial = 0; trial < 60; ++trial) {
    std::string broken = whole;
    if (trial % 3 == 0) {
      broken.resize(random() % broken.size());
    } else {
      for (int i = 0; i < 200; ++i) broken[random() % broken.size()] = static_cast<char>(random());
    }
    const auto copy = folder.write("broken.db", broken);
    auto opened = Database::open(copy, Access::kRead);
    if (opened) {
      // Whatever it says, it says it.
      auto machines = opened.value().machines();
      if (machines && !machines.value().empty()) (void)opened.value().computes(1);
      continue;
    }
    ++found;
    EXPECT_THAT(opened.error().message, HasSubstr("broken.db"));
  }
  EXPECT_GT(found, 50);
}

TEST(Database, ReadsWhereNothingMayBeWritten) {
  const base::ScratchFolder folder;
  const auto path = folder.path() / "a.db";
  {
    Database database = made(path);
    ASSERT_TRUE(database.add(machine("node")));
  }
  std::filesystem::permissions(path, std::filesystem::perms::owner_read);
  std::filesystem::permissions(
      folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  auto opened = Database::open(path, Access::kRead);
  EXPECT_TRUE(opened && opened.value().machines().value().size() == 1);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
}

// A limit on the size of files is as good as a full disk, and can be had without one.
TEST(Database, WithoutSpaceKeepsWhatItHas) {
  const base::ScratchFolder folder;
  const auto path = folder.path() / "a.db";
  const int child = fork();
  if (child == 0) {
    (void)std::signal(SIGXFSZ, SIG_IGN);
    auto database = Database::open(path, Access::kCreate);
    if (!database) _exit(1);
    const Id id = database.value().add(machine("node")).value();
    const Id scenario = database.value().scenario(id, {.cores = {0}}).value();
    const Id launch = database.value().add(id, Launch{}).value();
    const rlimit limit{2'000'000, 2'000'000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
    for (uint32_t m = 0; m < 100'000; ++m) {
      if (!database.value().add(compute(launch, scenario, m))) _exit(m > 100 ? 0 : 3);
    }
    _exit(4);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  Database database = made(path);
  const auto rows = database.computes(1).value();
  EXPECT_GT(rows.size(), 100U);
  for (uint32_t m = 0; m < rows.size(); ++m) ASSERT_EQ(rows[m].m, m);
}

// What a writer has said to be stored is there, whenever it was killed; what comes after is whole.
TEST(Database, SurvivesAnyKill) {
  const base::ScratchFolder folder;
  const auto path = folder.path() / "a.db";
  std::mt19937_64 random(5);
  uint32_t kept = 0;
  for (int kill_number = 0; kill_number < 100; ++kill_number) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const int child = fork();
    if (child == 0) {
      auto database = Database::open(path, Access::kCreate);
      if (!database) _exit(1);
      auto machines = database.value().machines();
      const Id id = machines.value().empty() ? database.value().add(machine("node")).value()
                                             : machines.value()[0].id;
      const Id scenario = database.value().scenario(id, {.cores = {0}}).value();
      const Id launch = database.value().add(id, Launch{}).value();
      auto m = static_cast<uint32_t>(database.value().computes(id).value().size());
      for (;; ++m) {
        if (!database.value().add(compute(launch, scenario, m))) _exit(1);
        if (write(ends[1], &m, sizeof m) != sizeof m) _exit(1);
      }
    }
    close(ends[1]);
    // Every other one not before it has stored something, however long opening takes.
    uint32_t m = 0;
    if (kill_number % 2 == 1) {
      ASSERT_EQ(read(ends[0], &m, sizeof m), ssize_t{sizeof m}) << "it failed by itself";
      kept = m + 1;
    }
    usleep(static_cast<useconds_t>(random() % 20'000));
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it failed by itself";
    while (read(ends[0], &m, sizeof m) == sizeof m) kept = m + 1;
    close(ends[0]);
    if (kept == 0) continue;
    auto database = Database::open(path, Access::kRead);
    ASSERT_TRUE(database) << database.error().message;
    const auto rows = database.value().computes(1).value();
    ASSERT_GE(rows.size(), kept);
    for (uint32_t row = 0; row < rows.size(); ++row) ASSERT_EQ(rows[row].m, row);
  }
  EXPECT_GE(kept, 50U);
}

}  // namespace
}  // namespace pathline::store
