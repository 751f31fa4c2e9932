// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "findings/call_numbers.hpp"
#include "findings/model.hpp"

namespace pathline::findings {

/// What of a part is needed once more where the next one is read.
struct NextPart {
  uint64_t read_from_ticks = 0;  ///< The next trace knows everything from then on,
  struct Send {
    uint32_t lane;
    uint64_t ticks;
  };
  std::vector<Send> sends;  ///< and of what was sent before these, each in a call of its own.
};

/// Replays a run that comes part by part, on the network that it had and on an ideal one: what
/// Replay says of all its calls at once.
///
/// Lanes go through their calls as far as what these depend on is known. One that waits for a call
/// of a later part goes on there. Of the calls behind it the times of their begins are kept that
/// may be asked for.
class GrowingReplay {
 public:
  /// part     the next one; its lanes are those of the first one.
  /// returns  false where a part contradicts the one before, or lanes wait for too much: then
  ///          nothing can be said.
  /// cost     O(calls + dependencies) of the part.
  bool add(const Model& part, const NextPart& next);

  struct Replayed {
    uint64_t measured_ticks = 0;  ///< As Replay::play() with CallCost::kRest,
    uint64_t ideal_ticks = 0;     ///< and with CallCost::kIdeal.
    uint64_t forced = 0;          ///< Schedule::forced
  };
  /// Nothing follows. nullopt as add() returns false.
  std::optional<Replayed> finish();

 private:
  static constexpr uint32_t kUnknown = kNone - 1;
  using Call = CallNumbers::Call;
  /// A time in both replays.
  struct Ticks {
    uint64_t measured = 0;
    uint64_t ideal = 0;
    void add(const Ticks& more);
    void raise_to(const Ticks& other, uint64_t early = 0);
  };
  struct Source {
    enum class Kind : uint8_t { kCall, kGroup, kScan };
    Kind kind;
    Call call;       // Or of kScan: its row of the group.
    uint32_t group;  // Or kNone.
    uint64_t early;
  };
  struct Station {  // A call that was not done yet.
    uint32_t number;
    uint64_t begin_ticks;
    uint64_t end_ticks;
    Ticks before;  // From the call before it until its begin.
    uint32_t first_source;
    uint32_t first_group;  // Of those it arrives in.
  };
  struct Known {  // A call that has begun.
    uint32_t number;
    uint64_t begin_ticks;
    uint64_t end_ticks;
    Ticks begin;
  };
  struct Group {
    uint64_t key;
    uint32_t missing = 0;       // Members that have not begun.
    Ticks latest;               // Begin of the others.
    std::vector<Call> members;  // Of a scan; those that do not count have no lane.
    std::vector<Ticks> rows;    // Of it: the latest up to there, as far as they are known.
    std::vector<uint32_t> waiters;
  };
  struct Waiter {
    uint32_t number;  // Of the call that it waits for.
    uint32_t lane;
    friend bool operator>(const Waiter& a, const Waiter& b) {
      return a.number != b.number ? a.number > b.number : a.lane > b.lane;
    }
  };
  struct Lane {
    bool recorded = false;
    uint64_t first_ticks = 0;     // Where it begins.
    uint64_t last_end_ticks = 0;  // Of its last call.
    Ticks clock;
    Ticks since;  // From its last call to the end of the part.
    uint32_t next = 0;
    uint32_t end = 0;        // Of its stations.
    bool has_begun = false;  // The next one.
    uint32_t source = 0;     // Of that.
    bool blocked = false;
    std::vector<Known> known;     // Ascending.
    std::vector<Waiter> waiters;  // A heap, the earliest call first.
  };
  /// What was not done in the parts before.
  struct Left {
    std::vector<Station> stations;
    std::vector<Source> sources;
    std::vector<uint32_t> arrivals;
    std::vector<Group> groups;
    std::vector<uint32_t> number;  // Per group: in groups_, or kNone.
  };

  void begin_lanes(const Model& part);
  [[nodiscard]] bool fits(const Model& part) const;
  Left take_left();
  void carry(const Left& left, Lane& lane);
  void add_stations(const Model& part, uint32_t lane);
  void add_sources(const Model& part, uint32_t call);
  uint32_t group_of(const Model& part, uint32_t group);
  [[nodiscard]] std::optional<Call> target(const Model& part, uint32_t call);
  void go_on(uint32_t lane);
  void begin_station(uint32_t lane);
  bool look_at(uint32_t lane, const Source& source);
  bool look_at_scan(uint32_t lane, const Source& source);
  bool wait_for(uint32_t lane, Call call);
  void go_on_ready();
  bool release_one();
  void forget(const NextPart& next);
  [[nodiscard]] bool has_begun(Call call) const;
  [[nodiscard]] Ticks begin_of(Call call);
  [[nodiscard]] std::optional<Call> sent_at(uint32_t lane, uint64_t ticks) const;

  CallNumbers numbers_;
  Window window_{0, 0};
  uint64_t read_from_ticks_ = 0;
  std::vector<Lane> lanes_;
  std::vector<Station> stations_;  // Those of a lane one after the other; one more behind.
  std::vector<Source> sources_;
  std::vector<uint32_t> arrivals_;  // Groups.
  std::vector<Group> groups_;
  std::unordered_map<uint64_t, uint32_t> group_by_key_;
  std::vector<uint32_t> group_number_;  // Per group of the part: in groups_, kNone or kUnknown.
  std::vector<uint32_t> ready_;
  bool contradicts_ = false;
  uint64_t forced_ = 0;
};

}  // namespace pathline::findings
