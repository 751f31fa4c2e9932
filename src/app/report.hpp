// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// One HTML page without scripts and without anything outside itself: facts, warnings, profile,
/// timeline and matrix; pictures in a light and a dark version, the reader's system chooses.
///
/// name  what the page is about, usually the run's folder.
base::Result<std::string> report_html(const trace::Trace& trace, const trace::Selection& selection,
                                      const std::string& name, base::ThreadPool& pool);

}  // namespace pathline::app
