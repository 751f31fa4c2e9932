// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "insitu/figures.hpp"
#include "trace/calls.hpp"

namespace pathline::insitu {

/// No step, no function.
inline constexpr uint32_t kNone = UINT32_MAX;

/// The steps of one rank that are wanted, and where they go.
class StepWindows {
 public:
  /// step_of  by number; what is not in it is not wanted.
  StepWindows(const std::vector<trace::StepWindow>& all,
              const std::map<uint32_t, uint32_t>& step_of) {
    uint64_t last_end = 0;
    for (const trace::StepWindow& window : all) {
      // As comm::step_table(): a step inside another one belongs to that.
      if (!windows_.empty() && window.begin_ticks < last_end) continue;
      last_end = window.end_ticks;
      const auto found = step_of.find(window.step);
      windows_.push_back(
          {window.begin_ticks, window.end_ticks, found == step_of.end() ? kNone : found->second});
    }
  }

  /// The wanted step that holds `ticks`, or kNone.
  [[nodiscard]] uint32_t at(uint64_t ticks) const {
    const size_t i = begun_at(ticks);
    return i != windows_.size() && ticks <= windows_[i].end ? windows_[i].step : kNone;
  }
  /// visit(step, ticks): what of the time from `begin` to `end` lies in wanted steps.
  template <class Visit>
  void share_out(uint64_t begin, uint64_t end, Visit visit) const {
    size_t i = begun_at(begin);
    if (i == windows_.size()) i = 0;
    for (; i < windows_.size() && windows_[i].begin < end; ++i) {
      const uint64_t from = std::max(begin, windows_[i].begin);
      const uint64_t until = std::min(end, windows_[i].end);
      if (from < until && windows_[i].step != kNone) visit(windows_[i].step, until - from);
    }
  }

 private:
  struct Window {
    uint64_t begin;
    uint64_t end;
    uint32_t step;
  };
  /// The last step that had begun at `ticks`; windows_.size() before the first.
  [[nodiscard]] size_t begun_at(uint64_t ticks) const {
    const auto after =
        std::upper_bound(windows_.begin(), windows_.end(), ticks,
                         [](uint64_t t, const Window& window) { return t < window.begin; });
    return after == windows_.begin() ? windows_.size()
                                     : static_cast<size_t>(after - windows_.begin() - 1);
  }

  std::vector<Window> windows_;
};

/// A step of a rank, and what it sent there.
struct StepPair {
  uint32_t step;
  PairFigures pair;
};

/// Adds up what is alike, now and then, so that memory grows with the pairs and not with messages.
class PairSums {
 public:
  void add(uint32_t step, const PairFigures& pair) {
    pairs_.push_back({step, pair});
    if (pairs_.size() >= limit_) {
      merge();
      limit_ = std::max<size_t>(kLeast, 2 * pairs_.size());
    }
  }
  std::vector<StepPair> take() {
    merge();
    return std::move(pairs_);
  }

 private:
  static constexpr size_t kLeast = 4096;
  void merge() {
    const auto key = [](const StepPair& p) {
      return std::tie(p.step, p.pair.destination, p.pair.function);
    };
    std::sort(pairs_.begin(), pairs_.end(),
              [&](const StepPair& a, const StepPair& b) { return key(a) < key(b); });
    size_t kept = 0;
    for (size_t i = 0; i < pairs_.size(); ++i) {
      if (kept > 0 && key(pairs_[kept - 1]) == key(pairs_[i])) {
        pairs_[kept - 1].pair.calls += pairs_[i].pair.calls;
        pairs_[kept - 1].pair.bytes += pairs_[i].pair.bytes;
      } else {
        pairs_[kept++] = pairs_[i];
      }
    }
    pairs_.resize(kept);
  }

  std::vector<StepPair> pairs_;
  size_t limit_ = kLeast;
};

}  // namespace pathline::insitu
