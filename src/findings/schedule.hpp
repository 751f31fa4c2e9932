// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "base/column.hpp"
#include "findings/model.hpp"

namespace pathline::findings {

/// The order of a program: what its lanes do, one thing after the other, so that each comes behind
/// all that it depends on. Who waits for whom does not change with how long things take; so the
/// order is made once, and every replay is one pass over these columns.
///
/// An item is a lane that comes to its next call (its clock goes on by the time until there, which
/// is the item's value) and in it waits for the values of other items, its sources. Only calls that
/// depend on others or that others depend on have one. Where a lane had to stop in the midst of a
/// call it has another item, by which its clock does not go on. A join has no lane: its value is
/// the latest of its sources, the begins of the members of a group.
///
/// Items are ordered by time more or less, so that what one needs was written shortly before.
struct Schedule {
  static constexpr uint32_t kJoin = UINT32_MAX;
  static constexpr uint32_t kGoesOn = 1U << 31U;  ///< In `lane`: in the call of its last item.

  base::Column<uint32_t> lane;          ///< Per item.
  base::Column<uint32_t> first_source;  ///< Per item; one entry more.
  base::Column<uint32_t> source;        ///< Items.
  base::Column<comm::WaitKind> kind;    ///< Per source; kNoWait in a join.

  struct Early {
    uint32_t source;  ///< Index into `source`.
    uint64_t ticks;   ///< By so much earlier it counts: Dependencies::early.
  };
  std::vector<Early> early;  ///< Ascending sources.

  std::vector<bool> has_item;  ///< Per call.

  /// Calls that wait, or are done with others in a group, each behind all that it depends on.
  struct Completed {
    uint32_t call;
    uint32_t lane : 31;
    uint32_t in_group : 1;
  };
  base::Column<Completed> completed;

  /// Dependencies that were left out because all lanes waited in a circle: clocks that disagree, or
  /// messages that were lost.
  uint64_t forced = 0;

  [[nodiscard]] size_t size() const { return lane.size(); }
};

/// ignored  calls that wait for nobody.
/// cost     O(calls + dependencies).
Schedule schedule(const Model& model, const std::vector<uint32_t>& ignored = {});

}  // namespace pathline::findings
