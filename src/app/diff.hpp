// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "base/thread_pool.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// A number that is not the same in two runs, as text: times have nine digits behind the point, and
/// what agrees in them is the same. "" for a run that does not have it.
struct Difference {
  std::string kind;    ///< "region" or "pair".
  std::string name;    ///< Of the region, or "0->1".
  std::string metric;  ///< "visits", "inclusive_s", "exclusive_s"; "messages", "bytes".
  std::string a;
  std::string b;
};

struct RunPart {
  const trace::Trace& trace;
  const trace::Selection& selection;
};

/// Regions and pairs of ranks whose numbers differ, by kind, name and metric. Regions are compared
/// by name, the only thing that those of two runs have in common; those that share one are added
/// up.
///
/// cost  that of profile::from_trace() and comm::matrix() for both.
std::vector<Difference> diff(const RunPart& a, const RunPart& b, base::ThreadPool& pool);

}  // namespace pathline::app
