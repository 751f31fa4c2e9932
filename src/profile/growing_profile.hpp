// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/packing.hpp"
#include "profile/call_tree.hpp"
#include "profile/profile.hpp"

namespace pathline::profile {

/// The profile of a run whose events come a part of the time after the other.
class GrowingProfile {
 public:
  explicit GrowingProfile(size_t locations);

  /// Counts the calls of one location in a part, which trace::walk_calls() walks over for others,
  /// too.
  class Follower {
   public:
    void enter(trace::Region region, uint64_t ticks) {
      charge(ticks);
      current_ = tree_.child(current_, region);
      tree_[current_].visits += ticks >= from_ticks_ ? 1 : 0;
    }
    void leave(uint64_t ticks) {
      charge(ticks);
      current_ = tree_[current_].parent;
    }
    /// events  trace::Events or trace::PlainEvents.
    template <class Columns>
    void see(const Columns& events, size_t event) {
      if (events.ticks[event] >= from_ticks_) add_bytes(events, event, tree_[current_]);
    }
    [[nodiscard]] bool is_in_call() const { return current_ != 0; }
    /// Of the innermost call; none() outside of calls.
    [[nodiscard]] trace::Region region() { return tree_[current_].region; }

   private:
    friend GrowingProfile;
    Follower(CallTree& tree, uint64_t& since, uint64_t from_ticks)
        : tree_(tree), since_(since), from_ticks_(from_ticks) {}
    void charge(uint64_t ticks) {
      if (ticks <= since_) return;
      tree_[current_].exclusive_ticks += ticks - since_;
      since_ = ticks;
    }

    CallTree& tree_;
    uint64_t& since_;  // The time before is in the tree.
    const uint64_t from_ticks_;
    uint32_t current_ = 0;
  };
  /// Several locations may be followed at once, each through one part after the other.
  ///
  /// from_ticks  when the new events of the part begin. In front of them it has the Enters of the
  ///             calls that are open, at their times, and maybe others of before.
  [[nodiscard]] Follower follow(size_t location, uint64_t from_ticks) {
    return {trees_[location], since_[location], from_ticks};
  }

  /// That of from_trace() for the whole, but for calls that had begun before the first event.
  [[nodiscard]] Profile finish() const;
  /// What was counted of the locations that `owns` chooses, for another process; take() has it
  /// instead of what was counted there.
  void pack(const std::function<bool(size_t)>& owns, base::Packer& out) const;
  void take(base::Unpacker& in);

 private:
  std::vector<CallTree> trees_;  // Per location.
  std::vector<uint64_t> since_;
};

}  // namespace pathline::profile
