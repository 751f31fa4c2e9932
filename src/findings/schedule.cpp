// SPDX-License-Identifier: BSD-3-Clause
#include "findings/schedule.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace pathline::findings {
namespace {

/// Per call or group: the item by which it has begun, or else the lane that waits for it.
class Marks {
 public:
  explicit Marks(size_t size) : marks_(size) { std::fill(marks_.begin(), marks_.end(), kNever); }
  void open(size_t begin, size_t end) {
    std::fill(marks_.begin() + begin, marks_.begin() + end, kOpen | kNobody);
  }
  void begin(size_t at, uint32_t item) { marks_[at] = item; }

  [[nodiscard]] bool is_open(size_t at) const {
    return marks_[at] >= kOpen && marks_[at] != kNever;
  }
  /// kNone if it never begins: it is outside of the window.
  [[nodiscard]] uint32_t item(size_t at) const { return marks_[at] == kNever ? kNone : marks_[at]; }
  /// Of an open one; kNone without one.
  [[nodiscard]] uint32_t waiter(size_t at) const {
    const uint32_t lane = marks_[at] & ~kOpen;
    return lane == kNobody ? kNone : lane;
  }
  void wait(size_t at, uint32_t lane) { marks_[at] = kOpen | (lane == kNone ? kNobody : lane); }

 private:
  static constexpr uint32_t kNever = UINT32_MAX;
  static constexpr uint32_t kOpen = 1U << 31U;
  static constexpr uint32_t kNobody = kOpen - 2;
  base::Column<uint32_t> marks_;
};

/// Lets the lanes go on as far as they can, all until about the same time.
class Scheduler {
 public:
  Scheduler(const Model& model, const std::vector<uint32_t>& ignored)
      : model_(model),
        all_(*model.all),
        marks_(all_.calls.size() + all_.group_kind.size()),
        missing_(all_.group_kind.size()),
        target_(all_.calls.size()),
        lanes_(model.lanes.size()) {
    std::fill(missing_.begin(), missing_.end(), 0);
    result_.has_item.resize(all_.calls.size());
    if (!ignored.empty()) ignored_.resize(all_.calls.size());
    for (const uint32_t call : ignored) ignored_[call] = true;
    for (const Model::Lane& lane : model_.lanes) {
      if (lane.recorded) note_calls(lane);
    }
    for (size_t group = 0; group < missing_.size(); ++group) {
      if (missing_[group] > 0) marks_.open(of_group(group), of_group(group) + 1);
      if (all_.group_kind[group] == comm::WaitKind::kEarlyScan) has_scans_ = true;
    }
    if (has_scans_) {
      scan_item_.resize(all_.member.size());
      scan_next_.assign(all_.group_first.begin(), all_.group_first.end());
    }
  }

  Schedule run() {
    // What is needed unless lanes have to stop in the midst of calls.
    const auto items =
        static_cast<size_t>(std::count(result_.has_item.begin(), result_.has_item.end(), true));
    result_.lane.reserve(items + missing_.size());
    result_.first_source.reserve(items + missing_.size() + 1);
    result_.source.reserve(all_.list.size() + all_.member.size());
    result_.kind.reserve(all_.list.size() + all_.member.size());
    result_.first_source.push_back(0);
    uint64_t calls = 0;
    for (uint32_t lane = 0; lane < lanes_.size(); ++lane) {
      lanes_[lane].call = model_.lanes[lane].first_call;
      if (!model_.lanes[lane].recorded) continue;
      calls += model_.lanes[lane].end_call - model_.lanes[lane].first_call;
      recorded_.push_back(lane);
    }
    // Lanes take turns: what they write and what others read of it stays in the cache.
    constexpr uint64_t kCallsInTurn = 32;
    const uint64_t turns = calls / (kCallsInTurn * std::max<size_t>(1, recorded_.size())) + 1;
    for (uint64_t turn = 1; turn <= turns; ++turn) {
      until_ = turn == turns ? UINT64_MAX
                             : model_.window.begin_ticks + model_.window.ticks() / turns * turn;
      for (const uint32_t lane : recorded_) {
        if (!lanes_[lane].blocked) go_on(lane);
      }
      go_on_ready();
    }
    while (release_one()) go_on_ready();
    return std::move(result_);
  }

 private:
  struct State {
    uint32_t call = 0;            // The one it is in or comes to next.
    uint32_t dependency = kNone;  // What it has to look at next; kNone outside of calls.
    uint32_t item = kNone;        // Its last one in this call.
    uint32_t next_waiter = kNone;
    size_t waits_for = 0;  // A mark, while it is blocked.
    bool blocked = false;
  };

  [[nodiscard]] size_t of_group(size_t group) const { return all_.calls.size() + group; }

  void note_calls(const Model::Lane& lane) {
    marks_.open(lane.first_call, lane.end_call);
    for (uint32_t call = lane.first_call; call < lane.end_call; ++call) {
      for (uint32_t i = all_.first[call]; i < all_.first[call + 1]; ++i) {
        const comm::Dependency& one = all_.list[i];
        if (one.arrives()) {
          target_[call] = true;
          ++missing_[all_.group[one.target]];
        }
        if (one.of_group()) continue;
        target_[one.target] = true;
        result_.has_item[one.target] = true;
      }
      if (all_.first[call] < all_.first[call + 1]) result_.has_item[call] = true;
    }
  }

  /// Goes on with a lane until it is done, has come far enough or something is missing.
  void go_on(uint32_t lane) {
    State& state = lanes_[lane];
    const uint32_t end_call = model_.lanes[lane].end_call;
    for (; state.call < end_call; ++state.call) {
      const uint32_t call = state.call;
      if (!result_.has_item[call]) continue;
      const uint32_t end = all_.first[call + 1];
      if (state.dependency == kNone) {
        if (model_.begin(call) >= until_) return;
        state.dependency = all_.first[call];
        state.item = kNone;
        if (target_[call]) begin(lane, call);
        // It waits for nobody, or for somebody who came after the window.
        if ((!ignored_.empty() && ignored_[call]) ||
            (model_.wait_ticks(call) > 0 && !model_.cause_known(call))) {
          state.dependency = end;
        }
      }
      for (; state.dependency < end; ++state.dependency) {
        if (all_.list[state.dependency].waits() && !look_at(lane)) return;
      }
      if (state.item == kNone) state.item = add_item(lane);
      note_completed(lane, call);
      state.dependency = kNone;
    }
  }
  void go_on_ready() {
    for (size_t i = 0; i < ready_.size(); ++i) {
      // It may have had its turn since, and wait for something else.
      if (!lanes_[ready_[i]].blocked) go_on(ready_[i]);
    }
    ready_.clear();
  }

  void begin(uint32_t lane, uint32_t call) {
    State& state = lanes_[lane];
    state.item = add_item(lane);
    wake(call, state.item);
    for (uint32_t i = all_.first[call]; i < all_.first[call + 1]; ++i) {
      const comm::Dependency& one = all_.list[i];
      if (!one.arrives()) continue;
      const uint32_t group = all_.group[one.target];
      if (--missing_[group] == 0) wake(of_group(group), join(group));
    }
  }

  void note_completed(uint32_t lane, uint32_t call) {
    const auto begin = all_.list.begin() + all_.first[call];
    const auto end = all_.list.begin() + all_.first[call + 1];
    if (begin == end) return;
    const bool in_group =
        std::any_of(begin, end, [](const comm::Dependency& one) { return one.of_group(); });
    if (in_group || model_.wait_ticks(call) > 0) {
      result_.completed.push_back({call, lane & ~Schedule::kGoesOn, in_group});
    }
  }

  /// The item that all members of a group have begun by. Those of a scan have one each.
  uint32_t join(uint32_t group) {
    if (all_.group_kind[group] == comm::WaitKind::kEarlyScan) return 0;
    const uint32_t item = add_item(Schedule::kJoin);
    for (uint32_t row = all_.group_first[group]; row < all_.group_first[group + 1]; ++row) {
      const uint32_t member = all_.member[row];
      if (member == comm::kNoCall) continue;
      if (const uint32_t begun = marks_.item(member); begun != kNone) add_source(begun);
    }
    return item;
  }

  /// returns  false if the lane's next dependency is missing: somebody will wake it.
  bool look_at(uint32_t lane) {
    State& state = lanes_[lane];
    const comm::Dependency& one = all_.list[state.dependency];
    uint32_t source = kNone;
    if (one.kind == comm::WaitKind::kEarlyScan) {
      if (const size_t missing = missing_of_scan(one.target); missing != SIZE_MAX) {
        return block(lane, missing);
      }
      source = scan_item_[one.target];
    } else {
      const size_t mark = one.of_group() ? of_group(all_.group[one.target]) : one.target;
      if (marks_.is_open(mark)) return block(lane, mark);
      source = marks_.item(mark);
    }
    if (source == kNone) return true;
    if (state.item == kNone) {
      state.item = add_item(lane);
    } else if (state.item + 1 != result_.lane.size()) {
      state.item = add_item(lane | Schedule::kGoesOn);
    }
    if (const uint64_t ticks = all_.early_ticks(state.dependency); ticks > 0) {
      result_.early.push_back({static_cast<uint32_t>(result_.source.size()), ticks});
    }
    add_source(source, one.kind);
    return true;
  }

  /// Makes the items of the rows of a scan up to this one. returns  the mark of a member that has
  /// not begun yet; SIZE_MAX without one
  size_t missing_of_scan(uint32_t last_row) {
    const uint32_t group = all_.group[last_row];
    const uint32_t first = all_.group_first[group];
    uint32_t& row = scan_next_[group];
    for (; row <= last_row; ++row) {
      const uint32_t member = all_.member[row];
      if (member != comm::kNoCall && marks_.is_open(member)) return member;
      const uint32_t begun = member == comm::kNoCall ? kNone : marks_.item(member);
      const uint32_t before = row == first ? kNone : scan_item_[row - 1];
      scan_item_[row] = before;
      if (begun == kNone) continue;
      scan_item_[row] = add_item(Schedule::kJoin);
      if (before != kNone) add_source(before);
      add_source(begun);
    }
    return SIZE_MAX;
  }

  uint32_t add_item(uint32_t lane) {
    const size_t item = result_.lane.size();
    if (item >= Schedule::kGoesOn) throw std::length_error("more than 2 billion calls that wait");
    result_.lane.push_back(lane);
    result_.first_source.push_back(result_.first_source.back());
    return static_cast<uint32_t>(item);
  }
  /// Of the last item.
  void add_source(uint32_t item, comm::WaitKind kind = comm::kNoWait) {
    result_.source.push_back(item);
    result_.kind.push_back(kind);
    ++result_.first_source[result_.lane.size()];
  }

  bool block(uint32_t lane, size_t mark) {
    State& state = lanes_[lane];
    state.blocked = true;
    state.waits_for = mark;
    state.next_waiter = marks_.waiter(mark);
    marks_.wait(mark, lane);
    return false;
  }
  void wake(size_t mark, uint32_t item) {
    uint32_t lane = marks_.waiter(mark);
    marks_.begin(mark, item);
    while (lane != kNone) {
      lanes_[lane].blocked = false;
      ready_.push_back(lane);
      lane = std::exchange(lanes_[lane].next_waiter, kNone);
    }
  }

  /// When nobody can go on, lets the earliest do so without what it waits for.
  bool release_one() {
    uint32_t first = kNone;
    for (const uint32_t lane : recorded_) {
      if (!lanes_[lane].blocked) continue;
      if (first == kNone || ticks(lane) < ticks(first)) first = lane;
    }
    if (first == kNone) return false;
    ++result_.forced;
    // Out of the list it stands in.
    State& state = lanes_[first];
    uint32_t before = kNone;
    uint32_t at = marks_.waiter(state.waits_for);
    while (at != first) before = std::exchange(at, lanes_[at].next_waiter);
    if (before == kNone) {
      marks_.wait(state.waits_for, state.next_waiter);
    } else {
      lanes_[before].next_waiter = state.next_waiter;
    }
    state.next_waiter = kNone;
    state.blocked = false;
    ++state.dependency;
    ready_.push_back(first);
    return true;
  }
  [[nodiscard]] uint64_t ticks(uint32_t lane) const { return model_.begin(lanes_[lane].call); }

  const Model& model_;
  const comm::Dependencies& all_;
  Marks marks_;                     // Calls, then groups.
  base::Column<uint32_t> missing_;  // Per group: members in the window that have not begun.
  std::vector<bool> target_;        // Per call: somebody depends on it.
  std::vector<bool> ignored_;       // Per call; empty if none is.
  bool has_scans_ = false;
  base::Column<uint32_t> scan_item_;  // Per member row of a scan: the latest of those up to it.
  std::vector<uint32_t> scan_next_;   // Per group: its first row without.
  std::vector<State> lanes_;
  std::vector<uint32_t> recorded_;
  std::vector<uint32_t> ready_;
  uint64_t until_ = 0;
  Schedule result_;
};

}  // namespace

Schedule schedule(const Model& model, const std::vector<uint32_t>& ignored) {
  return Scheduler(model, ignored).run();
}

}  // namespace pathline::findings
