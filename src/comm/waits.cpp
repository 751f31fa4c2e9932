// SPDX-License-Identifier: BSD-3-Clause
#include "comm/waits.hpp"

#include <algorithm>
#include <iterator>

namespace pathline::comm {
namespace {

class Sums {
 public:
  Sums(const trace::Trace& trace, const trace::Selection& selection)
      : selection_(selection), rank_count_(trace.rank_count) {
    for (size_t kind = 0; kind < kWaitKindCount; ++kind) {
      for (uint32_t rank = 0; rank < rank_count_; ++rank) {
        rows_.push_back({static_cast<WaitKind>(kind), rank, 0, 0});
      }
    }
  }

  void add(WaitKind kind, uint32_t rank, uint64_t from_ticks, uint64_t until_ticks) {
    if (from_ticks >= until_ticks || !selection_.has_rank(rank)) return;
    WaitRow& row = rows_[static_cast<size_t>(kind) * rank_count_ + rank];
    const uint64_t from = std::max(from_ticks, selection_.from_ticks);
    const uint64_t until = std::min(until_ticks, selection_.until_ticks);
    row.count += selection_.has_time(from_ticks) ? 1 : 0;
    row.ticks += from < until ? until - from : 0;
  }

  std::vector<WaitRow> rows() && {
    std::erase_if(rows_, [](const WaitRow& row) { return row.count == 0 && row.ticks == 0; });
    return std::move(rows_);
  }

 private:
  const trace::Selection& selection_;
  uint32_t rank_count_;
  std::vector<WaitRow> rows_;
};

}  // namespace

uint64_t Waits::mpi_ticks() const {
  uint64_t sum = 0;
  for (const WaitRow& row : rows) sum += is_mpi_wait(row.kind) ? row.ticks : 0;
  return sum;
}

void add(const Waits& more, Waits& sum) {
  const auto is_before = [](const WaitRow& a, const WaitRow& b) {
    return a.kind != b.kind ? a.kind < b.kind : a.rank < b.rank;
  };
  std::vector<WaitRow> all;
  all.reserve(sum.rows.size() + more.rows.size());
  std::merge(sum.rows.begin(), sum.rows.end(), more.rows.begin(), more.rows.end(),
             std::back_inserter(all), is_before);
  sum.rows.clear();
  for (const WaitRow& row : all) {
    if (sum.rows.empty() || is_before(sum.rows.back(), row)) {
      sum.rows.push_back(row);
      continue;
    }
    sum.rows.back().count += row.count;
    sum.rows.back().ticks += row.ticks;
  }
  sum.messages_without_call += more.messages_without_call;
}

Waits chosen(const Waits& waits, const trace::Selection& selection) {
  Waits result;
  result.messages_without_call = waits.messages_without_call;
  std::copy_if(waits.rows.begin(), waits.rows.end(), std::back_inserter(result.rows),
               [&](const WaitRow& row) { return selection.has_rank(row.rank); });
  return result;
}

Waits waits(const trace::Trace& trace, const trace::Selection& selection, base::ThreadPool& pool) {
  return waits(trace, dependencies(trace, pool), selection);
}

Waits waits(const trace::Trace& trace, const Dependencies& all, const trace::Selection& selection) {
  const MpiCalls& calls = all.calls;
  Sums sums(trace, selection);
  for (size_t lane = 0; lane < calls.lanes.size(); ++lane) {
    const uint32_t rank = calls.lanes[lane].rank;
    for (uint32_t call = calls.first[lane]; call < calls.first[lane + 1]; ++call) {
      if (all.kind[call] == kNoWait) continue;
      sums.add(all.kind[call], rank, calls.begin_ticks[call], all.dep_ticks[call]);
    }
  }
  for (const auto& [call, from_ticks] : all.wrong_order) {
    const uint32_t rank = calls.lanes[calls.lane_of(call)].rank;
    sums.add(WaitKind::kWrongOrder, rank, from_ticks, all.dep_ticks[call]);
  }
  const OmpBarriers& barriers = all.omp_barriers;
  for (size_t i = 0; i < barriers.size(); ++i) {
    const uint32_t rank = trace.locations[barriers.location[i]].rank;
    sums.add(WaitKind::kOmpBarrier, rank, barriers.begin_ticks[i], barriers.last_ticks[i]);
  }
  Waits result;
  result.rows = std::move(sums).rows();
  result.messages_without_call = all.messages_without_call;
  return result;
}

}  // namespace pathline::comm
