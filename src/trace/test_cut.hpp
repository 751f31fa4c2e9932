// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/progress.hpp"
#include "trace/cut.hpp"
#include "trace/finish.hpp"

namespace pathline::trace {

/// A part as its reader has it. For tests only; no program includes this.
struct Part {
  Trace trace;
  uint64_t lost_sends;
  uint64_t lost_receives;
  uint64_t reopened_calls;
};

inline Part cut_and_finish(const Trace& trace, const Selection& selection,
                           const std::vector<bool>& left_out = {}) {
  base::ThreadPool pool(1);
  base::Progress progress;
  auto part = cut(trace, selection, left_out, pool);
  assert(part.ok());
  finish(part.value().trace, pool, progress);
  return {std::move(part.value().trace), part.value().lost_sends, part.value().lost_receives,
          part.value().reopened_calls};
}

}  // namespace pathline::trace
