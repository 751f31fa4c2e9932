// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/machine.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/natural_order.hpp"
#include "base/text.hpp"

namespace pathline::insitu {
namespace {

constexpr uint32_t kNobody = UINT32_MAX;
constexpr uint32_t kSeveral = UINT32_MAX - 1;

/// The switches above some hosts.
class UsedSwitches {
 public:
  UsedSwitches(const SwitchTree& tree, const std::vector<std::string>& hosts) : tree_(tree) {
    for (uint32_t i = 0; i < hosts.size(); ++i) {
      for (const std::string& parent : parents_of(hosts[i])) visit(parent, 1, i);
    }
  }

  struct Used {
    uint32_t level = 0;
    uint32_t first_host = UINT32_MAX;  ///< By name: the smallest below.
  };
  [[nodiscard]] const std::map<std::string, Used>& all() const { return used_; }
  [[nodiscard]] const std::vector<std::string>& parents_of(const std::string& name) const {
    static const std::vector<std::string> none;
    const auto found = tree_.parents.find(name);
    return found == tree_.parents.end() ? none : found->second;
  }
  /// Sorts hosts by the switches above them, from the top.
  [[nodiscard]] std::vector<uint32_t> way_down(const std::string& host, uint32_t number) const {
    std::vector<uint32_t> way = {number};
    for (const std::string* name = &host; !parents_of(*name).empty();) {
      name = &parents_of(*name).front();
      way.push_back(used_.at(*name).first_host);
    }
    std::reverse(way.begin(), way.end());
    return way;
  }

 private:
  /// Again whenever a longer way leads here; without rings that ends.
  void visit(const std::string& name, uint32_t level, uint32_t host) {
    Used& used = used_[name];
    if (used.level >= level && used.first_host <= host) return;
    used.level = std::max(used.level, level);
    used.first_host = std::min(used.first_host, host);
    for (const std::string& parent : parents_of(name)) visit(parent, used.level + 1, host);
  }

  const SwitchTree& tree_;
  std::map<std::string, Used> used_;
};

/// A rank and the part of its node that it may use, in positions of PUs.
struct Span {
  uint32_t rank;
  uint32_t first;
  uint32_t last;
};

/// Ranks whose spans overlap share what they cover together, side by side.
struct Share {
  uint32_t first = 0;
  uint32_t last = 0;
  std::vector<Span> spans;
  [[nodiscard]] double width() const { return last - first + 1.0; }
};

std::vector<Share> shares_of(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
    return std::tie(a.first, a.last, a.rank) < std::tie(b.first, b.last, b.rank);
  });
  std::vector<Share> shares;
  for (const Span& span : spans) {
    if (shares.empty() || span.first > shares.back().last) {
      shares.push_back({span.first, span.last, {}});
    }
    shares.back().last = std::max(shares.back().last, span.last);
    shares.back().spans.push_back(span);
  }
  return shares;
}

/// The node as far as only its ranks are known.
void place_alone(Node& node, const std::vector<uint32_t>& ranks) {
  for (const uint32_t rank : ranks) {
    const auto at = static_cast<double>(node.ranks.size());
    node.ranks.push_back({rank, at, at + 1});
  }
  node.width = static_cast<double>(ranks.size());
  node.row_count = 1;
  node.hardware.push_back(
      {.type = "Machine", .end = node.width, .rank = ranks.size() == 1 ? ranks[0] : kNobody});
}

/// Ranks on the hardware that they may use.
/// returns  false if no rank says what that is
bool place_in(Node& node, const std::vector<uint32_t>& ranks, std::span<const RankPlace> places,
              const host::Topology& topology) {
  std::vector<uint32_t> wanted;
  for (const uint32_t rank : ranks) {
    wanted.insert(wanted.end(), places[rank].pus.begin(), places[rank].pus.end());
  }
  const host::Parts parts = topology.parts(wanted);
  if (parts.pus.empty()) return false;
  std::map<uint32_t, uint32_t> position_of_pu;
  for (uint32_t i = 0; i < parts.pus.size(); ++i) position_of_pu[parts.pus[i]] = i;
  const auto pu_count = static_cast<uint32_t>(parts.pus.size());

  std::vector<uint32_t> user(pu_count, kNobody);
  std::vector<Span> spans;
  for (const uint32_t rank : ranks) {
    Span span{rank, UINT32_MAX, 0};
    for (const uint32_t pu : places[rank].pus) {
      const auto found = position_of_pu.find(pu);
      if (found == position_of_pu.end()) continue;
      const uint32_t at = found->second;
      span.first = std::min(span.first, at);
      span.last = std::max(span.last, at);
      user[at] = user[at] == kNobody || user[at] == rank ? rank : kSeveral;
    }
    if (span.first > span.last) span = {rank, 0, pu_count - 1};  // It may be anywhere.
    spans.push_back(span);
  }

  const std::vector<Share> shares = shares_of(std::move(spans));
  double scale = 1;  // So that no rank is narrower than 1.
  for (const Share& share : shares) {
    scale = std::max(scale, static_cast<double>(share.spans.size()) / share.width());
  }
  for (const Share& share : shares) {
    const double each = share.width() * scale / static_cast<double>(share.spans.size());
    double at = share.first * scale;
    for (const Span& span : share.spans) {
      node.ranks.push_back({span.rank, at, at + each});
      at += each;
    }
  }
  for (const host::Part& part : parts.parts) {
    uint32_t rank = kNobody;
    for (uint32_t i = part.first; i <= part.last; ++i) {
      if (user[i] != kNobody && user[i] != rank) rank = rank == kNobody ? user[i] : kSeveral;
    }
    node.hardware.push_back({.type = part.type,
                             .row = part.row,
                             .logical_index = part.logical_index,
                             .os_index = part.os_index,
                             .begin = part.first * scale,
                             .end = (part.last + 1) * scale,
                             .rank = rank == kSeveral ? kNobody : rank});
  }
  node.row_count = parts.row_count;
  node.width = pu_count * scale;
  return true;
}

/// Switches between the nodes, which are in their order.
void add_switches(Machine& machine, const UsedSwitches& used) {
  std::map<std::string, Switch> found;
  for (const auto& [name, what] : used.all()) {
    found[name] = {.name = name, .level = what.level, .first_node = UINT32_MAX};
  }
  // By level, so that what is below is complete.
  std::vector<Switch*> by_level;
  for (auto& [name, one] : found) by_level.push_back(&one);
  std::stable_sort(by_level.begin(), by_level.end(),
                   [](const Switch* a, const Switch* b) { return a->level < b->level; });
  const auto cover = [&](const std::string& child, uint32_t first, uint32_t last) {
    for (const std::string& parent : used.parents_of(child)) {
      Switch& above = found.at(parent);
      above.first_node = std::min(above.first_node, first);
      above.last_node = std::max(above.last_node, last);
    }
  };
  for (uint32_t i = 0; i < machine.nodes.size(); ++i) cover(machine.nodes[i].host, i, i);
  for (const Switch* one : by_level) cover(one->name, one->first_node, one->last_node);

  std::stable_sort(by_level.begin(), by_level.end(), [](const Switch* a, const Switch* b) {
    return std::tie(a->level, a->first_node, a->last_node) <
           std::tie(b->level, b->first_node, b->last_node);
  });
  std::map<std::string, uint32_t> number;
  for (const Switch* one : by_level) {
    number[one->name] = static_cast<uint32_t>(machine.switches.size());
    machine.switches.push_back(*one);
  }
  for (Switch& one : machine.switches) {
    for (const std::string& parent : used.parents_of(one.name)) {
      one.parents.push_back(number.at(parent));
    }
  }
  std::vector<std::string> without;
  for (Node& node : machine.nodes) {
    for (const std::string& parent : used.parents_of(node.host)) {
      node.switches.push_back(number.at(parent));
    }
    if (node.switches.empty()) without.push_back(node.host);
  }
  if (!without.empty()) {
    machine.remarks.push_back(
        fmt::format("{} on no switch: {}{}", base::counted(without.size(), "node is", "nodes are"),
                    base::printable(without[0]), without.size() > 1 ? ", ..." : ""));
  }
}

}  // namespace

Machine build_machine(std::span<const RankPlace> places,
                      const std::map<std::string, const host::Topology*>& topologies,
                      const SwitchTree& switches) {
  std::map<std::string, std::vector<uint32_t>, base::NaturalLess> ranks_of_host;
  for (uint32_t rank = 0; rank < places.size(); ++rank) {
    ranks_of_host[places[rank].host].push_back(rank);
  }
  std::vector<std::string> hosts;
  for (const auto& [host, unused] : ranks_of_host) hosts.push_back(host);
  const UsedSwitches used(switches, hosts);
  std::vector<std::pair<std::vector<uint32_t>, std::string>> order;
  for (uint32_t i = 0; i < hosts.size(); ++i)
    order.emplace_back(used.way_down(hosts[i], i), hosts[i]);
  std::sort(order.begin(), order.end());

  Machine machine;
  machine.node_of_rank.resize(places.size());
  for (const auto& [unused, host] : order) {
    Node node{.host = host};
    const std::vector<uint32_t>& ranks = ranks_of_host[host];
    const auto topology = topologies.find(host);
    const bool known = topology != topologies.end() && topology->second != nullptr;
    if (!known || !place_in(node, ranks, places, *topology->second)) place_alone(node, ranks);
    for (const uint32_t rank : ranks) {
      machine.node_of_rank[rank] = static_cast<uint32_t>(machine.nodes.size());
    }
    machine.nodes.push_back(std::move(node));
  }
  if (!switches.empty()) add_switches(machine, used);
  return machine;
}

}  // namespace pathline::insitu
