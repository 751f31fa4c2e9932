// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/progress.hpp"
#include "base/thread_pool.hpp"
#include "trace/finish.hpp"
#include "trace/ranks.hpp"
#include "trace/trace.hpp"

namespace pathline::trace {

/// Builds a small trace of an MPI program. For tests only; no program includes this.
///
///   TestTrace test(2);                             // ranks, each with one thread
///   const Region main = test.region("main");
///   test.on(0).enter(10, main).send(12, 1, 4096).leave(20, main);
///   test.on(1).enter(10, main).recv(15, 0, 4096).leave(20, main);
///   const Trace trace = test.finish();
///
/// One tick is a nanosecond. Ids in the "file" differ from indices, so that code that takes one for
/// the other fails: see the constants. Locations stand in the order of rank, then thread.
class TestTrace {
 public:
  static constexpr uint32_t kWorld = 70;  ///< Id of MPI_COMM_WORLD; its index is 0.
  static constexpr uint32_t kFirstRegion = 200;
  static constexpr uint64_t kFirstLocation = 3000;

  /// The events of one location, to be added in the order of time.
  class Thread {
   public:
    EventsBuilder events;

    Thread& enter(uint64_t ticks, Region region) {
      events.enter(ticks, region);
      return *this;
    }
    Thread& leave(uint64_t ticks, Region region) {
      events.leave(ticks, region);
      return *this;
    }
    Thread& send(uint64_t ticks, uint32_t receiver, uint64_t bytes, uint32_t tag = 0,
                 uint32_t comm = kWorld) {
      return add(EventKind::kMpiSend, ticks, {receiver, comm, tag, low(bytes), high(bytes)});
    }
    Thread& isend(uint64_t ticks, uint64_t request, uint32_t receiver, uint64_t bytes,
                  uint32_t tag = 0, uint32_t comm = kWorld) {
      return add(EventKind::kMpiIsend, ticks,
                 {receiver, comm, tag, low(bytes), high(bytes), low(request), high(request)});
    }
    Thread& isend_complete(uint64_t ticks, uint64_t request) {
      return add(EventKind::kMpiIsendComplete, ticks, {low(request), high(request)});
    }
    Thread& recv(uint64_t ticks, uint32_t sender, uint64_t bytes, uint32_t tag = 0,
                 uint32_t comm = kWorld) {
      return add(EventKind::kMpiRecv, ticks, {sender, comm, tag, low(bytes), high(bytes)});
    }
    /// Posts a nonblocking receive; irecv() is its completion.
    Thread& irecv_request(uint64_t ticks, uint64_t request) {
      return add(EventKind::kMpiIrecvRequest, ticks, {low(request), high(request)});
    }
    Thread& irecv(uint64_t ticks, uint64_t request, uint32_t sender, uint64_t bytes,
                  uint32_t tag = 0, uint32_t comm = kWorld) {
      return add(EventKind::kMpiIrecv, ticks,
                 {sender, comm, tag, low(bytes), high(bytes), low(request), high(request)});
    }
    Thread& cancelled(uint64_t ticks, uint64_t request) {
      return add(EventKind::kMpiRequestCancelled, ticks, {low(request), high(request)});
    }
    /// operation  OTF2 number: 0 barrier, 1 broadcast, 11 allreduce.
    Thread& collective(uint64_t begin_ticks, uint64_t end_ticks, uint32_t operation,
                       uint64_t bytes_sent = 0, uint64_t bytes_received = 0, uint32_t comm = kWorld,
                       uint32_t root = kUndefined) {
      events.add(EventKind::kMpiCollectiveBegin, begin_ticks);
      return add(EventKind::kMpiCollectiveEnd, end_ticks,
                 {operation, comm, root, low(bytes_sent), high(bytes_sent), low(bytes_received),
                  high(bytes_received)});
    }
    /// Begins a nonblocking collective operation; icollective() is its completion.
    Thread& icollective_request(uint64_t ticks, uint64_t request) {
      return add(EventKind::kNonBlockingCollectiveRequest, ticks, {low(request), high(request)});
    }
    Thread& icollective(uint64_t ticks, uint64_t request, uint32_t operation, uint64_t bytes = 0,
                        uint32_t comm = kWorld) {
      return add(EventKind::kNonBlockingCollectiveComplete, ticks,
                 {operation, comm, kUndefined, low(bytes), high(bytes), low(bytes), high(bytes),
                  low(request), high(request)});
    }
    Thread& put(uint64_t ticks, uint32_t window, uint32_t remote, uint64_t bytes, uint64_t number) {
      return add(EventKind::kRmaPut, ticks,
                 {window, remote, low(bytes), high(bytes), low(number), high(number)});
    }
    /// kind  how the operation with this number is complete, or that somebody asks.
    Thread& rma(EventKind kind, uint64_t ticks, uint32_t window, uint64_t number) {
      return add(kind, ticks, {window, low(number), high(number)});
    }
    /// Begins a write (mode 1) or read (mode 0); io_complete() is its completion.
    Thread& io_begin(uint64_t ticks, uint32_t handle, uint64_t bytes, uint64_t number,
                     uint32_t mode = 1) {
      return add(EventKind::kIoOperationBegin, ticks,
                 {handle, mode, 0, low(bytes), high(bytes), low(number), high(number)});
    }
    Thread& io_complete(uint64_t ticks, uint32_t handle, uint64_t bytes, uint64_t number) {
      return add(EventKind::kIoOperationComplete, ticks,
                 {handle, low(bytes), high(bytes), low(number), high(number)});
    }
    /// kind  that it was issued or cancelled, or that somebody asks.
    Thread& io(EventKind kind, uint64_t ticks, uint32_t handle, uint64_t number) {
      return add(kind, ticks, {handle, low(number), high(number)});
    }
    /// An event of any kind with its words as Events::fields() gives them.
    Thread& add(EventKind kind, uint64_t ticks, std::initializer_list<uint32_t> words = {}) {
      assert(words.size() >= event_words(kind));
      if (words.size() < 2) {
        events.add(kind, ticks, words.size() == 0 ? 0 : *words.begin());
        return *this;
      }
      uint32_t* at = events.add_words(kind, ticks, words.size());
      for (const uint32_t word : words) *at++ = word;
      return *this;
    }
  };

  explicit TestTrace(uint32_t rank_count, uint32_t threads_per_rank = 1)
      : threads_per_rank_(threads_per_rank), threads_(size_t{rank_count} * threads_per_rank) {
    std::vector<uint64_t> world(rank_count);
    std::vector<uint64_t> locations(rank_count);
    for (uint32_t rank = 0; rank < rank_count; ++rank) {
      world[rank] = rank;
      locations[rank] = location_id(rank, 0);
    }
    const uint32_t node = 40;
    define(DefinitionKind::kClockProperties, {1'000'000'000, 0, 0, 0, 0, 0, ~0U, ~0U});
    define(DefinitionKind::kSystemTreeNode, {node, text("n0"), text("node"), kUndefined});
    for (uint32_t rank = 0; rank < rank_count; ++rank) {
      define(DefinitionKind::kLocationGroup,
             {group_of_rank(rank), text("rank " + std::to_string(rank)),
              static_cast<uint32_t>(LocationGroupType::kProcess), node, kUndefined});
    }
    group(GroupType::kCommLocations, locations);
    define(DefinitionKind::kComm,
           {kWorld, text("MPI_COMM_WORLD"), group(GroupType::kCommGroup, world), kUndefined, 0});
  }

  Thread& on(uint32_t rank, uint32_t thread = 0) {
    return threads_.at(size_t{rank} * threads_per_rank_ + thread);
  }

  Region region(std::string_view name, RegionRole role = RegionRole::kFunction) {
    return region(name, role, "", 0);
  }
  /// file  where the region was defined; "" when that is not known.
  Region region(std::string_view name, RegionRole role, std::string_view file, uint32_t line,
                uint8_t paradigm = 1) {
    define(DefinitionKind::kRegion, {kFirstRegion + region_count_, text(name), kUndefined,
                                     kUndefined, static_cast<uint32_t>(role), paradigm, 0,
                                     file.empty() ? kUndefined : text(file), line, 0});
    return Region(region_count_++);
  }
  /// returns the id of a communicator of these ranks of the program.
  uint32_t communicator(const std::vector<uint64_t>& ranks) {
    const uint32_t id = ++last_comm_;
    define(DefinitionKind::kComm,
           {id, text("comm"), group(GroupType::kCommGroup, ranks), kWorld, 0});
    return id;
  }
  uint32_t inter_communicator(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
    const uint32_t id = ++last_comm_;
    define(DefinitionKind::kInterComm, {id, text("intercomm"), group(GroupType::kCommGroup, a),
                                        group(GroupType::kCommGroup, b), kWorld, 0});
    return id;
  }
  uint32_t self_communicator() {
    const uint32_t id = ++last_comm_;
    define(DefinitionKind::kComm,
           {id, text("MPI_COMM_SELF"), group(GroupType::kCommSelf, {}), kUndefined, 0});
    return id;
  }
  /// returns the id of a group of MPI with these members.
  uint32_t group(GroupType type, const std::vector<uint64_t>& members, uint32_t flags = 0) {
    std::vector<uint32_t> words = {++last_group_, text(""), static_cast<uint32_t>(type),
                                   kParadigmMpi,  flags,    static_cast<uint32_t>(members.size())};
    for (const uint64_t member : members) {
      words.push_back(low(member));
      words.push_back(high(member));
    }
    definitions_.add(DefinitionKind::kGroup, words);
    return last_group_;
  }
  /// returns the id of a new string.
  uint32_t text(std::string_view text) {
    definitions_.add_string(++last_string_, text);
    return last_string_;
  }
  void define(DefinitionKind kind, std::initializer_list<uint32_t> words) {
    definitions_.add(kind, std::vector<uint32_t>(words));
  }

  static uint32_t group_of_rank(uint32_t rank) { return 500 + rank; }
  [[nodiscard]] uint64_t location_id(uint32_t rank, uint32_t thread) const {
    return kFirstLocation + size_t{rank} * threads_per_rank_ + thread;
  }

  /// The trace as a reader leaves it to finish(), but with ranks. Empties the builder.
  Trace build() {
    Trace trace;
    trace.locations.resize(threads_.size());
    for (size_t i = 0; i < threads_.size(); ++i) {
      Location& location = trace.locations[i];
      const auto rank = static_cast<uint32_t>(i / threads_per_rank_);
      const auto thread = static_cast<uint32_t>(i % threads_per_rank_);
      location.id = location_id(rank, thread);
      location.name = "thread " + std::to_string(thread);
      location.type = LocationType::kCpuThread;
      location.events = threads_[i].events.finish();
      const uint64_t count = location.events.size();
      define(DefinitionKind::kLocation,
             {low(location.id), high(location.id), text(location.name),
              static_cast<uint32_t>(location.type), low(count), high(count), group_of_rank(rank)});
    }
    [[maybe_unused]] const base::Status status = definitions_.finish();
    assert(status.ok());
    trace.definitions = std::move(definitions_);
    assign_ranks(trace);
    return trace;
  }
  /// The whole trace: ranks, time range, messages, collectives, warnings.
  Trace finish(unsigned thread_count = 1) {
    Trace trace = build();
    base::ThreadPool pool(thread_count);
    base::Progress progress;
    trace::finish(trace, pool, progress);
    return trace;
  }

 private:
  static constexpr uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
  static constexpr uint32_t high(uint64_t value) { return static_cast<uint32_t>(value >> 32U); }

  Definitions definitions_;
  uint32_t threads_per_rank_;
  std::vector<Thread> threads_;
  uint32_t region_count_ = 0;
  uint32_t last_comm_ = kWorld;
  uint32_t last_group_ = 10;
  uint32_t last_string_ = 600;
};

}  // namespace pathline::trace
