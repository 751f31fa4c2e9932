// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/arena.hpp"
#include "base/column.hpp"
#include "base/packing.hpp"
#include "comm/call_stream.hpp"
#include "comm/dependency_part.hpp"
#include "comm/part_place.hpp"
#include "trace/collective_stream.hpp"
#include "trace/match.hpp"
#include "trace/ranks.hpp"
#include "trace/trace.hpp"

namespace pathline::comm {

/// What a part of a run adds to who waits, of some of its locations: input of GrowingWaits.
struct WaitPart {
  /// A call of which nothing changes any more. Those of a location one after the other, in the
  /// order of time.
  struct EndedCall {
    uint64_t begin_ticks;
    uint64_t end_ticks;
    uint32_t location;
    uint32_t region;
    uint8_t traits;
  };
  static constexpr uint64_t kNever = UINT64_MAX;
  base::Column<EndedCall> calls;
  std::vector<PollWork> poll_work;  ///< Of these, ascending.
  /// The first call of a location that may change yet: whatever happens there later is not in front
  /// of its begin.
  struct OpenCall {
    uint64_t begin_ticks;
    uint32_t location;
    uint8_t traits;
  };
  std::vector<OpenCall> open_calls;

  /// A message that was found in the part.
  struct Message : MessageTimes {
    uint32_t receiver;     ///< Rank.
    uint64_t send_number;  ///< Of a send that goes on, for what becomes of it; or kNever.
  };
  base::Column<Message> messages;
  struct SendEnd {
    uint64_t number;
    uint64_t ticks;  ///< kNever if its request was given to another one.
  };
  std::vector<SendEnd> send_ends;

  std::vector<trace::CollectivePart> collectives;  ///< Those of a location in order.
  /// Something that happened then has no end yet: calls that touch it may still be asked for.
  struct OpenTick {
    uint64_t ticks;
    uint32_t location;
    uint32_t receiver;  ///< Rank that a send without a receive went to, or kNobody.
  };
  static constexpr uint32_t kNobody = UINT32_MAX;
  std::vector<OpenTick> open;
  std::vector<RmaEvent> rma;  ///< By row of `calls`; those of a location in order.

  void pack(base::Packer& out) const;
  void take(base::Unpacker& in);
};

/// Follows the calls of a run that comes in parts, as far as its waits need them.
class WaitStream {
 public:
  /// run      with its ranks; must outlive this.
  /// process  a number of its own for each process that shares the run.
  WaitStream(const trace::Trace& run, unsigned process);

  /// Follows the calls and collective operations of one location; several may be added at once.
  ///
  /// part  the events of the location begin with `kept` of before, the Enters of open calls among
  ///       them.
  void add(const trace::Trace& part, size_t location, size_t kept);
  /// The same for who walks over the events for others, too, and has the calls followed so; of a
  /// location of a rank.
  [[nodiscard]] CallStream::Follower follow(const trace::Trace& part, size_t location, size_t kept);
  /// What the part adds, when all locations were added that have events in it.
  ///
  /// part  its messages are those of which both ends are known now.
  /// open  what stays open behind it.
  WaitPart finish(const trace::Trace& part, const PartPlace& place, const trace::OpenEnds& open);

 private:
  void take_calls(const PartPlace& place, WaitPart& result);
  void follow_sends(const trace::Trace& part, const PartPlace& place, const trace::OpenEnds& open,
                    WaitPart& result);
  void number_collectives(const PartPlace& place, WaitPart& result);
  void add_open(const trace::Trace& part, const trace::OpenEnds& open, WaitPart& result) const;

  const trace::CommunicatorRanks ranks_;
  std::vector<RegionFacts> regions_;
  std::unique_ptr<base::Arena> arena_ = std::make_unique<base::Arena>();  // Of the part's calls.
  std::vector<CallStream> calls_;
  std::vector<trace::CollectiveStream> collectives_;
  std::vector<std::vector<uint32_t>> locations_;  // Per rank.
  std::vector<uint32_t> of_no_rank_;              // Locations.
  std::vector<trace::CollectiveNumbers> of_rank_;
  std::map<uint32_t, trace::CollectiveNumbers> numbers_of_no_rank_;  // By location.
  std::vector<std::unordered_map<uint64_t, uint64_t>> sending_;  // Per location: number of request.
  uint64_t next_number_;
};

}  // namespace pathline::comm
