// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "comm/wait_sums.hpp"

namespace pathline::comm {

/// Finds waits of kind wrong order in a run that comes in parts: Dependencies::wrong_order.
class WrongOrder {
 public:
  explicit WrongOrder(size_t locations) : of_(locations) {}

  /// Call `number` of a location received something of which the sending call began then.
  void add_receive(uint32_t location, uint32_t number, uint64_t sent_ticks) {
    of_[location].received.push_back({number, sent_ticks});
  }
  /// A late sender's receive.
  void add_wait(uint32_t location, uint32_t number, uint64_t begin_ticks, uint64_t until_ticks) {
    of_[location].waits.push_back({number, begin_ticks, until_ticks});
  }
  /// A call that may turn out to be one.
  void expect(uint32_t location, uint32_t number) { of_[location].expected.push_back(number); }
  /// Counts what is known now. Every message to the location that was not added was sent in a call
  /// that begins no earlier than `ticks`.
  void settle(uint32_t location, uint32_t rank, uint64_t ticks, WaitSums& sums);
  [[nodiscard]] bool has(uint32_t location) const {
    const Location& of = of_[location];
    return !of.received.empty() || !of.waits.empty() || !of.expected.empty();
  }

 private:
  struct Received {
    uint32_t number;
    uint64_t sent_ticks;
  };
  struct Wait {
    uint32_t number;
    uint64_t begin_ticks;
    uint64_t until_ticks;
  };
  struct Location {
    std::vector<Received> received;
    std::vector<Wait> waits;
    std::vector<uint32_t> expected;  // Of this part.
  };
  std::vector<Location> of_;
};

}  // namespace pathline::comm
