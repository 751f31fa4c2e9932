// SPDX-License-Identifier: BSD-3-Clause
#include "comm/dependencies.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "comm/collective_dependencies.hpp"
#include "comm/dependency_part.hpp"
#include "trace/ranks.hpp"

namespace pathline::comm {
namespace {

/// MPI_Finalize of all ranks, unless its recorder knows it as a collective operation.
void add_finalize(const MpiCalls& calls, const std::vector<DependencyPart>& parts, uint32_t set,
                  DependencyPart& part) {
  for (const DependencyPart& other : parts) {
    for (const WaitKind kind : other.group_kind) {
      if (kind == WaitKind::kFinalize) return;
    }
  }
  part.add_finalize(calls, set);
}

/// A dependency on a group, of which it is not known yet what it is for.
struct GroupEntry {
  uint64_t end_ticks;
  uint32_t call;
  uint32_t dependency;
};

/// Puts the columns together.
class Joiner {
 public:
  explicit Joiner(Dependencies& all) : all_(all) {}

  void run(const std::vector<DependencyPart>& parts, base::ThreadPool& pool) {
    lay_out(parts);
    for (const DependencyPart& part : parts) add(part);
    all_.group_first.push_back(static_cast<uint32_t>(all_.member.size()));
    find_latest(pool);
    for (const GroupEntry& entry : group_entries_) {
      const uint32_t target = latest_[all_.list[entry.dependency].target];
      if (target == kNoCall || target == entry.call) continue;
      const uint64_t begin = all_.calls.begin_ticks[target];
      if (begin > entry.end_ticks) add_early(entry.dependency, begin - entry.end_ticks);
      keep_latest(entry.call, target, std::min(begin, entry.end_ticks),
                  all_.list[entry.dependency].kind);
    }
    std::sort(all_.early.begin(), all_.early.end(),
              [](const Dependencies::Early& a, const Dependencies::Early& b) {
                return a.dependency < b.dependency;
              });
  }

 private:
  /// Makes room for the dependencies of each call, and says in next_ where they begin.
  void lay_out(const std::vector<DependencyPart>& parts) {
    const size_t calls = all_.calls.size();
    next_.assign(calls + 1, 0);
    size_t total = 0;
    for (const DependencyPart& part : parts) {
      for (const DependencyEntry& entry : part.entries) ++next_[entry.call];
      total += part.entries.size();
      all_.messages_without_call += part.messages_without_call;
    }
    if (total >= UINT32_MAX) throw std::length_error("more than 4 billion dependencies");
    all_.first.resize(calls + 1);
    uint32_t sum = 0;
    for (size_t call = 0; call <= calls; ++call) {
      all_.first[call] = sum;
      sum += std::exchange(next_[call], sum);
    }
    all_.list.resize(total);
    all_.kind.resize(calls);
    all_.cause.resize(calls);
    all_.dep_ticks.resize(calls);
    std::fill(all_.kind.begin(), all_.kind.end(), kNoWait);
    std::fill(all_.cause.begin(), all_.cause.end(), kNoCall);
    std::fill(all_.dep_ticks.begin(), all_.dep_ticks.end(), 0);
  }

  void add(const DependencyPart& part) {
    const auto first_member = static_cast<uint32_t>(all_.member.size());
    auto early = part.early.begin();
    for (size_t k = 0; k < part.entries.size(); ++k) {
      const DependencyEntry& entry = part.entries[k];
      const uint32_t i = next_[entry.call]++;
      const bool of_group = is_group(entry.kind);
      all_.list[i] = {of_group ? first_member + entry.target : entry.target, entry.kind,
                      entry.role};
      if (early != part.early.end() && early->entry == k) add_early(i, early++->ticks);
      if (!of_group) {
        keep_latest(entry.call, entry.target, entry.ticks, entry.kind);
      } else if ((entry.role & kWaits) != 0) {
        group_entries_.push_back({entry.ticks, entry.call, i});
      }
    }
    size_t row = 0;
    for (size_t i = 0; i < part.group_size.size(); ++i) {
      all_.group_first.push_back(static_cast<uint32_t>(all_.member.size()));
      for (uint32_t k = 0; k < part.group_size[i]; ++k) {
        all_.group.push_back(static_cast<uint32_t>(all_.group_kind.size()));
        all_.member.push_back(part.member[row++]);
      }
      all_.group_kind.push_back(part.group_kind[i]);
      all_.group_set.push_back(part.group_set[i]);
    }
  }

  void add_early(uint32_t dependency, uint64_t ticks) {
    all_.early.push_back({dependency, ticks});
    ++all_.violations;
    all_.max_violation_ticks = std::max(all_.max_violation_ticks, ticks);
  }

  void keep_latest(uint32_t call, uint32_t target, uint64_t ticks, WaitKind kind) {
    const uint64_t known = all_.dep_ticks[call];
    // Calls are numbered lane by lane: the lower one is of the lower rank.
    if (std::tie(ticks, all_.cause[call], all_.kind[call]) <= std::tie(known, target, kind)) return;
    all_.dep_ticks[call] = ticks;
    all_.cause[call] = target;
    all_.kind[call] = all_.calls.is(call, kPolls) ? WaitKind::kPolling : kind;
  }

  /// Of two calls the one that began later; of equally late ones that of the lower lane.
  [[nodiscard]] uint32_t later(uint32_t a, uint32_t b) const {
    if (a == kNoCall || b == kNoCall) return a == kNoCall ? b : a;
    const uint64_t a_ticks = all_.calls.begin_ticks[a];
    const uint64_t b_ticks = all_.calls.begin_ticks[b];
    if (a_ticks != b_ticks) return a_ticks > b_ticks ? a : b;
    return std::min(a, b);
  }

  /// Per member row of a scan, the latest of the rows up to it; of other groups, of all.
  void find_latest(base::ThreadPool& pool) {
    latest_.resize(all_.member.size());
    const size_t groups = all_.group_kind.size();
    all_.group_latest.resize(groups);
    constexpr size_t kPiece = 1U << 12U;
    pool.for_each((groups + kPiece - 1) / kPiece, [&](size_t piece) {
      for (size_t g = piece * kPiece; g < std::min(groups, (piece + 1) * kPiece); ++g) {
        uint32_t found = kNoCall;
        for (uint32_t row = all_.group_first[g]; row < all_.group_first[g + 1]; ++row) {
          latest_[row] = found = later(found, all_.member[row]);
        }
        all_.group_latest[g] = found;
        if (all_.group_kind[g] == WaitKind::kEarlyScan) continue;
        for (uint32_t row = all_.group_first[g]; row < all_.group_first[g + 1]; ++row) {
          latest_[row] = found;
        }
      }
    });
  }

  Dependencies& all_;
  std::vector<uint32_t> next_;  // Per call, where its next dependency goes.
  base::Column<GroupEntry> group_entries_;
  base::Column<uint32_t> latest_;  // Per member row.
};

std::vector<Dependencies::WrongOrder> wrong_order_of(const Dependencies& all, size_t lane) {
  std::vector<Dependencies::WrongOrder> found;
  uint64_t first_sent = UINT64_MAX;  // Of all that later calls received.
  for (uint32_t call = all.calls.first[lane + 1]; call-- > all.calls.first[lane];) {
    if (!all.calls.is(call, kReceives)) continue;
    if (all.kind[call] == WaitKind::kLateSender) {
      const uint64_t from = std::max(first_sent, all.calls.begin_ticks[call]);
      if (from < all.dep_ticks[call]) found.push_back({call, from});
    }
    if (all.calls.is(call, kPolls)) continue;
    for (uint32_t i = all.first[call]; i < all.first[call + 1]; ++i) {
      if (all.list[i].kind != WaitKind::kLateSender) continue;
      first_sent = std::min(first_sent, all.calls.begin_ticks[all.list[i].target]);
    }
  }
  std::reverse(found.begin(), found.end());
  return found;
}

/// What came in the wrong order.
void find_wrong_order(Dependencies& all, base::ThreadPool& pool) {
  std::vector<std::vector<Dependencies::WrongOrder>> wrong(all.calls.lanes.size());
  pool.for_each(wrong.size(), [&](size_t lane) { wrong[lane] = wrong_order_of(all, lane); });
  for (const auto& of_lane : wrong) {
    all.wrong_order.insert(all.wrong_order.end(), of_lane.begin(), of_lane.end());
  }
}

/// See Dependencies: which calls of polls begin behind the work between them.
void begin_behind_work(size_t regions, Dependencies& all) {
  MpiCalls& calls = all.calls;
  const auto gave_up = [&](uint32_t call) {
    return !calls.is(call, kReceives) && all.wait_ticks(call) == 0;
  };
  struct Sums {
    uint64_t gave_up = 0;
    uint64_t received = 0;
  };
  std::vector<Sums> sums(regions);
  for (const PollWork& work : calls.poll_work) {
    if (!calls.is(work.call, kMeasured)) continue;
    (gave_up(work.call) ? sums[work.region].gave_up : sums[work.region].received) += work.ticks;
  }
  std::vector<PollWork> rest;
  for (const PollWork& work : calls.poll_work) {
    if (!calls.is(work.call, kMeasured)) continue;
    // A receive behind a probe is what its sender may wait for: when that began is to stay.
    const bool works = sums[work.region].gave_up > sums[work.region].received &&
                       calls.region[work.call] == work.region;
    if (works || gave_up(work.call)) {
      calls.begin_ticks[work.call] += work.ticks;
    } else {
      rest.push_back(work);
    }
  }
  calls.poll_work = std::move(rest);
}

std::vector<DependencyPart> parts_of(const trace::Trace& trace, const MpiCalls& calls,
                                     base::ThreadPool& pool) {
  constexpr size_t kPiece = 1U << 18U;  // Each looks for its calls anew.
  const size_t message_pieces = trace.messages.size() / kPiece + 1;
  const size_t operation_pieces = trace.collectives.size() / kPiece + 1;
  const size_t pieces = message_pieces + operation_pieces;
  std::vector<DependencyPart> parts(pieces + 1);
  const trace::CommunicatorRanks ranks(trace);
  const CollectiveDependencies collectives(trace, ranks, trace.collectives, calls);
  pool.for_each(pieces, [&](size_t piece) {
    const bool of_messages = piece < message_pieces;
    const size_t begin = (of_messages ? piece : piece - message_pieces) * kPiece;
    const size_t count = of_messages ? trace.messages.size() : trace.collectives.size();
    if (of_messages) parts[piece].entries.reserve(std::min(kPiece, count - begin));
    CallFinder finder(calls);
    CallFinder post_finder(calls);
    for (size_t i = begin; i < std::min(begin + kPiece, count); ++i) {
      if (of_messages)
        add_message(times_of(trace.messages, i), calls, finder, post_finder, parts[piece]);
      if (!of_messages) collectives.add(i, finder, parts[piece]);
    }
  });
  // Few, and each window's calls belong together.
  auto set = static_cast<uint32_t>(trace.definitions.communicators.size());
  set += add_rma(trace, calls, set, parts[pieces]);
  add_finalize(calls, parts, set, parts[pieces]);
  return parts;
}

}  // namespace

std::string_view wait_name(WaitKind kind) {
  constexpr std::array<std::string_view, kWaitKindCount> kNames = {
      "late_sender",   "late_receiver", "collective", "barrier",     "late_broadcast",
      "early_reduce",  "finalize",      "fence",      "early_scan",  "late_post",
      "late_complete", "lock",          "polling",    "wrong_order", "omp_barrier"};
  return kNames[static_cast<size_t>(kind)];
}

Dependencies dependencies(const trace::Trace& trace, base::ThreadPool& pool) {
  Dependencies result;
  result.calls = mpi_calls(trace, pool);
  Joiner(result).run(parts_of(trace, result.calls, pool), pool);
  begin_behind_work(trace.definitions.regions.size(), result);
  find_wrong_order(result, pool);
  result.omp_barriers = omp_barriers(trace, pool);
  return result;
}

}  // namespace pathline::comm
