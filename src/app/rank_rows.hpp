// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/waits.hpp"
#include "profile/profile.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// What ranks did with their time, in calls that were recorded. Threads of a rank are added up; a
/// call inside a call of MPI or of file I/O belongs to that.
struct WorkRow {
  std::string host;      ///< "" when not known.
  uint32_t rank = 0;     ///< The first one, of a host.
  uint32_t ranks = 1;    ///< That are added up here.
  double compute_s = 0;  ///< In no call of MPI and no file I/O.
  double mpi_s = 0;      ///< In MPI, file I/O left out.
  double wait_s = 0;     ///< Of mpi_s, as comm::waits() counts.
  double io_s = 0;
  /// Whether the compute time of a rank is unlike that of the others (base::stand_out()).
  bool stands_out = false;
};

/// A row per rank that made calls.
///
/// profile  of a selection; waits  of the same.
/// cost     O(call paths x locations).
std::vector<WorkRow> work_by_rank(const trace::Trace& trace, const profile::Profile& profile,
                                  const comm::Waits& waits);

/// In MPI, of all rows.
double mpi_seconds(const std::vector<WorkRow>& rows);

/// The same added up by host, in the order of their first ranks.
std::vector<WorkRow> work_by_host(const std::vector<WorkRow>& ranks);

}  // namespace pathline::app
