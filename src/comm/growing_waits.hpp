// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/column.hpp"
#include "base/thread_pool.hpp"
#include "comm/dependency_part.hpp"
#include "comm/wait_stream.hpp"
#include "comm/wait_sums.hpp"
#include "comm/waits.hpp"
#include "comm/wrong_order.hpp"
#include "trace/ranks.hpp"
#include "trace/trace.hpp"

namespace pathline::comm {

/// waits() of a run that comes in parts of its time: all but barriers of OpenMP.
///
/// A call is kept until all that happened in it has its other end: the message's partner, the other
/// members of the operation. Then what it waited for last is known, and it is counted.
class GrowingWaits {
 public:
  /// Is told the members of a collective operation, when all are there, or all that ever will be.
  using Operation =
      std::function<void(const std::vector<trace::CollectivePart>& members, bool is_whole)>;

  /// run        with its ranks; must outlive this.
  /// operation  hears of each, also of those of one process with itself.
  explicit GrowingWaits(const trace::Trace& run, Operation operation = {});
  GrowingWaits(const GrowingWaits&) = delete;
  GrowingWaits& operator=(const GrowingWaits&) = delete;
  ~GrowingWaits();

  /// What all processes that share the run saw of a part.
  ///
  /// until_ticks  everything in front of it was seen.
  /// ended        nothing follows.
  /// returns      false for what only shows in the whole: calls of MPI that do what is not theirs.
  /// cost         O(calls + messages) of the part and of what is kept: where there is one-sided
  ///              communication all calls since its begin.
  bool add(WaitPart part, uint64_t until_ticks, bool ended, base::ThreadPool& pool);
  /// Of the whole run, by kind, then rank.
  [[nodiscard]] Waits finish() const;
  /// How many collective operations were complete; at the end all.
  [[nodiscard]] uint64_t operations() const;

 private:
  struct Window;
  /// What a call waits for, the latest that is known; of equally late ones that of the lowest lane.
  struct Latest {
    uint64_t ticks = 0;
    uint32_t lane = kNoLane;  // In lane_key_.
    uint32_t number = UINT32_MAX;
    WaitKind kind = kNoWait;
  };
  /// A call of a part before.
  struct Kept {
    WaitPart::EndedCall call;
    uint32_t number;  // Of the lane's calls.
    Latest latest;
    PollWork work;  // If there was any; its call means nothing.
  };
  /// A send whose message was found before it ended.
  struct Sending {
    bool is_found = false;  // The calls of the message are known, and so is what follows.
    bool is_synchronous = false;
    uint32_t location = 0;
    uint64_t end_ticks = 0;  // Or 0.
    Latest post;             // The call that posted the receive.
  };
  /// Operations of one communicator that not all members have ended, the oldest first.
  struct Operations {
    uint32_t first = 0;  // The number of that.
    std::deque<std::vector<trace::CollectivePart>> open;
  };

  void lay_out(const WaitPart& part, Window& window);
  void end_sends(const WaitPart& part);
  void find_messages(WaitPart& part, Window& window, base::ThreadPool& pool);
  void find_send_ends(Window& window);
  void add_operations(const WaitPart& part);
  void find_operations(Window& window, base::ThreadPool& pool);
  void add_finalize(Window& window);
  void find_rma(Window& window);
  void keep_latest(Window& window, uint32_t call, const Latest& one) const;
  void join(Window& window);
  void join_groups(const DependencyPart& part, Window& window);
  void keep_open(const WaitPart& part, Window& window);
  static uint64_t first_at(const Window& window, uint32_t location, uint64_t ticks);
  void count(const Window& window, uint32_t call, const PollWork* work);

  const trace::Trace& run_;
  const Operation operation_;
  const trace::CommunicatorRanks ranks_;
  std::vector<uint32_t> lane_key_;          // By location: orders them as MpiCalls does lanes.
  base::Column<Kept> kept_;                 // Those of a location one after the other, in order.
  std::vector<uint32_t> next_number_;       // By location.
  std::vector<WaitPart::Message> pending_;  // That touch calls which may change.
  std::unordered_map<uint64_t, Sending> sending_;
  std::vector<Sending> send_ends_;  // In calls that may change.
  std::map<std::pair<uint32_t, uint32_t>, Operations>
      operations_;                          // By communicator, member (self).
  std::vector<std::vector<RmaEvent>> rma_;  // By location; their calls by number.
  bool has_rma_ = false;
  WaitSums sums_;
  WrongOrder wrong_order_;
  bool knows_finalize_ = false;
  bool is_odd_ = false;
  uint64_t messages_without_call_ = 0;
};

}  // namespace pathline::comm
