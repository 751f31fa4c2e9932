// SPDX-License-Identifier: BSD-3-Clause
#include "bench/synth/simulation.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace pathline::synth {
namespace {

using trace::EventKind;
using trace::RegionRole;

constexpr uint64_t kEagerBytes = 32 * 1024;
constexpr double kCopyBytesPerNs = 12;
constexpr double kNodeLatencyNs = 700, kNetworkLatencyNs = 1700;
constexpr double kNodeBytesPerNs = 8, kNetworkBytesPerNs = 5;

// OTF2's numbers of collective operations.
constexpr uint32_t kBarrierOperation = 0, kBcastOperation = 1, kAllgatherOperation = 6,
                   kAllreduceOperation = 11;

}  // namespace

Pattern::Pattern(uint32_t rank_count, std::vector<Edge> edges)
    : edges_(std::move(edges)),
      out_start_(rank_count + 1),
      in_start_(rank_count + 1),
      in_(edges_.size()) {
  std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.sender, a.receiver) < std::tie(b.sender, b.receiver);
  });
  for (const Edge& edge : edges_) {
    ++out_start_[edge.sender + 1];
    ++in_start_[edge.receiver + 1];
  }
  for (uint32_t rank = 0; rank < rank_count; ++rank) {
    out_start_[rank + 1] += out_start_[rank];
    in_start_[rank + 1] += in_start_[rank];
  }
  std::vector<uint32_t> next = in_start_;
  for (uint32_t i = 0; i < edges_.size(); ++i) in_[next[edges_[i].receiver]++] = i;
}

Simulation::Simulation(uint32_t rank_count, uint32_t ranks_per_node, uint64_t seed)
    : ranks_per_node_(ranks_per_node), random_(seed), ranks_(rank_count) {
  init_ = mpi_region("MPI_Init", RegionRole::kFunction);
  finalize_ = mpi_region("MPI_Finalize", RegionRole::kFunction);
  send_ = mpi_region("MPI_Send", RegionRole::kPointToPoint);
  recv_ = mpi_region("MPI_Recv", RegionRole::kPointToPoint);
  isend_ = mpi_region("MPI_Isend", RegionRole::kPointToPoint);
  irecv_ = mpi_region("MPI_Irecv", RegionRole::kPointToPoint);
  waitall_ = mpi_region("MPI_Waitall", RegionRole::kPointToPoint);
  barrier_ = mpi_region("MPI_Barrier", RegionRole::kBarrier);
  bcast_ = mpi_region("MPI_Bcast", RegionRole::kFirstCollective);
  allreduce_ = mpi_region("MPI_Allreduce", static_cast<RegionRole>(25));  // all to all
  allgather_ = mpi_region("MPI_Allgather", static_cast<RegionRole>(25));
}

uint64_t Simulation::event_count() const {
  uint64_t count = 0;
  for (const Rank& rank : ranks_) count += rank.events.size();
  return count;
}

uint64_t Simulation::latest_ns() const {
  uint64_t latest = 0;
  for (const Rank& rank : ranks_) latest = std::max(latest, rank.now_ns);
  return latest;
}

double Simulation::transfer_ns(uint32_t sender, uint32_t receiver, uint64_t bytes) const {
  return sender / ranks_per_node_ == receiver / ranks_per_node_
             ? kNodeLatencyNs + static_cast<double>(bytes) / kNodeBytesPerNs
             : kNetworkLatencyNs + static_cast<double>(bytes) / kNetworkBytesPerNs;
}

trace::Region Simulation::region(std::string_view name, std::string_view file, uint32_t line,
                                 uint32_t flags) {
  regions_.push_back({name, file, line, RegionRole::kFunction, flags});
  return trace::Region(regions_.size() - 1);
}

trace::Region Simulation::mpi_region(std::string_view name, RegionRole role) {
  const trace::Region made = region(name, "MPI");
  regions_[made].role = role;
  return made;
}

void Simulation::overhead(uint32_t rank, uint64_t ns) {
  Rank& of = ranks_[rank];
  of.now_ns += ns + random_.bits(rank, of.jitter_count++, 1) % (ns / 4);
}

void Simulation::step_parameter(uint32_t rank, uint64_t step) {
  Rank& of = ranks_[rank];
  trace::WordWriter out(of.events.add_words(EventKind::kParameterUnsignedInt, of.now_ns, 3));
  out.put(kStepParameter, 1);
  out.put(step, 2);
}

void Simulation::send(uint32_t sender, uint32_t receiver, uint32_t tag, uint64_t bytes) {
  const auto event = [&](uint32_t rank, EventKind kind, uint32_t peer) {
    trace::WordWriter out(ranks_[rank].events.add_words(kind, ranks_[rank].now_ns, 5));
    out.put(peer, 1);
    out.put(kWorld, 1);
    out.put(tag, 1);
    out.put(bytes, 2);
  };
  enter(sender, send_);
  enter(receiver, recv_);
  overhead(sender, 200);
  event(sender, EventKind::kMpiSend, receiver);
  wait_until(receiver, now_ns(sender));
  advance(receiver, transfer_ns(sender, receiver, bytes));
  event(receiver, EventKind::kMpiRecv, sender);
  wait_until(sender, now_ns(receiver));
  overhead(receiver, 100);
  leave(receiver, recv_);
  leave(sender, send_);
  ++message_count_;
}

void Simulation::enter_all(trace::Region region) {
  for (uint32_t rank = 0; rank < rank_count(); ++rank) enter(rank, region);
}

void Simulation::leave_all(trace::Region region) {
  for (uint32_t rank = 0; rank < rank_count(); ++rank) leave(rank, region);
}

void Simulation::start(trace::Region main, double init_ns) {
  for (uint32_t rank = 0; rank < rank_count(); ++rank) {
    // Rank 0 starts first: its first event is the beginning of the run.
    if (rank != 0) advance(rank, 0.02 * init_ns * random_.unit(rank, 2));
    enter(rank, main);
    advance(rank, 0.01 * init_ns);
    enter(rank, init_);
  }
  const uint64_t ready_ns = latest_ns() + static_cast<uint64_t>(0.9 * init_ns);
  for (uint32_t rank = 0; rank < rank_count(); ++rank) {
    wait_until(rank, ready_ns);
    overhead(rank, 20'000);
    leave(rank, init_);
  }
}

void Simulation::stop(trace::Region main) {
  enter_all(finalize_);
  const uint64_t latest = latest_ns();
  for (uint32_t rank = 0; rank < rank_count(); ++rank) {
    wait_until(rank, latest);
    overhead(rank, 100'000);
    leave(rank, finalize_);
    overhead(rank, 10'000);
    leave(rank, main);
  }
}

void Simulation::barrier() { collective({barrier_, kBarrierOperation, trace::kUndefined, 0}); }
void Simulation::bcast(uint32_t root, uint64_t bytes) {
  collective({bcast_, kBcastOperation, root, bytes});
}
void Simulation::allreduce(uint64_t bytes) {
  collective({allreduce_, kAllreduceOperation, trace::kUndefined, bytes});
}
void Simulation::allgather(uint64_t bytes) {
  collective({allgather_, kAllgatherOperation, trace::kUndefined, bytes});
}

void Simulation::collective(const Collective& what) {
  for (uint32_t rank = 0; rank < rank_count(); ++rank) {
    enter(rank, what.region);
    overhead(rank, 100);
    ranks_[rank].events.add(EventKind::kMpiCollectiveBegin, now_ns(rank));
  }
  const auto stages = static_cast<double>(std::bit_width(rank_count() - 1));
  const uint64_t received =
      what.operation == kAllgatherOperation ? what.bytes * rank_count() : what.bytes;
  const uint64_t last_ns = what.root == trace::kUndefined ? latest_ns() : now_ns(what.root);
  const uint64_t done_ns =
      last_ns + static_cast<uint64_t>(stages * kNetworkLatencyNs +
                                      static_cast<double>(received) / kNetworkBytesPerNs);
  for (uint32_t rank = 0; rank < rank_count(); ++rank) {
    // The root of a broadcast does not wait for those who receive it.
    if (rank != what.root) wait_until(rank, done_ns);
    overhead(rank, 400);
    collective_event(rank, what);
    overhead(rank, 100);
    leave(rank, what.region);
  }
}

void Simulation::collective_event(uint32_t rank, const Collective& what) {
  Rank& of = ranks_[rank];
  uint64_t sent = what.bytes;
  uint64_t received = what.bytes;
  if (what.operation == kAllgatherOperation) {
    sent = received = what.bytes * rank_count();
  } else if (what.operation == kBcastOperation) {
    sent = rank == what.root ? what.bytes * rank_count() : 0;
  }
  trace::WordWriter out(of.events.add_words(EventKind::kMpiCollectiveEnd, of.now_ns, 7));
  out.put(what.operation, 1);
  out.put(kWorld, 1);
  out.put(what.root, 1);
  out.put(sent, 2);
  out.put(received, 2);
}

void Simulation::exchange(const Pattern& pattern) {
  transfers_.resize(pattern.size());
  for (uint32_t rank = 0; rank < rank_count(); ++rank) post(rank, pattern);
  for (uint32_t rank = 0; rank < rank_count(); ++rank) wait_all(rank, pattern);
  message_count_ += pattern.size();
}

void Simulation::post(uint32_t rank, const Pattern& pattern) {
  Rank& of = ranks_[rank];
  for (const uint32_t i : pattern.to(rank)) {
    enter(rank, irecv_);
    overhead(rank, 150);
    transfers_[i].receive_request = ++of.request_count;
    transfers_[i].posted_ns = of.now_ns;
    trace::WordWriter out(of.events.add_words(EventKind::kMpiIrecvRequest, of.now_ns, 2));
    out.put(of.request_count, 2);
    overhead(rank, 150);
    leave(rank, irecv_);
  }
  const auto [first, end] = pattern.from(rank);
  for (uint32_t i = first; i < end; ++i) {
    const Edge& edge = pattern.edge(i);
    enter(rank, isend_);
    overhead(rank, 200);
    transfers_[i].send_request = ++of.request_count;
    transfers_[i].sent_ns = of.now_ns;
    trace::WordWriter out(of.events.add_words(EventKind::kMpiIsend, of.now_ns, 7));
    out.put(edge.receiver, 1);
    out.put(kWorld, 1);
    out.put(edge.tag, 1);
    out.put(edge.bytes, 2);
    out.put(of.request_count, 2);
    overhead(rank, 400);
    leave(rank, isend_);
  }
}

void Simulation::wait_all(uint32_t rank, const Pattern& pattern) {
  const auto [first, end] = pattern.from(rank);
  const auto incoming = pattern.to(rank);
  if (first == end && incoming.empty()) return;
  const auto arrival_ns = [&](uint32_t i) {
    const Edge& edge = pattern.edge(i);
    const uint64_t left_ns = edge.bytes > kEagerBytes
                                 ? std::max(transfers_[i].sent_ns, transfers_[i].posted_ns)
                                 : transfers_[i].sent_ns;
    return left_ns + static_cast<uint64_t>(transfer_ns(edge.sender, edge.receiver, edge.bytes));
  };

  Rank& of = ranks_[rank];
  enter(rank, waitall_);
  overhead(rank, 100);
  completions_.clear();
  for (const uint32_t i : incoming) {
    completions_.push_back({std::max(of.now_ns, arrival_ns(i)), i, true});
  }
  for (uint32_t i = first; i < end; ++i) {
    const uint64_t bytes = pattern.edge(i).bytes;
    const uint64_t free_ns =
        bytes > kEagerBytes
            ? arrival_ns(i)
            : transfers_[i].sent_ns +
                  static_cast<uint64_t>(static_cast<double>(bytes) / kCopyBytesPerNs);
    completions_.push_back({std::max(of.now_ns, free_ns), i, false});
  }
  std::sort(completions_.begin(), completions_.end(), [](const Completion& a, const Completion& b) {
    return std::tie(a.ns, a.is_receive, a.edge) < std::tie(b.ns, b.is_receive, b.edge);
  });
  for (const Completion& completion : completions_) {
    wait_until(rank, completion.ns);
    of.now_ns += 30;
    const Transfer& transfer = transfers_[completion.edge];
    if (completion.is_receive) {
      const Edge& edge = pattern.edge(completion.edge);
      trace::WordWriter out(of.events.add_words(EventKind::kMpiIrecv, of.now_ns, 7));
      out.put(edge.sender, 1);
      out.put(kWorld, 1);
      out.put(edge.tag, 1);
      out.put(edge.bytes, 2);
      out.put(transfer.receive_request, 2);
    } else {
      trace::WordWriter out(of.events.add_words(EventKind::kMpiIsendComplete, of.now_ns, 2));
      out.put(transfer.send_request, 2);
    }
  }
  overhead(rank, 100);
  leave(rank, waitall_);
}

std::vector<trace::Events> Simulation::take_events() {
  std::vector<trace::Events> events;
  events.reserve(ranks_.size());
  for (Rank& rank : ranks_) events.push_back(rank.events.finish());
  return events;
}

}  // namespace pathline::synth
