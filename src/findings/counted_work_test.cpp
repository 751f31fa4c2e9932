// SPDX-License-Identifier: BSD-3-Clause
#include "findings/counted_work.hpp"

#include <gtest/gtest.h>

#include "findings/test_run.hpp"

namespace pathline::findings {
namespace {

using trace::EventKind;
using trace::Region;
using trace::TestTrace;

constexpr uint32_t kUnsigned = 4;
constexpr uint32_t kMetric = 30;

/// Counts are all in one metric, sampled at the begin and end of calls; the events of the same time
/// come before or behind.
class Counted {
 public:
  Counted(std::string_view instructions, std::string_view cycles, uint32_t mode = 0) : test_(1) {
    const auto member = [&](uint32_t id, std::string_view name) {
      test_.define(trace::DefinitionKind::kMetricMember,
                   {id, test_.text(name), test_.text(""), 0, mode, 0, 1, 0, 0, test_.text("#")});
    };
    member(31, instructions);
    member(32, cycles);
    test_.define(trace::DefinitionKind::kMetricClass, {kMetric, 2, 31, 32, 1, 2});
  }
  trace::Trace run(bool sample_first) {
    const Region main = test_.region("main");
    const Region recv = test_.region("MPI_Barrier");
    auto& on = test_.on(0);
    on.enter(0, main);
    sample(0, 100, 1000);
    if (sample_first) sample(40, 180, 1050);  // Instructions 80, cycles 50: work.
    on.enter(40, recv);
    if (!sample_first) sample(40, 180, 1050);
    if (sample_first) sample(70, 1180, 3050);  // In MPI.
    on.leave(70, recv);
    if (!sample_first) sample(70, 1180, 3050);
    sample(100, 1200, 3100);  // 20 and 50.
    on.leave(100, main);
    return test_.finish();
  }

 private:
  void sample(uint64_t ticks, uint32_t instructions, uint32_t cycles) {
    test_.on(0).add(EventKind::kMetric, ticks,
                    {kMetric, 2, kUnsigned, instructions, 0, kUnsigned, cycles, 0});
  }
  TestTrace test_;
};

TEST(CountedWork, IsOutsideOfMpi) {
  for (const bool sample_first : {true, false}) {
    SCOPED_TRACE(sample_first);
    TestRun run(Counted("PAPI_TOT_INS", "PAPI_TOT_CYC").run(sample_first));
    const auto work = counted_work(run.model, run.pool);
    ASSERT_TRUE(work);
    EXPECT_EQ(work->ticks, 70U);
    EXPECT_EQ(work->instructions, 100.0);
    EXPECT_EQ(work->cycles, 100.0);
  }
}

TEST(CountedWork, KnowsTheNamesOfRecorders) {
  TestRun run(Counted("instructions:u", "cache-misses").run(true));
  const auto work = counted_work(run.model, run.pool);
  ASSERT_TRUE(work);
  EXPECT_EQ(work->instructions, 100.0);
  EXPECT_FALSE(work->cycles);
}

TEST(CountedWork, IsNoneOfOtherMetrics) {
  TestRun run(Counted("cache-misses", "branches").run(true));
  EXPECT_FALSE(counted_work(run.model, run.pool));
  TestRun absolute(Counted("instructions", "cycles", 5).run(true));
  EXPECT_FALSE(counted_work(absolute.model, absolute.pool));
}

}  // namespace
}  // namespace pathline::findings
