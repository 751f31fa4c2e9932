// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.hpp"
#include "summary/run_summary.hpp"

// What an input that knows the whole run only, a summary or a profile, says to a question about
// more.
namespace pathline::app {

/// That times belong to a trace, which `path` is not.
///
/// kind  "summary", "profile"
base::Error no_window(const std::filesystem::path& path, std::string_view kind);

/// That `what` ("--detect") needs events, which are elsewhere.
///
/// path  of the summary
base::Error needs_events(const std::filesystem::path& path, const summary::RunSummary& summary,
                         std::string_view what);

}  // namespace pathline::app
