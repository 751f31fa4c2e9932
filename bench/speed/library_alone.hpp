// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

namespace pathline::bench {

/// The peer of reading: the OTF2 library hands over every event of an archive, one location after
/// the other, to callbacks that only count.
///
/// returns  number of events; 0 if it failed.
uint64_t count_events_with_library(const std::filesystem::path& anchor);

}  // namespace pathline::bench
