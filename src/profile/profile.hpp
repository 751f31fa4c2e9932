// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/thread_pool.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::profile {

/// An index into Profile::call_paths.
using CallPath = base::Id<struct CallPathTag>;

struct CallPathNode {
  CallPath parent;  ///< none() for a root.
  trace::Region region;
};

/// What one call path cost at one location.
struct Cost {
  uint32_t call_path;
  uint64_t visits;
  uint64_t exclusive_ticks;
  uint64_t bytes_sent;      ///< By messages, collectives and one-sided operations.
  uint64_t bytes_received;  ///< The same; of a message where its receive was complete.
};

/// Visits and exclusive time by call path and location. A parent stands before its children.
struct Profile {
  std::vector<CallPathNode> call_paths;
  std::vector<std::vector<Cost>> by_location;  ///< Per location, ascending call paths.
};

/// Profile of the calls of a trace inside `selection`. A call that a border of the time range cuts
/// counts with the time inside; it is a visit where it was entered.
///
/// cost  O(events), parallel over locations; independent of the thread count.
Profile from_trace(const trace::Trace& trace, const trace::Selection& selection,
                   base::ThreadPool& pool);

/// Adds the costs of another part of the same run's time, and the call paths that are new.
///
/// cost  O(call paths + costs of both).
void add(const Profile& more, Profile& sum);

/// Adds call paths of the same run that are not in `profile`, behind those that are, without costs.
///
/// paths  a parent stands before its children.
void add_paths(const std::vector<CallPathNode>& paths, Profile& profile);

/// What to call the regions of a profile in a table, by Region: no two have the same label. That is
/// the name, where several regions of the profile share it "name (file.cpp:12)", and where they
/// share that as well "name (#148)" with the id of the definition. Calls of MPI from one place are
/// "caller (file.c:52)->MPI_Waitall"; the function, in which by_region() joins them, has a label
/// too. Printable; "" for regions that are not in the profile. Independent of the selected time.
///
/// cost  O(regions + call paths).
std::vector<std::string> region_labels(const trace::Trace& trace, const Profile& profile);

/// One row of a flat profile. Times are summed over locations; minimum and maximum are over ranks
/// (threads of a rank summed), ranks that never called the region counting as 0; where rows are
/// ranks, over the locations of the rank that make calls (threads and GPU streams).
struct FlatRow {
  trace::Region region;  ///< none() where rows are ranks.
  CallPath call_path;    ///< none() unless rows are call paths.
  trace::Rank rank;      ///< none() unless rows are ranks.
  uint64_t visits = 0;
  uint64_t inclusive_ticks = 0;  ///< Recursion counts once.
  uint64_t exclusive_ticks = 0;
  uint64_t exclusive_min_ticks = 0;
  uint64_t exclusive_max_ticks = 0;
  trace::Rank max_rank;  ///< The first with the maximum; none() where rows are ranks or no rank.
  double imbalance = 0;  ///< Maximum over mean; 1 is balanced, 0 is none: no time passed.
};

/// By region, most exclusive time first, then by region. Functions of MPI are one row each,
/// wherever they are called from.
std::vector<FlatRow> by_region(const trace::Trace& trace, const trace::Selection& selection,
                               const Profile& profile);
/// By call path, depth first, children in the order of their region.
std::vector<FlatRow> by_call_path(const trace::Trace& trace, const trace::Selection& selection,
                                  const Profile& profile);
/// By rank.
std::vector<FlatRow> by_rank(const trace::Trace& trace, const Profile& profile);

}  // namespace pathline::profile
