// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "base/thread_pool.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// What is said of a run in passing, by commands that are about something else.
struct Glance {
  /// False for a run that findings refuse, as one without MPI; true as well where nobody looked.
  bool can_judge = true;
  std::string line;  ///< findings_line(), or that it was not asked for; "" where none can be made.
};

/// More events than can be read and judged in about a second are not looked at; the line says so.
inline constexpr uint64_t kMostGlancedEvents = 2'000'000;

/// Of a run that was read. Never fails.
///
/// input  what it was read from.
/// cost   as find_findings(), for at most kMostGlancedEvents.
Glance glance(const trace::Trace& trace, const std::string& input, base::ThreadPool& pool);

/// Of a run directory, whose run.json says how large it is. Never fails.
Glance glance(const std::filesystem::path& run);

}  // namespace pathline::app
