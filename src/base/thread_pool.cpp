// SPDX-License-Identifier: BSD-3-Clause
#include "base/thread_pool.hpp"

#include <optional>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "base/stopping.hpp"

namespace pathline::base {

struct ThreadPool::Arena {
  // TBB grants no more workers than there are cores unless it is told to: somebody who asks for
  // more gets them.
  std::optional<tbb::global_control> limit;
  tbb::task_arena arena;
};

ThreadPool::ThreadPool(unsigned thread_count) : arena_(std::make_unique<Arena>()) {
  if (thread_count > 0) {
    arena_->limit.emplace(tbb::global_control::max_allowed_parallelism, thread_count);
    arena_->arena.initialize(static_cast<int>(thread_count));
  } else {
    arena_->arena.initialize();
  }
}

ThreadPool::~ThreadPool() = default;

unsigned ThreadPool::thread_count() const {
  return static_cast<unsigned>(arena_->arena.max_concurrency());
}

void ThreadPool::for_each(size_t count, const std::function<void(size_t)>& body) {
  if (count == 0) return;
  if (count == 1 || thread_count() == 1) {
    for (size_t i = 0; i < count; ++i) {
      stop_if_told();
      body(i);
    }
    return;
  }
  const std::atomic<bool>* const flag = Stoppable::flag();
  arena_->arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<size_t>(0, count, 1),
        [&](const tbb::blocked_range<size_t>& range) {
          const Stoppable stoppable(flag);
          for (size_t i = range.begin(); i != range.end(); ++i) {
            stop_if_told();
            body(i);
          }
        },
        tbb::simple_partitioner());
  });
}

}  // namespace pathline::base
