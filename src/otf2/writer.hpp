// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "trace/trace.hpp"

namespace pathline::otf2 {

/// Writes a trace as an OTF2 archive: `folder`/`name`.otf2 and what belongs to it. Definitions and
/// events are those that were read, in their order, with global ids; clock offsets are written
/// with the local times they apply to, so that a reader computes the same global times. The same
/// trace gives the same bytes: the archive's id is a checksum of its content, not the time.
///
/// folder  must not hold an archive of this name yet; it is made if it does not exist.
/// errors  kInvalidArgument if there is one already, kUnsupported for a trace without events, kIo.
/// cost    about 60 ns of CPU an event, one thread.
base::Status write(const trace::Trace& trace, const std::filesystem::path& folder,
                   std::string_view name, base::Progress& progress);

}  // namespace pathline::otf2
