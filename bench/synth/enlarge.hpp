// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.hpp"

namespace pathline::synth {

/// Archives larger than what fits into the memory of the machine that writes them.

/// Writes the events of a file `repeat` times one after the other, each time `shift_ns` later, in
/// chunks of `chunk_bytes`.
///
/// errors  kCorrupt for a file that otf2::write() would not have written, kIo.
base::Status repeat_events(const std::filesystem::path& file, uint64_t chunk_bytes, uint32_t repeat,
                           uint64_t shift_ns);

/// Gives the locations behind the first `rank_count` the events of those: their files are hard
/// links, which cost no space. Of copy k, counted from 0, communicator kWorld of the events is
/// kFirstCopy + k of the definitions, by a mapping in its local definitions.
///
/// folder  with the files of all locations, ranks of a copy one after the other.
base::Status link_copies(const std::filesystem::path& folder, uint32_t rank_count, uint32_t copies);

}  // namespace pathline::synth
