// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/thread_pool.hpp"
#include "summary/run_summary.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// The numbers of one run that are compared. They outlive the trace, so that of many runs one is in
/// memory at a time.
struct RunNumbers {
  struct Number {
    double value = 0;
    std::string text;  ///< As CSV prints it: times have nine digits behind the point.
  };
  /// Kind, name and metric to its value. Kinds are those of DifferenceKind.
  std::map<std::array<std::string, 3>, Number> numbers;
  double wall_s = 0;    ///< Of the whole run.
  double inside_s = 0;  ///< From the last end of MPI_Init to the last begin of MPI_Finalize.
  uint32_t ranks = 0;
  std::string root;  ///< The region that holds most of the time and lies in no other; "" for none.
};

/// Regions are named, as nothing else is what those of two runs have in common; those that share a
/// name are added up. Clock differences make nothing of it.
///
/// cost  that of profile::from_trace(), comm::matrix() and comm::waits().
RunNumbers run_numbers(const trace::Trace& trace, const trace::Selection& selection,
                       base::ThreadPool& pool);
/// The same of a summary with profile, pairs and waits.
///
/// run        of the summary, wherever that is now.
/// selection  without a time.
RunNumbers run_numbers(const summary::RunSummary& summary, const trace::Trace& run,
                       const trace::Selection& selection);

/// A number that is not the same on both sides.
struct Difference {
  std::string kind;    ///< "run", "region", "wait", "traffic", "pair".
  std::string name;    ///< Of the region, of the kind of waiting, or "0->1".
  std::string metric;  ///< "exclusive_s", "visits", "wait_s", "messages", "bytes" ...
  std::string a;       ///< The value of the run, of several their median; "" for none.
  std::string b;
  std::vector<double> of_a;  ///< Of the runs, ascending; a run without it counts as 0.
  std::vector<double> of_b;
  double difference = 0;  ///< Mean of b less mean of a.
  double percent = 0;     ///< Of the mean of a; infinite where that is 0.
  /// "slower", "faster", "more", "less", "cannot tell", "same"; "" where nobody judged: what is no
  /// time and no traffic of its own, and what is too little to matter.
  std::string verdict;
  bool counts = false;  ///< It is a reason for exit status 1.
};

struct DiffOptions {
  /// The smallest change that counts, of 1. Negative: every difference of two runs does, and a
  /// hundredth of several.
  double min_change = -1;
};

struct DiffReport {
  /// Wall time first, then kind by kind: regions by the size of the change of their time, and so
  /// on.
  std::vector<Difference> rows;
  double wall_a_s = 0;  ///< Medians.
  double wall_b_s = 0;
  /// The same root region under two names, as programs of other names have; "" if there is none.
  std::string renamed;
};

/// What differs between two runs, or two sides with several runs each.
///
/// Of several runs a side the change of a time is judged as campaign::judge() does; of one run it
/// is what it is. With a least change, a time counts when it changed by that and the change is more
/// than chance makes of the run as a whole: by the least change of all rank-seconds in MPI and
/// waiting, half of it in what ranks do themselves, of several runs a two-hundredth. Start and end
/// of MPI are listed and never count, as they take what the machine takes; nor do the number of
/// calls that poll.
///
/// cost  O(numbers log numbers).
DiffReport diff(const std::vector<RunNumbers>& a, const std::vector<RunNumbers>& b,
                const DiffOptions& options);

}  // namespace pathline::app
