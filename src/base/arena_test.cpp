// SPDX-License-Identifier: BSD-3-Clause
#include "base/arena.hpp"

#include <algorithm>
#include <cstring>
#include <malloc.h>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

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

TEST(Arena, GivesThreadsPlacesOfTheirOwn) {
  Arena arena;
  constexpr size_t kThreads = 4;
  constexpr size_t kPlaces = 20'000;  // Some hundred pieces each.
  std::vector<std::vector<std::pair<std::byte*, size_t>>> places(kThreads);
  {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&arena, &own = places[t], t] {
        for (size_t i = 0; i < kPlaces; ++i) {
          const size_t bytes = 16 * (1 + (i * 31 + t) % 97) + (i % 1000 == 0 ? 10'000 : 0);
          own.emplace_back(static_cast<std::byte*>(arena.allocate(bytes)), bytes);
          std::memset(own.back().first, static_cast<int>(t), bytes);
        }
      });
    }
  }
  std::vector<std::pair<std::byte*, size_t>> all;
  for (size_t t = 0; t < kThreads; ++t) {
    for (const auto& [place, bytes] : places[t]) {
      ASSERT_EQ(std::count(place, place + bytes, std::byte(t)), static_cast<ptrdiff_t>(bytes));
    }
    all.insert(all.end(), places[t].begin(), places[t].end());
  }
  std::sort(all.begin(), all.end());
  for (size_t i = 1; i < all.size(); ++i) {
    ASSERT_LE(all[i - 1].first + all[i - 1].second, all[i].first);
  }
}

/// A thread has pieces of several arenas at a time, and none of one that is gone.
TEST(Arena, KeepsSeveralApart) {
  constexpr size_t kArenas = 7;
  for (int turn = 0; turn < 3; ++turn) {  // The same addresses again.
    std::vector<std::unique_ptr<Arena>> arenas;
    for (size_t i = 0; i < kArenas; ++i) arenas.push_back(std::make_unique<Arena>());
    std::vector<std::pair<std::byte*, size_t>> places;
    for (size_t i = 0; i < 1000; ++i) {
      const size_t of = i * 5 % kArenas;
      places.emplace_back(static_cast<std::byte*>(arenas[of]->allocate(64)), of);
      std::memset(places.back().first, static_cast<int>(of), 64);
    }
    for (const auto& [place, of] : places) {
      ASSERT_EQ(std::count(place, place + 64, std::byte(of)), 64);
    }
  }
}

TEST(Arena, TakesLittleForLittle) {
  const auto bytes_in_use = [] {
    const auto heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
  };
  const size_t before = bytes_in_use();
  constexpr size_t kArenas = 64;
  std::vector<std::unique_ptr<Arena>> arenas;
  for (size_t i = 0; i < kArenas; ++i) {
    arenas.push_back(std::make_unique<Arena>());
    arenas.back()->allocate(100);
  }
  EXPECT_LT(bytes_in_use() - before, kArenas * (32U << 10U));  // Sanitizers say nothing of theirs.
}

}  // namespace
}  // namespace pathline::base
