// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <queue>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/test_trace.hpp"

namespace pathline::findings {

/// Ranks that work and talk, simulated forward call by call, which no kernel does; with a trace to
/// write to, it records them. For tests only.
///
/// Each rank has a clock. What a rank waits for must have been simulated before it.
class Simulation {
 public:
  enum class Operation : uint8_t { kAllreduce, kBcast, kReduce, kScan, kBarrier };

  /// call_ticks  what a call of MPI takes beside its wait
  /// test        nullptr: only clocks.
  explicit Simulation(uint32_t ranks, uint64_t call_ticks = 3, trace::TestTrace* test = nullptr)
      : ranks_(ranks), call_ticks_(call_ticks), test_(test), clock_(ranks, kStart) {
    if (test_ == nullptr) return;
    test_->define(trace::DefinitionKind::kParameter, {kStepParameter, test_->text("step"), 1});
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      on(rank).enter(0, region("main")).enter(10 + rank % 40, region("MPI_Init"));
      on(rank).leave(kStart, region("MPI_Init"));
    }
  }

  /// returns  from the end of MPI_Init until the last rank comes to MPI_Finalize.
  uint64_t finish() {
    const uint64_t end = *std::max_element(clock_.begin(), clock_.end());
    for (uint32_t rank = 0; rank < ranks_ && test_ != nullptr; ++rank) {
      on(rank).enter(clock_[rank], region("MPI_Finalize"));
      on(rank).leave(end + 7, region("MPI_Finalize")).leave(end + 9, region("main"));
    }
    return end - kStart;
  }

  void begin_step(uint32_t rank, uint32_t number) {
    if (test_ == nullptr) return;
    on(rank).enter(clock_[rank], region("time step"));
    on(rank).add(trace::EventKind::kParameterInt, clock_[rank], {kStepParameter, number, 0});
  }
  void end_step(uint32_t rank) {
    if (test_ != nullptr) on(rank).leave(clock_[rank], region("time step"));
  }

  void work(uint32_t rank, std::string_view name, uint64_t ticks) {
    enter(rank, name);
    clock_[rank] += ticks;
    leave(rank, name);
  }
  /// In one call of a function that writes a file.
  void write(uint32_t rank, std::string_view name, uint64_t ticks, uint64_t bytes) {
    const uint64_t number = ++request_;
    if (test_ != nullptr) {
      const trace::Region write = region(name, trace::RegionRole::kFileIo);
      on(rank).enter(clock_[rank], write).io_begin(clock_[rank], 1, bytes, number);
      on(rank).io_complete(clock_[rank] + ticks, 1, bytes, number);
      on(rank).leave(clock_[rank] + ticks, write);
    }
    clock_[rank] += ticks;
  }
  void enter(uint32_t rank, std::string_view name) {
    if (test_ != nullptr) on(rank).enter(clock_[rank], region(name));
  }
  void leave(uint32_t rank, std::string_view name) {
    if (test_ != nullptr) on(rank).leave(clock_[rank], region(name));
  }

  /// The receiver does not have to be there.
  void send(uint32_t from, uint32_t to, uint64_t bytes = 800) {
    const uint64_t begin = clock_[from];
    sent_[{from, to}].push(begin);
    clock_[from] += call_ticks_;
    if (test_ == nullptr) return;
    on(from).enter(begin, region("MPI_Send")).send(begin, to, bytes);
    on(from).leave(clock_[from], region("MPI_Send"));
  }
  void recv(uint32_t from, uint32_t to, uint64_t bytes = 800) {
    const uint64_t begin = clock_[to];
    std::queue<uint64_t>& sent = sent_.at({from, to});
    clock_[to] = std::max(begin, sent.front()) + call_ticks_;
    sent.pop();
    if (test_ == nullptr) return;
    on(to).enter(begin, region("MPI_Recv")).recv(clock_[to], from, bytes);
    on(to).leave(clock_[to], region("MPI_Recv"));
  }

  /// A send that ends when its receive has begun, unless it is `eager`.
  void synchronous(uint32_t from, uint32_t to, bool eager = false) {
    const uint64_t sent = clock_[from];
    const uint64_t posted = clock_[to];
    clock_[from] = (eager ? sent : std::max(sent, posted)) + call_ticks_;
    clock_[to] = std::max(sent, posted) + call_ticks_;
    if (test_ == nullptr) return;
    on(from).enter(sent, region("MPI_Ssend")).send(sent, to, 800);
    on(from).leave(clock_[from], region("MPI_Ssend"));
    on(to).enter(posted, region("MPI_Recv")).recv(clock_[to], from, 800);
    on(to).leave(clock_[to], region("MPI_Recv"));
  }

  /// All send to the right.
  void ring() {
    const std::vector<uint64_t> begin = clock_;
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      const uint32_t left = (rank + ranks_ - 1) % ranks_;
      clock_[rank] = std::max(begin[rank], begin[left]) + call_ticks_;
      if (test_ == nullptr) continue;
      on(rank).enter(begin[rank], region("MPI_Sendrecv"));
      on(rank).send(begin[rank], (rank + 1) % ranks_, 800).recv(clock_[rank], left, 800);
      on(rank).leave(clock_[rank], region("MPI_Sendrecv"));
    }
  }

  /// All nonblocking, to the right or to both sides.
  void exchange(bool both) {
    const std::vector<uint64_t> begin = clock_;
    const uint32_t sends = both && ranks_ > 2 ? 2 : 1;
    const auto peer = [&](uint32_t rank, uint32_t i, bool sends_to) {
      const bool right = (i == 0) == sends_to;
      return (rank + (right ? 1 : ranks_ - 1)) % ranks_;
    };
    const auto sent = [&](uint32_t rank, uint32_t i) {
      return begin[rank] + (sends + i) * call_ticks_;
    };
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      const uint64_t waits = begin[rank] + 2 * sends * call_ticks_;
      clock_[rank] = waits;
      for (uint32_t i = 0; i < sends; ++i) {
        clock_[rank] = std::max(clock_[rank], sent(peer(rank, i, false), i));
      }
      clock_[rank] += call_ticks_;
      if (test_ == nullptr) continue;
      for (uint32_t i = 0; i < sends; ++i) {
        const uint64_t posted = begin[rank] + i * call_ticks_;
        on(rank).enter(posted, region("MPI_Irecv")).irecv_request(posted, request_ + i);
        on(rank).leave(posted + call_ticks_, region("MPI_Irecv"));
      }
      for (uint32_t i = 0; i < sends; ++i) {
        on(rank).enter(sent(rank, i), region("MPI_Isend"));
        on(rank).isend(sent(rank, i), request_ + 10 + i, peer(rank, i, true), 800, i);
        on(rank).leave(sent(rank, i) + call_ticks_, region("MPI_Isend"));
      }
      on(rank).enter(waits, region("MPI_Waitall"));
      for (uint32_t i = 0; i < sends; ++i) {
        on(rank).irecv(clock_[rank], request_ + i, peer(rank, i, false), 800, i);
        on(rank).isend_complete(clock_[rank], request_ + 10 + i);
      }
      on(rank).leave(clock_[rank], region("MPI_Waitall"));
    }
    request_ += 100;
  }

  void collective(Operation operation, uint32_t root = 0) {
    collective(operation, root, 0, ranks_);
  }
  /// Of the ranks from `first` to `end`, without a root if these are not all.
  void collective(Operation operation, uint32_t root, uint32_t first, uint32_t end) {
    struct Kind {
      std::string_view name;
      uint32_t number;  // In OTF2.
      bool has_root;
      trace::RegionRole role = trace::RegionRole::kFirstCollective;
    };
    static constexpr Kind kKinds[] = {{"MPI_Allreduce", 11, false},
                                      {"MPI_Bcast", 1, true},
                                      {"MPI_Reduce", 12, true},
                                      {"MPI_Scan", 14, false},
                                      {"MPI_Barrier", 0, false, trace::RegionRole::kBarrier}};
    const Kind& kind = kKinds[static_cast<size_t>(operation)];
    const std::vector<uint64_t> begin = clock_;
    const uint64_t all = *std::max_element(begin.begin() + first, begin.begin() + end);
    uint64_t before = 0;
    for (uint32_t rank = first; rank < end; ++rank) {
      before = std::max(before, begin[rank]);
      uint64_t until = all;
      if (operation == Operation::kBcast) until = std::max(begin[rank], begin[root]);
      if (operation == Operation::kReduce && rank != root) until = begin[rank];
      if (operation == Operation::kScan) until = before;
      clock_[rank] = until + call_ticks_;
      if (test_ == nullptr) continue;
      on(rank).enter(begin[rank], region(kind.name, kind.role));
      on(rank).collective(begin[rank], clock_[rank], kind.number, 8, 8, communicator(first, end),
                          kind.has_root ? root : trace::kUndefined);
      on(rank).leave(clock_[rank], region(kind.name, kind.role));
    }
  }

  /// Each rank locks the window of rank 0, works, and unlocks it: those who come first first, alone
  /// or at the same time.
  void locked(std::string_view name, const std::vector<uint64_t>& ticks, bool alone) {
    std::vector<uint32_t> order(ranks_);
    for (uint32_t rank = 0; rank < ranks_; ++rank) order[rank] = rank;
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return clock_[a] < clock_[b]; });
    uint64_t free = 0;
    for (const uint32_t rank : order) {
      const uint64_t begin = clock_[rank];
      clock_[rank] = (alone ? std::max(begin, free) : begin) + call_ticks_;
      if (test_ != nullptr) {
        on(rank).enter(begin, region("MPI_Win_lock"));
        on(rank).add(trace::EventKind::kRmaAcquireLock, clock_[rank],
                     {1, 0, 0, 0, alone ? 0U : 1U});
        on(rank).leave(clock_[rank], region("MPI_Win_lock"));
      }
      work(rank, name, ticks[rank]);
      free = clock_[rank];
      clock_[rank] += call_ticks_;
      if (test_ == nullptr) continue;
      on(rank).enter(free, region("MPI_Win_unlock"));
      on(rank).add(trace::EventKind::kRmaReleaseLock, clock_[rank], {1, 0, 0, 0});
      on(rank).leave(clock_[rank], region("MPI_Win_unlock"));
    }
  }

  /// Exposes the window of a rank to all others.
  void post(uint32_t target) {
    posted_ = clock_[target];
    completed_ = 0;
    synchronise(target, "MPI_Win_post", 0, others_of(target));
  }
  /// Puts something into that window, when it is exposed; at once if it `may` always.
  void put(uint32_t origin, uint32_t target, bool may = false) {
    synchronise(origin, "MPI_Win_start", may ? 0 : posted_, {target});
    completed_ = std::max(completed_, clock_[origin]);
    synchronise(origin, "MPI_Win_complete", 0, {target});
  }
  /// Waits until all have put what they put.
  void wait(uint32_t target) { synchronise(target, "MPI_Win_wait", completed_, others_of(target)); }
  void fence() {
    const std::vector<uint64_t> begin = clock_;
    const uint64_t all = *std::max_element(begin.begin(), begin.end());
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      clock_[rank] = all + call_ticks_;
      if (test_ == nullptr) continue;
      on(rank).enter(begin[rank], region("MPI_Win_fence"));
      on(rank).add(trace::EventKind::kRmaCollectiveBegin, begin[rank]);
      on(rank).add(trace::EventKind::kRmaCollectiveEnd, clock_[rank],
                   {0, 3, kWindow, trace::kUndefined, 0, 0, 0, 0});
      on(rank).leave(clock_[rank], region("MPI_Win_fence"));
    }
  }

  /// A parallel region: what each thread of a rank does until all are done.
  void team(uint32_t rank, const std::vector<uint64_t>& ticks) {
    const uint64_t begin = clock_[rank];
    clock_[rank] += *std::max_element(ticks.begin(), ticks.end());
    const uint64_t end = clock_[rank];
    for (uint32_t thread = 0; thread < ticks.size() && test_ != nullptr; ++thread) {
      trace::TestTrace::Thread& on = test_->on(rank, thread);
      const auto threads = static_cast<uint32_t>(ticks.size());
      if (thread == 0) on.add(trace::EventKind::kThreadFork, begin, {kOpenMp, threads});
      if (thread > 0) on.add(trace::EventKind::kThreadTeamBegin, begin, {1});
      const trace::Region barrier =
          region("!$omp implicit barrier", trace::RegionRole::kImplicitBarrier, kOpenMp);
      on.enter(begin, region("loop")).leave(begin + ticks[thread], region("loop"));
      on.enter(begin + ticks[thread], barrier).leave(end, barrier);
      if (thread == 0) on.add(trace::EventKind::kThreadJoin, end, {kOpenMp});
      if (thread > 0) on.add(trace::EventKind::kThreadTeamEnd, end, {1});
    }
  }

  /// What calls of MPI take from now on. returns  what they took.
  uint64_t call_ticks(uint64_t ticks) { return std::exchange(call_ticks_, ticks); }

 private:
  static constexpr uint32_t kWindow = 1;
  static constexpr uint8_t kOpenMp = 3;  // A paradigm.
  static constexpr uint64_t kStart = 50;
  static constexpr uint32_t kStepParameter = 9;

  trace::TestTrace::Thread& on(uint32_t rank) { return test_->on(rank); }
  trace::Region region(std::string_view name, trace::RegionRole role = trace::RegionRole::kFunction,
                       uint8_t paradigm = 1) {
    const auto at = regions_.find(name);
    if (at != regions_.end()) return at->second;
    return regions_.emplace(name, test_->region(name, role, "", 0, paradigm)).first->second;
  }
  [[nodiscard]] std::vector<uint64_t> others_of(uint32_t rank) const {
    std::vector<uint64_t> others;
    for (uint64_t other = 0; other < ranks_; ++other) {
      if (other != rank) others.push_back(other);
    }
    return others;
  }
  /// A call for the window that does not end before `until`.
  void synchronise(uint32_t rank, std::string_view name, uint64_t until,
                   const std::vector<uint64_t>& group) {
    const uint64_t begin = clock_[rank];
    clock_[rank] = std::max(begin, until) + call_ticks_;
    if (test_ == nullptr) return;
    const auto [at, is_new] = groups_.try_emplace(group, 0);
    if (is_new) at->second = test_->group(trace::GroupType::kCommGroup, group);
    on(rank).enter(begin, region(name));
    on(rank).add(trace::EventKind::kRmaGroupSync, begin, {1, kWindow, at->second});
    on(rank).leave(clock_[rank], region(name));
  }
  uint32_t communicator(uint32_t first, uint32_t end) {
    if (end - first == ranks_) return trace::TestTrace::kWorld;
    const auto [at, is_new] = communicators_.try_emplace({first, end}, 0);
    if (is_new) {
      std::vector<uint64_t> members;
      for (uint64_t rank = first; rank < end; ++rank) members.push_back(rank);
      at->second = test_->communicator(members);
    }
    return at->second;
  }

  uint32_t ranks_;
  uint64_t call_ticks_;
  trace::TestTrace* test_;
  std::vector<uint64_t> clock_;
  std::map<std::pair<uint32_t, uint32_t>, std::queue<uint64_t>> sent_;
  std::map<std::string_view, trace::Region> regions_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> communicators_;
  std::map<std::vector<uint64_t>, uint32_t> groups_;
  uint64_t posted_ = 0;  // The window.
  uint64_t completed_ = 0;
  uint64_t request_ = 1;
};

}  // namespace pathline::findings
