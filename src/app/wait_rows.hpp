// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "comm/dependencies.hpp"
#include "findings/growing_delay_costs.hpp"
#include "findings/model.hpp"
#include "profile/call_tree.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// Waits of one kind in calls of one call path.
struct PathWaits {
  std::string kind;
  std::string call_path;  ///< "main->exchange (halo.c:52)->MPI_Waitall"; "" where it is not known.
  uint64_t count = 0;
  double wait_s = 0;
};

/// Waits of the chosen ranks in the chosen time by where in the program they wait, most first.
///
/// all  comm::dependencies() of the trace
///
/// cost  O(events), parallel over ranks
std::vector<PathWaits> waits_by_call_path(const trace::Trace& trace, const comm::Dependencies& all,
                                          const trace::Selection& selection,
                                          base::ThreadPool& pool);

/// The same of a run that is modelled part by part.
class GrowingPathWaits {
 public:
  /// selection  its ranks; the time is that of the model.
  void add(const findings::Model& part, const trace::Selection& selection);
  /// run  whose regions these are.
  [[nodiscard]] std::vector<PathWaits> rows(const trace::Trace& run) const;

 private:
  struct Sum {
    uint64_t count = 0;
    uint64_t ticks = 0;
  };
  profile::CallTree tree_;
  std::map<std::pair<comm::WaitKind, uint32_t>, Sum> sums_;  // By kind and node.
};

/// What others waited because of what one rank did at one call path.
struct WaitCause {
  std::string kind;  ///< Of most of the time that others waited for the rank themselves.
  uint32_t rank = 0;
  std::string call_path;         ///< "" outside of all calls.
  double short_term_rank_s = 0;  ///< Waits that it caused itself.
  double long_term_rank_s = 0;   ///< Waits that came of these, further on.
};

/// Causes of the waits of all ranks in the chosen time (findings::delay_costs()), most first; ranks
/// of the selection are those that cause.
std::vector<WaitCause> wait_causes(const trace::Trace& trace, const comm::Dependencies& all,
                                   const trace::Selection& selection, base::ThreadPool& pool);

/// The same of a run that is modelled part by part, forwards and back: with very many call paths
/// once before, as findings::GrowingDelayCosts says.
class GrowingWaitCauses {
 public:
  void count_paths(const findings::Model& part) { costs_.count_paths(part); }
  [[nodiscard]] bool has_to_count() const { return costs_.has_to_count(); }
  /// returns  as findings::GrowingDelayCosts::add().
  bool add(const findings::Model& part);
  bool blame(const findings::Model& part) { return costs_.blame(part); }
  /// nullopt as findings::GrowingDelayCosts::finish().
  ///
  /// run        whose regions these are.
  /// selection  its ranks; the time is that of the model.
  std::optional<std::vector<WaitCause>> rows(const trace::Trace& run,
                                             const trace::Selection& selection);

 private:
  findings::GrowingDelayCosts costs_;
  std::vector<std::array<uint64_t, comm::kWaitKindCount>> waits_;  // Per lane, for it.
  std::vector<uint32_t> rank_of_lane_;
};

/// Both.
struct WaitRows {
  std::vector<PathWaits> by_path;
  std::vector<WaitCause> causes;
};
WaitRows wait_rows(const trace::Trace& trace, const comm::Dependencies& all,
                   const trace::Selection& selection, base::ThreadPool& pool);

}  // namespace pathline::app
