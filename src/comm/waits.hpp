// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread_pool.hpp"
#include "comm/dependencies.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::comm {

struct WaitRow {
  WaitKind kind;
  uint32_t rank;
  uint64_t count;  ///< Calls in which the rank waited.
  uint64_t ticks;
  friend bool operator==(const WaitRow&, const WaitRow&) = default;
};

struct Waits {
  std::vector<WaitRow> rows;  ///< By kind, then rank; what never happened has no row.
  /// Messages that were sent or received outside every recorded call of MPI: nobody knows whether
  /// their receiver waited.
  uint64_t messages_without_call = 0;

  /// Time in MPI that is explained: of all ranks, without kWrongOrder, which is a part of
  /// kLateSender, and kOmpBarrier, which is not in MPI.
  [[nodiscard]] uint64_t mpi_ticks() const;
};

/// Time that ranks spend in MPI only because another rank is late: the wait states of Wolf & Mohr
/// (J. Syst. Archit. 49, 2003) as Scalasca counts them (Geimer et al., CCPE 22, 2010; property
/// documentation of Scalasca 2). WaitKind says what each waits for; a wait lasts from the enter of
/// the call until what it waits for was entered, at most until the call was done with it.
///
/// One call (MPI_Waitall) that waited for several partners waited once, for the last of them: no
/// call counts twice. That a send waits for its receiver is seen by its ending no earlier than the
/// receive was posted. A member of a nonblocking operation waits from the enter of the call that
/// completed it. A wait that a border of the time range cuts counts with the time inside; it is
/// counted where it began. Ranks are those that waited; threads of a rank are added up.
///
/// cost  that of dependencies().
Waits waits(const trace::Trace& trace, const trace::Selection& selection, base::ThreadPool& pool);
/// The same of dependencies that are known.
///
/// cost  O(calls).
Waits waits(const trace::Trace& trace, const Dependencies& all, const trace::Selection& selection);

/// Adds the waits of another part of the run's time.
void add(const Waits& more, Waits& sum);

/// What waits() gives for the ranks of a selection, of the waits of the whole run.
Waits chosen(const Waits& waits, const trace::Selection& selection);

}  // namespace pathline::comm
