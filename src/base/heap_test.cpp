// SPDX-License-Identifier: BSD-3-Clause
#include "base/heap.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "base/scratch.hpp"

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

TEST(Heap, TakesAnyBlockThatItIsToldOf) {
  int on_stack = 0;
  took_memory(&on_stack, sizeof on_stack);
  took_memory(nullptr, 0);
  use_huge_pages(nullptr, 1);
}

}  // namespace
}  // namespace pathline::base
