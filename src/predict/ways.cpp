// SPDX-License-Identifier: BSD-3-Clause
#include "predict/ways.hpp"

#include <fmt/format.h>

namespace pathline::predict {

base::Status Ways::seat(Bind bind) {
  const std::vector<uint32_t> order = core_order(machine_.node, bind);
  core_.resize(placement_.rank_count());
  for (uint32_t rank = 0; rank < placement_.rank_count(); ++rank) {
    const uint32_t slot = placement_.slot_of_rank[rank];
    if (slot >= order.size()) {
      return refusal(fmt::format("rank {} has slot {} of its node, which has {} cores", rank, slot,
                                 order.size()));
    }
    core_[rank] = order[slot];
  }
  return {};
}

HaloTable::Way Ways::add(uint32_t sender, uint32_t receiver, std::vector<uint32_t>& ways) {
  const uint32_t from = node_of(sender);
  const uint32_t to = node_of(receiver);
  HaloTable::Way way;
  if (from == to) {
    const size_t level = shared_level(machine_.node, core_[sender], core_[receiver]);
    const uint32_t unit = machine_.node.units[core_[receiver]][level];
    way.connection = machine_.node.levels[level].type;
    ways.push_back(shared_part(from, level, unit));
  } else if (machine_.network == nullptr) {
    way = {.connection = "network", .hops = 1};
    ways.push_back(shared_part(from, machine_.node.levels.size(), 0));
  } else {
    route_.clear();
    machine_.network->route(network::Vertex(from), network::Vertex(to), route_);
    way = {.connection = "network", .hops = static_cast<uint32_t>(route_.size())};
    ways.insert(ways.end(), route_.begin(), route_.end());
  }
  return way;
}

uint32_t Ways::shared_part(uint32_t node, size_t level, uint32_t unit) {
  const auto [at, is_new] = parts_.try_emplace({node, level, unit}, way_count_);
  if (is_new) ++way_count_;
  return at->second;
}

uint32_t Ways::kind_of(const HaloTable::Way& way, const std::string& layout, uint64_t bytes) {
  const auto [at, is_new] =
      kind_numbers_.try_emplace({way, layout, bytes}, static_cast<uint32_t>(kinds_.size()));
  if (is_new) {
    kinds_.push_back({.protocol = machine_.halo.protocol(way.connection, bytes),
                      .both_directions = way.hops == 0,
                      .time = [&halo = machine_.halo, way, layout, bytes](double lanes) {
                        return halo.time(way, layout, bytes, lanes);
                      }});
  }
  return at->second;
}

}  // namespace pathline::predict
