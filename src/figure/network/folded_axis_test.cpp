// SPDX-License-Identifier: BSD-3-Clause
#include "figure/network/folded_axis.hpp"

#include <gtest/gtest.h>

namespace pathline::figure {
namespace {

/// Every item in exactly one slot, slots in order without gaps, none outside the room.
void expect_whole(const FoldedAxis& axis, size_t item_count, double room_px) {
  uint32_t next = 0;
  double px = 0;
  for (size_t s = 0; s < axis.slots().size(); ++s) {
    const FoldedAxis::Slot& slot = axis.slots()[s];
    ASSERT_EQ(slot.first, next);
    ASSERT_NEAR(slot.begin_px, px, 1e-9);
    for (uint32_t i = 0; i < slot.count; ++i) ASSERT_EQ(axis.slot_of(slot.first + i), s);
    next += slot.count;
    px += slot.size_px;
  }
  EXPECT_EQ(next, item_count);
  EXPECT_NEAR(axis.length_px(), px, 1e-9);
  EXPECT_LE(px, room_px + 1e-9);
}

TEST(FoldedAxis, GivesEachItemTheSameWholePixels) {
  const FoldedAxis axis(std::vector<bool>(32, true), 600);
  expect_whole(axis, 32, 600);
  ASSERT_EQ(axis.slots().size(), 32U);
  EXPECT_EQ(axis.slot_px(), 18);
  EXPECT_EQ(axis.folded_count(), 0U);
  EXPECT_EQ(axis.items_per_slot(), 1U);
}

TEST(FoldedAxis, LetsNeighboursShareASlotWhenThereAreMoreThanPixels) {
  const FoldedAxis axis(std::vector<bool>(2048, true), 600);
  expect_whole(axis, 2048, 600);
  EXPECT_EQ(axis.items_per_slot(), 4U);
  EXPECT_EQ(axis.slots().size(), 512U);
  EXPECT_GE(axis.slot_px(), 1);
}

TEST(FoldedAxis, FoldsStretchesThatDoNotMatter) {
  std::vector<bool> matters(100, false);
  matters[10] = matters[11] = matters[60] = true;
  const FoldedAxis axis(matters, 400);
  expect_whole(axis, 100, 400);
  EXPECT_EQ(axis.folded_count(), 97U);
  ASSERT_EQ(axis.slots().size(), 6U);
  EXPECT_TRUE(axis.place(0).folded);
  EXPECT_EQ(axis.place(0).count, 10U);
  EXPECT_FALSE(axis.place(60).folded);
  EXPECT_GT(axis.slot_px(), 100) << "what is left has the room";
}

TEST(FoldedAxis, LeavesStretchesThatAStripeWouldNotMakeSmaller) {
  std::vector<bool> matters(100, true);
  matters[50] = matters[51] = false;
  EXPECT_EQ(FoldedAxis(matters, 200).folded_count(), 0U);
}

TEST(FoldedAxis, TakesNarrowStripesWhenThereAreMany) {
  // 150 single items far from each other: stripes of 7 px would take more than there is.
  std::vector<bool> matters(4608, false);
  for (size_t i = 0; i < 150; ++i) matters[i * 30 + 7] = true;
  const FoldedAxis axis(matters, 560);
  expect_whole(axis, 4608, 560);
  EXPECT_EQ(axis.items_per_slot(), 1U);
  EXPECT_EQ(axis.folded_count(), 4608U - 150U);
  EXPECT_GE(axis.slot_px(), 2);
}

TEST(FoldedAxis, NeverSharesASlotAcrossAStripe) {
  std::vector<bool> matters(3000, true);
  for (size_t i = 1001; i < 2002; ++i) matters[i] = false;
  const FoldedAxis axis(matters, 300);
  expect_whole(axis, 3000, 300);
  EXPECT_NE(axis.slot_of(1000), axis.slot_of(2002));
  EXPECT_TRUE(axis.place(1500).folded);
  EXPECT_FALSE(axis.place(1000).folded);
}

TEST(FoldedAxis, TakesNoItemsAndItemsOfWhichNoneMatters) {
  EXPECT_EQ(FoldedAxis({}, 100).length_px(), 0);
  const FoldedAxis axis(std::vector<bool>(50, false), 500);
  expect_whole(axis, 50, 500);
  EXPECT_EQ(axis.folded_count(), 50U);
}

}  // namespace
}  // namespace pathline::figure
