// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <unordered_map>

#include "profile/call_tree.hpp"
#include "profile/growing_profile.hpp"
#include "trace/calls.hpp"

namespace pathline::profile {
namespace {

constexpr uint32_t kNone = CallTree::kNone;

/// Adds the calls of a location.
void add_calls(const trace::Trace& trace, const trace::Location& location,
               const trace::Selection& selection, CallTree& tree) {
  uint32_t current = 0;
  uint64_t since = 0;
  const auto charge = [&](uint64_t ticks) {
    const uint64_t from = std::max(since, selection.from_ticks);
    const uint64_t until = std::min(ticks, selection.until_ticks);
    if (from < until) tree[current].exclusive_ticks += until - from;
    since = std::max(since, ticks);
  };
  trace::walk_calls(
      trace.definitions, location.events,
      [&](trace::Region region, uint64_t ticks) {
        charge(ticks);
        current = tree.child(current, region);
        tree[current].visits += selection.has_time(ticks) ? 1 : 0;
      },
      [&](uint64_t ticks) {
        charge(ticks);
        current = tree[current].parent;
      },
      [&](size_t event) {
        if (selection.has_time(location.events.ticks[event])) {
          add_bytes(location.events, event, tree[current]);
        }
      });
}

/// Merged in the order of locations: the numbering does not depend on the threads.
Profile merged(const std::vector<CallTree>& trees) {
  Profile profile;
  std::unordered_map<uint64_t, uint32_t> known;
  profile.by_location.resize(trees.size());
  for (size_t i = 0; i < trees.size(); ++i) {
    const auto& nodes = trees[i].nodes();
    std::vector<uint32_t> global(nodes.size(), kNone);
    for (size_t n = 1; n < nodes.size(); ++n) {
      const uint32_t parent = nodes[n].parent == 0 ? kNone : global[nodes[n].parent];
      const uint64_t key = uint64_t{parent} << 32U | uint32_t{nodes[n].region};
      const auto [entry, added] =
          known.try_emplace(key, static_cast<uint32_t>(profile.call_paths.size()));
      if (added) profile.call_paths.push_back({CallPath(parent), nodes[n].region});
      global[n] = entry->second;
      const CallTree::Node& node = nodes[n];
      if ((node.visits | node.exclusive_ticks | node.bytes_sent | node.bytes_received) == 0) {
        continue;
      }
      profile.by_location[i].push_back(
          {global[n], node.visits, node.exclusive_ticks, node.bytes_sent, node.bytes_received});
    }
    std::sort(profile.by_location[i].begin(), profile.by_location[i].end(),
              [](const Cost& a, const Cost& b) { return a.call_path < b.call_path; });
  }
  return profile;
}

}  // namespace

Profile from_trace(const trace::Trace& trace, const trace::Selection& selection,
                   base::ThreadPool& pool) {
  std::vector<CallTree> trees(trace.locations.size());
  pool.for_each(trees.size(), [&](size_t i) {
    const trace::Location& location = trace.locations[i];
    const bool wanted =
        selection.ranks.empty() || (location.rank.valid() && selection.has_rank(location.rank));
    if (wanted) add_calls(trace, location, selection, trees[i]);
  });
  return merged(trees);
}

GrowingProfile::GrowingProfile(size_t locations) : trees_(locations), since_(locations, 0) {}

Profile GrowingProfile::finish() const { return merged(trees_); }

void GrowingProfile::pack(const std::function<bool(size_t)>& owns, base::Packer& out) const {
  uint64_t count = 0;
  for (size_t i = 0; i < trees_.size(); ++i) count += owns(i) ? 1 : 0;
  out.put(count);
  for (size_t i = 0; i < trees_.size(); ++i) {
    if (!owns(i)) continue;
    out.put(uint64_t{i});
    out.put_list(trees_[i].nodes());
  }
}

void GrowingProfile::take(base::Unpacker& in) {
  for (auto count = in.get<uint64_t>(); count > 0; --count) {
    const auto location = in.get<uint64_t>();
    trees_[location].assign(in.list<CallTree::Node>());
  }
}

}  // namespace pathline::profile
