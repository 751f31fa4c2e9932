// SPDX-License-Identifier: BSD-3-Clause
#include "steps/main_loop.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pathline::steps {
namespace {

template <class Value>
Value median_of(std::vector<Value> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

/// The turns of `inner` that begin in each turn of `outer` but the last.
struct Groups {
  std::vector<uint32_t> begins;  // Into the starts of `inner`; one more than there are groups.
  size_t median = 0;
  bool are_equal = false;  // Nearly all hold as many.
};

Groups group(const Repetition& outer, const Repetition& inner) {
  Groups groups;
  uint32_t next = 0;
  for (const uint32_t start : outer.starts) {
    while (next < inner.starts.size() && inner.starts[next] < start) ++next;
    groups.begins.push_back(next);
  }
  std::vector<size_t> counts;
  for (size_t i = 1; i < groups.begins.size(); ++i) {
    counts.push_back(groups.begins[i] - groups.begins[i - 1]);
  }
  groups.median = median_of(counts);
  const auto same = static_cast<size_t>(std::count(counts.begin(), counts.end(), groups.median));
  groups.are_equal = 5 * same >= 4 * counts.size();
  return groups;
}

/// Symbols that a group has beyond its equal turns, in one place: what a turn has too much, and
/// turns that are too short to be one, next to each other.
uint32_t interruption(const Groups& groups, const Repetition& inner) {
  std::vector<uint32_t> longest;
  for (size_t i = 1; i < groups.begins.size(); ++i) {
    uint32_t most = 0;
    uint32_t together = 0;
    size_t unlike = 0;
    uint32_t most_of_one = 0;
    const size_t end = std::min<size_t>(groups.begins[i], inner.starts.size() - 1);
    for (size_t turn = groups.begins[i - 1]; turn < end; ++turn) {
      const uint32_t symbols = inner.starts[turn + 1] - inner.starts[turn];
      if (symbols == inner.median_period) {
        together = 0;
        continue;
      }
      ++unlike;
      const bool is_long = symbols > inner.median_period;
      together += is_long ? symbols - inner.median_period : symbols;
      most = std::max(most, together);
      if (is_long) most_of_one = std::max(most_of_one, symbols - inner.median_period);
    }
    // Where turns are seldom alike, their lengths say nothing.
    longest.push_back(2 * unlike > end - groups.begins[i - 1] ? most_of_one : most);
  }
  return median_of(longest);
}

uint64_t content(std::span<const uint64_t> details, uint32_t begin, uint32_t end) {
  uint64_t sum = end - begin;
  for (const uint64_t detail : details.subspan(begin, end - begin)) {
    sum = (sum ^ detail) * 0x9e3779b97f4a7c15ULL;
    sum ^= sum >> 29U;
  }
  return sum;
}

/// True if the turns of `inner` are the parts of a turn of `outer` rather than a loop: most differ
/// from the one before, but most turns of `outer` do not.
bool is_in_parts(const Groups& groups, const Repetition& outer, const Repetition& inner,
                 std::span<const uint64_t> details) {
  if (details.empty()) return false;
  size_t inner_turns = 0;
  size_t inner_changes = 0;
  for (size_t i = 1; i < groups.begins.size(); ++i) {
    for (uint32_t turn = groups.begins[i - 1] + 1; turn < groups.begins[i]; ++turn) {
      if (turn + 1 == inner.starts.size()) break;
      const uint32_t begin = inner.starts[turn];
      const uint32_t end = inner.starts[turn + 1];
      ++inner_turns;
      if (content(details, inner.starts[turn - 1], begin) != content(details, begin, end)) {
        ++inner_changes;
      }
    }
  }
  size_t outer_changes = 0;
  for (size_t i = 2; i < outer.starts.size(); ++i) {
    if (content(details, outer.starts[i - 2], outer.starts[i - 1]) !=
        content(details, outer.starts[i - 1], outer.starts[i])) {
      ++outer_changes;
    }
  }
  return 2 * inner_changes > inner_turns && 2 * outer_changes < outer.starts.size() - 2;
}

/// True if `outer` is something that is done every so often in the loop of `inner`.
bool is_every_so_often(const Groups& groups, const Repetition& outer, const Repetition& inner,
                       std::span<const uint64_t> details) {
  constexpr size_t kMany = 10;
  constexpr uint32_t kShort = 30;
  if (groups.median < kMany || !groups.are_equal) return false;
  const uint64_t between = interruption(groups, inner);
  return (2 * between <= inner.median_period || kShort * between < outer.median_period) &&
         !is_in_parts(groups, outer, inner, details);
}

/// Of two pieces of one loop: the one known by itself, the more regular, then the one that all
/// ranks share, then the one that is there more often, then the shorter.
bool cuts_better(const Repetition& a, const Repetition& b) {
  if (a.by_inner != b.by_inner) return b.by_inner;
  constexpr double kAlike = 0.02;
  if (std::abs(a.irregularity - b.irregularity) > kAlike) return a.irregularity < b.irregularity;
  const size_t a_count = a.starts.size() + (a.is_collective ? 1 : 0);
  const size_t b_count = b.starts.size() + (b.is_collective ? 1 : 0);
  if (a_count != b_count) return a_count > b_count;
  if (a.is_collective != b.is_collective) return a.is_collective;
  return a.length < b.length;
}

/// The same loop is cut by many pieces, some of which are missing in odd turns.
size_t best_cut(std::span<const Repetition* const> repetitions, size_t outer) {
  size_t best = outer;
  for (size_t i = outer; i < repetitions.size(); ++i) {
    const size_t count = repetitions[i]->starts.size();
    const size_t outer_count = repetitions[outer]->starts.size();
    if (count > 2 * outer_count) break;
    // A loop of two equal halves is less regular in its halves; one that misses turns, in itself.
    constexpr double kMissesTurns = 0.1;
    const bool misses =
        repetitions[outer]->irregularity > repetitions[i]->irregularity + kMissesTurns;
    if (2 * count > 3 * outer_count && !misses) continue;
    if (cuts_better(*repetitions[i], *repetitions[best])) best = i;
  }
  return best;
}

}  // namespace

MainLoop main_loop(std::span<const Repetition* const> repetitions,
                   std::span<const uint64_t> details) {
  // From the inside out. The loop so far is known by two of its pieces: the one that is there most
  // often and the one that is there most rarely, as it is missing in odd turns.
  const auto count = [&](size_t i) { return repetitions[i]->starts.size(); };
  MainLoop main;
  size_t most = repetitions.size() - 1;
  size_t least = most;
  for (size_t i = repetitions.size() - 1; i-- > 0;) {
    const bool is_first_of_its_count = i == 0 || !same_loop(count(i - 1), count(i));
    if (3 * count(i) > 2 * count(most)) {
      least = i;
      continue;
    }
    if (!is_first_of_its_count) continue;
    if (main.outer_count > 0 && 3 * count(i) > 2 * main.outer_count) continue;  // Passed over, too.
    const Repetition& outer = *repetitions[i];
    const Repetition* passed = nullptr;
    Groups groups;
    for (const size_t piece : {least, most}) {
      groups = group(outer, *repetitions[piece]);
      if (!is_every_so_often(groups, outer, *repetitions[piece], details)) continue;
      passed = &outer;
      break;
    }
    if (passed != nullptr) {
      size_t last = i;  // Of its pieces those between two of its turns are one fewer.
      while (same_loop(count(i), count(last + 1))) ++last;
      main.outer_count = count(last);
      main.outer_holds = groups.median;
      continue;
    }
    main.holds_loop = groups.median >= 2;
    main.outer_count = 0;
    main.outer_holds = 0;
    most = least = i;
  }
  main.index = best_cut(repetitions, least);
  main.holds_loop |= repetitions[main.index]->by_inner;
  return main;
}

}  // namespace pathline::steps
