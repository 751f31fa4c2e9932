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
  explicit RandomRun(uint32_t seed)
      : random_(seed), ranks_(1 + pick(5)), test_(ranks_, 1 + seed % 2) {
    const Region main = test_.region("main");
    const Region work = test_.region("work");
    const Region step = test_.region("time step");
    const Region mpi = test_.region("MPI_Wait");
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      at(rank, 0, [=](TestTrace::Thread& on, uint64_t t) { on.enter(t, main); });
      uint64_t t = 1 + pick(50);
      for (uint32_t i = pick(12); i > 0; --i) {
        const Region region = pick(3) == 0 ? step : work;
        at(rank, t, [=](TestTrace::Thread& on, uint64_t now) { on.enter(now, region); });
        const uint64_t inner = t + pick(20);
        const uint64_t end = inner + pick(40);
        at(rank, inner, [=](TestTrace::Thread& on, uint64_t now) { on.enter(now, mpi); });
        at(rank, end,
           [=](TestTrace::Thread& on, uint64_t now) { on.leave(now, mpi).leave(now, region); });
        if (pick(3) == 0) {
          at(rank, end,
             [=](TestTrace::Thread& on, uint64_t now) { on.collective(now, now, 11, 8, 8); });
        }
        t = end + pick(30);
      }
      if (pick(4) != 0) {
        at(rank, 2000, [=](TestTrace::Thread& on, uint64_t now) { on.leave(now, main); });
      }
    }
    add_messages();
    for (auto& [time, number, rank, thread, act] : actions_) act(test_.on(rank, thread), time);
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
  };
  uint32_t pick(uint32_t count) { return static_cast<uint32_t>(random_() % count); }
  void at(uint32_t rank, uint64_t ticks, Act act) {
    actions_.push_back({ticks, actions_.size(), rank, 0, std::move(act)});
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
    std::sort(actions_.begin(), actions_.end(), [](const Action& a, const Action& b) {
      return a.ticks != b.ticks ? a.ticks < b.ticks : a.number < b.number;
    });
  }

  std::mt19937 random_;
  uint32_t ranks_;
  TestTrace test_;
  std::vector<Action> actions_;
};

}  // namespace pathline::summary
