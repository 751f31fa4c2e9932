// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "findings/critical_path.hpp"
#include "findings/model.hpp"
#include "profile/call_tree.hpp"
#include "profile/profile.hpp"

namespace pathline::findings {

/// critical_path() of a run that is modelled part by part, from the last one back to the first, and
/// the same to the tick where clocks agree.
class GrowingCriticalPath {
 public:
  /// first_ticks  per lane: when the call ends that it was in where the window begins, or that.
  explicit GrowingCriticalPath(std::vector<uint64_t> first_ticks)
      : first_ticks_(std::move(first_ticks)) {}

  /// part  in front of the one that was added before; what its dependencies say of calls that began
  ///       before it and go on there has to be true, too.
  /// cost  O(calls + pieces) of the part.
  void add(const Model& part);

  struct Found {
    CriticalPath path;
    std::vector<profile::CallPathNode> call_paths;  ///< What its paths are.
    std::vector<uint32_t> rank_of_lane;
    uint32_t ranks = 0;
  };
  [[nodiscard]] Found finish() const;

 private:
  class Walk;
  /// Time of the call that a lane was in where a part began, of which a part before knows the path.
  struct Crossing {
    uint64_t ticks = 0;          // Of all.
    uint64_t on_path_ticks = 0;  // Of the critical path.
  };
  struct Ticks {
    uint64_t all = 0;
    std::map<uint32_t, uint64_t> on_path;  // By lane.
  };

  void begin(const Model& part);
  void total(const Model& part);
  [[nodiscard]] Ticks& ticks_of(uint32_t path);

  std::vector<uint64_t> first_ticks_;
  bool started_ = false;
  uint32_t lane_ = kNone;  // Where the path goes on, kNone without any.
  uint64_t until_ = 0;
  std::vector<CriticalSegment> segments_;  // The last one first.
  std::vector<Crossing> crossing_;         // Per lane.
  std::vector<uint32_t> rank_of_lane_;
  uint32_t ranks_ = 0;
  profile::CallTree tree_;
  std::vector<Ticks> by_node_;   // Of tree_; the root is for what is outside of every call.
  std::vector<uint32_t> nodes_;  // Per call path of the part.
};

}  // namespace pathline::findings
