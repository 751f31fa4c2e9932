// SPDX-License-Identifier: BSD-3-Clause
//
// Random legal MPI programs, run by a small model of an MPI library that decides who receives what
// as the standard says (MPI 4.1, 3.5): per receiving rank and communicator a list of posted
// receives and one of messages that arrived before their receive. The model knows wildcards; the
// events, like a recorder's, do not. What match_messages() finds in the events must be what
// happened.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <ostream>
#include <random>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/match.hpp"
#include "trace/test_trace.hpp"

namespace pathline::trace {
namespace {

struct Row {
  uint64_t send_ticks;
  uint32_t sender;
  uint64_t number;  // Of the send in the program; the message has so many bytes.
  uint32_t receiver;
  uint64_t send_end_ticks;
  uint64_t recv_post_ticks;
  uint64_t recv_ticks;
  uint32_t tag;
  uint32_t comm;
  friend auto operator<=>(const Row&, const Row&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Row& row) {
    return out << "{send " << row.number << ": " << row.sender << " at " << row.send_ticks << "-"
               << row.send_end_ticks << " -> " << row.receiver << " at " << row.recv_post_ticks
               << "-" << row.recv_ticks << ", tag " << row.tag << ", comm " << row.comm << "}";
  }
};

class Program {
 public:
  Program(uint32_t seed, uint32_t threads)
      : random_(seed),
        rank_count_(1 + pick(4)),
        threads_(threads),
        test_(rank_count_, threads),
        call_(test_.region("MPI_Call")),
        ranks_(rank_count_) {
    std::vector<uint64_t> order(rank_count_);
    for (uint32_t i = 0; i < rank_count_; ++i) order[i] = i;
    comms_.push_back({TestTrace::kWorld, order});
    std::shuffle(order.begin(), order.end(), random_);
    comms_.push_back({test_.communicator(order), order});
    for (uint32_t step = 0; step < 400; ++step) act();
    drain();
  }

  Trace trace(unsigned thread_count) { return test_.finish(thread_count); }

  /// False if it ended in a deadlock, with receives that no event tells of.
  bool legal() const { return legal_; }
  /// What happened, in the order that Messages promises.
  std::vector<Row> truth() {
    std::vector<Row> rows;
    for (const Send& send : sends_) {
      if (!send.received) continue;
      rows.push_back({send.ticks, send.sender, send.number, send.receiver, send.end_ticks,
                      send.post_ticks, send.recv_ticks, send.tag, send.comm});
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  }
  uint64_t lost() const {  // Sends that nobody received.
    return static_cast<uint64_t>(std::count_if(sends_.begin(), sends_.end(), [](const Send& send) {
      return !send.received && !send.cancelled;
    }));
  }
  uint64_t cancelled() const { return cancelled_; }

 private:
  static constexpr uint32_t kAny = UINT32_MAX;
  struct Comm {
    uint32_t id;
    std::vector<uint64_t> members;
  };
  struct Send {
    uint64_t number, ticks, end_ticks;
    uint32_t sender, receiver, tag, comm, thread;
    uint64_t request = 0;  // 0 when blocking or complete.
    bool cancelled = false, delivered = false, received = false;
    uint64_t post_ticks = 0, recv_ticks = 0;
  };
  struct Receive {
    uint32_t sender, tag, comm, thread;  // Sender and tag may be kAny.
    uint64_t post_ticks;
    uint64_t request;  // 0 when blocking.
    size_t send = SIZE_MAX;
  };
  struct Rank {
    std::deque<Receive> posted;     // Without a message, in the order of posting.
    std::deque<size_t> unexpected;  // Sends that arrived, in the order of their arrival.
    std::vector<Receive> complete;  // Nonblocking ones with a message but no event yet.
    bool blocked = false;           // In MPI_Recv; only programs of one thread.
    std::vector<uint64_t> free_requests = {4, 3, 2, 1};
  };

  uint32_t pick(uint32_t count) { return static_cast<uint32_t>(random_() % count); }
  uint64_t tick() { return ticks_ += threads_ > 1 ? 1 : pick(3); }
  TestTrace::Thread& events(uint32_t rank, uint32_t thread) { return test_.on(rank, thread); }
  uint32_t index_in(uint32_t comm, uint32_t rank) const {
    const auto& members = comms_[comm].members;
    return static_cast<uint32_t>(std::find(members.begin(), members.end(), rank) - members.begin());
  }
  uint64_t take_request(Rank& rank) {
    const uint64_t request = rank.free_requests.back();
    rank.free_requests.pop_back();
    return request;
  }

  void act() {
    const uint32_t r = pick(rank_count_);
    Rank& rank = ranks_[r];
    const uint32_t action = pick(10);
    if (action < 3) return deliver();
    if (rank.blocked || (!rank.posted.empty() && pick(3) == 0)) return help(r);
    if (action < 6) return send(r, pick(rank_count_), pick(2), pick(2));
    if (action < 8) return post(r);
    if (action == 8) return complete(r);
    return cancel(r);
  }

  void send(uint32_t r, uint32_t receiver, uint32_t comm, uint32_t tag) {
    const uint32_t thread = pick(threads_);
    const uint64_t ticks = tick();
    Send send{sends_.size() + 1, ticks, ticks, r, receiver, tag, comm, thread};
    const uint32_t peer = index_in(comm, receiver);
    if (pick(2) == 0 || ranks_[r].free_requests.empty()) {
      events(r, thread).send(ticks, peer, send.number, tag, comms_[comm].id);
    } else {
      send.request = take_request(ranks_[r]);
      events(r, thread).isend(ticks, send.request, peer, send.number, tag, comms_[comm].id);
    }
    channels_[{r, receiver}].push_back(sends_.size());
    sends_.push_back(send);
  }

  /// Some rank, unless it waits itself, sends what the latest receive of `r` waits for.
  void help(uint32_t r) {
    const Receive& receive = ranks_[r].posted.back();  // The blocking one if there is one.
    const uint32_t sender = receive.sender == kAny ? pick(rank_count_) : receive.sender;
    if (!ranks_[sender].blocked) {
      send(sender, r, receive.comm, receive.tag == kAny ? pick(2) : receive.tag);
    }
  }

  /// One message that is under way reaches its receiver; between two ranks none overtakes.
  void deliver() {
    std::erase_if(channels_, [](const auto& channel) { return channel.second.empty(); });
    if (channels_.empty()) return;
    auto& channel =
        std::next(channels_.begin(), pick(static_cast<uint32_t>(channels_.size())))->second;
    const size_t number = channel.front();
    channel.pop_front();
    Send& send = sends_[number];
    if (send.cancelled) return;
    send.delivered = true;
    Rank& rank = ranks_[send.receiver];
    const auto fit = std::find_if(rank.posted.begin(), rank.posted.end(),
                                  [&](const Receive& receive) { return fits(receive, send); });
    if (fit == rank.posted.end()) {
      rank.unexpected.push_back(number);
      return;
    }
    Receive receive = *fit;
    rank.posted.erase(fit);
    join(rank, receive, number);
  }

  void post(uint32_t r) {
    Rank& rank = ranks_[r];
    Receive receive{};
    receive.comm = pick(2);
    receive.sender = pick(3) == 0 ? kAny : pick(rank_count_);
    receive.tag = pick(3) == 0 ? kAny : pick(2);
    receive.thread = pick(threads_);
    receive.post_ticks = tick();
    const auto fit = std::find_if(rank.unexpected.begin(), rank.unexpected.end(),
                                  [&](size_t number) { return fits(receive, sends_[number]); });
    // Ranks wait for lower ones only: rank 0 can always send and nobody waits in a circle.
    const bool may_wait =
        fit != rank.unexpected.end() || (r > 0 && (receive.sender == kAny || receive.sender < r));
    if (threads_ == 1 && may_wait && pick(2) == 0) {
      rank.blocked = true;
      events(r, 0).enter(receive.post_ticks, call_);
    } else if (!rank.free_requests.empty()) {
      receive.request = take_request(rank);
      events(r, receive.thread).irecv_request(receive.post_ticks, receive.request);
    } else {
      return;
    }
    if (fit == rank.unexpected.end()) {
      rank.posted.push_back(receive);
      return;
    }
    const size_t number = *fit;
    rank.unexpected.erase(fit);
    join(rank, receive, number);
  }

  static bool fits(const Receive& receive, const Send& send) {
    return receive.comm == send.comm && (receive.sender == kAny || receive.sender == send.sender) &&
           (receive.tag == kAny || receive.tag == send.tag);
  }

  void join(Rank& rank, Receive receive, size_t number) {
    receive.send = number;
    sends_[number].post_ticks = receive.post_ticks;
    if (receive.request != 0) {
      rank.complete.push_back(receive);
      return;
    }
    Send& send = sends_[number];
    send.received = true;
    send.recv_ticks = tick();
    rank.blocked = false;
    events(send.receiver, 0)
        .recv(send.recv_ticks, index_in(send.comm, send.sender), send.number, send.tag,
              comms_[send.comm].id)
        .leave(tick(), call_);
  }

  /// MPI_Waitsome: some request of the rank, of a send or a receive, is found complete.
  void complete(uint32_t r) {
    Rank& rank = ranks_[r];
    if (!rank.complete.empty() && pick(2) == 0) {
      const auto at = rank.complete.begin() + pick(static_cast<uint32_t>(rank.complete.size()));
      const Receive receive = *at;
      rank.complete.erase(at);
      Send& send = sends_[receive.send];
      send.received = true;
      send.recv_ticks = tick();
      rank.free_requests.push_back(receive.request);
      events(r, receive.thread)
          .irecv(send.recv_ticks, receive.request, index_in(send.comm, send.sender), send.number,
                 send.tag, comms_[send.comm].id);
      return;
    }
    for (Send& send : sends_) {
      if (send.sender != r || send.request == 0 || !send.delivered) continue;
      send.end_ticks = tick();
      events(r, send.thread).isend_complete(send.end_ticks, send.request);
      rank.free_requests.push_back(send.request);
      send.request = 0;
      return;
    }
  }

  void cancel(uint32_t r) {
    Rank& rank = ranks_[r];
    for (auto at = rank.posted.begin(); at != rank.posted.end(); ++at) {
      if (at->request == 0 || pick(2) == 0) continue;
      events(r, at->thread).cancelled(tick(), at->request);
      rank.free_requests.push_back(at->request);
      rank.posted.erase(at);
      ++cancelled_;
      return;
    }
    for (Send& send : sends_) {
      if (send.sender != r || send.request == 0 || send.delivered || pick(2) == 0) continue;
      events(r, send.thread).cancelled(tick(), send.request);
      rank.free_requests.push_back(send.request);
      send.request = 0;
      send.cancelled = true;
      ++cancelled_;
      return;
    }
  }

  /// Everything that can still happen happens.
  void drain() {
    for (uint32_t i = 0; i < 2000; ++i) {
      deliver();
      const uint32_t r = pick(rank_count_);
      ranks_[r].blocked ? help(r) : complete(r);
    }
    legal_ = std::none_of(ranks_.begin(), ranks_.end(),
                          [](const Rank& rank) { return rank.blocked || !rank.complete.empty(); });
  }

  std::mt19937 random_;
  uint32_t rank_count_;
  uint32_t threads_;
  TestTrace test_;
  Region call_;
  std::vector<Comm> comms_;
  std::vector<Rank> ranks_;
  std::vector<Send> sends_;
  std::map<std::pair<uint32_t, uint32_t>, std::deque<size_t>> channels_;
  uint64_t ticks_ = 100;
  uint64_t cancelled_ = 0;
  bool legal_ = false;
};

std::vector<Row> rows(const Trace& trace) {
  const Messages& m = trace.messages;
  std::vector<Row> result;
  for (size_t i = 0; i < m.size(); ++i) {
    result.push_back({m.send_ticks[i], m.sender[i], m.bytes[i], m.receiver[i], m.send_end_ticks[i],
                      m.recv_post_ticks[i], m.recv_ticks[i], m.tag[i], m.comm[i]});
  }
  return result;
}

/// Where none of these messages came before it was sent there is their number, else their list.
void expect_the_same_number(const std::vector<Row>& truth, uint64_t lost, unsigned pool_threads,
                            Trace& trace) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < trace.messages.size(); ++i) bytes += trace.messages.bytes[i];
  bool any_before = false;
  for (size_t i = 0; i < trace.messages.size(); ++i) {
    any_before = any_before || trace.messages.recv_ticks[i] < trace.messages.send_ticks[i];
  }
  trace.messages = {};
  trace.unmatched_sends.clear();
  base::ThreadPool pool(pool_threads);
  match_messages(trace, pool, WantedMessages::kCount);
  ASSERT_EQ(trace.unmatched_sends.size(), lost);
  ASSERT_EQ(trace.counted_messages.has_value(), !any_before);
  if (any_before) {
    ASSERT_EQ(trace.messages.size(), truth.size());
    return;
  }
  ASSERT_EQ(trace.messages.size(), 0U);
  ASSERT_EQ(trace.counted_messages->messages, truth.size());
  ASSERT_EQ(trace.counted_messages->bytes, bytes);
}

void expect_what_happened(uint32_t seed, uint32_t threads, unsigned pool_threads) {
  SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << threads << " threads per rank");
  Program program(seed, threads);
  if (!program.legal()) return;
  const std::vector<Row> truth = program.truth();
  const uint64_t lost = program.lost();
  Trace trace = program.trace(pool_threads);
  ASSERT_THAT(rows(trace), testing::ElementsAreArray(truth));
  ASSERT_EQ(trace.unmatched_sends.size(), lost);
  ASSERT_EQ(trace.unmatched_receives.size(), 0U);
  ASSERT_EQ(trace.cancelled_requests, program.cancelled());
  expect_the_same_number(truth, lost, pool_threads, trace);
}

TEST(MatchRandomPrograms, FindsWhatHappened) {
  for (uint32_t seed = 1; seed <= 400 && !HasFatalFailure(); ++seed) {
    expect_what_happened(seed, 1, 1);
  }
}

TEST(MatchRandomPrograms, FindsWhatHappenedAmongSeveralThreadsOfARank) {
  for (uint32_t seed = 1001; seed <= 1200 && !HasFatalFailure(); ++seed) {
    expect_what_happened(seed, 3, 1);
  }
}

TEST(MatchRandomPrograms, FindsTheSameWithAnyNumberOfThreads) {
  for (uint32_t seed = 2001; seed <= 2040 && !HasFatalFailure(); ++seed) {
    expect_what_happened(seed, 1 + seed % 2, 2);
    expect_what_happened(seed, 1 + seed % 2, 8);
  }
}

TEST(MatchRandomPrograms, ExercisesWhatItIsMeantTo) {
  // Guards the tests above: a model that receives or cancels nothing would pass them.
  uint64_t legal = 0;
  uint64_t received = 0;
  uint64_t lost = 0;
  uint64_t cancelled = 0;
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    Program program(seed, 1 + seed % 2);
    legal += program.legal() ? 1 : 0;
    received += program.truth().size();
    lost += program.lost();
    cancelled += program.cancelled();
  }
  EXPECT_GT(legal, 10U);
  EXPECT_GT(received, 500U);
  EXPECT_GT(lost, 50U);
  EXPECT_GT(cancelled, 20U);
}

}  // namespace
}  // namespace pathline::trace
