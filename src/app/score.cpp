// SPDX-License-Identifier: BSD-3-Clause
#include "app/score.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "profile/profile.hpp"
#include "trace/archive_bytes.hpp"

namespace pathline::app {
namespace {

constexpr double kShortCallSeconds = 10e-6;
constexpr double kLargeShare = 0.01;

std::string_view group_of(const trace::RegionDefinition& region, bool leads_to_mpi) {
  constexpr uint8_t kOpenMp = 3;
  if (region.paradigm == trace::kParadigmMpi) return "mpi";
  if (region.role == trace::RegionRole::kFileIo ||
      region.role == trace::RegionRole::kFileIoMetadata) {
    return "io";
  }
  if (region.paradigm == kOpenMp) return "omp";
  return leads_to_mpi ? "com" : "usr";
}

/// Which regions have MPI somewhere below them.
std::vector<bool> leading_to_mpi(const trace::Trace& trace, const profile::Profile& profile) {
  const auto& regions = trace.definitions.regions;
  std::vector<bool> leads(regions.size());
  std::vector<bool> path_leads(profile.call_paths.size());
  // A parent stands before its children.
  for (size_t i = profile.call_paths.size(); i-- > 0;) {
    const profile::CallPathNode& node = profile.call_paths[i];
    if (path_leads[i]) leads[node.region] = true;
    const bool mpi = regions[node.region].paradigm == trace::kParadigmMpi;
    if (node.parent.valid() && (mpi || path_leads[i])) path_leads[node.parent] = true;
  }
  return leads;
}

/// By region, and one more.
std::vector<bool> left_out(const trace::Trace& trace, const profile::Profile& profile,
                           const base::RegionFilter& filter) {
  const auto& regions = trace.definitions.regions;
  const auto leads = leading_to_mpi(trace, profile);
  std::vector<bool> filtered(regions.size() + 1);
  for (size_t i = 0; i < regions.size(); ++i) {
    filtered[i] = group_of(regions[i], leads[i]) != "mpi" &&
                  filter.excludes(regions[i].name, {}, regions[i].file);
  }
  return filtered;
}

Score make_score(const trace::Trace& trace, const profile::Profile& profile,
                 trace::ArchiveBytes spent, const std::vector<bool>& filtered) {
  const auto& regions = trace.definitions.regions;
  const auto labels = profile::region_labels(trace, profile);
  const auto leads = leading_to_mpi(trace, profile);
  Score score;
  score.bytes_of_ranks.resize(trace.rank_count);
  score.kept_of_ranks.resize(trace.rank_count);
  for (size_t i = 0; i < spent.by_location.size(); ++i) {
    const uint64_t of_location = spent.by_location[i];
    score.trace_bytes += of_location;
    score.filtered_bytes += of_location - std::min(of_location, spent.kept[i]);
    const trace::Rank rank = trace.locations[i].rank;
    if (!rank.valid()) continue;
    score.bytes_of_ranks[rank] += of_location;
    score.kept_of_ranks[rank] += spent.kept[i];
  }
  std::vector<uint64_t>& bytes = spent.by_region;
  trace.definitions.join_functions(bytes);
  for (const profile::FlatRow& flat : profile::by_region(trace, {}, profile)) {
    const trace::RegionDefinition& region = regions[flat.region];
    score.rows.push_back({.region = flat.region,
                          .label = labels[flat.region],
                          .group = group_of(region, leads[flat.region]),
                          .calls = flat.visits,
                          .time_s = trace.span_seconds(flat.exclusive_ticks),
                          .trace_bytes = bytes[flat.region],
                          .filtered = filtered[flat.region]});
    score.filtered_regions += filtered[flat.region] ? 1 : 0;
  }
  if (bytes.back() > 0) {
    score.rows.push_back({.region = trace::Region::none(),
                          .label = "(outside of calls)",
                          .group = "usr",
                          .trace_bytes = bytes.back()});
  }
  std::stable_sort(score.rows.begin(), score.rows.end(), [](const ScoreRow& a, const ScoreRow& b) {
    return std::tuple(b.trace_bytes, b.calls) < std::tuple(a.trace_bytes, a.calls);
  });
  return score;
}

/// As a pattern that matches this name only.
std::string escaped(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (std::string_view(" \t\\#*?[]").find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text;
}

}  // namespace

Score score(const trace::Trace& trace, const base::RegionFilter& filter, base::ThreadPool& pool) {
  const auto profile = profile::from_trace(trace, {}, pool);
  const auto filtered = left_out(trace, profile, filter);
  return make_score(trace, profile, trace::archive_bytes(trace, filtered, pool), filtered);
}

Score score(const summary::RunSummary& summary, const trace::Trace& run) {
  trace::ArchiveBytes bytes = summary.bytes;
  bytes.kept = bytes.by_location;
  return make_score(run, summary.profile, std::move(bytes),
                    std::vector<bool>(run.definitions.regions.size() + 1));
}

std::string proposed_filter(const trace::Trace& trace, const Score& score) {
  std::string patterns;
  for (const ScoreRow& row : score.rows) {
    if (!row.region.valid() || row.group == "mpi") continue;
    const double share = static_cast<double>(row.trace_bytes) /
                         static_cast<double>(std::max<uint64_t>(1, score.trace_bytes));
    const bool many_short = row.group == "usr" && row.calls > 0 && share >= kLargeShare &&
                            row.time_s / static_cast<double>(row.calls) < kShortCallSeconds;
    if (!many_short && !row.filtered) continue;
    const auto& name = trace.definitions.regions[row.region].name;
    if (!name.empty()) patterns += fmt::format("    {}\n", escaped(name));
  }
  if (patterns.empty()) return "";
  return "SCOREP_REGION_NAMES_BEGIN\n  EXCLUDE\n" + patterns + "SCOREP_REGION_NAMES_END\n";
}

}  // namespace pathline::app
