// SPDX-License-Identifier: BSD-3-Clause
#include "raw/clock.hpp"

#include <algorithm>
#include <cmath>

#include "otf2/clock.hpp"

namespace pathline::raw {
namespace {

constexpr uint64_t kLatestNs = 1ULL << 62U;
constexpr double kTolerance = 0.05;

double slope(const TickPair& a, const TickPair& b) {
  return static_cast<double>(b.ns - a.ns) / static_cast<double>(b.ticks - a.ticks);
}

bool by_ticks(const TickPair& a, const TickPair& b) {
  return a.ticks != b.ticks ? a.ticks < b.ticks : a.ns < b.ns;
}

}  // namespace

TickClock::TickClock(uint64_t ticks_per_second, std::vector<TickPair> pairs,
                     std::vector<TickPair> chunk_pairs) {
  const double nominal = 1e9 / static_cast<double>(std::max<uint64_t>(1, ticks_per_second));
  const auto believable = [&](const TickPair& a, const TickPair& b) {
    if (b.ns < a.ns) return false;
    const double ratio = slope(a, b) / nominal;
    // Within a microsecond of each other the reading of the clocks itself decides.
    const auto off = std::abs(static_cast<double>(b.ns - a.ns) -
                              nominal * static_cast<double>(b.ticks - a.ticks));
    return std::abs(ratio - 1) <= kTolerance || off <= 1000;
  };
  std::sort(pairs.begin(), pairs.end(), by_ticks);
  std::sort(chunk_pairs.begin(), chunk_pairs.end(), by_ticks);
  for (const TickPair& pair : pairs) {
    if (pair.ns > kLatestNs || (!points_.empty() && (pair.ticks == points_.back().ticks ||
                                                     !believable(points_.back(), pair)))) {
      ++ignored_;
      continue;
    }
    if (!points_.empty() && pair.ns == points_.back().ns) continue;
    points_.push_back(pair);
  }
  if (points_.empty()) {
    const auto first = std::find_if(chunk_pairs.begin(), chunk_pairs.end(),
                                    [](const TickPair& pair) { return pair.ns <= kLatestNs; });
    if (first == chunk_pairs.end()) return;
    points_.push_back(*first);
  }
  for (size_t i = 0; i + 1 < points_.size(); ++i) {
    slopes_.push_back(slope(points_[i], points_[i + 1]));
  }
  // Behind the last point: as fast as over the whole run before, if that was measured.
  double last = nominal;
  if (points_.size() > 1) last = slope(points_.front(), points_.back());
  if (points_.size() == 1) {
    const TickPair& anchor = points_[0];
    const auto reach = [&](const TickPair& pair) {
      return pair.ticks > anchor.ticks ? pair.ticks - anchor.ticks : 0;
    };
    uint64_t farthest = 0;
    for (const TickPair& pair : chunk_pairs) {
      if (reach(pair) > 0 && pair.ns <= kLatestNs && believable(anchor, pair)) {
        farthest = std::max(farthest, reach(pair));
      }
    }
    double slowest = 0;
    for (const TickPair& pair : chunk_pairs) {
      // Near ones say little about the frequency, and being late there would say nothing wrong.
      if (reach(pair) == 0 || reach(pair) < farthest / 2 || pair.ns > kLatestNs) continue;
      if (!believable(anchor, pair) || pair.ns <= anchor.ns) continue;
      const double measured = slope(anchor, pair);
      if (slowest == 0 || measured < slowest) slowest = measured;
    }
    // What is late by 100 us within a second is no better than what the recorder knew.
    if (slowest > 0 && static_cast<double>(farthest) * nominal >= 1e9) last = slowest;
  }
  slopes_.push_back(last);
}

uint64_t TickClock::at(size_t segment, uint64_t ticks) const {
  const TickPair& from = points_[segment];
  if (ticks >= from.ticks) {
    const double ns = slopes_[segment] * static_cast<double>(ticks - from.ticks);
    if (ns >= static_cast<double>(kLatestNs - from.ns)) return kLatestNs;
    const uint64_t value = from.ns + static_cast<uint64_t>(std::llround(ns));
    // Rounding must not pass the next point.
    return segment + 1 < points_.size() ? std::min(value, points_[segment + 1].ns) : value;
  }
  const double ns = slopes_[segment] * static_cast<double>(from.ticks - ticks);
  return ns >= static_cast<double>(from.ns) ? 0 : from.ns - static_cast<uint64_t>(std::llround(ns));
}

uint64_t TickClock::ns(uint64_t ticks, size_t& hint) const {
  if (points_.empty()) return std::min(ticks, kLatestNs);
  while (hint + 1 < points_.size() && ticks >= points_[hint + 1].ticks) ++hint;
  while (hint > 0 && ticks < points_[hint].ticks) --hint;
  return at(hint, ticks);
}

uint64_t TickClock::ns(uint64_t ticks) const {
  const auto above =
      std::upper_bound(points_.begin(), points_.end(), TickPair{ticks, UINT64_MAX}, by_ticks);
  size_t hint = above == points_.begin() ? 0 : static_cast<size_t>(above - points_.begin()) - 1;
  return ns(ticks, hint);
}

double TickClock::ticks_per_second() const {
  if (points_.empty()) return 1e9;
  return 1e9 / (points_.size() > 1 ? slope(points_.front(), points_.back()) : slopes_.back());
}

std::vector<trace::ClockOffset> usable_offsets(std::vector<trace::ClockOffset> offsets,
                                               size_t& ignored) {
  std::stable_sort(offsets.begin(), offsets.end(),
                   [](const auto& a, const auto& b) { return a.local_ticks < b.local_ticks; });
  std::vector<trace::ClockOffset> usable;
  for (const trace::ClockOffset& offset : offsets) {
    constexpr auto kLargest = static_cast<int64_t>(kLatestNs / 2);
    bool good = offset.local_ticks <= kLatestNs && offset.offset_ticks <= kLargest &&
                offset.offset_ticks >= -kLargest &&
                static_cast<int64_t>(offset.local_ticks) + offset.offset_ticks >= 0;
    if (good && !usable.empty()) {
      const auto& last = usable.back();
      const auto elapsed = static_cast<int64_t>(offset.local_ticks - last.local_ticks);
      const int64_t drift = offset.offset_ticks - last.offset_ticks;
      // No two clocks that tick at all differ by half; what says so is damaged.
      good = elapsed > 0 && std::abs(drift) < elapsed / 2;
    }
    if (good) {
      usable.push_back(offset);
    } else {
      ++ignored;
    }
  }
  // Fewer than two correct nothing in OTF2.
  if (usable.size() == 1) {
    usable.push_back(usable[0]);
    usable.back().local_ticks += 1'000'000'000;
  }
  return usable;
}

OffsetClock::OffsetClock(std::span<const trace::ClockOffset> offsets) : offsets_(offsets) {}

uint64_t OffsetClock::global_ns(uint64_t local_ns) {
  if (offsets_.size() < 2) return local_ns;
  while (next_ + 1 < offsets_.size() && local_ns > offsets_[next_].local_ticks) ++next_;
  const uint64_t global = otf2::Correction(offsets_[next_ - 1], offsets_[next_]).apply(local_ns);
  return global > 2 * kLatestNs ? 0 : global;
}

}  // namespace pathline::raw
