// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "trace/finish.hpp"
#include "trace/trace.hpp"

namespace pathline::trace::testing {

/// Makes small traces for tests: ranks with threads, MPI_COMM_WORLD (0), MPI_COMM_SELF (1), an
/// inter-communicator (2) between the even and the odd ranks, and ten regions r0 ... r9 of which r8
/// is called "time step". Times are ticks of a nanosecond clock.
class TraceMaker {
 public:
  static constexpr uint32_t kWorld = 0;
  static constexpr uint32_t kSelf = 1;
  static constexpr uint32_t kEvenOdd = 2;
  static constexpr uint32_t kStepRegion = 8;
  static constexpr uint32_t kStepParameter = 0;

  explicit TraceMaker(uint32_t ranks, uint32_t threads = 1) : builders_(size_t{ranks} * threads) {
    string(0, "");
    define(DefinitionKind::kClockProperties, {1'000'000'000, 0, 0, 0, 0, 0, ~0U, ~0U});
    define(DefinitionKind::kParadigm, {kParadigmMpi, text("MPI"), 0});
    define(DefinitionKind::kParameter, {kStepParameter, text("step"), 2});
    define(DefinitionKind::kSystemTreeNode, {0, text("machine"), text("machine"), kUndefined});
    std::vector<uint64_t> world;
    std::vector<uint64_t> members[3];
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      define(DefinitionKind::kLocationGroup,
             {rank, text("Rank " + std::to_string(rank)), 1, 0, kUndefined});
      for (uint32_t thread = 0; thread < threads; ++thread) {
        define(DefinitionKind::kLocation,
               {rank * threads + thread, 0, text("thread"), 1, 0, 0, rank});
      }
      world.push_back(uint64_t{rank} * threads);
      members[0].push_back(rank);
      members[1 + rank % 2].push_back(rank);
    }
    for (uint32_t region = 0; region < 10; ++region) {
      const uint32_t name =
          text(region == kStepRegion ? "time step" : "r" + std::to_string(region));
      define(DefinitionKind::kRegion, {region, name, name, 0, 1, 1, 0, kUndefined, 0, 0});
    }
    group(0, GroupType::kCommLocations, world);
    group(1, GroupType::kCommGroup, members[0]);
    group(2, GroupType::kCommSelf, {});
    group(3, GroupType::kCommGroup, members[1]);
    group(4, GroupType::kCommGroup, members[2]);
    define(DefinitionKind::kComm, {kWorld, text("MPI_COMM_WORLD"), 1, kUndefined, 0});
    define(DefinitionKind::kComm, {kSelf, text("MPI_COMM_SELF"), 2, kUndefined, 0});
    define(DefinitionKind::kInterComm, {kEvenOdd, text("even and odd"), 3, 4, kUndefined, 0});
  }

  /// The events of a location, rank * threads + thread.
  EventsBuilder& at(uint32_t location) { return builders_[location]; }

  void enter(uint32_t location, uint64_t ticks, uint32_t region) {
    at(location).enter(ticks, Region(region));
  }
  void leave(uint32_t location, uint64_t ticks, uint32_t region) {
    at(location).leave(ticks, Region(region));
  }
  void send(uint32_t location, uint64_t ticks, uint32_t to, uint64_t bytes, uint32_t tag = 0,
            uint32_t comm = kWorld) {
    point(EventKind::kMpiSend, location, ticks, to, bytes, tag, comm, {});
  }
  void receive(uint32_t location, uint64_t ticks, uint32_t from, uint64_t bytes, uint32_t tag = 0,
               uint32_t comm = kWorld) {
    point(EventKind::kMpiRecv, location, ticks, from, bytes, tag, comm, {});
  }
  void isend(uint32_t location, uint64_t ticks, uint64_t request, uint32_t to, uint64_t bytes,
             uint32_t tag = 0, uint32_t comm = kWorld) {
    point(EventKind::kMpiIsend, location, ticks, to, bytes, tag, comm, {request});
  }
  void irecv(uint32_t location, uint64_t ticks, uint64_t request, uint32_t from, uint64_t bytes,
             uint32_t tag = 0, uint32_t comm = kWorld) {
    point(EventKind::kMpiIrecv, location, ticks, from, bytes, tag, comm, {request});
  }
  /// MpiIsendComplete, MpiIrecvRequest, MpiRequestCancelled, BufferFlush: one 64-bit field.
  void one(EventKind kind, uint32_t location, uint64_t ticks, uint64_t field) {
    WordWriter(at(location).add_words(kind, ticks, 2)).put(field, 2);
  }
  void step_number(uint32_t location, uint64_t ticks, uint64_t step) {
    WordWriter out(at(location).add_words(EventKind::kParameterUnsignedInt, ticks, 3));
    out.put(kStepParameter, 1);
    out.put(step, 2);
  }

  /// Everything that follows reading: ranks, time range, messages, collectives, warnings.
  Trace finish(base::ThreadPool& pool) {
    Trace trace = take();
    base::Progress progress;
    trace::finish(trace, pool, progress);
    return trace;
  }

  /// The trace as a reader leaves it.
  Trace take() {
    Trace trace = std::move(trace_);
    const bool defined = trace.definitions.finish().ok();
    for (uint32_t i = 0; defined && i < builders_.size(); ++i) {
      Location& location = trace.locations.emplace_back();
      location.id = trace.definitions.locations[i].id;
      location.name = "thread";
      location.type = LocationType::kCpuThread;
      location.events = builders_[i].finish();
    }
    return trace;
  }

  /// Further definitions.
  void define(DefinitionKind kind, const std::vector<uint32_t>& words) {
    trace_.definitions.add(kind, words);
  }
  uint32_t text(const std::string& text) {
    string(string_count_, text);
    return string_count_ - 1;
  }

 private:
  void string(uint32_t id, const std::string& text) {
    trace_.definitions.add_string(id, text);
    ++string_count_;
  }
  void group(uint32_t id, GroupType type, const std::vector<uint64_t>& members) {
    std::vector<uint32_t> words = {id,           0, static_cast<uint32_t>(type),
                                   kParadigmMpi, 0, static_cast<uint32_t>(members.size())};
    for (const uint64_t member : members) {
      words.push_back(static_cast<uint32_t>(member));
      words.push_back(0);
    }
    define(DefinitionKind::kGroup, words);
  }
  void point(EventKind kind, uint32_t location, uint64_t ticks, uint32_t peer, uint64_t bytes,
             uint32_t tag, uint32_t comm, std::initializer_list<uint64_t> request) {
    WordWriter out(at(location).add_words(kind, ticks, 5 + 2 * request.size()));
    out.put(peer, 1);
    out.put(comm, 1);
    out.put(tag, 1);
    out.put(bytes, 2);
    for (const uint64_t id : request) out.put(id, 2);
  }

  Trace trace_;
  std::vector<EventsBuilder> builders_;
  uint32_t string_count_ = 0;
};

}  // namespace pathline::trace::testing
