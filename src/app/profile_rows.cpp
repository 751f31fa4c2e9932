// SPDX-License-Identifier: BSD-3-Clause
#include "app/profile_rows.hpp"

#include <fmt/format.h>

#include "profile/metric_table.hpp"

namespace pathline::app {

std::string call_path_text(const profile::Profile& profile, const std::vector<std::string>& labels,
                           profile::CallPath call_path) {
  std::string text;
  for (; call_path.valid(); call_path = profile.call_paths[call_path].parent) {
    const trace::Region region = profile.call_paths[call_path].region;
    const std::string name = region.valid() ? labels[region] : "?";
    text = text.empty() ? name : fmt::format("{}{}{}", name, profile::kCallPathArrow, text);
  }
  return text;
}

std::vector<ProfileRow> profile_rows(const trace::Trace& trace, const trace::Selection& selection,
                                     const profile::Profile& profile, ProfileBy by) {
  const auto flat = by == ProfileBy::kRegion ? profile::by_region(trace, selection, profile)
                    : by == ProfileBy::kRank ? profile::by_rank(trace, profile)
                                             : profile::by_call_path(trace, selection, profile);
  const std::vector<std::string> labels = profile::region_labels(trace, profile);
  std::vector<ProfileRow> rows;
  rows.reserve(flat.size());
  for (const profile::FlatRow& row : flat) {
    rows.push_back({.name = row.rank.valid()        ? fmt::format("{}", uint32_t{row.rank})
                            : row.call_path.valid() ? call_path_text(profile, labels, row.call_path)
                                                    : labels[row.region],
                    .visits = row.visits,
                    .inclusive_s = trace.span_seconds(row.inclusive_ticks),
                    .exclusive_s = trace.span_seconds(row.exclusive_ticks),
                    .exclusive_min_s = trace.span_seconds(row.exclusive_min_ticks),
                    .exclusive_max_s = trace.span_seconds(row.exclusive_max_ticks),
                    .max_rank = row.max_rank,
                    .imbalance = row.imbalance});
  }
  return rows;
}

std::vector<ProfileRow> profile_rows(const trace::Trace& trace, const trace::Selection& selection,
                                     ProfileBy by, base::ThreadPool& pool) {
  return profile_rows(trace, selection, profile::from_trace(trace, selection, pool), by);
}

profile::Profile chosen(const profile::TableProfile& file, const trace::Selection& selection) {
  return chosen(file.trace, file.profile, selection);
}

profile::Profile chosen(const trace::Trace& trace, profile::Profile profile,
                        const trace::Selection& selection) {
  for (size_t l = 0; l < profile.by_location.size(); ++l) {
    const trace::Rank rank = trace.locations[l].rank;
    if (!selection.ranks.empty() && !(rank.valid() && selection.has_rank(rank))) {
      profile.by_location[l].clear();
    }
  }
  return profile;
}

void forget_unmeasured(const profile::TableProfile& file, std::vector<ProfileRow>& rows) {
  for (ProfileRow& row : rows) {
    if (!file.has_visits) row.visits.reset();
    if (file.has_times) continue;
    for (auto* time :
         {&row.inclusive_s, &row.exclusive_s, &row.exclusive_min_s, &row.exclusive_max_s}) {
      time->reset();
    }
  }
}

}  // namespace pathline::app
