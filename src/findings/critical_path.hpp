// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "findings/model.hpp"
#include "profile/call_tree.hpp"
#include "profile/profile.hpp"

namespace pathline::findings {

/// A stretch of the critical path.
struct CriticalSegment {
  uint32_t lane;
  uint64_t begin_ticks;
  uint64_t end_ticks;
  friend bool operator==(const CriticalSegment&, const CriticalSegment&) = default;
};

/// What one call path of one lane has of the critical path.
struct CriticalPart {
  uint32_t path;  ///< Index into Model::call_paths; kNone: outside of every call.
  uint32_t lane;
  uint64_t ticks;
  friend bool operator==(const CriticalPart&, const CriticalPart&) = default;
};

/// One call path on the critical path and elsewhere.
struct CriticalTotal {
  uint32_t path;
  uint64_t on_path_ticks;
  uint64_t all_ticks;  ///< Of all ranks, waits left out.
  /// Time on the critical path beyond the mean of all ranks: what balance would gain.
  [[nodiscard]] double imbalance_ticks(uint32_t ranks) const {
    return static_cast<double>(on_path_ticks) - static_cast<double>(all_ticks) / ranks;
  }
};

/// The chain of work that determines how long a program takes: from the end of the window back to
/// the latest end of a wait, from there to whoever was waited for, and on (Boehme et al., IPDPS
/// 2012). What is not on it can be made faster without any gain.
struct CriticalPath {
  std::vector<CriticalSegment> segments;  ///< In the order of time, without holes: its length is
                                          ///< that of the window.
  std::vector<CriticalPart> parts;        ///< By path, then lane.
  std::vector<CriticalTotal> totals;      ///< By path: of all that took time.
};

/// cost  O(calls + pieces).
CriticalPath critical_path(const Model& model);

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
  /// Its stretches so far, the last one first.
  [[nodiscard]] const std::vector<CriticalSegment>& segments_from_the_end() const {
    return segments_;
  }

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
