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

/// Numbers call paths in the order in which they are asked for.
class PathNumbers {
 public:
  explicit PathNumbers(std::vector<CallPathNode>& paths) : paths_(paths) {
    for (uint32_t i = 0; i < paths_.size(); ++i) known_.emplace(key(paths_[i]), i);
  }
  uint32_t number(const CallPathNode& path) {
    const auto [entry, added] = known_.try_emplace(key(path), static_cast<uint32_t>(paths_.size()));
    if (added) paths_.push_back(path);
    return entry->second;
  }

 private:
  static uint64_t key(const CallPathNode& path) {
    return uint64_t{uint32_t{path.parent}} << 32U | uint32_t{path.region};
  }
  std::vector<CallPathNode>& paths_;
  std::unordered_map<uint64_t, uint32_t> known_;
};

/// Merged in the order of locations: the numbering does not depend on the threads.
Profile merged(const std::vector<CallTree>& trees) {
  Profile profile;
  PathNumbers numbers(profile.call_paths);
  profile.by_location.resize(trees.size());
  for (size_t i = 0; i < trees.size(); ++i) {
    const auto& nodes = trees[i].nodes();
    std::vector<uint32_t> global(nodes.size(), kNone);
    for (size_t n = 1; n < nodes.size(); ++n) {
      const uint32_t parent = nodes[n].parent == 0 ? kNone : global[nodes[n].parent];
      global[n] = numbers.number({CallPath(parent), nodes[n].region});
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

namespace {

/// returns  by path in `paths`, its number in the profile.
std::vector<CallPath> added_paths(const std::vector<CallPathNode>& paths, Profile& profile) {
  PathNumbers numbers(profile.call_paths);
  std::vector<CallPath> number_of;
  number_of.reserve(paths.size());
  for (const CallPathNode& path : paths) {
    const CallPath parent = path.parent.valid() ? number_of[path.parent] : CallPath::none();
    number_of.emplace_back(numbers.number({parent, path.region}));
  }
  return number_of;
}

}  // namespace

void add_paths(const std::vector<CallPathNode>& paths, Profile& profile) {
  added_paths(paths, profile);
}

void add(const Profile& more, Profile& sum) {
  const std::vector<CallPath> number_of = added_paths(more.call_paths, sum);
  sum.by_location.resize(std::max(sum.by_location.size(), more.by_location.size()));
  std::vector<Cost> all;
  for (size_t i = 0; i < more.by_location.size(); ++i) {
    std::vector<Cost>& costs = sum.by_location[i];
    all.assign(costs.begin(), costs.end());
    for (Cost cost : more.by_location[i]) {
      cost.call_path = number_of[cost.call_path];
      all.push_back(cost);
    }
    std::sort(all.begin(), all.end(),
              [](const Cost& a, const Cost& b) { return a.call_path < b.call_path; });
    costs.clear();
    for (const Cost& cost : all) {
      if (costs.empty() || costs.back().call_path != cost.call_path) {
        costs.push_back(cost);
        continue;
      }
      costs.back().visits += cost.visits;
      costs.back().exclusive_ticks += cost.exclusive_ticks;
      costs.back().bytes_sent += cost.bytes_sent;
      costs.back().bytes_received += cost.bytes_received;
    }
  }
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
