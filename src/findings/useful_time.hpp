// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "findings/model.hpp"
#include "profile/call_tree.hpp"
#include "profile/profile.hpp"

namespace pathline::findings {

/// Useful time of the ranks of a model.
struct UsefulTime {
  std::vector<uint32_t> ranks;                    ///< Of which something was recorded, ascending.
  std::vector<profile::CallPathNode> call_paths;  ///< As Model::call_paths.
  /// Per call path, and behind them outside of all: ticks by entry of `ranks`; empty without any.
  std::vector<std::vector<uint64_t>> by_path;
  std::vector<uint32_t> steps;  ///< Their numbers, ascending.
  /// Per entry of `ranks`: ticks by entry of `steps`, and behind them outside of all.
  std::vector<std::vector<uint64_t>> by_step;
};

/// Adds the useful time of parts of a model up.
class GrowingUsefulTime {
 public:
  /// cost  O(pieces).
  void add(const Model& part);
  [[nodiscard]] UsefulTime finish() const;

 private:
  std::vector<uint32_t> ranks_;
  profile::CallTree tree_;
  std::vector<std::vector<uint64_t>> by_node_;  // Of tree_, the root outside of all; by rank.
  std::map<uint32_t, uint32_t> slots_;          // By number of a step; slot 0 is outside of all.
  std::vector<std::vector<uint64_t>> by_slot_;  // Per rank.
};

inline UsefulTime useful_time(const Model& model) {
  GrowingUsefulTime useful;
  useful.add(model);
  return useful.finish();
}

}  // namespace pathline::findings
