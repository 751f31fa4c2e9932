// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <unordered_map>

#include "profile/profile.hpp"
#include "trace/calls.hpp"

namespace pathline::profile {

/// Finds the call paths of a profile again while the events of its trace are followed.
class PathIndex {
 public:
  explicit PathIndex(const Profile& profile) : profile_(profile) {
    paths_.reserve(profile.call_paths.size());
    for (size_t i = 0; i < profile.call_paths.size(); ++i) {
      const CallPathNode& node = profile.call_paths[i];
      paths_.emplace(key(node.parent, node.region), CallPath(i));
    }
  }

  /// Calls visit(event, path) for the events of a location of the profile that are no calls, in
  /// order; `path` is none() outside of all calls.
  ///
  /// cost  O(events), a look into a table for each call
  template <class Visit>
  void walk(const trace::Trace& trace, const trace::Events& events, Visit visit) const {
    CallPath current;
    trace::walk_calls(
        trace.definitions, events,
        [&](trace::Region region, uint64_t) {
          const auto found = paths_.find(key(current, region));
          current = found == paths_.end() ? CallPath::none() : found->second;
        },
        [&](uint64_t) {
          if (current.valid()) current = profile_.call_paths[current].parent;
        },
        [&](size_t event) { visit(event, current); });
  }

 private:
  static uint64_t key(CallPath parent, trace::Region region) {
    return uint64_t{uint32_t{parent}} << 32U | uint32_t{region};
  }

  const Profile& profile_;
  std::unordered_map<uint64_t, CallPath> paths_;
};

}  // namespace pathline::profile
