// SPDX-License-Identifier: BSD-3-Clause
#include "app/finding_place.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "findings/path_load.hpp"

namespace pathline::app {
namespace {

using findings::kNone;
using findings::Model;

constexpr double kLeastShare = 0.25;

/// The call path of these regions; kNone for none, as outside of all calls.
uint32_t path_of(const Model& model, const std::vector<trace::Region>& regions) {
  uint32_t parent = kNone;
  // A parent stands before its children.
  for (uint32_t path = 0, depth = 0; path < model.call_paths.size() && depth < regions.size();
       ++path) {
    const profile::CallPathNode& node = model.call_paths[path];
    const uint32_t above = node.parent.valid() ? uint32_t{node.parent} : kNone;
    if (above != parent || node.region != regions[depth]) continue;
    parent = path;
    ++depth;
  }
  return parent;
}

/// Whether the call is made by the call path itself; of a call from a known place its function is
/// the path's child.
bool is_made_in(const Model& model, uint32_t call, uint32_t path) {
  const uint32_t own = model.call_path[call];
  if (own == kNone) return false;
  const profile::CallPath parent = model.call_paths[own].parent;
  return (parent.valid() ? uint32_t{parent} : kNone) == path;
}

std::string call_text(const Model& model, uint32_t region) {
  const auto& regions = model.trace->definitions.regions;
  if (region >= regions.size()) return "a call of MPI";
  const trace::RegionDefinition& of = regions[region];
  return base::printable(of.site.empty() ? of.name : fmt::format("{} in {}", of.name, of.site));
}

}  // namespace

std::optional<FindingPlace> finding_place(const Model& model, const findings::Finding& finding) {
  if (finding.kind > findings::FindingKind::kJitter) return std::nullopt;
  const uint32_t path = path_of(model, finding.path);
  if (path == kNone && !finding.path.empty()) return std::nullopt;
  const std::vector<uint32_t> owner = findings::paths_without_io(model);
  struct Gap {
    uint32_t before;  // Region of the call it ends with; kNone for none.
    uint32_t behind;
    auto operator<=>(const Gap&) const = default;
  };
  struct Time {
    uint64_t of_all = 0;
    uint64_t of_causes = 0;
  };
  std::map<Gap, Time> times;
  uint32_t causes = 0;
  for (uint32_t lane = 0; lane < model.lanes.size(); ++lane) {
    const Model::Lane& of = model.lanes[lane];
    const uint32_t rank = model.all->calls.lanes[lane].rank;
    if (!of.recorded || !of.first_of_rank) continue;
    const bool is_cause = finding.ranks.empty() ||
                          std::binary_search(finding.ranks.begin(), finding.ranks.end(), rank);
    causes += is_cause ? 1 : 0;
    const auto region_of = [&](uint32_t call, bool exists) {
      return exists && is_made_in(model, call, path) ? model.all->calls.region[call] : kNone;
    };
    for (uint32_t call = of.first_call; call <= of.end_call; ++call) {
      uint64_t in_gap = 0;
      const size_t gap = Model::gap(call, lane);
      for (size_t i = model.first_piece[gap]; i < model.first_piece[gap + 1]; ++i) {
        const uint32_t piece = model.piece_path[i];
        if ((piece == kNone ? kNone : owner[piece]) == path) in_gap += model.piece_ticks[i];
      }
      if (in_gap == 0) continue;
      Time& time =
          times[{region_of(call, call < of.end_call), region_of(call - 1, call > of.first_call)}];
      time.of_all += in_gap;
      if (is_cause) time.of_causes += in_gap;
    }
  }
  // What all have as much of is not why they are to blame.
  const auto counted = [&](const Time& time) {
    const double mean = static_cast<double>(time.of_all) / std::max(1U, model.rank_count());
    return std::max(
        0.0, static_cast<double>(time.of_causes) - (finding.ranks.empty() ? 0 : mean * causes));
  };
  double all = 0;
  for (const auto& [gap, time] : times) all += counted(time);
  const auto most = std::max_element(times.begin(), times.end(), [&](const auto& a, const auto& b) {
    return counted(a.second) < counted(b.second);
  });
  if (all <= 0 || most->first.before == kNone) return std::nullopt;
  const double share = counted(most->second) / all;
  if (share < kLeastShare) return std::nullopt;
  const std::string before = call_text(model, most->first.before);
  return FindingPlace{
      .share = share,
      .before = before,
      .between = most->first.behind == kNone
                     ? ""
                     : fmt::format("{} and {}", call_text(model, most->first.behind), before)};
}

}  // namespace pathline::app
