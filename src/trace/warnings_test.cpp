// SPDX-License-Identifier: BSD-3-Clause
#include "trace/warnings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Warnings, ThoseOfWhatIsMissingMarkTheTrace) {
  Trace trace;
  trace.warnings.emplace_back("3 events are of an unknown kind");
  EXPECT_THAT(missing(trace), IsEmpty());
  mark_incomplete(trace, "rank 3 recorded nothing");
  EXPECT_FALSE(trace.complete);
  EXPECT_THAT(missing(trace), ElementsAre("incomplete: rank 3 recorded nothing"));
}

TEST(Warnings, ComeBackOutOfAnArchive) {
  Trace trace;
  trace.warnings.emplace_back("of the archive");
  trace.properties.emplace_back("OTHER::WARNING_0000", "incomplete: not ours");
  keep_warnings(trace, std::vector<std::string>{"the clocks jumped"});
  recall_warnings(trace);
  EXPECT_TRUE(trace.complete);
  EXPECT_THAT(trace.warnings, ElementsAre("the clocks jumped", "of the archive"));

  Trace damaged;
  keep_warnings(damaged, std::vector<std::string>{incomplete("no raw file of rank 1"), "b"});
  EXPECT_THAT(damaged.properties,
              ElementsAre(std::pair<std::string, std::string>{"PATHLINE::WARNING_0000",
                                                              "incomplete: no raw file of rank 1"},
                          std::pair<std::string, std::string>{"PATHLINE::WARNING_0001", "b"}));
  recall_warnings(damaged);
  EXPECT_FALSE(damaged.complete);
  EXPECT_THAT(missing(damaged), ElementsAre("incomplete: no raw file of rank 1"));
}

}  // namespace
}  // namespace pathline::trace
