// SPDX-License-Identifier: BSD-3-Clause
#include "base/stopping.hpp"

namespace pathline::base {
namespace {

thread_local const std::atomic<bool>* flag_of_thread = nullptr;

}  // namespace

Stoppable::Stoppable(const std::atomic<bool>* flag) : before_(flag_of_thread) {
  flag_of_thread = flag;
}

Stoppable::~Stoppable() { flag_of_thread = before_; }

const std::atomic<bool>* Stoppable::flag() { return flag_of_thread; }

void stop_if_told() {
  if (flag_of_thread != nullptr && flag_of_thread->load(std::memory_order_relaxed)) throw Stopped{};
}

}  // namespace pathline::base
