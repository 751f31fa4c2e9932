// SPDX-License-Identifier: BSD-3-Clause
#include "base/id_map.hpp"

#include <cstdint>
#include <map>
#include <random>

#include <gtest/gtest.h>

namespace pathline::base {
namespace {

TEST(IdMap, NumbersIdsInTheOrderOfTheirArrival) {
  IdMap map;
  EXPECT_TRUE(map.insert(17));
  EXPECT_TRUE(map.insert(0));
  EXPECT_TRUE(map.insert(UINT64_MAX));
  EXPECT_TRUE(map.insert(5'000'000'000));
  EXPECT_TRUE(map.insert(16));
  EXPECT_EQ(map.find(17), 0U);
  EXPECT_EQ(map.find(0), 1U);
  EXPECT_EQ(map.find(UINT64_MAX), 2U);
  EXPECT_EQ(map.find(5'000'000'000), 3U);
  EXPECT_EQ(map.find(16), 4U);
  EXPECT_EQ(map.size(), 5U);
}

TEST(IdMap, FindsNothingThatWasNotInserted) {
  IdMap map;
  EXPECT_EQ(map.find(0), IdMap::kNone);
  EXPECT_EQ(map.find(UINT64_MAX), IdMap::kNone);
  map.insert(3);
  map.insert(uint64_t{1} << 40U);
  EXPECT_EQ(map.find(2), IdMap::kNone);     // A hole of the table.
  EXPECT_EQ(map.find(1000), IdMap::kNone);  // Behind the table.
  EXPECT_EQ(map.find((uint64_t{1} << 40U) + 3), IdMap::kNone);
  EXPECT_EQ(map.find((uint64_t{1} << 32U) + 3), IdMap::kNone) << "an id was cut to 32 bits";
}

TEST(IdMap, RefusesADuplicateAndChangesNothing) {
  IdMap map;
  EXPECT_TRUE(map.insert(4));
  EXPECT_TRUE(map.insert(uint64_t{1} << 60U));
  EXPECT_FALSE(map.insert(4));
  EXPECT_FALSE(map.insert(uint64_t{1} << 60U));
  EXPECT_EQ(map.size(), 2U);
  EXPECT_EQ(map.find(4), 0U);
  EXPECT_TRUE(map.insert(5));
  EXPECT_EQ(map.find(5), 2U);
}

TEST(IdMap, StillFindsAnIdThatBecameSmallAfterItCame) {
  IdMap map;
  EXPECT_TRUE(map.insert(3000));  // Far beyond 4 ids: hashed.
  for (uint64_t id = 0; id < 1000; ++id) ASSERT_TRUE(map.insert(id));
  EXPECT_TRUE(map.insert(3001));  // Now within 4 times the number of ids: in the table.
  EXPECT_FALSE(map.insert(3000));
  EXPECT_EQ(map.find(3000), 0U);
  EXPECT_EQ(map.find(3001), 1001U);
  EXPECT_EQ(map.find(999), 1000U);
}

TEST(IdMap, AgreesWithAnOrderedMapOnRandomIds) {
  for (const uint32_t seed : {1U, 2U, 3U}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    IdMap map;
    std::map<uint64_t, uint32_t> expected;
    for (int i = 0; i < 5000; ++i) {
      // Ids of every size, often near each other and often repeated.
      const uint64_t id = random() >> (random() % 64);
      const bool added = expected.emplace(id, static_cast<uint32_t>(expected.size())).second;
      ASSERT_EQ(map.insert(id), added) << "id " << id;
    }
    ASSERT_EQ(map.size(), expected.size());
    for (const auto& [id, index] : expected) {
      ASSERT_EQ(map.find(id), index) << "id " << id;
      if (!expected.contains(id + 1)) {
        ASSERT_EQ(map.find(id + 1), IdMap::kNone);
      }
    }
  }
}

}  // namespace
}  // namespace pathline::base
