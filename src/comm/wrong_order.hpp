// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/column.hpp"
#include "comm/wait_sums.hpp"

namespace pathline::comm {

/// Finds waits of kind wrong order in a run that comes in parts: Dependencies::wrong_order.
class WrongOrder {
 public:
  explicit WrongOrder(size_t locations) : locations_(locations) {}

  /// Call `number` of a location received something of which the sending call began then.
  void add_receive(uint32_t location, uint32_t number, uint64_t sent_ticks) {
    received_.push_back({location, number, sent_ticks});
  }
  /// A late sender's receive.
  void add_wait(uint32_t location, uint32_t number, uint64_t begin_ticks, uint64_t until_ticks) {
    waits_.push_back({location, number, begin_ticks, until_ticks});
  }
  /// A call that may turn out to be one.
  void expect(uint32_t location, uint32_t number) { expected_.push_back({location, number}); }

  /// What is known of a location: its rank, and that every message to it that was not added was
  /// sent in a call that begins no earlier than `ticks`.
  struct Known {
    uint32_t rank;
    uint64_t ticks;
  };
  /// Counts what is known now.
  ///
  /// known  asked for locations with waits.
  /// cost   O(rows log(those of a location) + locations).
  void settle(const std::function<Known(uint32_t location)>& known, WaitSums& sums);

 private:
  struct Received {
    uint32_t location;
    uint32_t number;
    uint64_t sent_ticks;
  };
  struct Wait {
    uint32_t location;
    uint32_t number;
    uint64_t begin_ticks;
    uint64_t until_ticks;
  };
  struct Expected {
    uint32_t location;
    uint32_t number;
  };
  void settle(std::span<Received> received, std::span<Wait> waits,
              std::span<const Expected> expected, const Known& known, WaitSums& sums);

  size_t locations_;
  // Those of a location are not together until they are settled.
  base::Column<Received> received_;
  base::Column<Wait> waits_;
  base::Column<Expected> expected_;  // Of this part.
  std::vector<uint32_t> open_;  // While a location is settled: calls that are asked about later.
};

}  // namespace pathline::comm
