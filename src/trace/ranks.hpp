// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.hpp"

namespace pathline::trace {

/// Numbers the processes of a trace and tells for every location which one it belongs to. Ranks
/// are the order of MPI's list of locations; without MPI that of another library with processes,
/// and without any the order of the process definitions. Accelerator streams belong to the process
/// that created their context. Fills rank_count, rank_location and the locations' ranks; the
/// locations must be there.
void assign_ranks(Trace& trace);

/// From ranks inside a communicator to ranks of the program.
class CommunicatorRanks {
 public:
  /// trace  after assign_ranks; must outlive this.
  explicit CommunicatorRanks(const Trace& trace);

  /// Rank `peer` of communicator `comm` (an index) as an event of `location` means it: for an
  /// inter-communicator a rank of the group that the location is not in. none() if there is none.
  [[nodiscard]] Rank resolve(uint32_t comm, uint32_t peer, const Location& location) const {
    const Table& table = tables_[comm];
    if (table.self) return peer == 0 ? location.rank : Rank::none();
    const std::vector<uint32_t>* members = table.members;
    if (table.remote_members != nullptr && location.rank.valid() &&
        table.in_members[location.rank]) {
      members = table.remote_members;
    }
    if (members == nullptr || peer >= members->size()) return Rank::none();
    return Rank((*members)[peer]);
  }
  /// How many ranks a communicator has, those of a remote group included; 0 if it is not known.
  [[nodiscard]] size_t size(uint32_t comm) const;

 private:
  struct Table {
    bool self = false;
    const std::vector<uint32_t>* members = nullptr;         // Ranks; of group A.
    const std::vector<uint32_t>* remote_members = nullptr;  // Of group B.
    std::vector<bool> in_members;                           // By rank; only with group B.
  };

  std::vector<std::vector<uint32_t>> group_ranks_;
  std::vector<Table> tables_;
};

}  // namespace pathline::trace
