// SPDX-License-Identifier: BSD-3-Clause
#include "findings/critical_path.hpp"

#include <algorithm>
#include <map>

namespace pathline::findings {
namespace {

class Walk {
 public:
  explicit Walk(const Model& model) : model_(model), calls_(model.all->calls) {}

  CriticalPath run() {
    uint32_t lane = last_lane();
    if (lane == kNone) return {};
    uint64_t until = model_.window.end_ticks;
    uint32_t call = model_.lanes[lane].end_call;  // Behind the last one that may count.
    const uint64_t most = calls_.size();          // Clocks that disagree could lead in circles.
    for (uint64_t steps = 0; until > model_.window.begin_ticks; ++steps) {
      const uint32_t wait = steps < most ? last_wait(lane, call, until) : comm::kNoCall;
      const uint64_t from =
          wait == comm::kNoCall ? model_.window.begin_ticks : model_.wait_end(wait);
      charge(lane, from, until, call);
      if (wait == comm::kNoCall) break;
      until = from;
      call = model_.all->cause[wait];
      lane = calls_.lane_of(call);
    }
    std::reverse(result_.segments.begin(), result_.segments.end());
    for (const auto& [key, ticks] : parts_) {
      result_.parts.push_back({key.first, key.second, ticks});
    }
    total();
    return std::move(result_);
  }

 private:
  /// The lowest lane that does not wait at the end of the window.
  [[nodiscard]] uint32_t last_lane() const {
    uint32_t first = kNone;
    for (uint32_t lane = 0; lane < model_.lanes.size(); ++lane) {
      const Model::Lane& of = model_.lanes[lane];
      if (!of.recorded) continue;
      if (first == kNone) first = lane;
      const uint32_t last = of.end_call - 1;
      const bool waits = of.first_call < of.end_call && model_.wait_ticks(last) > 0 &&
                         model_.wait_end(last) == model_.window.end_ticks;
      if (!waits) return lane;
    }
    return first;
  }

  /// The last call of a lane before `call` that waited for somebody and not longer than `until`.
  uint32_t last_wait(uint32_t lane, uint32_t call, uint64_t until) const {
    for (const uint32_t first = model_.lanes[lane].first_call; call-- > first;) {
      if (model_.wait_ticks(call) == 0 || !model_.cause_known(call)) continue;
      if (model_.wait_end(call) <= until) return call;
    }
    return comm::kNoCall;
  }

  /// A stretch of a lane belongs to the path; `call` is behind it.
  void charge(uint32_t lane, uint64_t from, uint64_t until, uint32_t call) {
    if (from >= until) return;
    result_.segments.push_back({lane, from, until});
    const Model::Lane& of = model_.lanes[lane];
    uint64_t end = until;  // Of what was not charged yet.
    const auto take = [&](uint32_t path, uint64_t ticks) {
      if (ticks > 0) parts_[{path, lane}] += ticks;
      end -= ticks;
    };
    while (true) {
      take_gap(Model::gap(call, lane), std::max(from, model_.gap_begin(call, of)), end, take);
      if (end <= from) return;
      if (call == of.first_call) break;
      --call;
      // Waits of unknown cause are time of the call.
      const bool known = model_.wait_ticks(call) == 0 || model_.cause_known(call);
      const uint64_t begin = std::max(from, known ? model_.wait_end(call) : model_.begin(call));
      if (begin < end) take(model_.call_path[call], end - begin);
      if (end <= from) return;
      // Only where clocks disagree: a wait that ends behind the stretch.
      if (end > model_.begin(call))
        take(model_.call_path[call], end - std::max(from, model_.begin(call)));
      if (end <= from) return;
    }
    take(kNone, end - from);  // A call that had begun before the window.
  }
  template <class Take>
  void take_gap(size_t gap, uint64_t from, uint64_t until, Take take) const {
    if (from >= until) return;
    uint64_t left = until - from;
    for (uint32_t i = model_.first_piece[gap + 1]; i-- > model_.first_piece[gap] && left > 0;) {
      const uint64_t taken = std::min(left, model_.piece_ticks[i]);
      take(model_.piece_path[i], taken);
      left -= taken;
    }
  }

  void total() {
    std::map<uint32_t, CriticalTotal> totals;
    const auto of = [&](uint32_t path) -> CriticalTotal& {
      return totals.try_emplace(path, CriticalTotal{path, 0, 0}).first->second;
    };
    // Call paths are few: sums first, the map behind.
    std::vector<uint64_t> all(model_.call_paths.size() + 1, 0);
    const auto slot = [&](uint32_t path) { return path == kNone ? all.size() - 1 : path; };
    for (size_t i = 0; i < model_.piece_path.size(); ++i) {
      all[slot(model_.piece_path[i])] += model_.piece_ticks[i];
    }
    for (const Model::Lane& lane : model_.lanes) {
      if (lane.recorded) all.back() += lane.begin_ticks - model_.window.begin_ticks;
      for (uint32_t call = lane.first_call; call < lane.end_call; ++call) {
        all[slot(model_.call_path[call])] += model_.end(call) - model_.wait_end(call);
      }
    }
    for (uint32_t path = 0; path < all.size(); ++path) {
      const uint32_t number = path + 1 == all.size() ? kNone : path;
      if (all[path] > 0) of(number).all_ticks = all[path];
    }
    for (const CriticalPart& part : result_.parts) of(part.path).on_path_ticks += part.ticks;
    for (const auto& [path, sum] : totals) result_.totals.push_back(sum);
  }

  const Model& model_;
  const comm::MpiCalls& calls_;
  CriticalPath result_;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> parts_;
};

}  // namespace

CriticalPath critical_path(const Model& model) { return Walk(model).run(); }

}  // namespace pathline::findings
