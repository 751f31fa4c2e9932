// SPDX-License-Identifier: BSD-3-Clause
#include "base/thread_pool.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/progress.hpp"
#include "base/stopping.hpp"

namespace pathline::base {
namespace {

TEST(ThreadPool, CallsEveryPieceOnce) {
  for (const unsigned threads : {0U, 1U, 2U, 8U}) {
    ThreadPool pool(threads);
    for (const size_t count : {0U, 1U, 2U, 7U, 1000U}) {
      SCOPED_TRACE(testing::Message() << count << " pieces, " << threads << " threads");
      std::vector<std::atomic<int>> calls(count);
      std::atomic<size_t> beyond{0};
      pool.for_each(count, [&](size_t i) { i < count ? ++calls[i] : ++beyond; });
      EXPECT_EQ(beyond, 0U);
      for (size_t i = 0; i < count; ++i) ASSERT_EQ(calls[i], 1) << "piece " << i;
    }
  }
}

TEST(ThreadPool, HasAsManyThreadsAsWereAskedFor) {
  EXPECT_EQ(ThreadPool(1).thread_count(), 1U);
  EXPECT_EQ(ThreadPool(7).thread_count(), 7U);
  EXPECT_GE(ThreadPool().thread_count(), 1U);
}

TEST(ThreadPool, RunsPiecesAtTheSameTime) {
  // Each piece waits for the other: one thread alone would not get past the first.
  ThreadPool pool(2);
  std::atomic<int> arrived{0};
  std::atomic<int> met{0};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  pool.for_each(2, [&](size_t) {
    ++arrived;
    while (arrived < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    if (arrived == 2) ++met;
  });
  EXPECT_EQ(met, 2);
}

TEST(ThreadPool, UsesTheCallersThreadAloneWhenItHasOne) {
  ThreadPool pool(1);
  std::vector<size_t> order;  // Without a lock: ThreadSanitizer would see a second thread.
  const auto caller = std::this_thread::get_id();
  pool.for_each(5, [&](size_t i) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    order.push_back(i);
  });
  EXPECT_EQ(order, (std::vector<size_t>{0, 1, 2, 3, 4}));
}

TEST(ThreadPool, MayBeUsedFromInsideAPiece) {
  for (const unsigned threads : {1U, 4U}) {
    ThreadPool pool(threads);
    std::vector<std::vector<uint64_t>> squares(20, std::vector<uint64_t>(30));
    pool.for_each(20, [&](size_t i) {
      pool.for_each(30, [&, i](size_t k) { squares[i][k] = (i + 1) * k; });
    });
    uint64_t sum = 0;
    for (const auto& row : squares) {
      for (const uint64_t value : row) sum += value;
    }
    EXPECT_EQ(sum, 210U * 435U) << threads << " threads";
  }
}

TEST(ThreadPool, MayBeUsedFromSeveralThreads) {
  ThreadPool pool(4);
  std::atomic<uint64_t> sum{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] { pool.for_each(100, [&](size_t i) { sum += i; }); });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 4U * 4950U);
}

TEST(ThreadPool, HandsAnExceptionToTheCallerAndGoesOnWorking) {
  for (const unsigned threads : {1U, 4U}) {
    ThreadPool pool(threads);
    const auto fail_at_5 = [](size_t i) {
      if (i == 5) throw std::length_error("piece 5");
    };
    EXPECT_THROW(pool.for_each(50, fail_at_5), std::length_error) << threads << " threads";
    std::atomic<int> calls{0};
    pool.for_each(50, [&](size_t) { ++calls; });
    EXPECT_EQ(calls, 50) << threads << " threads";
  }
}

TEST(ThreadPool, StopsBetweenPiecesWhenToldTo) {
  for (const unsigned threads : {1U, 4U}) {
    ThreadPool pool(threads);
    std::atomic<bool> stop = false;
    std::atomic<int> calls{0};
    const auto job = [&](size_t) {
      pool.for_each(100, [&](size_t) {
        if (++calls == 50) stop = true;
      });
    };
    {
      const Stoppable stoppable(&stop);
      EXPECT_THROW(pool.for_each(100, job), Stopped) << threads << " threads";
      EXPECT_LT(calls, 100) << threads << " threads";
    }
    // Whoever was not told goes on, also on these threads.
    pool.for_each(10, job);
    EXPECT_GE(calls, 1050) << threads << " threads";
  }
}

TEST(Progress, StartsEachStageFromZero) {
  Progress progress;
  EXPECT_STREQ(progress.stage, "");
  EXPECT_EQ(progress.total, 0U);
  progress.begin("reading events", "events", 40);
  progress.done += 30;
  progress.begin("matching messages", "", 0);
  EXPECT_STREQ(progress.stage, "matching messages");
  EXPECT_STREQ(progress.unit, "");
  EXPECT_EQ(progress.done, 0U);
  EXPECT_EQ(progress.total, 0U);
}

static_assert(std::atomic<const char*>::is_always_lock_free &&
                  std::atomic<uint64_t>::is_always_lock_free,
              "the job must not wait for the one who looks");

}  // namespace
}  // namespace pathline::base
