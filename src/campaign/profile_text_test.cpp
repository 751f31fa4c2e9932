// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/profile_text.hpp"

#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "campaign/text_list.hpp"
#include "profile/metric_table.hpp"

namespace pathline::campaign {
namespace {

using profile::Combine;
using profile::MetricNode;
using profile::MetricTable;
using testing::ElementsAre;

/// Names with letters that the text of a profile has itself; a metric without data.
MetricTable small() {
  MetricTable table;
  table.metrics = {{.name = "time", .unit = "sec"},
                   {.name = "visits", .unit = "occ"},
                   {.name = "slowest", .unit = "", .combine = Combine::kMax}};
  table.call_paths = {
      {MetricNode::kNoParent, "main"}, {0, "3:a\n->b"}, {1, ""}, {MetricNode::kNoParent, "thread"}};
  table.location_count = 2;
  table.rank_of_location = {trace::Rank(5), trace::Rank::none()};
  table.values = {{1, 2, 3, 4, 5, 6, 7, 8}, {}, {0.1, 1e-300, -1, 0, 0, 0, 0, 9}};
  return table;
}

void expect_same(const MetricTable& a, const MetricTable& b) {
  ASSERT_EQ(a.metrics.size(), b.metrics.size());
  for (size_t m = 0; m < a.metrics.size(); ++m) {
    EXPECT_EQ(a.metrics[m].name, b.metrics[m].name);
    EXPECT_EQ(a.metrics[m].unit, b.metrics[m].unit);
    EXPECT_EQ(a.metrics[m].combine, b.metrics[m].combine);
  }
  ASSERT_EQ(a.call_paths.size(), b.call_paths.size());
  for (size_t c = 0; c < a.call_paths.size(); ++c) {
    EXPECT_EQ(a.call_paths[c].parent, b.call_paths[c].parent);
    EXPECT_EQ(a.call_paths[c].region, b.call_paths[c].region);
  }
  EXPECT_EQ(a.location_count, b.location_count);
  EXPECT_EQ(a.rank_of_location, b.rank_of_location);
  EXPECT_EQ(a.values, b.values);
}

/// The profile with one text of its shape changed: 0 is the number of metrics, 1 to 4 are the first
/// metric, 13 and 14 the first call path, 15 and 16 the second one.
std::optional<MetricTable> with_text(size_t which, const std::string& text) {
  PackedProfile packed = packed_profile(small());
  std::vector<std::string> texts = *split(packed.shape);
  texts.at(which) = text;
  packed.shape = joined(texts);
  return unpacked_profile(packed);
}

std::optional<MetricTable> with(const std::function<void(PackedProfile&)>& change) {
  PackedProfile packed = packed_profile(small());
  change(packed);
  return unpacked_profile(packed);
}

TEST(ProfileText, ComesBackAsItWas) {
  const auto table = unpacked_profile(packed_profile(small()));
  ASSERT_TRUE(table.has_value());
  expect_same(*table, small());
}

TEST(ProfileText, OfAnEmptyProfileComesBack) {
  const auto table = unpacked_profile(packed_profile({}));
  ASSERT_TRUE(table.has_value());
  expect_same(*table, {});
}

TEST(ProfileText, HasTheSameShapeForOtherAmountsAndLocations) {
  MetricTable other = small();
  other.location_count = 1;
  other.rank_of_location = {trace::Rank(1)};
  other.values = {{1, 2, 3, 4}, {}, {5, 6, 7, 8}};
  EXPECT_EQ(packed_profile(other).shape, packed_profile(small()).shape);
  EXPECT_THAT(packed_profile(other).amounts, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(ProfileText, ThatIsCutIsNone) {
  const std::string whole = packed_profile(small()).shape;
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(with([&](PackedProfile& packed) { packed.shape.resize(size); })) << size;
  }
}

TEST(ProfileText, WithAWrongNumberOfMetricsIsNone) {
  for (const char* count : {"", "x", "-1", "1x", "4", "1000000000",
                            // Times four they are little or nothing.
                            "4611686018427387904", "4611686018427387905", "9223372036854775808",
                            "18446744073709551615", "99999999999999999999"}) {
    EXPECT_FALSE(with_text(0, count)) << count;
  }
}

TEST(ProfileText, WithAnUnknownWayToCombineIsNone) {
  EXPECT_TRUE(with_text(3, "2"));
  for (const char* combine : {"", "3", "-1", "/", "x", "11", "255"}) {
    EXPECT_FALSE(with_text(3, combine)) << combine;
  }
}

TEST(ProfileText, WithAParentThatDoesNotStandBeforeItsChildIsNone) {
  EXPECT_TRUE(with_text(15, "0"));
  for (const char* parent : {"1", "2", "100", "-1", "x", "0x", "4294967295", "4294967296",
                             "18446744073709551615", "99999999999999999999"}) {
    EXPECT_FALSE(with_text(15, parent)) << parent;
  }
  EXPECT_FALSE(with_text(13, "0")) << "its own parent";
}

TEST(ProfileText, WithTooFewOrTooManyAmountsIsNone) {
  EXPECT_FALSE(with([](PackedProfile& packed) { packed.amounts.pop_back(); }));
  EXPECT_FALSE(with([](PackedProfile& packed) { packed.amounts.clear(); }));
  EXPECT_FALSE(with([](PackedProfile& packed) { packed.amounts.push_back(1); }));
}

TEST(ProfileText, WithOtherLocationsThanItsAmountsIsNone) {
  for (const uint32_t count : {0U, 1U, 3U, 1U << 30, UINT32_MAX}) {
    EXPECT_FALSE(with([&](PackedProfile& packed) {
      packed.locations = count;
      packed.ranks.clear();
    })) << count;
  }
}

TEST(ProfileText, WithWrongRanksIsNone) {
  for (const std::vector<std::string>& ranks : {std::vector<std::string>{"0"},
                                                {"0", "1", "2"},
                                                {"0", "x"},
                                                {"0", "-1"},
                                                {"0", "4294967295"},
                                                {"0", "99999999999999999999"}}) {
    EXPECT_FALSE(with([&](PackedProfile& packed) { packed.ranks = joined(ranks); }))
        << joined(ranks);
  }
  EXPECT_FALSE(with([](PackedProfile& packed) { packed.ranks = "7:"; }));
}

TEST(ProfileText, WithRandomBytesChangedIsNoneOrAWholeTable) {
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i) {
    const auto table = with([&](PackedProfile& packed) {
      for (int k = 0; k < 2; ++k) {
        std::string& text = random() % 4 == 0 ? packed.ranks : packed.shape;
        text[random() % text.size()] = "0123456789:x"[random() % 12];
      }
    });
    if (!table) continue;
    ASSERT_EQ(table->values.size(), table->metrics.size());
    for (size_t c = 0; c < table->call_paths.size(); ++c) {
      const uint32_t parent = table->call_paths[c].parent;
      EXPECT_TRUE(parent == MetricNode::kNoParent || parent < c);
    }
  }
}

}  // namespace
}  // namespace pathline::campaign
