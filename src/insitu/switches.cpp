// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "insitu/machine.hpp"

namespace pathline::insitu {
namespace {

constexpr uint32_t kMostLevels = 64;

/// Why the switches cannot be drawn; "" if they can.
std::string fault_of(const SwitchTree& tree) {
  enum class State : uint8_t { kNew, kOpen, kDone };
  struct Name {
    State state = State::kNew;
    uint32_t above = 0;  // Levels.
  };
  struct Visit {
    const std::string* name;
    size_t next = 0;
  };
  std::map<std::string_view, Name> names;
  for (const auto& [start, unused] : tree.parents) {
    if (names[start].state != State::kNew) continue;
    std::vector<Visit> path = {{&start}};
    names[start].state = State::kOpen;
    while (!path.empty()) {
      Visit& visit = path.back();
      Name& name = names[*visit.name];
      const auto found = tree.parents.find(*visit.name);
      if (found == tree.parents.end() || visit.next == found->second.size()) {
        name.state = State::kDone;
        if (name.above > kMostLevels) return fmt::format("more than {} levels", kMostLevels);
        path.pop_back();
        continue;
      }
      const std::string& parent = found->second[visit.next];
      Name& above = names[parent];
      if (above.state == State::kOpen) {
        return fmt::format("{} is above itself", base::printable(parent));
      }
      if (above.state == State::kDone) {
        name.above = std::max(name.above, above.above + 1);
        ++visit.next;
        continue;
      }
      above.state = State::kOpen;
      path.push_back({&parent});
    }
  }
  return {};
}

void add(std::vector<std::string>& parents, const std::string& parent) {
  if (std::find(parents.begin(), parents.end(), parent) == parents.end()) parents.push_back(parent);
}

base::Result<SwitchTree> checked(SwitchTree tree, std::string_view where) {
  const std::string fault = fault_of(tree);
  if (fault.empty()) return tree;
  return base::Error{base::ErrorCode::kCorrupt, fmt::format("cannot use the switches of {}: {}",
                                                            base::printable(where), fault)};
}

}  // namespace

base::Result<SwitchTree> switch_tree(std::span<const network::Tree::Branch> branches,
                                     const std::string& file) {
  SwitchTree tree;
  for (const network::Tree::Branch& branch : branches) {
    for (const std::string& child : branch.children) add(tree.parents[child], branch.parent);
  }
  return checked(std::move(tree), file);
}

base::Result<SwitchTree> switch_tree(const std::map<std::string, std::string>& address_of_host) {
  SwitchTree tree;
  for (const auto& [host, address] : address_of_host) {
    // The last part is the node, whose name may differ from the host's.
    std::string above;
    for (size_t begin = 0; begin < address.size();) {
      const size_t end = address.find('.', begin);
      if (end == std::string::npos) break;
      const std::string name = address.substr(begin, end - begin);
      if (!above.empty() && !name.empty()) add(tree.parents[name], above);
      if (!name.empty()) above = name;
      begin = end + 1;
    }
    if (!above.empty()) add(tree.parents[host], above);
  }
  return checked(std::move(tree), "SLURM_TOPOLOGY_ADDR");
}

}  // namespace pathline::insitu
