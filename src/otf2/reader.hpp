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
  /// Let the library read the events of all locations, not only of those whose ids are mapped: for
  /// comparing.
  bool events_by_library = false;
};

/// Reads the archive whose anchor file is `anchor`: definitions and clock offsets through the OTF2
/// library, events by our own decoder, or through the library where a location maps its ids. In
/// parallel over pieces of the locations, times corrected and ids made global.
///
/// errors  the library's, and those it does not see: references to what is not defined, times that
///         go back, more definitions than the anchor says. Each names file, offset and fact.
/// cost    about 20 ns of CPU an event, matching not counted.
base::Result<trace::Trace> read(const std::filesystem::path& anchor, const ReadOptions& options,
                                base::ThreadPool& pool, base::Progress& progress);

/// "3.0.2", of the library this was built with.
const char* library_version();

}  // namespace pathline::otf2
