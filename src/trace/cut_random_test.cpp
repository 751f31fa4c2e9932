// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "trace/test_cut.hpp"
#include "trace/test_trace.hpp"

namespace pathline::trace {
namespace {

/// A program in which ranks send, receive, cancel and reduce at random; each message has bytes of
/// its own, and so has each nonblocking reduction.
Trace random_program(std::mt19937& random, uint32_t rank_count) {
  const auto pick = [&](size_t count) { return static_cast<uint32_t>(random() % count); };
  TestTrace test(rank_count);
  const Region main = test.region("main");
  const Region call = test.region("MPI_Call");
  using Channel = std::tuple<uint32_t, uint32_t, uint32_t>;  // Sender, receiver, tag.
  struct Request {
    uint32_t rank;
    uint64_t number;
    Channel channel;
    uint64_t bytes;     // 0 for a send.
    uint64_t sent = 0;  // By a send.
    bool vain = false;  // A receive that nobody sends to.
  };
  std::map<Channel, std::deque<uint64_t>> sent;
  std::vector<Request> requests;
  struct Begun {
    uint64_t request;
    uint64_t bytes;
  };
  std::vector<std::vector<Begun>> begun(rank_count);  // Nonblocking collectives.
  for (uint32_t rank = 0; rank < rank_count; ++rank) test.on(rank).enter(rank, main);
  uint64_t bytes = 0;
  uint64_t number = 0;
  uint64_t ticks = 100;
  for (uint32_t act = 0; act < 300; ++act, ticks += 100) {
    const uint32_t kind = pick(13);
    if (kind == 12) {
      const uint32_t rank = pick(rank_count);
      test.on(rank).irecv_request(ticks, ++number);
      requests.push_back({.rank = rank, .number = number, .channel = {}, .bytes = 0, .vain = true});
    } else if (kind == 10) {
      ++bytes;
      for (uint32_t rank = 0; rank < rank_count; ++rank) {
        begun[rank].push_back({++number, bytes});
        test.on(rank).icollective_request(ticks + pick(40), number);
      }
    } else if (kind == 11) {
      // One MPI_Waitall for all of them, in any order.
      for (uint32_t rank = 0; rank < rank_count; ++rank) {
        if (pick(3) == 0) continue;
        std::shuffle(begun[rank].begin(), begun[rank].end(), random);
        const uint64_t end = ticks + pick(90);
        for (const Begun& one : begun[rank]) {
          test.on(rank).icollective(end, one.request, 11, one.bytes);
        }
        begun[rank].clear();
      }
    } else if (kind == 0) {
      for (uint32_t rank = 0; rank < rank_count; ++rank) {
        const uint64_t begin = ticks + pick(40);
        test.on(rank)
            .enter(begin, call)
            .collective(begin, begin + 5 + pick(50), 1, 4, 4, TestTrace::kWorld, 0);
        test.on(rank).leave(ticks + 98, call);
      }
    } else if (kind <= 4) {
      const Channel channel{pick(rank_count), pick(rank_count), pick(2)};
      const auto [from, to, tag] = channel;
      sent[channel].push_back(++bytes);
      test.on(from).enter(ticks, call);
      if (pick(2) == 0) {
        test.on(from).send(ticks + 1, to, bytes, tag);
      } else {
        test.on(from).isend(ticks + 1, ++number, to, bytes, tag);
        requests.push_back({from, number, channel, 0, bytes});
      }
      test.on(from).leave(ticks + 2, call);
    } else if (kind <= 7) {
      const Channel channel{pick(rank_count), pick(rank_count), pick(2)};
      const auto [from, to, tag] = channel;
      if (sent[channel].empty()) continue;
      const uint64_t size = sent[channel].front();
      sent[channel].pop_front();
      test.on(to).enter(ticks, call);
      if (pick(3) == 0) {
        test.on(to).recv(ticks + 1, from, size, tag);
      } else {
        test.on(to).irecv_request(ticks + 1, ++number);
        requests.push_back({to, number, channel, size});
      }
      test.on(to).leave(ticks + 2, call);
    } else if (!requests.empty()) {
      const size_t i = pick(requests.size());
      const auto [rank, request, channel, size, sent_bytes, vain] = requests[i];
      requests.erase(requests.begin() + static_cast<ptrdiff_t>(i));
      std::deque<uint64_t>& waiting = sent[channel];
      const auto own = std::find(waiting.begin(), waiting.end(), sent_bytes);
      if (vain) {
        test.on(rank).cancelled(ticks, request);
      } else if (size == 0 && own != waiting.end() && pick(2) == 0) {
        waiting.erase(own);
        test.on(rank).cancelled(ticks, request);
      } else if (size == 0) {
        test.on(rank).isend_complete(ticks, request);
      } else {
        test.on(rank).irecv(ticks, request, std::get<0>(channel), size, std::get<2>(channel));
      }
    }
  }
  for (uint32_t rank = 0; rank < rank_count; ++rank) test.on(rank).leave(ticks + rank, main);
  return test.finish();
}

using Row = std::tuple<uint32_t, uint32_t, uint64_t, uint64_t, uint64_t, uint64_t>;
std::vector<Row> messages_inside(const Trace& trace, const Selection& part) {
  std::vector<Row> rows;
  const Messages& all = trace.messages;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!part.has_rank(all.sender[i]) || !part.has_rank(all.receiver[i])) continue;
    if (!part.has_time(all.send_ticks[i]) || !part.has_time(all.recv_ticks[i])) continue;
    rows.emplace_back(all.sender[i], all.receiver[i], all.send_ticks[i], all.recv_ticks[i],
                      std::max(all.recv_post_ticks[i], part.from_ticks), all.bytes[i]);
  }
  return rows;
}

/// Messages of which only the send is inside, and of which only the receive is.
std::pair<uint64_t, uint64_t> halves(const Trace& trace, const Selection& part) {
  std::pair<uint64_t, uint64_t> count;
  const Messages& all = trace.messages;
  for (size_t i = 0; i < all.size(); ++i) {
    const bool send = part.has_rank(all.sender[i]) && part.has_time(all.send_ticks[i]);
    const bool receive = part.has_rank(all.receiver[i]) && part.has_time(all.recv_ticks[i]);
    count.first += send && !receive ? 1 : 0;
    count.second += receive && !send ? 1 : 0;
  }
  return count;
}

/// Per operation: where and when its members inside ended, and with how many bytes.
using Members = std::set<std::tuple<uint32_t, uint64_t, uint64_t>>;
std::multiset<Members> collectives_inside(const Trace& trace, const Selection& part) {
  std::multiset<Members> operations;
  const Collectives& all = trace.collectives;
  for (size_t i = 0; i < all.size(); ++i) {
    Members members;
    for (uint32_t k = all.first[i]; k < all.first[i + 1]; ++k) {
      const Rank rank = trace.locations[all.location[k]].rank;
      if (!part.has_rank(rank) || !part.has_time(all.end_ticks[k])) continue;
      members.emplace(uint32_t{rank}, all.end_ticks[k], all.bytes_sent[k]);
    }
    if (!members.empty()) operations.insert(members);
  }
  return operations;
}

TEST(Cut, OfRandomProgramsHasTheMessagesAndCollectivesInside) {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto rank_count = static_cast<uint32_t>(2 + random() % 4);
    const Trace trace = random_program(random, rank_count);
    Selection selection;
    selection.from_ticks = random() % 20000;
    selection.until_ticks = selection.from_ticks + 1 + random() % 15000;
    if (random() % 2 == 0) {
      selection.ranks.assign(rank_count, false);
      selection.ranks[0] = selection.ranks[rank_count - 1] = true;
    }
    const Part part = cut_and_finish(trace, selection);
    EXPECT_EQ(messages_inside(part.trace, {}), messages_inside(trace, selection));
    EXPECT_EQ(collectives_inside(part.trace, {}), collectives_inside(trace, selection));
    const auto inside = [&](const std::vector<Unmatched>& list) {
      return static_cast<uint64_t>(
          std::count_if(list.begin(), list.end(), [&](const Unmatched& end) {
            const Location& at = trace.locations[end.location];
            return selection.has_rank(at.rank) && selection.has_time(at.events.ticks[end.event]);
          }));
    };
    const auto [lost_sends, lost_receives] = halves(trace, selection);
    EXPECT_EQ(part.lost_sends, lost_sends);
    EXPECT_EQ(part.lost_receives, lost_receives);
    EXPECT_EQ(part.trace.unmatched_sends.size(), part.lost_sends + inside(trace.unmatched_sends));
    EXPECT_EQ(part.trace.unmatched_receives.size(),
              part.lost_receives + inside(trace.unmatched_receives));
  }
}

/// What one location's file operations and puts do, numbers used again and again.
Trace random_operations(std::mt19937& random) {
  const auto pick = [&](size_t count) { return static_cast<uint32_t>(random() % count); };
  TestTrace test(1);
  std::vector<bool> open_file(6);  // By handle and number.
  std::vector<bool> open_put(6);
  for (uint64_t ticks = 100; ticks < 20000; ticks += 100) {
    const uint32_t i = pick(6);
    const uint32_t where = i / 3;
    if (pick(2) == 0) {
      if (!open_file[i]) {
        test.on(0).io_begin(ticks, where, ticks, i % 3);
      } else if (pick(3) == 0) {
        test.on(0).io(EventKind::kIoOperationTest, ticks, where, i % 3);
        continue;
      } else if (pick(4) == 0) {
        test.on(0).io(EventKind::kIoOperationCancelled, ticks, where, i % 3);
      } else {
        test.on(0).io_complete(ticks, where, ticks, i % 3);
      }
      open_file[i] = !open_file[i];
    } else {
      if (!open_put[i]) {
        test.on(0).put(ticks, where, 0, ticks, i % 3);
      } else {
        test.on(0).rma(EventKind::kRmaOpCompleteNonBlocking, ticks, where, i % 3);
      }
      open_put[i] = !open_put[i];
    }
  }
  return test.finish();
}

TEST(Cut, OfRandomOperationsHasNoHalfOnes) {
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Trace trace = random_operations(random);
    Selection selection;
    selection.from_ticks = random() % 20000;
    selection.until_ticks = selection.from_ticks + 1 + random() % 15000;
    const Part part = cut_and_finish(trace, selection);
    // Each end follows the latest beginning of its handle and number, and ends what it ended.
    using Operation = std::pair<uint32_t, uint64_t>;
    using Ended = std::pair<uint64_t, uint64_t>;  // When, and the bytes of its beginning.
    const auto look = [&](const Events& events, const Selection& inside, std::vector<Ended>& files,
                          std::vector<uint64_t>& puts, uint32_t& halves) {
      std::map<Operation, uint64_t> begun;
      std::set<Operation> put;
      for (size_t i = 0; i < events.size(); ++i) {
        const bool counts = inside.has_time(events.ticks[i]);
        switch (events.kind[i]) {
          case EventKind::kIoOperationBegin:
            begun[{events.fields(i)[0], events.word64(i, 5)}] = events.word64(i, 3);
            break;
          case EventKind::kIoOperationTest:
          case EventKind::kIoOperationCancelled:
          case EventKind::kIoOperationComplete: {
            const bool complete = events.kind[i] == EventKind::kIoOperationComplete;
            const auto of = begun.find({events.fields(i)[0], events.word64(i, complete ? 3 : 1)});
            if (of == begun.end()) ++halves;
            if (of == begun.end() || events.kind[i] == EventKind::kIoOperationTest) break;
            if (counts) files.emplace_back(events.ticks[i], of->second);
            begun.erase(of);
            break;
          }
          case EventKind::kRmaPut:
            put.insert({events.fields(i)[0], events.word64(i, 4)});
            if (counts) puts.push_back(events.ticks[i]);
            break;
          case EventKind::kRmaOpCompleteNonBlocking:
            halves +=
                1 - static_cast<uint32_t>(put.erase({events.fields(i)[0], events.word64(i, 1)}));
            break;
          default: break;
        }
      }
      // What nothing ends in the whole run may stay.
      return begun.size();
    };
    std::vector<Ended> files;
    std::vector<Ended> files_of_part;
    std::vector<uint64_t> puts;
    std::vector<uint64_t> puts_of_part;
    uint32_t halves = 0;
    const size_t unended = look(trace.locations[0].events, selection, files, puts, halves);
    EXPECT_LE(look(part.trace.locations[0].events, {}, files_of_part, puts_of_part, halves),
              unended);
    EXPECT_EQ(halves, 0U);
    EXPECT_EQ(files_of_part, files);
    EXPECT_EQ(puts_of_part, puts);
  }
}

}  // namespace
}  // namespace pathline::trace
