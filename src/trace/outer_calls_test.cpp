// SPDX-License-Identifier: BSD-3-Clause
#include "trace/outer_calls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/test_trace.hpp"

namespace pathline::trace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

using Span = std::pair<uint64_t, uint64_t>;

std::vector<Span> spans_of(const Events& events, Region region) {
  std::vector<Span> spans;
  for_each_outer_call(
      events, [&](Region other) { return other == region; },
      [&](CallEvents call) {
        spans.emplace_back(events.ticks[call.enter], events.ticks[call.leave]);
      });
  return spans;
}

TEST(OuterCalls, AreThoseThatLieInNoOtherOfTheirKind) {
  TestTrace test(1);
  const Region main = test.region("main");
  const Region send = test.region("MPI_Send");
  test.on(0).enter(1, main).enter(2, send).enter(3, send).leave(4, send).leave(5, send);
  test.on(0).enter(6, main).enter(7, send).leave(8, send).leave(9, main).leave(10, main);
  const Trace trace = test.finish();
  EXPECT_THAT(spans_of(trace.locations[0].events, send), ElementsAre(Pair(2, 5), Pair(7, 8)));
  EXPECT_THAT(spans_of(trace.locations[0].events, main), ElementsAre(Pair(1, 10)));
}

TEST(OuterCalls, EndWithTheCallAroundOrTheRecordingWhenTheirLeaveGotLost) {
  TestTrace test(1);
  const Region main = test.region("main");
  const Region send = test.region("MPI_Send");
  test.on(0).enter(1, main).enter(2, send).leave(4, main).enter(5, send).send(6, 0, 8);
  const Trace trace = test.finish();
  EXPECT_THAT(spans_of(trace.locations[0].events, send), ElementsAre(Pair(2, 4), Pair(5, 6)));
  EXPECT_THAT(spans_of(Events(), send), IsEmpty());
}

TEST(CallClasses, FollowTheRoleAndTheName) {
  TestTrace test(1);
  test.region("main");
  test.region("MPI_Send");
  test.region("mpi_bcast_");
  test.region("MPI_File_write", RegionRole::kFileIo);
  test.region("fopen", RegionRole::kFileIoMetadata);
  EXPECT_THAT(call_classes(test.finish().definitions),
              ElementsAre(CallClass::kOther, CallClass::kMpi, CallClass::kMpi, CallClass::kFileIo,
                          CallClass::kFileIo));
}

}  // namespace
}  // namespace pathline::trace
