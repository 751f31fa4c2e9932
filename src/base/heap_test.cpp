// SPDX-License-Identifier: BSD-3-Clause
#include "base/heap.hpp"

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "base/scratch.hpp"
#include "base/test_scale.hpp"

namespace pathline::base {
namespace {

/// The flags that the system shows of the memory around `address`.
std::string flags_at(const std::byte* address) {
  std::ifstream maps("/proc/self/smaps");
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  bool is_it = false;
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) {
      is_it = begin <= wanted && wanted < end;
    } else if (is_it && line.starts_with("VmFlags:")) {
      return line + ' ';
    }
  }
  return {};
}

TEST(Heap, LargeBlocksLieInHugePages) {
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled")) {
    GTEST_SKIP() << "this system has no huge pages";
  }
  constexpr size_t kBytes = 40U << 20U;
  auto* block = static_cast<std::byte*>(reallocate_block(nullptr, 0, kBytes / 2));
  EXPECT_NE(flags_at(block + kBytes / 4).find(" hg "), std::string::npos);
  block = static_cast<std::byte*>(reallocate_block(block, kBytes / 2, kBytes));
  EXPECT_NE(flags_at(block + kBytes / 2).find(" hg "), std::string::npos);
  free_block(block);
}

uint64_t bytes_of_addresses() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// The addresses that threads take, each of which has a block at the same time as the others.
uint64_t bytes_of_threads(unsigned count) {
  const uint64_t before = bytes_of_addresses();
  std::barrier all_have(count + 1);
  std::barrier all_may_end(count + 1);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i) {
    threads.emplace_back([&] {
      void* const block = std::malloc(1000);
      all_have.arrive_and_wait();
      all_may_end.arrive_and_wait();
      std::free(block);
    });
  }
  all_have.arrive_and_wait();
  const uint64_t after = bytes_of_addresses();
  all_may_end.arrive_and_wait();
  for (std::thread& thread : threads) thread.join();
  return after - before;
}

TEST(Heap, OfLimitedAddressesIsThatOfAllThreads) {
  if (kIsSanitized) GTEST_SKIP() << "AddressSanitizer has a heap of its own";
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit limit{4UL << 30U, 4UL << 30U};
    if (::setrlimit(RLIMIT_AS, &limit) != 0) ::_exit(2);
    keep_freed_memory();
    constexpr unsigned kThreads = 4;
    constexpr uint64_t kStacks = kThreads * (9U << 20U);
    ::_exit(bytes_of_threads(kThreads) <= kStacks ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Heap, TakesAnyBlockThatItIsToldOf) {
  int on_stack = 0;
  took_memory(&on_stack, sizeof on_stack);
  took_memory(nullptr, 0);
  use_huge_pages(nullptr, 1);
}

}  // namespace
}  // namespace pathline::base
