// SPDX-License-Identifier: BSD-3-Clause
#include "comm/step_marker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/test_trace.hpp"

namespace pathline::comm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using trace::Region;
using trace::StepWindow;
using trace::TestTrace;

TEST(StepMarkers, AreReadInFullAndInShort) {
  const auto full = parse_step_marker("MPI_Allreduce:16/4");
  ASSERT_TRUE(full.ok());
  EXPECT_EQ(full.value().function, "allreduce");
  EXPECT_EQ(full.value().bytes, 16U);
  EXPECT_EQ(full.value().every, 4U);
  const auto brief = parse_step_marker("barrier");
  ASSERT_TRUE(brief.ok());
  EXPECT_EQ(brief.value().function, "barrier");
  EXPECT_EQ(brief.value().bytes, std::nullopt);
  EXPECT_EQ(brief.value().every, 1U);
  for (const char* wrong : {"", ":16", "/4", "bcast:", "bcast:x", "bcast:-1", "bcast/0", "bcast/x",
                            "bcast:1/", "bcast:1/99999999999"}) {
    const auto marker = parse_step_marker(wrong);
    ASSERT_FALSE(marker.ok()) << wrong;
    EXPECT_THAT(marker.error().message, HasSubstr("allreduce:16/4"));
  }
}

struct StepsByMarker : testing::Test {
  TestTrace test{2};
  const Region call = test.region("mpi_allreduce_");
  const Region other = test.region("MPI_Barrier");
  const Region finalize = test.region("MPI_Finalize");

  void reduce(uint64_t ticks, uint64_t bytes) {
    test.on(0).enter(ticks, call).collective(ticks, ticks + 1, 11, bytes, bytes);
    test.on(0).leave(ticks + 2, call).enter(ticks + 3, other).leave(ticks + 4, other);
  }
};

TEST_F(StepsByMarker, BeginWithEveryNthCallOfTheBytes) {
  for (uint64_t i = 0; i < 5; ++i) {
    reduce(100 * i, 16);
    reduce(100 * i + 50, 800);
  }
  test.on(0).enter(900, finalize).leave(950, finalize);
  const trace::Trace trace = test.finish();
  EXPECT_THAT(marked_by_calls(trace, {"allreduce", 16, 2})[0],
              ElementsAre(StepWindow{0, 0, 200}, StepWindow{1, 200, 400}, StepWindow{2, 400, 900}));
  EXPECT_THAT(marked_by_calls(trace, {"allreduce", 16, 2})[1], IsEmpty());
  EXPECT_EQ(marked_by_calls(trace, {"allreduce", {}, 1})[0].size(), 10U);
  EXPECT_THAT(marked_by_calls(trace, {"bcast", {}, 1})[0], IsEmpty());
}

TEST_F(StepsByMarker, AlsoTakeBytesThatWereMultipliedByTheMembers) {
  reduce(0, 32);
  reduce(50, 20);
  EXPECT_EQ(marked_by_calls(test.finish(), {"allreduce", 16, 1})[0].size(), 1U);
}

}  // namespace
}  // namespace pathline::comm
