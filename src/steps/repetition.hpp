// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pathline::steps {

/// One call of a sequence, as far as a pattern can be made of it.
struct Symbol {
  uint64_t key;          ///< Equal for calls that are alike.
  uint64_t begin_ticks;  ///< Of the call; ascending along the sequence.
  bool is_collective;    ///< All ranks meet here.
};

/// A short piece of a sequence that comes back at regular distances: the beginning of a period.
struct Repetition {
  uint64_t key = 0;     ///< Of the piece; the same in every sequence that holds it.
  uint32_t length = 0;  ///< Symbols of the piece, 1 to 3.
  std::vector<uint32_t> starts;
  uint32_t median_period = 0;  ///< Symbols from one start to the next.
  double share = 0;            ///< Of all symbols that lie in periods.
  double irregularity = 0;     ///< 0 when all periods are alike, about 1 when they are random.
  bool is_collective = false;  ///< The piece begins with one.
  bool by_inner = false;       ///< Known by the loop inside only; see enclosing().
};

/// Finds the pieces of a sequence that repeat more regularly than chance would have it.
///
/// The occurrences of each piece of 1 to 3 symbols cut the sequence into periods. With x and y the
/// lengths of two neighbours, the mean of |x - y| / (x + y) is 0 for a loop that always does the
/// same, small for one whose inner loops change slowly from turn to turn (a solver that converges),
/// and largest when blocks of symbols stand in random order, where distances are geometric; a block
/// are symbols that always follow one another. As only neighbours are compared, single odd periods
/// do no harm; at both ends they are start-up and left out. A piece is kept when
///   its mean is at most 0.4 of that of the random order, or 0.5 of that of a fixed part and a
///   random rest unless it is below 0.1, there are 5 periods at least and they hold half the
///   sequence, and, with all the pieces tried, the probability that one is as regular in random
///   order is below 10^-4 (by neighbours or by the number of equal periods, whichever says more).
/// A sequence of one collective operation only is judged by its times instead. Not told from a
/// loop: a random order in which one and the same piece is more than 85 % of all.
///
/// Where something was found, pieces that enclose the turns of its outermost loop are kept as well,
/// if they are there three times at least (enclosing()).
///
/// work     receives how many symbols, places and periods were looked at, which is what cost says.
/// returns  by number of occurrences, the fewest (outermost loop) first, then most regular first.
/// cost     O(n) time and memory for n symbols, but for O(k log k) of the k periods of a piece.
std::vector<Repetition> find_repetitions(std::span<const Symbol> sequence,
                                         uint64_t* work = nullptr);

/// The order of find_repetitions(); merges what was found in several sequences.
bool outer_first(const Repetition& a, const Repetition& b);

/// All occurrences of one piece, as find_repetitions() found it in another sequence.
std::vector<uint32_t> starts_of(std::span<const Symbol> sequence, uint64_t key, uint32_t length);

/// True if two numbers of occurrences are of one loop that is cut at different places.
bool same_loop(size_t count, size_t other_count);

}  // namespace pathline::steps
