// SPDX-License-Identifier: BSD-3-Clause
#include "comm/detect_steps.hpp"

#include <functional>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/test_trace.hpp"

namespace pathline::comm {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using trace::Region;
using trace::TestTrace;

/// A program of halo exchanges and reductions, written call by call.
class Program {
 public:
  explicit Program(uint32_t rank_count)
      : rank_count_(rank_count), test_(rank_count), clock_(rank_count, 1000) {}

  [[nodiscard]] uint32_t rank_count() const { return rank_count_; }
  void exchange(uint32_t rank, uint64_t bytes, uint32_t neighbours = 2) {
    auto& thread = test_.on(rank);
    for (uint32_t i = 0; i < neighbours; ++i) {
      thread.enter(now(rank), irecv_).irecv_request(now(rank), ++request_).leave(now(rank), irecv_);
    }
    for (uint32_t i = 0; i < neighbours; ++i) {
      thread.enter(now(rank), isend_);
      thread.isend(now(rank), ++request_, (rank + i + 1) % rank_count_, bytes, i);
      thread.leave(now(rank), isend_);
    }
    thread.enter(now(rank), waitall_);
    for (uint32_t i = 0; i < neighbours; ++i) {
      thread.irecv(now(rank), request_ - 2 * neighbours + i + 1,
                   (rank + rank_count_ - i - 1) % rank_count_, bytes, i);
    }
    thread.leave(now(rank), waitall_);
  }
  void reduce(uint32_t rank, uint64_t bytes, uint32_t operation = 11) {
    auto& thread = test_.on(rank);
    thread.enter(now(rank), operation == 11 ? allreduce_ : barrier_);
    const uint64_t begin = now(rank);
    thread.collective(begin, now(rank), operation, bytes, bytes);
    thread.leave(now(rank), operation == 11 ? allreduce_ : barrier_);
  }
  void compute(uint32_t rank, uint64_t ticks) { clock_[rank] += ticks; }
  Detection detect() {
    base::ThreadPool pool(2);
    return detect_steps(test_.finish(), pool);
  }

 private:
  uint64_t now(uint32_t rank) { return ++clock_[rank]; }

  uint32_t rank_count_;
  TestTrace test_;
  std::vector<uint64_t> clock_;
  uint64_t request_ = 0;
  const Region irecv_ = test_.region("MPI_Irecv"), isend_ = test_.region("MPI_Isend");
  const Region waitall_ = test_.region("MPI_Waitall");
  const Region allreduce_ = test_.region("MPI_Allreduce");
  const Region barrier_ = test_.region("MPI_Barrier");
};

TEST(DetectSteps, FindsTheLoopOfAStencil) {
  Program program(4);
  for (uint32_t rank = 0; rank < 4; ++rank) {
    for (int i = 0; i < 7; ++i) program.reduce(rank, 1U << i);
    for (int step = 0; step < 25; ++step) {
      program.compute(rank, 5000 + 100 * rank);
      program.exchange(rank, 800, 2 + rank % 2);
      program.reduce(rank, 8);
    }
    program.reduce(rank, 0, 0);
  }
  const Detection found = program.detect();
  ASSERT_TRUE(found.found()) << found.reason;
  EXPECT_EQ(found.count, 25U);
  EXPECT_EQ(found.agreeing_ranks, 4U);
  EXPECT_GT(found.certainty, 0.9);
  EXPECT_STREQ(found.certainty_word(), "high");
  for (const auto& windows : found.windows) {
    ASSERT_EQ(windows.size(), 25U);
    EXPECT_EQ(windows[3].end_ticks, windows[4].begin_ticks);
    EXPECT_LT(windows[24].begin_ticks, windows[24].end_ticks);
  }
}

TEST(DetectSteps, FindsTheOuterLoopAroundASolverThatConverges) {
  Program program(3);
  for (uint32_t rank = 0; rank < 3; ++rank) {
    for (int step = 0; step < 40; ++step) {
      program.reduce(rank, 64);
      for (int corrector = 0; corrector < 2; ++corrector) {
        program.exchange(rank, 5000);
        for (int i = 0; i < 30 - step / 2 - 3 * corrector; ++i) {
          program.exchange(rank, 800);
          program.reduce(rank, 8);
        }
      }
    }
  }
  const Detection found = program.detect();
  ASSERT_TRUE(found.found()) << found.reason;
  EXPECT_EQ(found.count, 40U);
  EXPECT_THAT(found.begins_with, HasSubstr("MPI_Allreduce of 64 bytes"));
}

/// A solver that turns `inner` times in each of 40 steps, which begin with a reduction of their
/// own.
Detection detect_nested(uint32_t rank_count, const std::function<uint32_t()>& inner) {
  Program program(rank_count);
  std::vector<uint32_t> turns(40);
  for (uint32_t& count : turns) count = inner();
  for (uint32_t rank = 0; rank < rank_count; ++rank) {
    for (const uint32_t count : turns) {
      program.reduce(rank, 64);
      for (uint32_t i = 0; i < count; ++i) {
        program.compute(rank, 500);
        program.exchange(rank, 800);
        program.reduce(rank, 8);
      }
    }
  }
  return program.detect();
}

TEST(DetectSteps, FindsTheStepsAroundASolverThatTurnsFiveTimes) {
  const Detection found = detect_nested(3, [] { return 5; });
  ASSERT_TRUE(found.found()) << found.reason;
  EXPECT_EQ(found.count, 40U);
  EXPECT_EQ(found.outer_count, 0U);
  EXPECT_LT(found.certainty, 1);
}

TEST(DetectSteps, FindsTheStepsAroundASolverThatTurnsThreeToNineTimes) {
  for (uint32_t seed = 0; seed < 10; ++seed) {
    std::mt19937 random(seed);
    const Detection found = detect_nested(2, [&] { return 3 + random() % 7; });
    ASSERT_TRUE(found.found()) << "seed " << seed << ": " << found.reason;
    EXPECT_EQ(found.count, 40U) << "seed " << seed;
    EXPECT_LT(found.certainty, 1) << "seed " << seed;
  }
}

TEST(DetectSteps, SaysThatALargerLoopIsThere) {
  const Detection found = detect_nested(2, [] { return 20; });
  ASSERT_TRUE(found.found()) << found.reason;
  EXPECT_EQ(found.count, 800U);
  EXPECT_EQ(found.outer_count, 40U);
  EXPECT_EQ(found.outer_holds, 20U);
  EXPECT_LT(found.certainty, 0.8);
}

TEST(DetectSteps, IsInDoubtAboutWhatMayBeAnInnerLoop) {
  // Stages of a step, and iterations of a solver, that look alike from the first to the last.
  Program stages(4);
  Program iterations(4);
  for (uint32_t rank = 0; rank < 4; ++rank) {
    for (int i = 0; i < 400; ++i) {
      stages.exchange(rank, 800);
      iterations.exchange(rank, 800);
      iterations.reduce(rank, 8);
      iterations.compute(rank, 300);
      iterations.reduce(rank, 8);
    }
  }
  for (Program* program : {&stages, &iterations}) {
    const Detection found = program->detect();
    ASSERT_TRUE(found.found()) << found.reason;
    EXPECT_EQ(found.count, 400U);
    EXPECT_LT(found.certainty, 0.8);
    EXPECT_STREQ(found.certainty_word(), "medium");
  }
}

TEST(DetectSteps, TakesNoExchangeWithOnePartnerForAStep) {
  TestTrace test(16);
  const Region isend = test.region("MPI_Isend"), recv = test.region("MPI_Recv");
  const Region wait = test.region("MPI_Wait");
  for (uint32_t rank = 0; rank < 16; ++rank) {
    auto& thread = test.on(rank);
    uint64_t now = 1000;
    uint64_t request = 0;
    for (int step = 0; step < 30; ++step) {
      for (uint32_t distance = 1; distance < 16; ++distance, now += 100) {
        thread.enter(now, isend).isend(now + 1, ++request, (rank + distance) % 16, 800);
        thread.leave(now + 2, isend).enter(now + 3, recv);
        thread.recv(now + 9, (rank + 16 - distance) % 16, 800).leave(now + 10, recv);
        thread.enter(now + 11, wait).isend_complete(now + 12, request).leave(now + 13, wait);
      }
    }
  }
  base::ThreadPool pool(2);
  const Detection found = detect_steps(test.finish(), pool);
  ASSERT_TRUE(found.found()) << found.reason;
  EXPECT_EQ(found.count, 30U);
}

TEST(DetectSteps, FindsALoopOfMessagesOfOneFunctionByTheirPeers) {
  TestTrace test(5);
  const Region sendrecv = test.region("MPI_Sendrecv");
  for (uint32_t rank = 0; rank < 5; ++rank) {
    uint64_t now = 1000;
    for (int step = 0; step < 30; ++step) {
      for (uint32_t distance = 1; distance < 4; ++distance, now += 10) {
        test.on(rank).enter(now, sendrecv).send(now + 1, (rank + distance) % 5, 8);
        test.on(rank).recv(now + 5, (rank + 5 - distance) % 5, 8).leave(now + 6, sendrecv);
      }
    }
  }
  base::ThreadPool pool(1);
  const Detection found = detect_steps(test.finish(), pool);
  ASSERT_TRUE(found.found()) << found.reason;
  EXPECT_EQ(found.count, 30U);
}

TEST(DetectSteps, SaysWhenRanksDoNotAgree) {
  Program program(4);
  for (uint32_t rank = 0; rank < 4; ++rank) {
    for (uint32_t step = 0; step < 20 + 15 * rank; ++step) {
      program.exchange(rank, 800);
      program.reduce(rank, 8);
    }
  }
  const Detection found = program.detect();
  EXPECT_FALSE(found.found());
  EXPECT_THAT(found.reason, StartsWith("only 1 of 4 ranks"));
  for (const auto& windows : found.windows) EXPECT_TRUE(windows.empty());
}

TEST(DetectSteps, FindsNothingInRandomPrograms) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const uint32_t rank_count = 1 + seed % 5;
    Program program(rank_count);
    // All ranks make the same random calls, so that they would agree on anything.
    for (uint32_t i = 0; i < 50 + 20 * seed; ++i) {
      const auto kind = random() % 4;
      const uint64_t bytes = 1U << (random() % (1 + seed % 7));
      const uint64_t work = random() % 10'000;
      for (uint32_t rank = 0; rank < rank_count; ++rank) {
        program.compute(rank, work);
        if (kind == 0) program.exchange(rank, bytes);
        if (kind == 1) program.reduce(rank, 0, 0);
        if (kind > 1) program.reduce(rank, bytes);
      }
    }
    const Detection found = program.detect();
    EXPECT_FALSE(found.found()) << "seed " << seed << ": " << found.count << " periods of "
                                << found.calls << " calls, beginning with " << found.begins_with;
  }
}

TEST(DetectSteps, FindsNothingInMessagesOfRandomRanks) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    const uint32_t rank_count = 2 + seed % 4;
    TestTrace test(rank_count);
    const Region send = test.region("MPI_Send");
    const Region recv = test.region("MPI_Recv");
    uint64_t now = 1000;
    for (uint32_t i = 0; i < 1000; ++i, now += 10 + random() % 100) {
      const auto sender = static_cast<uint32_t>(random() % rank_count);
      const auto receiver =
          static_cast<uint32_t>((sender + 1 + random() % (rank_count - 1)) % rank_count);
      const uint64_t bytes = 1 + random() % (seed % 2 == 0 ? 5000 : 1);
      test.on(sender).enter(now, send).send(now + 1, receiver, bytes).leave(now + 2, send);
      test.on(receiver).enter(now, recv).recv(now + 4, sender, bytes).leave(now + 5, recv);
    }
    base::ThreadPool pool(1);
    const Detection found = detect_steps(test.finish(), pool);
    EXPECT_FALSE(found.found()) << "seed " << seed << ": " << found.count << " periods of "
                                << found.calls << " calls, beginning with " << found.begins_with;
  }
}

TEST(DetectSteps, FindsNothingInARunWithoutCalls) {
  EXPECT_FALSE(Program(2).detect().found());
  base::ThreadPool pool(1);
  EXPECT_FALSE(detect_steps(trace::Trace(), pool).found());
}

}  // namespace
}  // namespace pathline::comm
