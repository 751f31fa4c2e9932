// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <unordered_map>

#include "profile/profile.hpp"
#include "trace/calls.hpp"

namespace pathline::profile {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

/// The call tree of one location while it grows. Children hang in lists that keep the child found
/// last in front: programs repeat themselves.
class Tree {
 public:
  struct Node {
    uint32_t parent;
    trace::Region region;
    uint32_t first_child = kNone;
    uint32_t next_sibling = kNone;
    uint64_t visits = 0;
    uint64_t exclusive_ticks = 0;
    uint64_t bytes_sent = 0;
    uint64_t bytes_received = 0;
  };

  Tree() { nodes_.push_back({kNone, trace::Region::none()}); }

  uint32_t child(uint32_t parent, trace::Region region) {
    uint32_t before = kNone;
    for (uint32_t i = nodes_[parent].first_child; i != kNone; i = nodes_[i].next_sibling) {
      if (nodes_[i].region == region) {
        if (before != kNone) {
          nodes_[before].next_sibling = nodes_[i].next_sibling;
          nodes_[i].next_sibling = nodes_[parent].first_child;
          nodes_[parent].first_child = i;
        }
        return i;
      }
      before = i;
    }
    const auto added = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back({parent, region, kNone, nodes_[parent].first_child});
    nodes_[parent].first_child = added;
    return added;
  }
  Node& operator[](uint32_t node) { return nodes_[node]; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  void assign(std::vector<Node> nodes) { nodes_ = std::move(nodes); }

 private:
  std::vector<Node> nodes_;  // 0 is the root above all calls.
};

/// Adds what the event says was sent and received.
void add_bytes(const trace::Events& events, size_t event, Tree::Node& node) {
  using trace::EventKind;
  switch (events.kind[event]) {
    case EventKind::kMpiSend:
    case EventKind::kMpiIsend: node.bytes_sent += events.word64(event, 3); break;
    case EventKind::kMpiRecv:
    case EventKind::kMpiIrecv: node.bytes_received += events.word64(event, 3); break;
    case EventKind::kMpiCollectiveEnd:
      node.bytes_sent += events.word64(event, 3);
      node.bytes_received += events.word64(event, 5);
      break;
    case EventKind::kRmaPut: node.bytes_sent += events.word64(event, 2); break;
    case EventKind::kRmaGet: node.bytes_received += events.word64(event, 2); break;
    default: break;
  }
}

/// Adds the calls of a location, or of a part of it that begins with the Enters of the calls that
/// are open.
///
/// new_ticks  before it, events were counted already.
/// since      until when the time is in the tree already.
void add_calls(const trace::Trace& trace, const trace::Location& location,
               const trace::Selection& selection, uint64_t new_ticks, uint64_t& since, Tree& tree) {
  uint32_t current = 0;
  const auto counts = [&](uint64_t ticks) {
    return ticks >= new_ticks && selection.has_time(ticks);
  };
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
        tree[current].visits += counts(ticks) ? 1 : 0;
      },
      [&](uint64_t ticks) {
        charge(ticks);
        current = tree[current].parent;
      },
      [&](size_t event) {
        if (counts(location.events.ticks[event])) {
          add_bytes(location.events, event, tree[current]);
        }
      });
}

/// Merged in the order of locations: the numbering does not depend on the threads.
Profile merged(const std::vector<Tree>& trees) {
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
      const Tree::Node& node = nodes[n];
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
  std::vector<Tree> trees(trace.locations.size());
  pool.for_each(trees.size(), [&](size_t i) {
    const trace::Location& location = trace.locations[i];
    const bool wanted =
        selection.ranks.empty() || (location.rank.valid() && selection.has_rank(location.rank));
    uint64_t since = 0;
    if (wanted) add_calls(trace, location, selection, 0, since, trees[i]);
  });
  return merged(trees);
}

struct GrowingProfile::State {
  std::vector<Tree> trees;      // Per location.
  std::vector<uint64_t> since;  // The time before is in the tree.
};

GrowingProfile::GrowingProfile(size_t locations) : state_(std::make_unique<State>()) {
  state_->trees.resize(locations);
  state_->since.resize(locations, 0);
}
GrowingProfile::~GrowingProfile() = default;

void GrowingProfile::add(const trace::Trace& part, size_t location, uint64_t from_ticks) {
  add_calls(part, part.locations[location], {}, from_ticks, state_->since[location],
            state_->trees[location]);
}

Profile GrowingProfile::finish() const { return merged(state_->trees); }

void GrowingProfile::pack(const std::function<bool(size_t)>& owns, base::Packer& out) const {
  const std::vector<Tree>& trees = state_->trees;
  uint64_t count = 0;
  for (size_t i = 0; i < trees.size(); ++i) count += owns(i) ? 1 : 0;
  out.put(count);
  for (size_t i = 0; i < trees.size(); ++i) {
    if (!owns(i)) continue;
    out.put(uint64_t{i});
    out.put_list(trees[i].nodes());
  }
}

void GrowingProfile::take(base::Unpacker& in) {
  for (auto count = in.get<uint64_t>(); count > 0; --count) {
    const auto location = in.get<uint64_t>();
    state_->trees[location].assign(in.list<Tree::Node>());
  }
}

}  // namespace pathline::profile
