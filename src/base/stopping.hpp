// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

namespace pathline::base {

/// Thrown out of work that was told to stop.
struct Stopped {};

/// While it lives, what this thread does can be told to stop: ThreadPool::for_each(), also inside
/// of its pieces, throws Stopped soon after `flag` has become true. For who has nothing but this to
/// end a long call with, as an interpreter whose user types Ctrl-C; results are lost.
class Stoppable {
 public:
  /// flag  outlives this; nullptr for none.
  explicit Stoppable(const std::atomic<bool>* flag);
  ~Stoppable();
  Stoppable(const Stoppable&) = delete;
  Stoppable& operator=(const Stoppable&) = delete;

  /// That of this thread; nullptr without any.
  static const std::atomic<bool>* flag();

 private:
  const std::atomic<bool>* before_;
};

/// Throws Stopped if this thread was told to stop. For loops that share out nothing.
void stop_if_told();

}  // namespace pathline::base
