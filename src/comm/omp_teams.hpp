// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/trace.hpp"

namespace pathline::comm {

/// A thread's visit of a barrier of OpenMP.
struct OmpVisit {
  uint32_t region;
  uint64_t begin_ticks;
  uint64_t end_ticks;
  uint32_t location;
  uint64_t last_ticks = 0;     ///< When the last of the team came,
  uint32_t last_location = 0;  ///< and which that is.
};

/// By region, begin and location.
void sort_visits(std::vector<OmpVisit>& visits);

/// Tells the visits of one region, sorted, who came last in their team.
///
/// until_ticks  all visits that begin before are there; UINT64_MAX for all.
/// returns      the first whose team may have more.
size_t join_teams(std::span<OmpVisit> visits, uint64_t until_ticks);

/// Calls visit(visits of a region) for each region of sorted visits.
template <class Visitor>
void for_each_region(std::vector<OmpVisit>& visits, Visitor visit) {
  for (size_t begin = 0, end = 0; begin < visits.size(); begin = end) {
    while (end < visits.size() && visits[end].region == visits[begin].region) ++end;
    visit(std::span(visits).subspan(begin, end - begin));
  }
}

/// By rank, its threads, if there are several.
std::vector<std::vector<uint32_t>> threads_by_rank(const trace::Trace& trace);

}  // namespace pathline::comm
