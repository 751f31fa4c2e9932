// SPDX-License-Identifier: BSD-3-Clause
#include "comm/waits.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "trace/outer_calls.hpp"

namespace pathline::comm {
namespace {

using trace::EventKind;

/// One call of MPI in which something was sent, received or waited for.
struct Call {
  uint64_t begin_ticks;
  uint64_t end_ticks;
  bool blocks;    // It sent a message and was to return when the buffer is free.
  bool receives;  // It completed a receive.
};

/// The calls of one location. They do not overlap, so both their times ascend.
class Calls {
 public:
  Calls() = default;
  Calls(const trace::Events& events, const std::vector<trace::CallClass>& classes) {
    const auto is_mpi = [&](trace::Region region) {
      return region.valid() && classes[region] == trace::CallClass::kMpi;
    };
    trace::for_each_outer_call(events, is_mpi, [&](trace::CallEvents call) {
      if (call.leave == call.enter + 1) return;
      Call added{events.ticks[call.enter], events.ticks[call.leave], false, false};
      for (uint32_t i = call.enter + 1; i < call.leave; ++i) {
        const EventKind kind = events.kind[i];
        added.blocks |= kind == EventKind::kMpiSend;
        added.receives |= kind == EventKind::kMpiRecv || kind == EventKind::kMpiIrecv;
      }
      calls_.push_back(added);
    });
  }

  /// The call in which something began; nullptr if there is none. Of two calls that meet at that
  /// time it is the second: what begins does so at the beginning of its call.
  [[nodiscard]] const Call* begun_at(uint64_t ticks) const {
    const auto after =
        std::upper_bound(calls_.begin(), calls_.end(), ticks,
                         [](uint64_t time, const Call& call) { return time < call.begin_ticks; });
    if (after == calls_.begin() || (after - 1)->end_ticks < ticks) return nullptr;
    return &*(after - 1);
  }
  /// The call in which something ended: of two the first.
  [[nodiscard]] const Call* ended_at(uint64_t ticks) const {
    const auto found =
        std::lower_bound(calls_.begin(), calls_.end(), ticks,
                         [](const Call& call, uint64_t time) { return call.end_ticks < time; });
    return found == calls_.end() || found->begin_ticks > ticks ? nullptr : &*found;
  }

 private:
  std::vector<Call> calls_;
};

struct Wait {
  WaitKind kind;
  uint32_t location;
  uint64_t from_ticks;
  uint64_t until_ticks;
};

/// What a piece of the messages or of the collective operations contributes.
struct Part {
  std::vector<Wait> waits;
  uint64_t messages_without_call = 0;

  void add(WaitKind kind, uint32_t location, uint64_t from_ticks, uint64_t until_ticks) {
    if (from_ticks < until_ticks) waits.push_back({kind, location, from_ticks, until_ticks});
  }
};

void add_message(const trace::Messages& messages, size_t i, const std::vector<Calls>& calls,
                 Part& part) {
  const uint32_t sender = messages.send_location[i];
  const uint32_t receiver = messages.recv_location[i];
  const Call* receive =
      receiver < calls.size() ? calls[receiver].ended_at(messages.recv_ticks[i]) : nullptr;
  if (receive == nullptr) {
    ++part.messages_without_call;
    return;
  }
  const Call* send = calls[sender].begun_at(messages.send_ticks[i]);
  const uint64_t send_ticks = send != nullptr ? send->begin_ticks : messages.send_ticks[i];
  part.add(WaitKind::kLateSender, receiver, receive->begin_ticks,
           std::min(send_ticks, messages.recv_ticks[i]));
  if (send == nullptr || !send->blocks || send->receives) return;
  const Call* post = calls[receiver].begun_at(messages.recv_post_ticks[i]);
  const uint64_t posted_ticks = post != nullptr ? post->begin_ticks : messages.recv_post_ticks[i];
  if (posted_ticks < send->end_ticks) {
    part.add(WaitKind::kLateReceiver, sender, send->begin_ticks, posted_ticks);
  }
}

/// Operations in which every member needs data of every other, by their numbers in OTF2: allgather
/// to allreduce, and both kinds of reduce-scatter.
bool is_all_to_all(uint8_t operation) {
  return (operation >= 6 && operation <= 11) || operation == 13 || operation == 16;
}

bool is_from_root(uint8_t operation) {  // Broadcast, scatter, scatterv.
  return operation == 1 || operation == 4 || operation == 5;
}
bool is_to_root(uint8_t operation) {  // Gather, gatherv, reduce.
  return operation == 2 || operation == 3 || operation == 12;
}

/// Adds what the members of an operation waited for each other.
class CollectiveWaits {
 public:
  CollectiveWaits(const trace::Trace& trace, const std::vector<Calls>& calls)
      : trace_(trace), calls_(calls) {}

  void add(size_t operation, Part& part) const {
    const trace::Collectives& all = trace_.collectives;
    const uint32_t first = all.first[operation];
    const uint32_t end = all.first[operation + 1];
    const uint8_t number = all.operation[operation];
    const uint64_t last_ticks =
        *std::max_element(all.begin_ticks.begin() + first, all.begin_ticks.begin() + end);
    if (number == 0 || is_all_to_all(number)) {
      for (uint32_t member = first; member < end; ++member) {
        add_member(number == 0 ? WaitKind::kBarrier : WaitKind::kCollective, member, last_ticks,
                   part);
      }
      return;
    }
    if (!is_from_root(number) && !is_to_root(number)) return;
    const uint32_t root = root_member(operation);
    if (root == end) return;
    if (is_to_root(number)) return add_member(WaitKind::kEarlyReduce, root, last_ticks, part);
    for (uint32_t member = first; member < end; ++member) {
      if (member == root) continue;
      add_member(WaitKind::kLateBroadcast, member, all.begin_ticks[root], part);
    }
  }

 private:
  /// The member row of the root; that behind the last one if the root did not record it.
  [[nodiscard]] uint32_t root_member(size_t operation) const {
    const trace::Collectives& all = trace_.collectives;
    uint32_t member = all.first[operation];
    for (; member < all.first[operation + 1]; ++member) {
      const trace::Rank rank = trace_.locations[all.location[member]].rank;
      if (rank.valid() && rank == trace::Rank(all.root[operation])) break;
    }
    return member;
  }
  void add_member(WaitKind kind, uint32_t member, uint64_t until_ticks, Part& part) const {
    const trace::Collectives& all = trace_.collectives;
    const uint32_t location = all.location[member];
    const uint64_t end_ticks = all.end_ticks[member];
    const Call* call = calls_[location].ended_at(end_ticks);
    const uint64_t from = call != nullptr ? std::max(all.begin_ticks[member], call->begin_ticks)
                                          : all.begin_ticks[member];
    part.add(kind, location, from, std::min(until_ticks, end_ticks));
  }

  const trace::Trace& trace_;
  const std::vector<Calls>& calls_;
};

/// Of the waits of one call only the longest stays.
void keep_longest(std::vector<Wait>& waits) {
  std::sort(waits.begin(), waits.end(), [](const Wait& a, const Wait& b) {
    return std::tie(a.kind, a.location, a.from_ticks, b.until_ticks) <
           std::tie(b.kind, b.location, b.from_ticks, a.until_ticks);
  });
  const auto same_call = [](const Wait& a, const Wait& b) {
    return a.kind == b.kind && a.location == b.location && a.from_ticks == b.from_ticks;
  };
  waits.erase(std::unique(waits.begin(), waits.end(), same_call), waits.end());
}

std::vector<Part> parts_of(const trace::Trace& trace, base::ThreadPool& pool) {
  const std::vector<trace::CallClass> classes = trace::call_classes(trace.definitions);
  std::vector<Calls> calls(trace.locations.size());
  pool.for_each(calls.size(),
                [&](size_t i) { calls[i] = Calls(trace.locations[i].events, classes); });
  const CollectiveWaits collectives(trace, calls);
  constexpr size_t kPiece = 1U << 16U;
  const size_t message_pieces = trace.messages.size() / kPiece + 1;
  const size_t operation_pieces = trace.collectives.size() / kPiece + 1;
  std::vector<Part> parts(message_pieces + operation_pieces);
  pool.for_each(parts.size(), [&](size_t piece) {
    const bool of_messages = piece < message_pieces;
    const size_t begin = (of_messages ? piece : piece - message_pieces) * kPiece;
    const size_t count = of_messages ? trace.messages.size() : trace.collectives.size();
    for (size_t i = begin; i < std::min(begin + kPiece, count); ++i) {
      if (of_messages) add_message(trace.messages, i, calls, parts[piece]);
      if (!of_messages) collectives.add(i, parts[piece]);
    }
  });
  return parts;
}

}  // namespace

std::string_view wait_name(WaitKind kind) {
  constexpr std::array<std::string_view, kWaitKindCount> kNames = {
      "late_sender", "late_receiver", "collective", "barrier", "late_broadcast", "early_reduce"};
  return kNames[static_cast<size_t>(kind)];
}

Waits waits(const trace::Trace& trace, const trace::Selection& selection, base::ThreadPool& pool) {
  Waits result;
  std::vector<Wait> all;
  for (const Part& part : parts_of(trace, pool)) {
    all.insert(all.end(), part.waits.begin(), part.waits.end());
    result.messages_without_call += part.messages_without_call;
  }
  keep_longest(all);
  std::vector<WaitRow> sums;
  for (size_t kind = 0; kind < kWaitKindCount; ++kind) {
    for (uint32_t rank = 0; rank < trace.rank_count; ++rank) {
      sums.push_back({static_cast<WaitKind>(kind), rank, 0, 0});
    }
  }
  for (const Wait& wait : all) {
    const trace::Rank rank = trace.locations[wait.location].rank;
    if (!rank.valid() || !selection.has_rank(rank)) continue;
    WaitRow& row = sums[static_cast<size_t>(wait.kind) * trace.rank_count + rank];
    const uint64_t from = std::max(wait.from_ticks, selection.from_ticks);
    const uint64_t until = std::min(wait.until_ticks, selection.until_ticks);
    row.count += selection.has_time(wait.from_ticks) ? 1 : 0;
    row.ticks += from < until ? until - from : 0;
  }
  std::erase_if(sums, [](const WaitRow& row) { return row.count == 0 && row.ticks == 0; });
  result.rows = std::move(sums);
  return result;
}

}  // namespace pathline::comm
