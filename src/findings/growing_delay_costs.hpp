// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "findings/call_numbers.hpp"
#include "findings/delay_costs.hpp"
#include "findings/lane_waits.hpp"
#include "findings/model.hpp"
#include "findings/pair_table.hpp"
#include "profile/call_tree.hpp"

namespace pathline::findings {

/// delay_costs() of a run that is modelled part by part, and the same to the tick.
///
/// With more than 255 call paths all parts come once before, to tell which have most time. Then all
/// parts come twice: forwards, to see since when each wait is about, then from the last one
/// back, to hand on what waits inherit. A wait belongs to the part in which it ends. Where it began
/// in a part before, or the two lanes were together there for the last time, all that is asked of
/// these parts is found on the way forwards: it is small, as what both have done until then.
class GrowingDelayCosts {
 public:
  /// cost  O(pieces + calls) of the part.
  void count_paths(const Model& part);
  /// Whether add() returned false as there are so many call paths.
  [[nodiscard]] bool has_to_count() const { return has_to_count_; }
  /// part     the next one; its lanes are those of the first one.
  /// returns  false where clocks disagree, parts contradict each other, or there are more than 255
  ///          call paths that were not counted: then nothing can be said.
  /// cost     O(events + waits log waits) of the part. Kept are some 16 bytes for each call path
  ///          and pair of lanes that wait for each other, since all lanes were together.
  bool add(const Model& part);
  /// part     as add() got it, the last one first.
  /// returns  as add().
  bool blame(const Model& part);

  struct Found {
    DelayCosts costs;
    std::vector<profile::CallPathNode> call_paths;  ///< What its paths are.
  };
  /// All parts were blamed. nullopt as add() returns false.
  std::optional<Found> finish();

 private:
  class Forwards;
  class Backwards;

  /// Ticks by node of `tree_`, the root for what is outside of every call; 0 behind the last.
  using Times = std::vector<int64_t>;
  /// A lane at a time in a call.
  struct Place {
    uint32_t number;  // Of the call.
    uint64_t ticks;
    Times times;      // What it did without waiting until the call began,
    uint64_t waited;  // and how long it had waited until then.
  };
  /// What all lanes of a set do together.
  struct Set {
    uint32_t set;
    std::vector<Place> operations;
  };
  /// A wait that ends in a part behind that of its call.
  struct Open {
    Place end;
    uint64_t begin_ticks;
    CallNumbers::Call cause;
  };
  struct Lane {
    bool recorded = false;
    Times times;  // Until the part.
    uint64_t waited = 0;
    std::vector<Set> sets;  // Ascending; operations that may be asked for.
    std::optional<Open> open;
  };
  /// The last time that two lanes were together, as waits tell.
  struct Met {
    uint64_t ticks = 0;
    Times ahead;  // How much more the higher lane had done by then.
    uint64_t lower_waited = 0;
    uint64_t higher_waited = 0;
  };
  struct PathTicks {
    uint32_t node;
    uint64_t ticks;
  };
  /// A wait of which the part where it ends does not know all.
  struct Crossing {
    uint32_t lane;
    uint32_t number;
    bool is_open;  // Its call is of a part before.
    uint64_t begin_ticks;
    uint64_t end_ticks;
    CallNumbers::Call cause;
    uint64_t waited;        // By its lane before it.
    uint64_t their_waited;  // By the cause until they were together,
    uint64_t their_until;   // and until the wait ended.
    uint32_t end_time;      // In `times`: behind its last one.
  };
  struct OfPart {
    std::vector<Crossing> crossings;
    std::vector<PathTicks> times;  // How much longer causes were there, those of a wait by node.
  };

  bool begin_blame();
  /// Per call path of a part: a node of the tree; the root for those that count as one. nullopt
  /// where it is not known which do.
  [[nodiscard]] std::optional<std::vector<uint32_t>> nodes_of(const Model& part);

  profile::CallTree tree_;
  std::vector<uint64_t> ticks_of_node_;  // If they were counted.
  std::vector<bool> is_chosen_;          // Nodes that count one by one; empty: all.
  bool has_to_count_ = false;

  CallNumbers numbers_;
  std::vector<Lane> lanes_;
  PairTable<Met> met_{0};
  std::vector<OfPart> parts_;  // That were not blamed.

  // On the way back.
  bool is_blaming_ = false;
  std::vector<profile::CallPathNode> call_paths_;
  std::vector<uint32_t> slot_of_node_;  // Number of the call path; the last one for the root.
  std::vector<uint32_t> next_number_;   // Per lane.
  std::vector<LaneWaits> waits_;
  std::vector<uint64_t> short_, long_;  // Per lane and slot.
  DelayCosts result_;
};

}  // namespace pathline::findings
