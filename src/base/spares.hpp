// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace pathline::base {

/// What a thread works with for a while, and leaves for the next one with the memory that it has by
/// then. There are never more than there were threads at once.
template <class T>
class Spares {
 public:
  /// returns  one that was given back, or a new one.
  [[nodiscard]] std::unique_ptr<T> take() {
    const std::lock_guard lock(mutex_);
    if (spares_.empty()) return std::make_unique<T>();
    std::unique_ptr<T> spare = std::move(spares_.back());
    spares_.pop_back();
    return spare;
  }
  void give(std::unique_ptr<T> spare) {
    const std::lock_guard lock(mutex_);
    spares_.push_back(std::move(spare));
  }
  /// While nobody takes or gives one.
  void clear() { spares_.clear(); }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> spares_;
};

}  // namespace pathline::base
