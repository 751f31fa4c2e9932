// SPDX-License-Identifier: BSD-3-Clause
#include "otf2/scan.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "otf2/check_definition.hpp"
#include "otf2/read_definitions.hpp"

namespace pathline::otf2 {
namespace {

using testing::HasSubstr;

constexpr uint64_t kChunkBytes = 64;

void add_header(std::vector<uint8_t>& bytes) {
  bytes.push_back(0x03);
  bytes.push_back(0x42);
  bytes.resize(bytes.size() + 16);
}

std::vector<uint8_t> file_of(std::initializer_list<uint8_t> records) {
  std::vector<uint8_t> bytes;
  add_header(bytes);
  bytes.insert(bytes.end(), records);
  return bytes;
}

/// Two chunks of events: two in the first, one with time stamp and attribute list in the second.
std::vector<uint8_t> two_chunks() {
  auto bytes = file_of({5, 1, 0, 0, 0, 0, 0, 0, 0, 12, 1, 3, 22, 0});
  bytes.resize(kChunkBytes);
  add_header(bytes);
  bytes.insert(bytes.end(), {5, 2, 0, 0, 0, 0, 0, 0, 0, 6, 1, 0, 13, 1, 3, 2, 1});
  return bytes;
}

TEST(FindDamage, FindsNoneInAWholeFile) {
  EXPECT_FALSE(find_damage(two_chunks(), FileKind::kEvents, kChunkBytes));
  EXPECT_FALSE(find_damage(file_of({2, 1}), FileKind::kDefinitions, kChunkBytes));
}

TEST(FindDamage, FindsEveryTruncation) {
  const auto whole = two_chunks();
  for (size_t size = 0; size + 2 < whole.size(); ++size) {
    const auto damage = find_damage(std::span(whole).first(size), FileKind::kEvents, kChunkBytes);
    ASSERT_TRUE(damage) << size << " bytes";
    EXPECT_LE(damage->offset, size);
    EXPECT_LE(damage->records_before, 2);
  }
}

TEST(FindDamage, NamesThePlaceAndCountsWhatStandsBefore) {
  auto bytes = two_chunks();
  bytes[kChunkBytes] = 0x07;
  const auto header = find_damage(bytes, FileKind::kEvents, kChunkBytes);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->offset, kChunkBytes);
  EXPECT_EQ(header->records_before, 2);
  EXPECT_THAT(header->fact, HasSubstr("0x07"));

  const auto length =
      find_damage(file_of({12, 1, 3, 14, 200, 1, 1}), FileKind::kEvents, kChunkBytes);
  ASSERT_TRUE(length);
  EXPECT_EQ(length->offset, 21);
  EXPECT_EQ(length->records_before, 1);
}

TEST(RecordOffset, PointsToTheTimeStampThatBelongsToAnEvent) {
  const auto bytes = two_chunks();
  EXPECT_EQ(record_offset(bytes, FileKind::kEvents, kChunkBytes, 0), 18);
  EXPECT_EQ(record_offset(bytes, FileKind::kEvents, kChunkBytes, 1), 18 + 12);
  EXPECT_EQ(record_offset(bytes, FileKind::kEvents, kChunkBytes, 2), kChunkBytes + 18);
  EXPECT_EQ(record_offset(bytes, FileKind::kEvents, kChunkBytes, 3), bytes.size());
}

TEST(CheckDefinition, WalksEveryCodingOfFields) {
  const auto check = [](uint8_t type, std::vector<uint8_t> payload) {
    return !check_definition({.offset = 0, .type = type, .payload = payload, .big_endian = false});
  };
  EXPECT_TRUE(check(10, {1, 5, 'a', 0}));
  EXPECT_FALSE(check(10, {1, 5, 'a', 'b'})) << "a string without end";
  EXPECT_TRUE(check(18, {0, 0, 5, 1, 2, 1, 7, 0}));
  EXPECT_TRUE(check(18, {0, 0, 5, 1, 2, 1, 7, 0, 5, 4, 0})) << "with the fields of OTF2 1.2";
  EXPECT_FALSE(check(18, {0, 0, 5, 1, 3, 1, 7, 0})) << "three members, two are there";
  EXPECT_FALSE(check(18, {0, 0, 5, 4, 0xff, 0xff, 0xff, 0x7f})) << "two billion members";
  EXPECT_TRUE(check(20, {0, 2, 1, 1, 1, 2, 0}));
  EXPECT_FALSE(check(20, {0, 2, 1, 1, 1, 2})) << "the occurrence is missing";
  EXPECT_TRUE(check(37, {0, 0, 10, 1, 2, 3, 4, 5, 6, 7, 8})) << "a double takes 8 bytes";
  EXPECT_FALSE(check(37, {0, 0, 10, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_FALSE(check(12, {0, 0, 0, 5, 1, 1, 1, 1, 1})) << "5 is no size of a 32-bit number";
  EXPECT_TRUE(check(12, {0, 0, 0, 0xff})) << "undefined";
  EXPECT_TRUE(check(99, {})) << "unknown kinds are for the library";
}

TEST(DecodeLocalDefinitions, GivesClockOffsetsAndTellsOfMappings) {
  const auto local = decode_local_definitions(
      file_of({6, 18, 1, 2, 0, 0, 0, 0, 0, 0, 1, 30, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 2, 1}),
      kChunkBytes);
  ASSERT_TRUE(local.ok()) << local.error().message;
  ASSERT_EQ(local.value().clock_offsets.size(), 1);
  EXPECT_EQ(local.value().clock_offsets[0].local_ticks, 0x201);
  EXPECT_EQ(local.value().clock_offsets[0].offset_ticks, 30);
  EXPECT_EQ(local.value().clock_offsets[0].deviation, 1.5);
  EXPECT_EQ(local.value().mappings, nullptr);

  const auto mapped =
      decode_local_definitions(file_of({5, 6, 3, 1, 1, 1, 0, 0, 2, 1}), kChunkBytes);
  ASSERT_TRUE(mapped.ok()) << mapped.error().message;
  ASSERT_NE(mapped.value().mappings, nullptr);
  EXPECT_FALSE(mapped.value().odd_mappings);
}

TEST(DecodeLocalDefinitions, RefusesWhatDoesNotFit) {
  for (const auto& bytes : {file_of({6, 3, 1, 2, 3, 2, 1}), file_of({5, 4, 3, 1, 9, 0, 2, 1}),
                            file_of({5, 4, 3, 1, 1, 2, 2, 1}), file_of({10, 2, 0, 'a', 2, 1}),
                            file_of({6, 99, 2, 1})}) {
    const auto local = decode_local_definitions(bytes, kChunkBytes);
    ASSERT_FALSE(local.ok());
    EXPECT_THAT(local.error().message, HasSubstr("offset 18, after 0 definitions"));
  }
}

}  // namespace
}  // namespace pathline::otf2
