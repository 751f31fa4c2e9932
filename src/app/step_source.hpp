// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string_view>

#include "base/thread_pool.hpp"
#include "comm/detect_steps.hpp"
#include "comm/step_table.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// Where the steps of a run come from.
struct StepSource {
  bool detect = false;         ///< Guess where nothing is marked.
  bool ignore_marks = false;   ///< Guess although the program marks steps.
  std::string_view by_marker;  ///< The text of --step-marker; "" for none. Goes before all others.
};

/// The steps of a run, or what the program's calls look like.
struct Steps {
  comm::StepWindows windows;                 ///< None for a summary, which has a table of them.
  bool marked = false;                       ///< By the program itself.
  std::optional<comm::Detection> detection;  ///< There if the windows are a guess.

  [[nodiscard]] bool any() const;
  /// "step" or, for a guess, "period".
  [[nodiscard]] const char* word() const { return detection ? "period" : "step"; }
};

/// errors  kInvalidArgument for a marker that is none.
base::Result<Steps> find_steps(const trace::Trace& trace, const StepSource& source,
                               base::ThreadPool& pool);

}  // namespace pathline::app
