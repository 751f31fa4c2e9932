// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/byte_list.hpp"
#include "trace/call_source.hpp"

// What the locations of a run did over time, in bins of several widths: the rows of a timeline.
namespace pathline::summary {

/// The calls of all locations in bins of one width.
///
/// A bin has the up to four regions (or no call) that were innermost for most of its time, in the
/// order in which they first occurred, with their shares. So a bin that holds a few calls still
/// shows them one after the other.
struct StateLevel {
  int shift = 0;                    ///< Bins of 2^shift ticks, counted from tick 0.
  std::vector<uint64_t> first_bin;  ///< Per location, of its first event.
  std::vector<uint64_t> code;       ///< Per location where it begins in `codes`; one more.
  /// Of a location, for each run of bins that have one region (or no call) all the time,
  ///   number of bins * 8, region + 1 (0: no call)
  /// and for each other bin
  ///   2 to 4, so many regions by first occurrence, the shares of all but the last.
  /// Numbers are in groups of 7 bits, low ones first; a share is a byte.
  std::vector<uint8_t> codes;
  /// Per location, in 1/65535: how much of a pixel as wide as a bin shows something else than what
  /// happened there, estimated as a mean from the first event to the last.
  std::vector<uint16_t> error;

  [[nodiscard]] double error_of(uint32_t location) const { return error[location] / 65535.0; }
  [[nodiscard]] uint64_t bin_ticks() const { return uint64_t{1} << shift; }
};

/// A picture whose rows state no larger error in the mean looks like that of the calls.
inline constexpr double kSharp = 0.002;

/// What a summary is to take, which its states make it keep: 64 MiB, or a hundredth of the archive
/// where that is more.
[[nodiscard]] inline uint64_t file_budget(uint64_t archive_bytes) {
  return std::max(uint64_t{64} << 20U, archive_bytes / 100);
}
inline constexpr uint64_t kCodesPerStoredByte = 2;  ///< What compression makes of them, at least.

inline constexpr size_t kMostBinRegions = 4;
inline constexpr uint32_t kBinShares = 255;  ///< The unit of shares in codes.
inline constexpr uint32_t kNoCall = 0;       ///< In codes, where a region is its number + 1.
inline constexpr int kLeastBinShift = 2;
inline constexpr int kMostBinShift = 56;
/// What is later has no place in a picture.
inline constexpr uint64_t kMostBinTicks = uint64_t{1} << 62U;

struct States {
  std::vector<StateLevel> levels;         ///< By width, narrow first; each four times the last.
  std::vector<trace::LocationEnds> ends;  ///< Per location.
  /// As they were made, per level and location, instead of StateLevel::codes.
  std::vector<std::vector<base::ByteList>> made_codes;
};

/// Appends the stretches of `location` that touch the time, clipped to it, in order and without
/// gaps; those without a call have no region. Neighbours differ.
///
/// level  that fits() said yes to.
/// cost   O(bins of the location up to `until`), some ns each.
void append_stretches(const StateLevel& level, uint32_t location, uint64_t from, uint64_t until,
                      std::vector<trace::CallStretch>& stretches);

/// Whether the codes of a level that was read say something everywhere, of these numbers of
/// locations and regions.
bool fits(const StateLevel& level, size_t location_count, size_t region_count);

}  // namespace pathline::summary
