// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "comm/mpi_calls.hpp"
#include "comm/waits.hpp"

namespace pathline::comm {

/// Waits of a whole run by kind and rank, call by call in any order.
class WaitSums {
 public:
  explicit WaitSums(uint32_t rank_count) : rank_count_(rank_count) {}

  void add(WaitKind kind, uint32_t rank, uint64_t from_ticks, uint64_t until_ticks) {
    if (from_ticks < until_ticks) add(kind, rank, {1, until_ticks - from_ticks});
  }
  /// As rows() gives it.
  void add(const WaitRow& row) { add(row.kind, row.rank, {row.count, row.ticks}); }
  /// A call of polls with work between them, which is known of all (kMeasured): whether it begins
  /// behind that shows when all calls of the region are known (Dependencies).
  ///
  /// region    of the call.
  /// receives  it has completed a receive.
  /// kind      kNoWait if it depends on nothing; until_ticks says when that was there.
  void add_polls(const PollWork& work, uint32_t region, bool receives, WaitKind kind, uint32_t rank,
                 uint64_t from_ticks, uint64_t until_ticks);
  /// By kind, then rank.
  [[nodiscard]] std::vector<WaitRow> rows() const;

 private:
  struct Sum {
    uint64_t count = 0;
    uint64_t ticks = 0;
  };
  /// Calls of one region that received.
  struct Polls {
    uint64_t gave_up_ticks = 0;
    uint64_t received_ticks = 0;
    std::map<std::pair<WaitKind, uint32_t>, Sum> as_recorded;
    std::map<std::pair<WaitKind, uint32_t>, Sum> behind_work;
  };
  void add(WaitKind kind, uint32_t rank, const Sum& sum) {
    std::vector<Sum>& of_kind = sums_[static_cast<size_t>(kind)];
    if (of_kind.empty()) of_kind.resize(rank_count_);
    of_kind[rank].count += sum.count;
    of_kind[rank].ticks += sum.ticks;
  }

  uint32_t rank_count_;
  std::array<std::vector<Sum>, kWaitKindCount> sums_;
  std::map<uint32_t, Polls> polls_;  // By region.
};

}  // namespace pathline::comm
