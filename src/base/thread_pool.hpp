// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace pathline::base {

/// Threads that share out numbered pieces of work. The pieces must depend on the data only and
/// their results be merged by number, so that one and 64 threads give the same bytes.
///
/// for_each may be called from several threads at once and from inside a piece.
class ThreadPool {
 public:
  /// thread_count  0 means one thread per core that this process may use.
  explicit ThreadPool(unsigned thread_count = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] unsigned thread_count() const;

  /// Calls body(0) .. body(count - 1), each once, several at a time, and returns when all are done.
  /// An exception of a body reaches the caller.
  void for_each(size_t count, const std::function<void(size_t)>& body);

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace pathline::base
