// SPDX-License-Identifier: BSD-3-Clause
#include "app/step_rows.hpp"

#include <gtest/gtest.h>

namespace pathline::app {
namespace {

TEST(StepSummary, CountsAStepOnceHoweverManyRanksDidNotRecordIt) {
  steps::Table table;
  for (const auto& [step, rank, recorded] :
       {std::tuple{0, 0, true}, {0, 1, true}, {1, 0, false}, {1, 1, false}, {2, 0, true}}) {
    steps::Row& row = table.rows.emplace_back();
    row.step = static_cast<uint32_t>(step);
    row.rank = static_cast<uint32_t>(rank);
    row.recorded = recorded;
  }
  table.outside.resize(2);
  table.outside[0].sent_messages = 3;
  table.outside[1].sent_messages = 4;
  const StepSummary summary = summarized(table);
  EXPECT_EQ(summary.steps, 3U);
  EXPECT_EQ(summary.unrecorded, 1U);
  EXPECT_EQ(summary.outside.sent_messages, 7U);
}

TEST(DetectionJson, SaysWhyNothingWasFound) {
  comm::Detection none;
  none.reason = "no call repeats";
  EXPECT_EQ(detection_json(none), R"({"found":false,"reason":"no call repeats"})");
}

}  // namespace
}  // namespace pathline::app
