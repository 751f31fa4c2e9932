// SPDX-License-Identifier: BSD-3-Clause
#include "app/describe_shifts.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"

namespace pathline::app {
namespace {

constexpr std::string_view kAxes = "xyz";
constexpr uint64_t kValueBytes = 8;
constexpr uint32_t kMostExtra = 2;
constexpr uint64_t kMostValues = 1'000'000;  // As the file allows.

/// All that may be added to the sides of a shift along `axis`, the least first.
std::vector<std::vector<uint32_t>> extras_of(uint32_t axis, size_t axes) {
  std::vector<std::vector<uint32_t>> all = {{}};
  for (uint32_t i = 0; i < axes; ++i) {
    std::vector<std::vector<uint32_t>> longer;
    for (const std::vector<uint32_t>& begun : all) {
      for (uint32_t extra = 0; extra <= (i == axis ? 0 : kMostExtra); ++extra) {
        longer.push_back(begun);
        longer.back().push_back(extra);
      }
    }
    all = std::move(longer);
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    const auto sum = [](const std::vector<uint32_t>& of) {
      uint32_t result = 0;
      for (const uint32_t extra : of) result += extra;
      return result;
    };
    return sum(a) < sum(b);
  });
  return all;
}

/// Cells of the side that a rank sends along `axis`.
uint64_t side_of(uint32_t axis, const std::vector<uint32_t>& extra, const SeenBytes& seen) {
  uint64_t cells = 1;
  for (uint32_t i = 0; i < extra.size(); ++i) {
    if (i != axis) cells *= uint64_t{seen.local[i]} + extra[i];
  }
  return cells;
}

/// Which ranks of an axis have one cell more, where the cells do not divide evenly.
enum class Larger { kFirst, kSpread, kLast };

uint32_t part_of(uint32_t cells, uint32_t ranks, uint32_t at, Larger larger) {
  const uint32_t rest = cells % ranks;
  switch (larger) {
    case Larger::kFirst: return cells / ranks + (at < rest ? 1 : 0);
    case Larger::kLast: return cells / ranks + (at >= ranks - rest ? 1 : 0);
    case Larger::kSpread: break;
  }
  const auto first_of = [&](uint64_t part) { return uint64_t{cells} * part / ranks; };
  return static_cast<uint32_t>(first_of(uint64_t{at} + 1) - first_of(at));
}

class Finder {
 public:
  Finder(std::span<const Pattern> patterns, uint32_t reference, const std::vector<uint32_t>& cells,
         const std::vector<uint32_t>& ranks)
      : patterns_(patterns), reference_(reference), cells_(cells), ranks_(ranks) {}

  Shifts find(const PairCounts& pairs, Larger larger) {
    const std::vector<AxisEnds> ends = find_ends(pairs, patterns_, reference_, ranks_);
    for (const AxisEnds& of_axis : ends) found_.periodic.push_back(of_axis.periodic);
    for (uint32_t rank = 0; rank < patterns_.size(); ++rank) {
      auto& local = found_.locals.emplace_back();
      local.fill(1);
      uint32_t rest = rank;
      for (size_t axis = 0; axis < ranks_.size(); rest /= ranks_[axis], ++axis) {
        local[axis] = part_of(cells_[axis], ranks_[axis], rest % ranks_[axis], larger);
      }
    }
    for (uint32_t rank = 0; rank < patterns_.size(); ++rank) {
      found_.ways.push_back(ways_of(rank));
    }
    for (const auto& group : found_.ways[reference_]) {
      for (const auto& way : group) {
        if (way && ranks_[way->axis] == 1) found_.periodic[way->axis] = true;
      }
    }
    const Pattern& pattern = patterns_[reference_];
    found_.groups.resize(pattern.groups.size());
    for (size_t i = 0; i < pattern.groups.size(); ++i) add_shifts(reference_, i, std::nullopt);
    add_other_sides();
    for (size_t i = 0; i < pattern.groups.size(); ++i) {
      found_.groups[i].at_once = pattern.groups[i].together && found_.groups[i].shifts.size() > 1;
    }
    remark_on_axes(ends);
    return std::move(found_);
  }

 private:
  void remark(std::string text) {
    auto& remarks = found_.remarks;
    if (std::find(remarks.begin(), remarks.end(), text) == remarks.end()) {
      remarks.push_back(std::move(text));
    }
  }

  /// The axis of a message of a rank to itself: one with a single rank, whose side it fits.
  std::optional<uint32_t> axis_of_own(uint32_t rank, uint64_t bytes) const {
    std::optional<uint32_t> best;
    uint64_t values_of_best = UINT64_MAX;
    for (uint32_t axis = 0; axis < ranks_.size(); ++axis) {
      if (ranks_[axis] != 1) continue;
      if (!best) best = axis;
      const SeenBytes seen{found_.locals[rank], bytes};
      const auto shift = fit_shift(axis, ranks_.size(), {&seen, 1});
      if (!shift || shift->values_per_cell >= values_of_best) continue;
      best = axis;
      values_of_best = shift->values_per_cell;
    }
    return best;
  }

  Ways ways_of(uint32_t rank) const {
    Ways ways;
    std::array<bool, predict::kMaxAxes> up{};  // Of the last one, where both ways go to one rank.
    for (const MessageGroup& group : patterns_[rank].groups) {
      ways.emplace_back();
      for (const SentMessage& send : group.sends) {
        std::optional<Way>& way = ways.back().emplace_back();
        bool both_ways = true;
        if (send.to == rank) {
          if (const auto axis = axis_of_own(rank, send.bytes)) way = Way{*axis, true};
        } else if (const auto move = move_between(rank, send.to, ranks_)) {
          way = Way{move->axis, move->up};
          both_ways = ranks_[move->axis] == 2 && found_.periodic[move->axis];
        }
        if (way && both_ways) way->up = up[way->axis] = !up[way->axis];
      }
    }
    return ways;
  }

  /// Adds what `rank` sends in its group `group`, along one axis or all.
  void add_shifts(uint32_t rank, size_t group, std::optional<uint32_t> along) {
    const Ways& ways = found_.ways[rank];
    for (size_t k = 0; k < ways[group].size(); ++k) {
      const std::optional<Way>& way = ways[group][k];
      if (!way || (along && way->axis != *along)) continue;
      std::vector<SeenBytes> seen;
      for (uint32_t other = 0; other < patterns_.size(); ++other) {
        if (found_.ways[other] != ways) continue;
        seen.push_back({found_.locals[other], patterns_[other].groups[group].sends[k].bytes});
      }
      found_.groups[group].shifts.push_back(shift_of(*way, seen));
    }
  }

  predict::Shift shift_of(const Way& way, const std::vector<SeenBytes>& seen) {
    const size_t axes = ranks_.size();
    predict::Shift shift;
    if (const auto fit = fit_shift(way.axis, axes, seen)) {
      shift = *fit;
      remark_on_coincidence(shift, seen);
    } else {
      ++found_.misfits;
      shift.axis = way.axis;
      shift.extra.assign(axes, 0);
      double values = 0;
      for (const SeenBytes& each : seen) {
        values += static_cast<double>(each.bytes) /
                  static_cast<double>(kValueBytes * side_of(way.axis, shift.extra, each));
      }
      values = std::round(values / static_cast<double>(seen.size()));
      shift.values_per_cell =
          static_cast<uint32_t>(std::clamp(values, 1.0, static_cast<double>(kMostValues)));
      remark(fmt::format(
          "messages of {} bytes along {} are no whole number of values for each of {} cells, nor "
          "with one or two cells more: values_per_cell is rounded to {}",
          seen.front().bytes, kAxes[way.axis], side_of(way.axis, shift.extra, seen.front()),
          shift.values_per_cell));
    }
    shift.upwards = way.up;
    shift.layout = way.axis == 0 ? "strided" : "contiguous";
    return shift;
  }

  /// Ranks of one size leave open whether 24 values are 3 for each of 8 cells, or 4 for each of 6.
  void remark_on_coincidence(const predict::Shift& shift, const std::vector<SeenBytes>& seen) {
    const auto is_none = [](uint32_t extra) { return extra == 0; };
    if (shift.values_per_cell == 1 ||
        std::all_of(shift.extra.begin(), shift.extra.end(), is_none)) {
      return;
    }
    const uint64_t bytes = seen.front().bytes;
    const bool is_one_size = std::all_of(
        seen.begin(), seen.end(), [&](const SeenBytes& each) { return each.bytes == bytes; });
    if (!is_one_size || is_coincidence_told_) return;
    is_coincidence_told_ = true;
    remark(fmt::format(
        "where extra is not 0 and values_per_cell is not 1, another pair of them may be meant: {} "
        "bytes along {} are taken for {} values in each of {} cells. A run whose ranks have sides "
        "of two sizes would tell",
        bytes, kAxes[shift.axis], shift.values_per_cell,
        side_of(shift.axis, shift.extra, seen.front())));
  }

  /// Along an axis with two ranks and ends a rank sends one way only.
  void add_other_sides() {
    uint32_t stride = 1;
    for (uint32_t axis = 0; axis < ranks_.size(); stride *= ranks_[axis], ++axis) {
      if (ranks_[axis] != 2 || found_.periodic[axis]) continue;
      const uint32_t partner =
          reference_ / stride % 2 == 0 ? reference_ + stride : reference_ - stride;
      if (found_.ways[partner].size() != found_.groups.size()) {
        remark(
            fmt::format("along {} rank {} and its neighbour {} send at different times: what "
                        "goes {} is to be added",
                        kAxes[axis], reference_, partner, partner > reference_ ? "down" : "up"));
        continue;
      }
      for (size_t i = 0; i < found_.groups.size(); ++i) add_shifts(partner, i, axis);
    }
  }

  void remark_on_axes(const std::vector<AxisEnds>& ends) {
    for (uint32_t axis = 0; axis < ranks_.size(); ++axis) {
      const char name = kAxes[axis];
      if (ranks_[axis] == 1 && found_.periodic[axis]) {
        remark(
            fmt::format("with one rank along {} messages go to the rank itself: that they go "
                        "along {}, and which way, is a guess",
                        name, name));
      } else if (ranks_[axis] == 1) {
        remark(
            fmt::format("with one rank along {} no messages are seen along it: what is to be "
                        "sent where {} is divided is missing, and whether it is periodic",
                        name, name));
      } else if (!ends[axis].known) {
        remark(
            fmt::format("with two ranks along {} messages do not tell whether it is periodic: "
                        "false is a guess; a run with three ranks along it would tell",
                        name));
      } else if (ranks_[axis] == 2 && found_.periodic[axis]) {
        remark(
            fmt::format("with two ranks along {}, which is periodic, up and down go to the "
                        "same rank: which is which is a guess",
                        name));
      }
    }
  }

  std::span<const Pattern> patterns_;
  uint32_t reference_;
  const std::vector<uint32_t>& cells_;
  const std::vector<uint32_t>& ranks_;
  Shifts found_;
  bool is_coincidence_told_ = false;
};

}  // namespace

std::optional<predict::Shift> fit_shift(uint32_t axis, size_t axes,
                                        std::span<const SeenBytes> seen) {
  if (seen.empty()) return std::nullopt;
  for (const std::vector<uint32_t>& extra : extras_of(axis, axes)) {
    const uint64_t per_value = kValueBytes * side_of(axis, extra, seen.front());
    const uint64_t values = seen.front().bytes / per_value;
    if (values == 0 || values > kMostValues) continue;
    const bool fits = std::all_of(seen.begin(), seen.end(), [&](const SeenBytes& each) {
      return each.bytes == values * kValueBytes * side_of(axis, extra, each);
    });
    if (!fits) continue;
    return predict::Shift{
        .axis = axis, .values_per_cell = static_cast<uint32_t>(values), .extra = extra};
  }
  return std::nullopt;
}

Shifts find_shifts(const PairCounts& pairs, std::span<const Pattern> patterns, uint32_t reference,
                   const std::vector<uint32_t>& cells, const std::vector<uint32_t>& ranks) {
  std::optional<Shifts> best;
  for (const Larger larger : {Larger::kFirst, Larger::kSpread, Larger::kLast}) {
    Shifts found = Finder(patterns, reference, cells, ranks).find(pairs, larger);
    if (!best || found.misfits < best->misfits) best = std::move(found);
    if (best->misfits == 0) break;
  }
  return std::move(*best);
}

}  // namespace pathline::app
