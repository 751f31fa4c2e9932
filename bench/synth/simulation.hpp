// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/synth/random.hpp"
#include "trace/trace.hpp"

namespace pathline::synth {

inline constexpr uint64_t kStartNs = 3'600'000'000'000;  ///< The clock when the program starts.
inline constexpr uint32_t kWorld = 0;                    ///< Id of MPI_COMM_WORLD.
inline constexpr uint32_t kFirstCopy = 2;                ///< Id of the first of several copies.
inline constexpr uint32_t kStepParameter = 0;            ///< Id of the parameter `step`.
inline constexpr uint32_t kPhase = 2;                    ///< Region flag of OTF2.

struct RegionText {
  std::string_view name;  ///< A literal, as is the file.
  std::string_view file;  ///< "" for none, "MPI" for the functions of MPI.
  uint32_t line;
  trace::RegionRole role;
  uint32_t flags;
};

struct Edge {
  uint32_t sender;
  uint32_t receiver;
  uint32_t tag;
  uint64_t bytes;
};

/// Who sends to whom in one exchange; every pair at most once.
class Pattern {
 public:
  Pattern(uint32_t rank_count, std::vector<Edge> edges);

  [[nodiscard]] size_t size() const { return edges_.size(); }
  [[nodiscard]] const Edge& edge(size_t i) const { return edges_[i]; }
  /// Edges of a sender, as a range of indices.
  [[nodiscard]] std::pair<uint32_t, uint32_t> from(uint32_t rank) const {
    return {out_start_[rank], out_start_[rank + 1]};
  }
  /// Edges of a receiver.
  [[nodiscard]] std::span<const uint32_t> to(uint32_t rank) const {
    return {in_.data() + in_start_[rank], in_start_[rank + 1] - in_start_[rank]};
  }

 private:
  std::vector<Edge> edges_;  // Sorted by sender.
  std::vector<uint32_t> out_start_, in_start_;
  std::vector<uint32_t> in_;
};

/// A machine that runs an MPI program: one clock per rank, which advances when the rank computes
/// and, when it communicates, waits for what comes from the clocks of others. Records every call.
///
/// Messages up to an eager limit leave at once, larger ones when the receive is posted; they take
/// a latency and bytes by bandwidth. There is no contention for links.
class Simulation {
 public:
  Simulation(uint32_t rank_count, uint32_t ranks_per_node, uint64_t seed);

  [[nodiscard]] uint32_t rank_count() const { return static_cast<uint32_t>(ranks_.size()); }
  [[nodiscard]] uint32_t ranks_per_node() const { return ranks_per_node_; }
  [[nodiscard]] const Random& random() const { return random_; }
  [[nodiscard]] const std::vector<RegionText>& regions() const { return regions_; }
  [[nodiscard]] uint64_t message_count() const { return message_count_; }
  [[nodiscard]] uint64_t event_count() const;
  [[nodiscard]] uint64_t latest_ns() const;
  /// Time of one message on the wire.
  [[nodiscard]] double transfer_ns(uint32_t sender, uint32_t receiver, uint64_t bytes) const;

  trace::Region region(std::string_view name, std::string_view file = "", uint32_t line = 0,
                       uint32_t flags = 0);

  // One rank.
  [[nodiscard]] uint64_t now_ns(uint32_t rank) const { return ranks_[rank].now_ns; }
  void advance(uint32_t rank, double ns) { ranks_[rank].now_ns += static_cast<uint64_t>(ns); }
  void wait_until(uint32_t rank, uint64_t ns) {
    ranks_[rank].now_ns = std::max(ranks_[rank].now_ns, ns);
  }
  void enter(uint32_t rank, trace::Region region) {
    ranks_[rank].events.enter(ranks_[rank].now_ns, region);
  }
  void leave(uint32_t rank, trace::Region region) {
    ranks_[rank].events.leave(ranks_[rank].now_ns, region);
  }
  void call(uint32_t rank, trace::Region region, double ns) {
    enter(rank, region);
    advance(rank, ns);
    leave(rank, region);
  }
  void step_parameter(uint32_t rank, uint64_t step);
  /// A blocking send and the receive of it, both from calls that begin now; they end together.
  void send(uint32_t sender, uint32_t receiver, uint32_t tag, uint64_t bytes);

  // All ranks.
  void start(trace::Region main, double init_ns);  ///< Enters `main`, calls MPI_Init.
  void stop(trace::Region main);                   ///< Calls MPI_Finalize, leaves `main`.
  void enter_all(trace::Region region);
  void leave_all(trace::Region region);
  void barrier();
  void bcast(uint32_t root, uint64_t bytes);
  void allreduce(uint64_t bytes);
  void allgather(uint64_t bytes);
  /// MPI_Irecv and MPI_Isend of all edges, then MPI_Waitall. Ranks without an edge do nothing.
  void exchange(const Pattern& pattern);

  /// Events of all ranks, once.
  std::vector<trace::Events> take_events();

 private:
  struct Rank {
    trace::EventsBuilder events;
    uint64_t now_ns = kStartNs;
    uint64_t request_count = 0;
    uint64_t jitter_count = 0;
  };
  struct Transfer {
    uint64_t posted_ns, sent_ns;
    uint64_t send_request, receive_request;
  };
  struct Completion {
    uint64_t ns;
    uint32_t edge;
    bool is_receive;
  };
  struct Collective {
    trace::Region region;
    uint32_t operation;
    uint32_t root;
    uint64_t bytes;
  };

  trace::Region mpi_region(std::string_view name, trace::RegionRole role);
  /// A call's own cost: `ns` and up to a quarter more.
  void overhead(uint32_t rank, uint64_t ns);
  void post(uint32_t rank, const Pattern& pattern);
  void wait_all(uint32_t rank, const Pattern& pattern);
  void collective(const Collective& what);
  void collective_event(uint32_t rank, const Collective& what);

  const uint32_t ranks_per_node_;
  const Random random_;
  std::vector<Rank> ranks_;
  std::vector<RegionText> regions_;
  uint64_t message_count_ = 0;
  trace::Region init_, finalize_, send_, recv_, isend_, irecv_, waitall_;
  trace::Region barrier_, bcast_, allreduce_, allgather_;
  std::vector<Transfer> transfers_;      // Per edge of the exchange.
  std::vector<Completion> completions_;  // Of one MPI_Waitall.
};

}  // namespace pathline::synth
