// SPDX-License-Identifier: BSD-3-Clause
#include "app/host_matrix.hpp"

#include <gtest/gtest.h>

#include "trace/test_trace.hpp"

namespace pathline::app {
namespace {

using trace::TestTrace;

TEST(HostMatrix, AddsUpWhatGoesFromHostToHost) {
  TestTrace test(3);
  const trace::Region main = test.region("main");
  for (const uint32_t rank : {0, 1, 2}) test.on(rank).enter(0, main);
  test.on(0).send(10, 1, 100).send(20, 1, 200).send(30, 2, 300);
  test.on(1).recv(40, 0, 100).recv(30, 0, 200).leave(100, main);
  test.on(2).recv(90, 0, 300).leave(100, main);
  test.on(0).leave(100, main);
  const trace::Trace trace = test.finish();
  base::ThreadPool pool(1);
  const auto pairs = host_matrix(trace, comm::matrix(trace, {}, {}, pool));
  ASSERT_EQ(pairs.size(), 1U) << "all ranks of a TestTrace run on n0";
  EXPECT_EQ(pairs[0].sender_host, "n0");
  EXPECT_EQ(pairs[0].receiver_host, "n0");
  EXPECT_EQ(pairs[0].messages, 3U);
  EXPECT_EQ(pairs[0].bytes, 600U);
  EXPECT_DOUBLE_EQ(pairs[0].min_s, 10e-9);
  EXPECT_DOUBLE_EQ(pairs[0].max_s, 60e-9);
  EXPECT_NEAR(pairs[0].mean_s, (30e-9 + 10e-9 + 60e-9) / 3, 1e-18);
}

TEST(HostMatrix, SaysWhatCrosses) {
  const HostPair inside{.sender_host = "a", .receiver_host = "a", .messages = 3, .bytes = 3000};
  const HostPair across{.sender_host = "a", .receiver_host = "b", .messages = 1, .bytes = 1000};
  EXPECT_EQ(crossing_text({inside, across}),
            "1.00 kB of 4.00 kB (25.0 %) cross hosts, in 1 of 4 messages");
  EXPECT_EQ(crossing_text({inside}), "nothing crosses hosts");
  EXPECT_EQ(crossing_text({HostPair{"", "", 1}}),
            "the trace does not say which hosts the ranks ran on");
  EXPECT_EQ(crossing_text({}), "");
}

}  // namespace
}  // namespace pathline::app
