// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace pathline::base {

/// How far a long job is. The job writes, somebody else may read at any time from another thread
/// and show it; the job neither knows nor waits.
struct Progress {
  std::atomic<const char*> stage{""};  ///< What is done now, a literal: "reading events".
  std::atomic<const char*> unit{""};   ///< What is counted: "events", "bytes"; "" for nothing yet.
  std::atomic<uint64_t> done{0};
  std::atomic<uint64_t> total{0};   ///< 0 when not known.
  std::atomic<uint64_t> failed{0};  ///< Of those that are done.

  void begin(const char* new_stage, const char* new_unit, uint64_t new_total) {
    done = 0;
    total = new_total;
    failed = 0;
    unit = new_unit;
    stage = new_stage;
  }
};

}  // namespace pathline::base
