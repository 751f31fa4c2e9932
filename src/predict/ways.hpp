// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.hpp"
#include "mapping/placement.hpp"
#include "predict/flows.hpp"
#include "predict/model.hpp"

namespace pathline::predict {

/// Where ranks are, and what their messages go over: links of the network, or the unit of a node
/// that both ends share. Ways are numbered for run_steps(), links first.
class Ways {
 public:
  /// All must outlive it.
  Ways(const Machine& machine, const mapping::Placement& placement)
      : machine_(machine),
        placement_(placement),
        way_count_(machine.network == nullptr ? 0 : machine.network->link_limit()) {}

  /// Gives each rank its core.
  /// errors  a refusal when a node has fewer cores than ranks
  base::Status seat(Bind bind);

  [[nodiscard]] uint32_t node_of(uint32_t rank) const { return placement_.node_of_rank[rank]; }
  [[nodiscard]] uint32_t core_of(uint32_t rank) const { return core_[rank]; }
  [[nodiscard]] bool is_inside(uint32_t a, uint32_t b) const { return node_of(a) == node_of(b); }

  /// Appends the ways of a message.
  /// returns  what benchmarks call such a connection
  HaloTable::Way add(uint32_t sender, uint32_t receiver, std::vector<uint32_t>& ways);
  /// Number of ways so far.
  [[nodiscard]] uint32_t count() const { return way_count_; }

  /// Kinds of messages, which run_steps() wants.
  uint32_t kind_of(const HaloTable::Way& way, const std::string& layout, uint64_t bytes);
  [[nodiscard]] const std::vector<MessageKind>& kinds() const { return kinds_; }

 private:
  /// What messages share inside a node, or where the network is not known.
  uint32_t shared_part(uint32_t node, size_t level, uint32_t unit);

  const Machine& machine_;
  const mapping::Placement& placement_;
  std::vector<uint32_t> core_;  // By rank.
  uint32_t way_count_ = 0;
  std::map<std::tuple<uint32_t, size_t, uint32_t>, uint32_t> parts_;
  std::vector<MessageKind> kinds_;
  std::map<std::tuple<HaloTable::Way, std::string, uint64_t>, uint32_t> kind_numbers_;
  std::vector<network::Link> route_;
};

}  // namespace pathline::predict
