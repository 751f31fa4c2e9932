// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/thread_pool.hpp"
#include "profile/profile_file.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

enum class ProfileBy : uint8_t { kRegion, kCallPath, kRank };

/// Where the time goes: visits and seconds, summed over locations (threads and GPU streams).
/// Minimum and maximum are over ranks, for kRank over the locations of the rank. What a profile
/// does not hold is absent.
struct ProfileRow {
  std::string name;  ///< profile::region_labels(); those of a call path joined by kCallPathArrow;
                     ///< or the rank.
  std::optional<uint64_t> visits;
  std::optional<double> inclusive_s;
  std::optional<double> exclusive_s;
  std::optional<double> exclusive_min_s;
  std::optional<double> exclusive_max_s;
  trace::Rank max_rank;  ///< none() for kRank, and where no rank is known.
  double imbalance = 0;  ///< Maximum over mean; 0 is none: no time passed.
};

/// "main->solve->MPI_Waitall".
/// labels  profile::region_labels()
std::string call_path_text(const profile::Profile& profile, const std::vector<std::string>& labels,
                           profile::CallPath call_path);

/// In the order of profile::by_region(), by_call_path() or by_rank().
///
/// profile  of the selection.
std::vector<ProfileRow> profile_rows(const trace::Trace& trace, const trace::Selection& selection,
                                     const profile::Profile& profile, ProfileBy by);
/// cost  that of profile::from_trace().
std::vector<ProfileRow> profile_rows(const trace::Trace& trace, const trace::Selection& selection,
                                     ProfileBy by, base::ThreadPool& pool);

/// The part of a profile from a file that its ranks choose.
/// selection  ranks of `file.trace`, no times.
/// cost       O(call paths x locations).
profile::Profile chosen(const profile::TableProfile& file, const trace::Selection& selection);
/// The part of a profile that the ranks of `selection` choose, whose times do not count.
profile::Profile chosen(const trace::Trace& trace, profile::Profile profile,
                        const trace::Selection& selection);
/// Takes out of the rows what the file did not hold.
void forget_unmeasured(const profile::TableProfile& file, std::vector<ProfileRow>& rows);

}  // namespace pathline::app
