// SPDX-License-Identifier: BSD-3-Clause
#include "base/arena.hpp"

#include <cstring>
#include <set>

#include <gtest/gtest.h>

namespace pathline::base {
namespace {

TEST(Arena, GivesTheSameMemoryAgainWhenItWasCleared) {
  Arena arena;
  constexpr size_t kBytes = 40'000;
  constexpr size_t kPieces = 50;  // More than a block.
  std::set<void*> first;
  for (size_t i = 0; i < kPieces; ++i) first.insert(arena.allocate(kBytes));
  EXPECT_EQ(first.size(), kPieces);
  arena.clear();
  for (size_t i = 0; i < kPieces; ++i) {
    void* const memory = arena.allocate(kBytes);
    EXPECT_TRUE(first.contains(memory)) << i;
    std::memset(memory, 1, kBytes);
  }
}

TEST(Arena, PassesOverBlocksThatAreTooSmallNow) {
  Arena arena;
  void* const small = arena.allocate(1000);
  arena.clear();
  constexpr size_t kLarge = 1 << 20;
  void* const large = arena.allocate(kLarge);
  EXPECT_NE(large, small);
  std::memset(large, 1, kLarge);
  arena.clear();
  EXPECT_EQ(arena.allocate(1000), small);
  EXPECT_EQ(arena.allocate(kLarge), large);
}

}  // namespace
}  // namespace pathline::base
