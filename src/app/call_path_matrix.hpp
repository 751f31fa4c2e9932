// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/thread_pool.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// Messages that calls of one call path sent.
struct PathMessages {
  std::string call_path;  ///< "main->exchange (halo.c:52)->MPI_Isend"; "" outside of all calls.
  uint64_t messages = 0;
  uint64_t bytes = 0;
  double min_s = 0;
  double mean_s = 0;
  double max_s = 0;
};

/// Messages by the call path of their sender, most bytes first, then by call path.
///
/// step  only messages sent in that time step
/// cost  O(events + messages), parallel over locations
std::vector<PathMessages> call_path_matrix(const trace::Trace& trace,
                                           const trace::Selection& selection,
                                           std::optional<uint32_t> step, base::ThreadPool& pool);

}  // namespace pathline::app
