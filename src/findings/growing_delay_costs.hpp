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
/// these parts is found on the way forwards: it is small, as what both have done until then. For
/// one thread.
class GrowingDelayCosts {
 public:
  /// cost  O(pieces + calls) of the part.
  void count_paths(const Model& part);
  /// Whether add() returned false as there are so many call paths.
  [[nodiscard]] bool has_to_count() const { return has_to_count_; }
  /// part     the next one; its lanes are those of the first one.
  /// returns  false where clocks disagree, parts contradict each other, more has to be kept than a
  ///          gigabyte, or there are more than 255 call paths that were not counted: then nothing
  ///          can be said.
  /// cost     O(events + waits log waits) of the part. Kept are 8 bytes for each call path (255 at
  ///          most), of each lane for operations that not all have left, of pairs that waited for
  ///          each other since all lanes were together, and twice that of waits that cross a
  ///          border.
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

  /// Ticks by column: that of a node of `tree_`, 0 for what is outside of every call or of those
  /// that count as one. 0 behind the last.
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
    uint64_t last_end_ticks = 0;  // Of its last call.
  };
  /// The last time that two lanes were together, as waits tell.
  struct Met {
    uint64_t ticks = 0;
    Times ahead;  // How much more the higher lane had done by then.
    uint64_t lower_waited = 0;
    uint64_t higher_waited = 0;
  };
  struct ColumnTicks {
    uint32_t column;
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
    std::vector<ColumnTicks> times;  // How much longer causes were there, one wait after the other.
    // What has to be the same on the way back.
    uint64_t wait_ticks = 0;
    uint64_t unknown_ticks = 0;
    std::vector<uint32_t> calls;  // Per lane.
  };

  [[nodiscard]] bool fits(const Model& part) const;
  /// Per call path of a part. nullopt where it is not known which count as one.
  [[nodiscard]] std::optional<std::vector<uint32_t>> columns_of(const Model& part);
  void choose_columns();
  bool begin_blame();

  profile::CallTree tree_;
  std::vector<uint64_t> ticks_of_node_;   // If they were counted.
  std::vector<uint32_t> column_of_node_;  // Of more than there are columns; empty: themselves.
  bool has_to_count_ = false;

  CallNumbers numbers_;
  std::vector<Lane> lanes_;
  PairTable<Met> met_{0};
  std::vector<OfPart> parts_;  // That were not blamed.
  size_t kept_ = 0;            // Numbers in them.

  // On the way back.
  bool is_blaming_ = false;
  std::vector<profile::CallPathNode> call_paths_;
  std::vector<uint32_t> slot_of_column_;  // In the order of call paths, the last one for the rest.
  std::vector<uint32_t> path_of_slot_;
  std::vector<LaneWaits> waits_;
  std::vector<uint64_t> short_, long_;  // Per lane and slot.
  DelayCosts result_;
};

}  // namespace pathline::findings
