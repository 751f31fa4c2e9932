// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "comm/dependency_part.hpp"
#include "comm/mpi_calls.hpp"
#include "trace/ranks.hpp"
#include "trace/trace.hpp"

namespace pathline::comm {

/// What members of collective operations wait for.
class CollectiveDependencies {
 public:
  /// All must outlive this. The calls are those of the run, or all that the operations touch.
  CollectiveDependencies(const trace::Trace& run, const trace::CommunicatorRanks& ranks,
                         const trace::Collectives& operations, const MpiCalls& calls)
      : run_(run), ranks_(ranks), all_(operations), calls_(calls) {}

  /// operation  a row of the operations.
  void add(size_t operation, CallFinder& finder, DependencyPart& part) const;

 private:
  [[nodiscard]] GroupMember member_of(uint32_t row, CallFinder& finder) const;
  void sort_by_rank(size_t operation, std::vector<GroupMember>& members) const;

  const trace::Trace& run_;
  const trace::CommunicatorRanks& ranks_;
  const trace::Collectives& all_;
  const MpiCalls& calls_;
};

}  // namespace pathline::comm
