// SPDX-License-Identifier: BSD-3-Clause
#include "base/memory.hpp"

#include <unistd.h>

#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"

namespace pathline::base {
namespace {

constexpr uint64_t kMebibyte = 1U << 20U;

/// A system with 100 MiB available and 20 MiB of free swap.
class AvailableMemory : public testing::Test {
 protected:
  AvailableMemory() {
    write("proc/meminfo",
          "MemTotal: 204800 kB\nMemFree: 1024 kB\nMemAvailable: 102400 kB\nSwapFree: 20480 kB\n");
  }
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder_.path() / name).parent_path());
    folder_.write(name, text);
  }
  [[nodiscard]] MemorySource source() const {
    return {.proc = folder_.path() / "proc", .control_groups = folder_.path() / "cgroup"};
  }
  [[nodiscard]] uint64_t mebibytes() const {
    return available_memory(source()).value_or(0) / kMebibyte;
  }
  ScratchFolder folder_;
};

TEST_F(AvailableMemory, IsThatOfTheSystemWithItsSwap) { EXPECT_EQ(mebibytes(), 120U); }

TEST_F(AvailableMemory, IsWhatTheControlGroupLeavesCachesIncluded) {
  write("proc/self/cgroup", "0::/job/step\n");
  write("cgroup/job/step/memory.max", "max\n");
  write("cgroup/job/step/memory.current", "41943040\n");
  write("cgroup/job/memory.max", "62914560\n");      // 60 MiB
  write("cgroup/job/memory.current", "41943040\n");  // 40 MiB, of which 10 are caches
  write("cgroup/job/memory.stat", "anon 31457280\nfile 10485760\n");
  EXPECT_EQ(mebibytes(), 60U - 30U + 20U);
}

TEST_F(AvailableMemory, KnowsTheOlderControlGroups) {
  write("proc/self/cgroup", "5:cpu,cpuacct:/x\n3:memory:/job\n0::/\n");
  write("cgroup/memory/job/memory.limit_in_bytes", "52428800\n");
  write("cgroup/memory/job/memory.usage_in_bytes", "10485760\n");
  write("cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("cgroup/memory/memory.usage_in_bytes", "10485760\n");
  EXPECT_EQ(mebibytes(), 50U - 10U + 20U);
}

TEST_F(AvailableMemory, IsNoneInAGroupThatUsesMoreThanItMay) {
  write("proc/meminfo", "MemAvailable: 102400 kB\n");
  write("proc/self/cgroup", "0::/\n");
  write("cgroup/memory.max", "1048576\n");
  write("cgroup/memory.current", "2097152\n");
  EXPECT_EQ(available_memory(source()), 0U);
}

TEST_F(AvailableMemory, IsWhatTheAddressSpaceLeaves) {
  write("proc/self/statm", "2560 700 300 1 0 400 0\n");  // Pages.
  MemorySource limited = source();
  limited.address_space = 50 * kMebibyte;
  EXPECT_EQ(available_memory(limited), 50 * kMebibyte - 2560 * uint64_t(::getpagesize()));
}

TEST_F(AvailableMemory, IsNotKnownWhereNobodySays) {
  EXPECT_EQ(available_memory({.proc = "/nowhere", .control_groups = "/nowhere"}), std::nullopt);
}

TEST(AvailableMemoryOfThisSystem, IsSomething) { EXPECT_GT(available_memory().value_or(1), 0U); }

}  // namespace
}  // namespace pathline::base
