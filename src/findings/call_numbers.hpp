// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "findings/model.hpp"

namespace pathline::findings {

/// The calls of a run that is modelled part by part, by numbers that do not depend on the parts:
/// how many of its lane in the window come before.
class CallNumbers {
 public:
  struct Call {
    uint32_t lane = kNone;
    uint32_t number = kNone;
    friend bool operator<(const Call& a, const Call& b) {
      return a.lane != b.lane ? a.lane < b.lane : a.number < b.number;
    }
  };

  /// What the calls of this part are numbered by.
  void begin(const Model& part) {
    next_.resize(part.lanes.size(), 0);
    part_ = &part;
  }
  /// The same of the part before the last one, on the way back. returns  false where there are not
  /// so many calls before.
  bool begin_back(const Model& part) {
    for (size_t lane = 0; lane < next_.size(); ++lane) {
      const uint32_t calls = part.lanes[lane].end_call - part.lanes[lane].first_call;
      if (calls > next_[lane]) return false;
      next_[lane] -= calls;
    }
    part_ = &part;
    return true;
  }
  /// Its calls are counted.
  void end() {
    for (size_t lane = 0; lane < next_.size(); ++lane) {
      next_[lane] += part_->lanes[lane].end_call - part_->lanes[lane].first_call;
    }
  }

  /// Of a lane's first call in the part.
  [[nodiscard]] uint32_t first(uint32_t lane) const { return next_[lane]; }
  /// Of any call that the part knows; nullopt for kNoCall, outside of the window, and for lanes
  /// without a recording.
  [[nodiscard]] std::optional<Call> of(uint32_t call) const {
    if (call == comm::kNoCall) return std::nullopt;
    const uint32_t lane = part_->all->calls.lane_of(call);
    const Model::Lane& of = part_->lanes[lane];
    const int64_t number = int64_t{next_[lane]} + call - of.first_call;
    if (!of.recorded || number < 0 || !part_->in_window(call)) return std::nullopt;
    return Call{lane, static_cast<uint32_t>(number)};
  }
  /// Of a call of the part,
  [[nodiscard]] uint32_t number(uint32_t lane, uint32_t call) const {
    return next_[lane] + (call - part_->lanes[lane].first_call);
  }
  /// and back. nullopt for one of another part.
  [[nodiscard]] std::optional<uint32_t> call_of(Call call) const {
    const Model::Lane& of = part_->lanes[call.lane];
    const uint32_t first = next_[call.lane];
    if (call.number < first || call.number - first >= of.end_call - of.first_call) {
      return std::nullopt;
    }
    return of.first_call + (call.number - first);
  }
  /// The same for a group of Dependencies: by its last member that counts, and which of the groups
  /// it is that this one arrives in. Of a scan the first ranks may have gone on before the part.
  /// nullopt where none counts.
  [[nodiscard]] std::optional<uint64_t> key_of_group(uint32_t group) const {
    const comm::Dependencies& all = *part_->all;
    for (uint32_t row = all.group_first[group + 1]; row-- > all.group_first[group];) {
      const uint32_t member = all.member[row];
      const auto call = of(member);
      if (!call) continue;
      uint64_t before = 0;
      for (uint32_t i = all.first[member]; i < all.first[member + 1]; ++i) {
        const comm::Dependency& one = all.list[i];
        if (!one.arrives()) continue;
        if (all.group[one.target] == group) break;
        ++before;
      }
      return uint64_t{call->lane} << 40U | (before & 0xffU) << 32U | call->number;
    }
    return std::nullopt;
  }

 private:
  const Model* part_ = nullptr;
  std::vector<uint32_t> next_;  // Per lane.
};

}  // namespace pathline::findings
