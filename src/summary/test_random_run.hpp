// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "trace/test_trace.hpp"

namespace pathline::summary {

using trace::Region;
using trace::TestTrace;

/// For tests only. A program whose messages are received in any order, whose receives complete in
/// another one than they were posted in, and whose calls nest.
class RandomRun {
 public:
  /// with_calls  most of what MPI does lies in calls of it, which may poll, take part in collective
  ///             operations of any kind, and meet at the same tick.
  explicit RandomRun(uint32_t seed, bool with_calls = false)
      : with_calls_(with_calls),
        random_(seed),
        ranks_(1 + pick(5)),
        threads_(with_calls ? 1 + seed % 3 : 1 + seed % 2),
        test_(ranks_, threads_) {
    const Region main = test_.region("main");
    const Region work = test_.region("work");
    const Region step = test_.region("time step");
    const Region mpi = test_.region("MPI_Wait");
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      nest(rank, 0, [=](TestTrace::Thread& on, uint64_t t) { on.enter(t, main); });
      uint64_t t = 1 + pick(50);
      for (uint32_t i = pick(12); i > 0; --i) {
        const Region region = pick(3) == 0 ? step : work;
        nest(rank, t, [=](TestTrace::Thread& on, uint64_t now) { on.enter(now, region); });
        const uint64_t inner = t + pick(20);
        const uint64_t end = inner + pick(40);
        nest(rank, inner, [=](TestTrace::Thread& on, uint64_t now) { on.enter(now, mpi); });
        nest(rank, end,
             [=](TestTrace::Thread& on, uint64_t now) { on.leave(now, mpi).leave(now, region); });
        if (pick(3) == 0) {
          at(rank, end,
             [=](TestTrace::Thread& on, uint64_t now) { on.collective(now, now, 11, 8, 8); });
        }
        t = end + pick(30);
      }
      if (pick(4) != 0) {
        nest(rank, 2000, [=](TestTrace::Thread& on, uint64_t now) { on.leave(now, main); });
      }
    }
    add_messages();
    if (with_calls_) {
      add_operations();
      add_barriers();
      add_calls();
    }
    for (const Action& one : actions_) one.act(test_.on(one.rank, one.thread), one.ticks);
  }
  trace::Trace trace() { return test_.finish(1); }

 private:
  using Act = std::function<void(TestTrace::Thread&, uint64_t)>;
  struct Action {
    uint64_t ticks;
    size_t number;
    uint32_t rank;
    uint32_t thread;
    Act act;
    bool nests = false;  // It opens or closes a call.
  };
  uint32_t pick(uint32_t count) { return static_cast<uint32_t>(random_() % count); }
  void at(uint32_t rank, uint64_t ticks, Act act) {
    actions_.push_back({ticks, actions_.size(), rank, thread_, std::move(act)});
  }
  void nest(uint32_t rank, uint64_t ticks, Act act, uint32_t thread = 0) {
    actions_.push_back({ticks, actions_.size(), rank, thread, std::move(act), true});
  }
  void sort() {
    std::stable_sort(actions_.begin(), actions_.end(), [](const Action& a, const Action& b) {
      return a.ticks != b.ticks ? a.ticks < b.ticks : a.number < b.number;
    });
  }

  /// Of a channel the k-th that is sent is the k-th that is posted for.
  void add_messages() {
    struct Channel {
      uint64_t sent = 1;
      uint64_t posted = 1;
    };
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Channel> channels;
    uint64_t request = 1;
    for (uint32_t i = pick(80); i > 0; --i) {
      const uint32_t from = pick(ranks_);
      const uint32_t to = pick(ranks_);
      const uint32_t tag = pick(2);
      Channel& channel = channels[{from, to, tag}];
      if (with_calls_)
        thread_ = std::min(threads_ - 1, tag);  // A channel is of one pair of threads.
      const uint64_t bytes = 1 + pick(1000);
      const uint64_t sent = channel.sent += 1 + pick(60);
      const uint64_t posted = channel.posted += 1 + pick(60);
      const uint64_t done = posted + pick(3) * pick(300);
      const bool lost = pick(20) == 0;
      const uint64_t send_request = ++request;
      if (pick(2) == 0) {
        at(from, sent, [=](TestTrace::Thread& on, uint64_t t) { on.send(t, to, bytes, tag); });
      } else {
        at(from, sent,
           [=](TestTrace::Thread& on, uint64_t t) { on.isend(t, send_request, to, bytes, tag); });
        const bool cancelled = pick(80) == 0;
        at(from, sent + pick(400), [=](TestTrace::Thread& on, uint64_t t) {
          cancelled ? on.cancelled(t, send_request) : on.isend_complete(t, send_request);
        });
      }
      if (lost) continue;
      const uint64_t receive_request = ++request;
      if (pick(3) == 0) {
        at(to, posted, [=](TestTrace::Thread& on, uint64_t t) { on.recv(t, from, bytes, tag); });
        continue;
      }
      at(to, posted,
         [=](TestTrace::Thread& on, uint64_t t) { on.irecv_request(t, receive_request); });
      if (pick(10) == 0) {
        at(to, done, [=](TestTrace::Thread& on, uint64_t t) { on.cancelled(t, receive_request); });
      } else if (pick(10) != 0) {
        at(to, done, [=](TestTrace::Thread& on, uint64_t t) {
          on.irecv(t, receive_request, from, bytes, tag);
        });
      }
    }
    sort();
  }

  /// Each rank in its own time, some of them not to the end; nonblocking ones end in another order.
  void add_operations() {
    const uint32_t some = test_.communicator(some_ranks());
    const uint32_t self = test_.self_communicator();
    constexpr uint32_t kOperations[] = {0, 0, 1, 2, 6, 11, 12, 14, 15, 18};
    std::vector<uint64_t> clock(ranks_, 1);
    uint64_t request = 1'000'000;
    for (uint32_t i = pick(12); i > 0; --i) {
      const uint32_t operation = kOperations[pick(10)];
      const uint32_t which = pick(4);
      const uint32_t comm = which == 0 ? self : which == 1 ? some : TestTrace::kWorld;
      const uint32_t root = operation == 1 || operation == 2 || operation == 12 ? 0 : UINT32_MAX;
      const bool blocks = pick(3) != 0;
      const bool ends = pick(8) != 0;
      for (uint32_t rank = 0; rank < ranks_; ++rank) {
        const uint64_t begin = clock[rank] += pick(120);
        const uint64_t own = ++request;
        thread_ = std::min(threads_ - 1, pick(2));
        if (comm == some && rank % 2 != 0) continue;
        if (blocks) {
          const uint64_t end = clock[rank] += pick(40);
          at(rank, begin, [=](TestTrace::Thread& on, uint64_t t) {
            on.collective(t, t, operation, 8, 8, comm, root);
          });
          if (pick(3) == 0) continue;
          // One that lasts, outside of calls or not.
          at(rank, end, [](TestTrace::Thread& on, uint64_t t) {
            on.add(trace::EventKind::kMpiCollectiveBegin, t);
          });
          at(rank, end + pick(30), [=](TestTrace::Thread& on, uint64_t t) {
            on.add(trace::EventKind::kMpiCollectiveEnd, t, {operation, comm, root, 8, 0, 8, 0});
          });
          continue;
        }
        at(rank, begin, [=](TestTrace::Thread& on, uint64_t t) { on.icollective_request(t, own); });
        if (!ends && pick(2) == 0) continue;
        at(rank, begin + pick(300),
           [=](TestTrace::Thread& on, uint64_t t) { on.icollective(t, own, operation, 8, comm); });
      }
    }
    sort();
  }
  std::vector<uint64_t> some_ranks() const {
    std::vector<uint64_t> some;
    for (uint32_t rank = 0; rank < ranks_; rank += 2) some.push_back(rank);
    return some;
  }

  /// Of OpenMP, in the second and third threads.
  void add_barriers() {
    if (threads_ < 3) return;
    const Region barrier =
        test_.region("!$omp barrier", trace::RegionRole::kBarrier, "", 0, trace::kParadigmOpenMp);
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      uint64_t t = 1;
      for (uint32_t i = pick(6); i > 0; --i) {
        for (const uint32_t thread : {1U, 2U}) {
          nest(
              rank, t + pick(50), [=](auto& on, uint64_t now) { on.enter(now, barrier); }, thread);
          nest(
              rank, t + 50 + pick(10), [=](auto& on, uint64_t now) { on.leave(now, barrier); },
              thread);
        }
        t += 60 + pick(100);
      }
    }
    sort();
  }

  /// Puts calls around what the first two threads do, and polls between.
  void add_calls() {
    const char* const names[] = {"MPI_Send",  "MPI_Ssend",   "MPI_Recv",    "MPI_Isend",
                                 "MPI_Wait",  "MPI_Waitall", "MPI_Test",    "MPI_Iprobe",
                                 "MPI_Bcast", "MPI_Barrier", "MPI_Testall", "MPI_Finalize"};
    std::vector<Region> regions;
    for (const char* name : names) regions.push_back(test_.region(name));
    const uint32_t polls = test_.text(trace::kPollCount);
    const uint32_t work = test_.text(trace::kWorkBetweenPolls);
    const uint32_t poll_count = 1, work_between = 2;
    test_.define(trace::DefinitionKind::kParameter, {poll_count, polls, 2});
    test_.define(trace::DefinitionKind::kParameter, {work_between, work, 2});
    std::vector<Action> all;
    uint32_t thread = 0;
    const auto put = [&](uint32_t rank, uint64_t ticks, Act act) {
      all.push_back({ticks, all.size(), rank, thread, std::move(act)});
    };
    for (uint32_t lane = 0; lane < ranks_ * threads_; ++lane) {
      const uint32_t rank = lane / threads_;
      thread = lane % threads_;
      std::vector<const Action*> own;
      for (const Action& action : actions_) {
        if (action.rank == rank && action.thread == thread) own.push_back(&action);
      }
      uint64_t last = 0;
      for (size_t i = 0; i < own.size();) {
        size_t end = i;
        while (end < own.size() && !own[end]->nests && end - i < 1 + pick(3)) ++end;
        if (end == i || thread > 1 || pick(8) == 0) {
          put(rank, own[i]->ticks, own[i]->act);
          last = own[i++]->ticks;
          continue;
        }
        const uint64_t first_ticks = own[i]->ticks;
        const uint64_t last_ticks = own[end - 1]->ticks;
        const uint64_t room = first_ticks - last;
        const Region probe = regions[pick(2) == 0 ? 6 : 7 + 3 * pick(2)];
        uint64_t begin = last + (room > 0 ? pick(static_cast<uint32_t>(room) + 1) : 0);
        for (uint64_t step = 1 + pick(4); pick(3) == 0 && begin + 2 * step < first_ticks;) {
          const bool counted = pick(3) == 0;
          const uint32_t worked = pick(10);
          put(rank, begin, [=](TestTrace::Thread& on, uint64_t t) { on.enter(t, probe); });
          put(rank, begin + step, [=](TestTrace::Thread& on, uint64_t t) {
            if (counted) {
              on.add(trace::EventKind::kParameterUnsignedInt, t, {poll_count, 3, 0});
              on.add(trace::EventKind::kParameterUnsignedInt, t, {work_between, worked, 0});
            }
            on.leave(t, probe);
          });
          begin += step + pick(3);
        }
        const bool goes_on = pick(3) == 0;
        const Region region = goes_on ? probe : regions[pick(end == own.size() ? 12 : 11)];
        begin = std::min(begin, first_ticks);
        put(rank, begin, [=](TestTrace::Thread& on, uint64_t t) { on.enter(t, region); });
        for (size_t k = i; k < end; ++k) put(rank, own[k]->ticks, own[k]->act);
        const uint64_t next = end < own.size() ? own[end]->ticks : last_ticks + 10;
        last = last_ticks + pick(static_cast<uint32_t>(next - last_ticks) + 1);
        put(rank, last, [=](TestTrace::Thread& on, uint64_t t) { on.leave(t, region); });
        i = end;
      }
    }
    actions_ = std::move(all);
  }

  const bool with_calls_;
  std::mt19937 random_;
  uint32_t ranks_;
  uint32_t threads_;
  uint32_t thread_ = 0;  // In which the next thing happens.
  TestTrace test_;
  std::vector<Action> actions_;
};

}  // namespace pathline::summary
