// SPDX-License-Identifier: BSD-3-Clause
#include "findings/critical_path.hpp"

#include <algorithm>

namespace pathline::findings {

/// Walks back through one part.
class GrowingCriticalPath::Walk {
 public:
  Walk(const Model& part, GrowingCriticalPath& all)
      : part_(part), calls_(part.all->calls), all_(all) {}

  /// The lowest lane that does not wait at the end of the window.
  [[nodiscard]] uint32_t last_lane() const {
    uint32_t first = kNone;
    for (uint32_t lane = 0; lane < part_.lanes.size(); ++lane) {
      if (!part_.lanes[lane].recorded) continue;
      if (first == kNone) first = lane;
      const uint32_t end = part_.lanes[lane].end_call;
      const bool any = first_call(lane) < end;
      const bool waits =
          any && part_.wait_ticks(end - 1) > 0 && part_.wait_end(end - 1) == part_.window.end_ticks;
      if (!waits) return lane;
    }
    return first;
  }

  void run() {
    uint32_t& lane = all_.lane_;
    uint64_t& until = all_.until_;
    uint32_t call = part_.lanes[lane].end_call;  // Behind the last one that may count.
    const uint64_t most = calls_.size();         // Clocks that disagree could lead in circles.
    for (uint64_t steps = 0; until > part_.part.begin_ticks; ++steps) {
      const uint32_t wait = steps < most ? last_wait(lane, call, until) : comm::kNoCall;
      const bool goes_on = wait == comm::kNoCall;
      const uint64_t from = goes_on ? part_.part.begin_ticks : part_.wait_end(wait);
      add_segment(lane, from, until);
      charge(lane, from, until, call);
      until = from;
      if (goes_on) break;
      lane = calls_.lane_of(part_.all->cause[wait]);
      // Only where clocks disagree it begins in another part.
      call = std::clamp(part_.all->cause[wait], part_.lanes[lane].first_call,
                        part_.lanes[lane].end_call);
    }
  }

 private:
  /// With the one that began before the part and goes on in it, unless it began before the window.
  [[nodiscard]] uint32_t first_call(uint32_t lane) const {
    const Model::Lane& of = part_.lanes[lane];
    const bool crosses = of.first_call > calls_.first[lane] &&
                         calls_.end_ticks[of.first_call - 1] > part_.part.begin_ticks &&
                         calls_.end_ticks[of.first_call - 1] > all_.first_ticks_[lane];
    return crosses ? of.first_call - 1 : of.first_call;
  }

  /// The last call of a lane before `call` that waited for somebody and not longer than `until`,
  /// but into the part.
  [[nodiscard]] uint32_t last_wait(uint32_t lane, uint32_t call, uint64_t until) const {
    for (const uint32_t first = first_call(lane); call-- > first;) {
      if (part_.wait_ticks(call) == 0 || !part_.cause_known(call)) continue;
      const uint64_t end = part_.wait_end(call);
      if (end <= until && (call >= part_.lanes[lane].first_call || end > part_.part.begin_ticks)) {
        return call;
      }
    }
    return comm::kNoCall;
  }

  void add_segment(uint32_t lane, uint64_t from, uint64_t until) {
    if (from >= until) return;
    std::vector<CriticalSegment>& segments = all_.segments_;
    const bool goes_on = until == part_.part.end_ticks && !segments.empty() &&
                         segments.back().lane == lane && segments.back().begin_ticks == until;
    if (goes_on) {
      segments.back().begin_ticks = from;
    } else {
      segments.push_back({lane, from, until});
    }
  }

  /// A stretch of a lane belongs to the path; `call` is behind it.
  void charge(uint32_t lane, uint64_t from, uint64_t until, uint32_t call) {
    const Model::Lane& of = part_.lanes[lane];
    uint64_t end = until;  // Of what was not charged yet.
    const auto take = [&](uint32_t path, uint64_t ticks) {
      if (ticks > 0) all_.ticks_of(path).on_path[lane] += ticks;
      end -= ticks;
    };
    while (from < end) {
      take_gap(Model::gap(call, lane), std::max(from, part_.gap_begin(call, of)), end, take);
      if (end <= from) return;
      if (call == of.first_call) break;
      --call;
      // Waits of unknown cause are time of the call.
      const bool known = part_.wait_ticks(call) == 0 || part_.cause_known(call);
      const uint64_t begin = std::max(from, known ? part_.wait_end(call) : part_.begin(call));
      if (begin < end) take(part_.call_path[call], end - begin);
      if (end <= from) return;
      // Only where clocks disagree: a wait that ends behind the stretch.
      if (end > part_.begin(call)) {
        take(part_.call_path[call], end - std::max(from, part_.begin(call)));
      }
    }
    if (from < end) all_.crossing_[lane].on_path_ticks += end - from;
  }
  template <class Take>
  void take_gap(size_t gap, uint64_t from, uint64_t until, Take take) const {
    if (from >= until) return;
    uint64_t left = until - from;
    for (uint32_t i = part_.first_piece[gap + 1]; i-- > part_.first_piece[gap] && left > 0;) {
      const uint64_t taken = std::min(left, part_.piece_ticks[i]);
      take(part_.piece_path[i], taken);
      left -= taken;
    }
  }

  const Model& part_;
  const comm::MpiCalls& calls_;
  GrowingCriticalPath& all_;
};

void GrowingCriticalPath::add(const Model& part) {
  begin(part);
  Walk walk(part, *this);
  if (!started_) {
    started_ = true;
    lane_ = walk.last_lane();
    until_ = part.window.end_ticks;
  }
  if (lane_ != kNone) walk.run();
  total(part);
}

/// Numbers its call paths, and gives what was left of calls that cross its end to them.
void GrowingCriticalPath::begin(const Model& part) {
  ranks_ = part.rank_count();
  nodes_ = add_paths(part.call_paths, tree_);
  by_node_.resize(tree_.nodes().size());
  crossing_.resize(part.lanes.size());
  rank_of_lane_.clear();
  for (uint32_t lane = 0; lane < part.lanes.size(); ++lane) {
    rank_of_lane_.push_back(part.all->calls.lanes[lane].rank);
    const Model::Lane& of = part.lanes[lane];
    if (of.first_call == of.end_call) continue;
    const uint64_t ticks = std::exchange(crossing_[lane], {}).on_path_ticks;
    if (ticks > 0) ticks_of(part.call_path[of.end_call - 1]).on_path[lane] += ticks;
  }
}

GrowingCriticalPath::Ticks& GrowingCriticalPath::ticks_of(uint32_t path) {
  return by_node_[path == kNone ? 0 : nodes_[path]];
}

/// What all lanes did in it, waits left out. A call counts where it begins.
void GrowingCriticalPath::total(const Model& part) {
  for (size_t i = 0; i < part.piece_path.size(); ++i) {
    ticks_of(part.piece_path[i]).all += part.piece_ticks[i];
  }
  for (uint32_t lane = 0; lane < part.lanes.size(); ++lane) {
    const Model::Lane& of = part.lanes[lane];
    if (of.recorded) crossing_[lane].ticks += of.begin_ticks - part.part.begin_ticks;
    for (uint32_t call = of.first_call; call < of.end_call; ++call) {
      ticks_of(part.call_path[call]).all += part.end(call) - part.wait_end(call);
    }
  }
}

CriticalPath critical_path(const Model& model) {
  // Calls from before the window are of no part.
  GrowingCriticalPath growing(std::vector<uint64_t>(model.lanes.size(), UINT64_MAX));
  growing.add(model);
  return growing.finish().path;
}

GrowingCriticalPath::Found GrowingCriticalPath::finish() const {
  Found found;
  found.ranks = ranks_;
  found.rank_of_lane = rank_of_lane_;
  found.path.segments.assign(segments_.rbegin(), segments_.rend());
  const std::vector<uint32_t> number = number_paths(tree_, found.call_paths);
  std::vector<Ticks> ticks = by_node_;
  if (ticks.empty()) ticks.resize(1);
  // Calls from before the window.
  for (uint32_t lane = 0; lane < crossing_.size(); ++lane) {
    ticks[0].all += crossing_[lane].ticks;
    if (crossing_[lane].on_path_ticks > 0) {
      ticks[0].on_path[lane] += crossing_[lane].on_path_ticks;
    }
  }
  std::vector<size_t> node_of(found.call_paths.size() + 1, 0);
  for (size_t node = 1; node < ticks.size(); ++node) node_of[number[node]] = node;
  for (uint32_t path = 0; path < node_of.size(); ++path) {
    const Ticks& of = ticks[node_of[path]];
    const uint32_t name = path < found.call_paths.size() ? path : kNone;
    CriticalTotal total{name, 0, of.all};
    for (const auto& [lane, on_path] : of.on_path) {
      found.path.parts.push_back({name, lane, on_path});
      total.on_path_ticks += on_path;
    }
    if (total.all_ticks > 0 || total.on_path_ticks > 0) found.path.totals.push_back(total);
  }
  return found;
}

}  // namespace pathline::findings
