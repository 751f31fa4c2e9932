// SPDX-License-Identifier: BSD-3-Clause
#include "app/describe_grid.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "app/prediction.hpp"
#include "base/text.hpp"

namespace pathline::app {
namespace {

constexpr double kEnough = 0.95;  // Of the messages: a few may do something else.

/// Of one grid of ranks.
struct Explained {
  uint64_t messages = 0;   ///< Between neighbours along one axis, or of a rank to itself.
  uint64_t neighbors = 0;  ///< Pairs of neighbours, without wrap-around.
  uint64_t silent = 0;     ///< Of them: those that exchange nothing.
};

Explained explain(const PairCounts& pairs, std::span<const uint32_t> ranks) {
  Explained result;
  std::set<std::pair<uint32_t, uint32_t>> talking;
  for (const auto& [pair, count] : pairs) {
    const auto& [from, to] = pair;
    const bool alone = from == to && std::find(ranks.begin(), ranks.end(), 1U) != ranks.end();
    const auto move = move_between(from, to, ranks);
    if (!move && !alone) continue;
    result.messages += count;
    if (move && !move->wraps) talking.insert(std::minmax(from, to));
  }
  uint64_t rank_count = 1;
  for (const uint32_t count : ranks) rank_count *= count;
  for (const uint32_t count : ranks) result.neighbors += rank_count / count * (count - 1);
  result.silent = result.neighbors - talking.size();
  return result;
}

/// What `pattern` sends along an axis.
std::vector<const SentMessage*> along(const Pattern& pattern, uint32_t rank, uint32_t axis,
                                      std::span<const uint32_t> ranks) {
  std::vector<const SentMessage*> sends;
  for (const MessageGroup& group : pattern.groups) {
    for (const SentMessage& send : group.sends) {
      const auto move = move_between(rank, send.to, ranks);
      if (move && move->axis == axis) sends.push_back(&send);
    }
  }
  return sends;
}

/// Of an axis with two ranks; none: it cannot be told.
std::optional<bool> is_periodic_pair(std::span<const Pattern> patterns, uint32_t reference,
                                     uint32_t partner, uint32_t axis,
                                     std::span<const uint32_t> ranks) {
  const auto there = along(patterns[reference], reference, axis, ranks);
  const auto back = along(patterns[partner], partner, axis, ranks);
  for (const auto* sends : {&there, &back}) {
    for (const SentMessage* send : *sends) {
      if (send->answered) return true;
    }
  }
  // What is sent each way along an axis with inner ranks, is sent both ways to the one neighbour.
  for (uint32_t other = 0; other < ranks.size(); ++other) {
    if (ranks[other] < 3) continue;
    const size_t both_ways = along(patterns[reference], reference, other, ranks).size();
    if (both_ways == 0) continue;
    if (there.size() == both_ways && back.size() == both_ways) return true;
    if (there.size() + back.size() == both_ways) return false;
  }
  // One direction usually has one tag.
  std::set<uint32_t> tags_there;
  std::set<uint32_t> tags_back;
  for (const SentMessage* send : there) tags_there.insert(send->tag);
  for (const SentMessage* send : back) tags_back.insert(send->tag);
  if (tags_there == tags_back && tags_there.size() > 1) return true;
  const bool have_one = std::any_of(tags_there.begin(), tags_there.end(),
                                    [&](uint32_t tag) { return tags_back.contains(tag); });
  if (!have_one && !there.empty() && !back.empty()) return false;
  return std::nullopt;
}

}  // namespace

PairCounts pair_counts(const RankSteps& steps) {
  PairCounts pairs;
  for (uint32_t rank = 0; rank < steps.of_rank.size(); ++rank) {
    for (const RankStep& step : steps.of_rank[rank]) {
      for (const MessageGroup& group : step.groups) {
        for (const SentMessage& send : group.sends) ++pairs[{rank, send.to}];
      }
    }
  }
  return pairs;
}

std::optional<Move> move_between(uint32_t from, uint32_t to, std::span<const uint32_t> ranks) {
  std::optional<Move> move;
  for (uint32_t axis = 0; axis < ranks.size(); ++axis) {
    const uint32_t size = ranks[axis];
    const uint32_t a = from % size;
    const uint32_t b = to % size;
    from /= size;
    to /= size;
    if (a == b) continue;
    if (move) return std::nullopt;
    if (b == a + 1 || a == b + 1) {
      move = Move{.axis = axis, .up = b > a, .wraps = false};
    } else if (a + b + 1 == size && (a == 0 || b == 0)) {
      move = Move{.axis = axis, .up = b == 0, .wraps = true};
    } else {
      return std::nullopt;
    }
  }
  return from == to ? move : std::nullopt;
}

base::Result<std::vector<std::vector<uint32_t>>> find_rank_grids(uint32_t rank_count,
                                                                 const std::vector<uint32_t>& cells,
                                                                 const PairCounts& pairs) {
  const auto refused = [](std::string message) {
    return base::Error{base::ErrorCode::kInvalidArgument, std::move(message),
                       "--grid needs all axes of the program; --rank-grid PXxPY says how ranks are "
                       "arranged along them, the first axis fastest."};
  };
  const auto candidates = divisions(rank_count, cells);
  if (candidates.empty()) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("{} cannot divide --grid {}: there are fewer cells than ranks along an axis, "
                    "however they are divided",
                    base::counted(rank_count, "rank", "ranks"), grid_text(cells))};
  }
  uint64_t all = 0;
  for (const auto& [pair, count] : pairs) all += count;
  if (all == 0 && rank_count > 1) {
    return refused(
        "no messages are sent inside of the time steps that could tell how the ranks "
        "are arranged");
  }
  std::vector<std::vector<uint32_t>> fitting;
  const std::vector<uint32_t>* best = nullptr;
  Explained of_best;
  for (const std::vector<uint32_t>& ranks : candidates) {
    const Explained found = explain(pairs, ranks);
    const bool enough = static_cast<double>(found.messages) >= kEnough * static_cast<double>(all);
    if (enough && found.silent == 0) fitting.push_back(ranks);
    const auto order = [](const Explained& of) {
      return std::tuple(of.messages, UINT64_MAX - of.silent);
    };
    if (best == nullptr || order(found) > order(of_best)) {
      best = &ranks;
      of_best = found;
    }
  }
  if (!fitting.empty()) {
    std::sort(fitting.begin(), fitting.end(), is_more_even);
    return fitting;
  }
  const double share = 100 * static_cast<double>(of_best.messages) / static_cast<double>(all);
  std::string message = fmt::format(
      "the {} form no grid whose neighbours exchange the messages: at best, as {}, {:.1f} % go "
      "between neighbours along one axis",
      base::counted(rank_count, "rank", "ranks"), grid_text(*best), share);
  if (share >= 100 * kEnough) {
    message +=
        fmt::format(", and {} of {} exchange nothing", of_best.silent,
                    base::counted(of_best.neighbors, "pair of neighbours", "pairs of neighbours"));
  } else {
    message += fmt::format(", expected {:.0f} % or more", 100 * kEnough);
  }
  return refused(std::move(message));
}

size_t Pattern::sends() const {
  size_t count = 0;
  for (const MessageGroup& group : groups) count += group.sends.size();
  return count;
}

bool Pattern::fits(const RankStep& step) const {
  const auto is_same = [](const SentMessage& a, const SentMessage& b) {
    return a.to == b.to && a.bytes == b.bytes;
  };
  return std::equal(groups.begin(), groups.end(), step.groups.begin(), step.groups.end(),
                    [&](const MessageGroup& a, const MessageGroup& b) {
                      return std::equal(a.sends.begin(), a.sends.end(), b.sends.begin(),
                                        b.sends.end(), is_same);
                    });
}

Pattern pattern_of(std::span<const RankStep> steps) {
  using Key = std::vector<std::tuple<size_t, uint32_t, uint64_t>>;
  std::map<Key, std::pair<size_t, const RankStep*>> kinds;
  for (const RankStep& step : steps) {
    Key key;
    for (size_t i = 0; i < step.groups.size(); ++i) {
      for (const SentMessage& send : step.groups[i].sends) key.emplace_back(i, send.to, send.bytes);
    }
    auto& [count, first] = kinds[key];
    if (count++ == 0) first = &step;
  }
  Pattern pattern;
  const RankStep* best = nullptr;
  for (const auto& [key, kind] : kinds) {
    const auto& [count, first] = kind;
    if (count < pattern.steps || (count == pattern.steps && first > best)) continue;
    pattern.steps = count;
    best = first;
  }
  if (best != nullptr) pattern.groups = best->groups;
  return pattern;
}

std::vector<AxisEnds> find_ends(const PairCounts& pairs, std::span<const Pattern> patterns,
                                uint32_t reference, std::span<const uint32_t> ranks) {
  std::vector<AxisEnds> ends(ranks.size());
  for (const auto& [pair, count] : pairs) {
    const auto move = move_between(pair.first, pair.second, ranks);
    if (move && move->wraps) ends[move->axis].periodic = true;
  }
  uint32_t stride = 1;
  for (uint32_t axis = 0; axis < ranks.size(); stride *= ranks[axis], ++axis) {
    if (ranks[axis] != 2) continue;
    const uint32_t partner = reference / stride % 2 == 0 ? reference + stride : reference - stride;
    const auto periodic = is_periodic_pair(patterns, reference, partner, axis, ranks);
    ends[axis] = {.periodic = periodic.value_or(false), .known = periodic.has_value()};
  }
  return ends;
}

}  // namespace pathline::app
