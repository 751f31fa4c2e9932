// SPDX-License-Identifier: BSD-3-Clause
#include "steps/packed_table.hpp"

#include <algorithm>
#include <random>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::steps {
namespace {

bool same(const Row& a, const Row& b) {
  return a.step == b.step && a.rank == b.rank && a.begin_ticks == b.begin_ticks &&
         a.end_ticks == b.end_ticks && a.counters == b.counters && a.recorded == b.recorded;
}

constexpr uint64_t Counters::*kCounters[] = {
    &Counters::mpi_ticks,  &Counters::io_ticks,          &Counters::sent_messages,
    &Counters::sent_bytes, &Counters::received_messages, &Counters::received_bytes,
    &Counters::read_bytes, &Counters::written_bytes};

class RandomRows {
 public:
  explicit RandomRows(uint32_t seed) : random_(seed) {}

  uint64_t below(uint64_t count) { return random_() % count; }
  uint64_t number() { return random_() >> below(64); }
  void change(Row& row, uint64_t number) { row.counters.*kCounters[below(8)] += number; }

  /// The one behind that.
  Row next(const Row& before, bool ascends) {
    const uint64_t begin = before.end_ticks + below(3);
    const auto step = before.step + (ascends || below(4) > 0 ? 1 : UINT32_MAX - 5);
    Row row{static_cast<uint32_t>(step), before.rank, begin, begin + below(1000), {}, below(9) > 0};
    for (uint64_t i = below(9); i > 0; --i) change(row, below(2) > 0 ? number() : below(100));
    return row;
  }

 private:
  std::mt19937_64 random_;
};

/// Rows that are added, packed and changed in any order, beside those that they should be.
struct Both {
  PackedRows packed;
  std::vector<Row> plain;

  void add(const Row& row) {
    plain.push_back(row);
    packed.push_back(row);
    packed.back().rank = 0;
  }
  void go_on(RandomRows& random, bool ascends) {
    add(random.next(plain.empty() ? Row{UINT32_MAX, 0, 0, 50} : plain.back(), ascends));
    if (random.below(4) == 0) packed.pack();
    if (random.below(9) == 0) packed.pack_again();
    if (random.below(5) > 0) return;
    const size_t i = random.below(plain.size());
    const uint64_t more = random.number();
    for (const auto counter : {&Counters::mpi_ticks, &Counters::written_bytes}) {
      plain[i].counters.*counter += more;
      packed[i].counters.*counter += more;
    }
  }
};

TEST(PackedRows, AreWhatWasAddedAndChanged) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomRows random(seed);
    Both both;
    for (uint64_t i = random.below(300); i > 0; --i) both.go_on(random, seed % 2 == 0);
    ASSERT_EQ(both.packed.size(), both.plain.size());
    for (size_t i = 0; i < both.packed.packed(); ++i) {
      const uint64_t ticks = both.plain[i].begin_ticks;
      if (i + 1 < both.plain.size() && both.plain[i + 1].begin_ticks == ticks) continue;
      ASSERT_EQ(both.packed.packed_begun_at(ticks), i);
    }
    both.packed.pack_all();
    size_t i = 0;
    for (PackedRows::Reader reader(both.packed); reader; reader.next()) {
      ASSERT_LT(i, both.plain.size());
      EXPECT_TRUE(same(reader.row(), both.plain[i++]));
    }
    EXPECT_EQ(i, both.plain.size());
  }
}

TEST(PackedRows, BeforeWhichATimeLiesHoldItNot) {
  PackedRows rows;
  EXPECT_EQ(rows.packed_begun_at(5), 0U);
  for (uint32_t i = 0; i < 20; ++i) rows.push_back({i, 0, 10 * i + 5, 10 * i + 9});
  rows.pack();
  EXPECT_GT(rows.packed(), 10U);
  EXPECT_EQ(rows.packed_begun_at(4), 20U);
  EXPECT_EQ(rows.packed_begun_at(5), 0U);
  EXPECT_EQ(rows.packed_begun_at(34), 2U);
}

TEST(PackedRows, TakeAFifthOfTheirMemory) {
  PackedRows rows;
  for (uint32_t i = 0; i < 3200; ++i) {
    rows.push_back({i, 0, 10'000 * i, 10'000 * i + 9990 - i % 7, {100 + i % 11, 0, 10, 9000}});
    rows.pack();
  }
  rows.pack_all();
  base::Packer out;
  rows.put(out);
  EXPECT_LT(out.take().size(), 3200 * sizeof(Row) / 5);
}

TEST(PackedTable, HasItsRowsByStepAndRankAndBegin) {
  for (uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomRows random(seed);
    std::vector<PackedRows> packed;
    std::vector<Row> all;
    const auto rank_count = static_cast<uint32_t>(1 + random.below(6));
    for (uint32_t rank = 0; rank < rank_count; ++rank) {
      Both both;
      const bool ascends = random.below(2) == 0;
      for (uint64_t i = random.below(100); i > 0; --i) both.go_on(random, ascends);
      for (Row& row : both.plain) row.rank = rank;
      all.insert(all.end(), both.plain.begin(), both.plain.end());
      both.packed.pack_all();
      base::Packer out;
      both.packed.put(out);
      const auto bytes = out.take();
      base::Unpacker in(bytes);
      packed.emplace_back().take(in);
      EXPECT_TRUE(in.ended());
    }
    std::stable_sort(all.begin(), all.end(), [](const Row& a, const Row& b) {
      return std::tie(a.step, a.rank, a.begin_ticks) < std::tie(b.step, b.rank, b.begin_ticks);
    });
    const std::vector<Counters> outside(rank_count, Counters{.mpi_ticks = 3});
    const Table table = PackedTable(std::move(packed), outside).table();
    EXPECT_EQ(table.outside, outside);
    ASSERT_EQ(table.rows.size(), all.size());
    for (size_t i = 0; i < all.size(); ++i) EXPECT_TRUE(same(table.rows[i], all[i])) << i;
  }
}

}  // namespace
}  // namespace pathline::steps
