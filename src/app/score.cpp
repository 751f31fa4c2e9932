// SPDX-License-Identifier: BSD-3-Clause
#include "app/score.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "profile/profile.hpp"

namespace pathline::app {
namespace {

using trace::EventKind;

constexpr uint64_t kTimeBytes = 9;  // A record of its own, where the time has changed.
constexpr double kShortCallSeconds = 10e-6;
constexpr double kLargeShare = 0.01;

uint64_t compressed_bytes(uint64_t value, bool wide) {
  if (value == 0 || value == (wide ? UINT64_MAX : UINT32_MAX)) return 1;
  uint64_t bytes = 1;
  for (; value != 0; value >>= 8U) ++bytes;
  return bytes;
}

/// Records that are as old as the format and have one number only do without their length.
bool is_bare(EventKind kind) {
  switch (static_cast<unsigned>(kind)) {
    case 12:
    case 13:
    case 16:
    case 17:
    case 20:
    case 21:
    case 24:
    case 28:
    case 29:
    case 30: return true;
    default: return kind == EventKind::kUnmatchedLeave;
  }
}

bool is_one_byte(std::string_view field) {
  return field == "operation" || field == "mode" || field == "lock_type" || field == "type" ||
         field == "whence" || field == "model";
}

/// What one location spends on each region; the last entry is what lies outside of calls.
struct Spent {
  std::vector<uint64_t> bytes;
};

Spent spent_at(const trace::Trace& trace, const trace::Events& events,
               const std::vector<bool>& filtered, uint64_t& kept) {
  const size_t outside = trace.definitions.regions.size();
  Spent spent{std::vector<uint64_t>(outside + 1, 0)};
  std::vector<uint32_t> open;
  const trace::Attributes& attributes = events.attributes;
  size_t attribute = 0;
  uint64_t last_all = UINT64_MAX;
  uint64_t last_kept = UINT64_MAX;
  for (size_t i = 0; i < events.size(); ++i) {
    const EventKind kind = events.kind[i];
    const bool is_call = kind == EventKind::kEnter || kind == EventKind::kLeave ||
                         kind == EventKind::kUnmatchedLeave;
    const size_t region = is_call        ? uint32_t{events.region(i)}
                          : open.empty() ? outside
                                         : open.back();
    uint64_t bytes = otf2_bytes(trace.definitions, events, i);
    uint64_t own = 0;
    while (attribute < attributes.event.size() && attributes.event[attribute] == i) {
      own += 3 + compressed_bytes(attributes.attribute[attribute], false) +
             (attributes.type[attribute] == 10 ? 8 : 4);
      ++attribute;
    }
    bytes += own;
    const uint64_t ticks = events.ticks[i];
    // Messages and the like stay when the call around them is left out.
    if (!is_call || !filtered[region]) {
      kept += bytes + (ticks != last_kept ? kTimeBytes : 0);
      last_kept = ticks;
    }
    spent.bytes[region] += bytes + (ticks != last_all ? kTimeBytes : 0);
    last_all = ticks;
    if (kind == EventKind::kEnter) open.push_back(static_cast<uint32_t>(region));
    if (kind == EventKind::kLeave && !open.empty()) open.pop_back();
  }
  return spent;
}

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

uint64_t otf2_bytes(const trace::Definitions& definitions, const trace::Events& events, size_t i) {
  const EventKind kind = events.kind[i];
  const bool is_call =
      kind == EventKind::kEnter || kind == EventKind::kLeave || kind == EventKind::kUnmatchedLeave;
  if (is_call) return 1 + compressed_bytes(definitions.regions[events.region(i)].id, false);
  const auto words = events.fields(i);
  trace::WordReader in(words);
  uint64_t bytes = is_bare(kind) ? 1 : 2;
  std::string_view fields = trace::event_fields(kind);
  while (!fields.empty()) {
    const size_t end = fields.find(' ');
    std::string_view field = fields.substr(0, end);
    fields = end == std::string_view::npos ? std::string_view() : fields.substr(end + 1);
    if (field == "...") {
      const auto items = in.rest();
      if (kind == EventKind::kMetric) {
        for (size_t k = 0; k + 3 <= items.size(); k += 3) {
          bytes += 1 + compressed_bytes(items[k + 1] | uint64_t{items[k + 2]} << 32U, true);
        }
      } else {
        for (const uint32_t item : items) bytes += compressed_bytes(item, false);
      }
    } else if (field.ends_with('*') || field.ends_with('-')) {
      // A time stands there as it is.
      const uint64_t value = in.u64();
      bytes += kind == EventKind::kBufferFlush ? 8 : compressed_bytes(value, true);
    } else if (is_one_byte(field) || field == "n") {
      in.u32();
      ++bytes;
    } else {
      bytes += compressed_bytes(in.u32(), false);
    }
  }
  return bytes;
}

Score score(const trace::Trace& trace, const base::RegionFilter& filter, base::ThreadPool& pool) {
  const auto& regions = trace.definitions.regions;
  const auto profile = profile::from_trace(trace, {}, pool);
  const auto labels = profile::region_labels(trace, profile);
  const auto leads = leading_to_mpi(trace, profile);
  Score score;
  std::vector<bool> filtered(regions.size() + 1);
  for (size_t i = 0; i < regions.size(); ++i) {
    filtered[i] = group_of(regions[i], leads[i]) != "mpi" &&
                  filter.excludes(regions[i].name, {}, regions[i].file);
  }

  std::vector<Spent> spent(trace.locations.size());
  std::vector<uint64_t> kept(trace.locations.size(), 0);
  pool.for_each(spent.size(), [&](size_t i) {
    spent[i] = spent_at(trace, trace.locations[i].events, filtered, kept[i]);
  });
  std::vector<uint64_t> bytes(regions.size() + 1, 0);
  score.bytes_of_ranks.resize(trace.rank_count);
  score.kept_of_ranks.resize(trace.rank_count);
  for (size_t i = 0; i < spent.size(); ++i) {
    uint64_t of_location = 0;
    for (size_t r = 0; r < bytes.size(); ++r) {
      bytes[r] += spent[i].bytes[r];
      of_location += spent[i].bytes[r];
    }
    score.trace_bytes += of_location;
    score.filtered_bytes += of_location - std::min(of_location, kept[i]);
    const trace::Rank rank = trace.locations[i].rank;
    if (!rank.valid()) continue;
    score.bytes_of_ranks[rank] += of_location;
    score.kept_of_ranks[rank] += kept[i];
  }

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
