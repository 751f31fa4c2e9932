// SPDX-License-Identifier: BSD-3-Clause
//
// The pool of the ThreadSanitizer build. Debian's TBB is not compiled for it: the sanitizer does
// not see how its threads wait for each other and reports every second access. With plain threads
// it sees all, and what it reports is ours.
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/stopping.hpp"
#include "base/thread_pool.hpp"

namespace pathline::base {

struct ThreadPool::Arena {
  unsigned thread_count;
};

ThreadPool::ThreadPool(unsigned thread_count)
    : arena_(std::make_unique<Arena>(
          thread_count > 0 ? thread_count : std::max(1U, std::thread::hardware_concurrency()))) {}

ThreadPool::~ThreadPool() = default;

unsigned ThreadPool::thread_count() const { return arena_->thread_count; }

void ThreadPool::for_each(size_t count, const std::function<void(size_t)>& body) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr thrown;
  const std::atomic<bool>* const flag = Stoppable::flag();
  const auto work = [&] {
    const Stoppable stoppable(flag);
    try {
      for (size_t i = next++; i < count; i = next++) {
        stop_if_told();
        body(i);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      thrown = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min<size_t>(thread_count(), count); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace pathline::base
