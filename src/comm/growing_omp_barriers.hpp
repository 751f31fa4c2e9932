// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "base/packing.hpp"
#include "base/thread_pool.hpp"
#include "comm/omp_teams.hpp"
#include "comm/part_place.hpp"
#include "comm/wait_sums.hpp"
#include "trace/trace.hpp"

namespace pathline::comm {

/// The waits of omp_barriers() of a run that comes in parts.
class GrowingOmpBarriers {
 public:
  explicit GrowingOmpBarriers(const trace::Trace& run);

  /// part  begins with the Enters of open calls.
  void add(const trace::Trace& part, const PartPlace& place, base::ThreadPool& pool);
  /// By rank.
  [[nodiscard]] std::vector<WaitRow> rows() const { return sums_.rows(); }
  /// For the process that adds up what others saw of ranks of their own.
  void pack(base::Packer& out) const { out.put_list(rows()); }
  void take(base::Unpacker& in) {
    for (const WaitRow& row : in.list<WaitRow>()) sums_.add(row);
  }

 private:
  struct Rank {
    std::vector<uint32_t> threads;
    std::vector<OmpVisit> visits;  // Of teams that may not be all there.
    std::vector<OmpVisit> open;
  };
  void add(const trace::Trace& part, const PartPlace& place, Rank& rank) const;

  std::vector<bool> barriers_;  // By region.
  std::vector<Rank> ranks_;     // Empty for a program without barriers.
  WaitSums sums_;
};

}  // namespace pathline::comm
