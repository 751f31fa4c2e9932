// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "trace/trace.hpp"

namespace pathline::otf2 {

struct ReadOptions {
  /// Read each damaged file as far as it goes and mark its location incomplete, instead of
  /// returning an error.
  bool partial = false;
};

/// Reads the archive whose anchor file is `anchor`, through the OTF2 library: definitions, clock
/// offsets and all events, in parallel over locations with one library reader per piece of work,
/// times corrected and ids made global by the library.
///
/// errors  the library's, and those it does not see: references to what is not defined, times that
///         go back, more definitions than the anchor says. Each names file, offset and fact.
/// cost    about 40 ns of CPU an event; besides the trace one chunk (1 MiB) per thread.
base::Result<trace::Trace> read(const std::filesystem::path& anchor, const ReadOptions& options,
                                base::ThreadPool& pool, base::Progress& progress);

/// "3.0.2", of the library this was built with.
const char* library_version();

}  // namespace pathline::otf2
