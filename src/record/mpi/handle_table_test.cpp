// SPDX-License-Identifier: BSD-3-Clause
#include "record/mpi/handle_table.hpp"

#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>

namespace pathline::record {
namespace {

TEST(HandleTable, FindsNothingBeforeAnythingWasPut) {
  HandleTable table;
  EXPECT_EQ(table.find(1), 0U);
  table.remove(1);
  EXPECT_EQ(table.find(1), 0U);
}

TEST(HandleTable, FindsTheLastValueOfAKey) {
  HandleTable table;
  table.put(7, 1);
  table.put(7, 2);
  EXPECT_EQ(table.find(7), 2U);
  table.remove(7);
  EXPECT_EQ(table.find(7), 0U);
  table.put(7, 3);
  EXPECT_EQ(table.find(7), 3U) << "handles are given out again";
}

TEST(HandleTable, FindsWhatLiesBehindARemovedKey) {
  HandleTable table;
  // All of them at the same place of the first table, which has 128.
  std::vector<uint64_t> keys;
  const auto place = [](uint64_t key) { return (key * 0x9e3779b97f4a7c15ULL >> 32U) & 127U; };
  for (uint64_t key = 1; keys.size() < 8; ++key) {
    if (place(key) == 126) keys.push_back(key);  // They go on at the begin of the table.
  }
  for (const uint64_t key : keys) table.put(key, key + 1);
  table.remove(keys[0]);
  table.remove(keys[4]);
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(table.find(keys[i]), i == 0 || i == 4 ? 0 : keys[i] + 1) << i;
  }
  table.put(keys[0], 9);
  EXPECT_EQ(table.find(keys[0]), 9U);
  EXPECT_EQ(table.find(keys[7]), keys[7] + 1);
}

TEST(HandleTable, AgreesWithAMapWhileItGrows) {
  std::mt19937_64 random(5);
  HandleTable table;
  std::unordered_map<uint64_t, uint64_t> expected;
  for (int i = 0; i < 200'000; ++i) {
    // Few keys often and many seldom; addresses of handles have zeros below.
    const uint64_t key = (1 + random() % (i % 3 == 0 ? 20'000 : 50)) << 4U;
    if (random() % 3 == 0) {
      table.remove(key);
      expected.erase(key);
    } else {
      table.put(key, 1 + static_cast<uint64_t>(i));
      expected[key] = 1 + static_cast<uint64_t>(i);
    }
    const uint64_t other = (1 + random() % 20'000) << 4U;
    const auto found = expected.find(other);
    ASSERT_EQ(table.find(other), found == expected.end() ? 0 : found->second);
  }
  for (const auto& [key, value] : expected) ASSERT_EQ(table.find(key), value);
}

/// A value says of which key it is, so that a reader can tell a wrong one.
uint64_t value_of(uint64_t key, uint64_t round) { return key << 20U | round; }

TEST(HandleTable, CanBeReadWhileAnotherThreadLetsItGrow) {
  constexpr uint64_t kKept = 40;
  constexpr uint64_t kKeys = 30'000;
  HandleTable table;
  for (uint64_t key = 1; key <= kKept; ++key) table.put(key, value_of(key, 1));
  std::atomic<uint64_t> put{kKept};  // Keys up to this one are there.
  std::atomic<int> wrong{0};
  const auto read = [&](uint64_t seed) {
    std::mt19937_64 random(seed);
    while (put.load(std::memory_order_acquire) < kKeys) {
      const uint64_t there = put.load(std::memory_order_acquire);
      const uint64_t key = 1 + random() % (there + 100);
      const uint64_t value = table.find(key);
      // A key that is there is found, another one never has a value of somebody else.
      if (value == 0 ? key <= there && key % 3 != 0 : value >> 20U != key) ++wrong;
    }
  };
  std::vector<std::thread> readers;
  for (uint64_t seed = 1; seed <= 3; ++seed) readers.emplace_back(read, seed);
  for (uint64_t key = kKept + 1; key <= kKeys; ++key) {
    table.put(key, value_of(key, 1));
    if (key % 3 == 0) table.remove(key);
    put.store(key, std::memory_order_release);
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST(HandleTable, TakesPutsOfManyThreads) {
  constexpr uint64_t kThreads = 4;
  constexpr uint64_t kKeys = 5'000;
  HandleTable table;
  std::vector<std::thread> writers;
  for (uint64_t thread = 0; thread < kThreads; ++thread) {
    writers.emplace_back([&table, thread] {
      for (uint64_t i = 0; i < kKeys; ++i) {
        const uint64_t key = 1 + i * kThreads + thread;
        table.put(key, value_of(key, 1));
        table.put(key, value_of(key, 2));
        if (i % 2 == 0) table.remove(key);
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  for (uint64_t key = 1; key <= kKeys * kThreads; ++key) {
    const bool removed = (key - 1) / kThreads % 2 == 0;
    ASSERT_EQ(table.find(key), removed ? 0 : value_of(key, 2)) << key;
  }
}

TEST(Freed, IsOutOfTheTableUntilItIsKept) {
  HandleTable table;
  const uint64_t handle = 77;
  table.put(key_of(handle), 5);
  const Freed<uint64_t> freed(table, &handle);
  EXPECT_EQ(freed.value(), 5U);
  EXPECT_EQ(table.find(key_of(handle)), 0U);
  freed.keep();
  EXPECT_EQ(table.find(key_of(handle)), 5U);
  EXPECT_EQ(Freed<uint64_t>(table, nullptr).value(), 0U);
}

}  // namespace
}  // namespace pathline::record
