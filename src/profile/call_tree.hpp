// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "trace/trace.hpp"

namespace pathline::profile {

/// The call tree of one location while it grows. Children hang in lists that keep the child found
/// last in front: programs repeat themselves.
class CallTree {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

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

  CallTree() { nodes_.push_back({kNone, trace::Region::none()}); }

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
///
/// events  trace::Events or trace::PlainEvents.
template <class Columns>
void add_bytes(const Columns& events, size_t event, CallTree::Node& node) {
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

}  // namespace pathline::profile
