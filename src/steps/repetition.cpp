// SPDX-License-Identifier: BSD-3-Clause
#include "steps/repetition.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <unordered_map>

namespace pathline::steps {
namespace {

constexpr size_t kMinCount = 5;
constexpr uint32_t kMaxLength = 3;
constexpr double kMinShare = 0.5;
constexpr double kMaxIrregularity = 0.4;
constexpr double kMaxChance = 1e-4;

uint64_t piece_key(std::span<const Symbol> piece) {
  uint64_t key = piece.size();
  for (const Symbol& symbol : piece) {
    key = (key ^ symbol.key) * 0x9e3779b97f4a7c15ULL;
    key ^= key >> 29U;
  }
  return key;
}

double difference(double x, double y) { return x + y > 0 ? std::abs(x - y) / (x + y) : 0; }

/// Mean difference of neighbouring periods when pieces of a program follow one another at random: a
/// period is `own` symbols and then as many pieces of `other` symbols as chance has it, with
/// `share` the probability that the next piece begins a period. Drawn with a fixed seed; good to
/// about 2 %.
double random_difference(double share, double own, double other) {
  if (share >= 1) return 0;
  constexpr size_t kDraws = 2000;
  static const std::vector<double> logarithms = [] {  // Of uniform numbers, the same every time.
    std::mt19937 random(1);
    std::vector<double> drawn;
    for (size_t i = 0; i < 2 * kDraws; ++i) {
      drawn.push_back(std::log((static_cast<double>(random()) + 0.5) / 4294967296.0));
    }
    return drawn;
  }();
  const double scale = std::log1p(-share);
  const auto length = [&](size_t i) { return own + other * std::floor(logarithms[i] / scale); };
  double sum = 0;
  for (size_t i = 0; i < 2 * kDraws; i += 2) sum += difference(length(i), length(i + 1));
  return sum / static_cast<double>(kDraws);
}

/// Where symbols are joined that always follow one another (MPI_Irecv, MPI_Isend, MPI_Waitall): the
/// order inside such a block says nothing about the order of blocks. Per position the number of
/// block beginnings up to it.
std::vector<uint32_t> number_blocks(std::span<const Symbol> sequence) {
  struct Neighbours {
    std::optional<uint64_t> before, after;
    bool one_before = true, one_after = true;
  };
  std::unordered_map<uint64_t, Neighbours> neighbours;
  for (size_t i = 1; i < sequence.size(); ++i) {
    Neighbours& left = neighbours[sequence[i - 1].key];
    left.one_after &= left.after.value_or(sequence[i].key) == sequence[i].key;
    left.after = sequence[i].key;
    Neighbours& right = neighbours[sequence[i].key];
    right.one_before &= right.before.value_or(sequence[i - 1].key) == sequence[i - 1].key;
    right.before = sequence[i - 1].key;
  }
  std::vector<uint32_t> numbers;
  numbers.reserve(sequence.size());
  uint64_t first_key = 0;  // Of the block.
  for (size_t i = 0; i < sequence.size(); ++i) {
    const uint64_t key = sequence[i].key;
    const bool joined = i > 0 && key != first_key && neighbours[key].one_before &&
                        neighbours[sequence[i - 1].key].one_after;
    if (!joined) first_key = key;
    numbers.push_back((i > 0 ? numbers.back() : 0) + (joined ? 0 : 1));
  }
  return numbers;
}

/// Logarithm of the probability that random periods are as alike, by the difference of neighbours:
/// that of two exponential numbers is uniform in [0,1], the sum of such by Irwin and Hall. A pair
/// of whole numbers is equal with some probability however regular it looks.
double log_chance_of_neighbours(size_t period_count, double irregularity, double density) {
  const size_t pair_count = period_count / 2;
  const auto pairs = static_cast<double>(pair_count);
  const double equal = pairs * std::log(density / (2 - density));
  if (irregularity <= 0) return equal;
  const double close = pairs * std::log(pairs * irregularity / 2) - std::lgamma(pairs + 1);
  return std::min(0.0, std::max(equal, close));
}

/// The same by how many periods are equal: a random one has the most likely length with probability
/// `density`. A bound (Chernoff).
double log_chance_of_equals(std::vector<uint32_t> periods, double density) {
  std::sort(periods.begin(), periods.end());
  size_t most = 0;
  for (size_t i = 0, same = 0; i < periods.size(); ++i) {
    same = i > 0 && periods[i] == periods[i - 1] ? same + 1 : 1;
    most = std::max(most, same);
  }
  const auto count = static_cast<double>(periods.size());
  const double share = static_cast<double>(most) / count;
  if (share <= density) return 0;
  const double others = share < 1 ? (1 - share) * std::log((1 - share) / (1 - density)) : 0;
  return -count * (share * std::log(share / density) + others);
}

/// How many of the first of these periods are start-up: none of them is like those that follow.
/// Periods in time order, or in reverse to ask for shut-down.
template <class Period>
size_t odd_beginning(size_t period_count, Period period) {
  constexpr double kUnlike = 0.5;
  constexpr size_t kFollowing = 8;
  const size_t most = std::max<size_t>(3, period_count / 10);
  for (size_t odd = std::min(most, period_count - std::min(period_count, kMinCount)); odd > 0;
       --odd) {
    std::vector<uint32_t> following;
    for (size_t i = odd; i < std::min(period_count, odd + kFollowing); ++i) {
      following.push_back(period(i));
    }
    std::nth_element(following.begin(), following.begin() + following.size() / 2, following.end());
    const uint32_t usual = following[following.size() / 2];
    bool all_odd = true;
    for (size_t i = 0; i < odd; ++i) all_odd &= difference(period(i), usual) > kUnlike;
    if (all_odd) return odd;
  }
  return 0;
}

/// Removes occurrences in start-up and shut-down: those whose periods are unlike the ones inside.
void trim(std::vector<uint32_t>& starts) {
  constexpr double kUnlike = 0.25;
  const auto unlike = [&](size_t a, size_t b, size_t c) {
    return difference(starts[b] - starts[a], starts[c] - starts[b]) > kUnlike;
  };
  const size_t odd_end = odd_beginning(starts.size() - 1, [&](size_t i) {
    return starts[starts.size() - 1 - i] - starts[starts.size() - 2 - i];
  });
  starts.resize(starts.size() - odd_end);
  while (starts.size() > kMinCount &&
         unlike(starts.size() - 3, starts.size() - 2, starts.size() - 1)) {
    starts.pop_back();
  }
  size_t begin =
      odd_beginning(starts.size() - 1, [&](size_t i) { return starts[i + 1] - starts[i]; });
  while (starts.size() - begin > kMinCount && unlike(begin, begin + 1, begin + 2)) ++begin;
  starts.erase(starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(begin));
}

class Finder {
 public:
  explicit Finder(std::span<const Symbol> sequence)
      : sequence_(sequence), blocks_(number_blocks(sequence)) {}

  std::vector<Repetition> run() {
    for (uint32_t length = 1; length <= kMaxLength; ++length) try_pieces(length);
    std::erase_if(found_, [&](const Candidate& candidate) {
      return candidate.log_chance + std::log(static_cast<double>(tried_)) > std::log(kMaxChance);
    });
    std::vector<Repetition> repetitions;
    for (Candidate& candidate : found_) repetitions.push_back(std::move(candidate.repetition));
    std::stable_sort(repetitions.begin(), repetitions.end(), outer_first);
    return repetitions;
  }

 private:
  struct Candidate {
    Repetition repetition;
    double log_chance;
  };
  struct Place {
    uint64_t key;
    uint32_t start;
  };

  void try_pieces(uint32_t length) {
    std::vector<Place> places;
    for (size_t i = 0; i + length <= sequence_.size(); ++i) {
      places.push_back({piece_key(sequence_.subspan(i, length)), static_cast<uint32_t>(i)});
    }
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
      return a.key != b.key ? a.key < b.key : a.start < b.start;
    });
    std::vector<uint32_t> starts;
    for (size_t i = 0; i < places.size(); ++i) {
      starts.push_back(places[i].start);
      if (i + 1 < places.size() && places[i + 1].key == places[i].key) continue;
      if (starts.size() >= kMinCount) {
        try_piece({.key = places[i].key, .length = length, .starts = std::move(starts)});
      }
      starts.clear();
    }
  }

  void try_piece(Repetition piece) {
    const size_t untrimmed = piece.starts.size();
    trim(piece.starts);
    // Each choice of ends is another try.
    tried_ += 1 + untrimmed - piece.starts.size();
    const std::vector<uint32_t>& starts = piece.starts;
    std::vector<uint32_t> periods;
    for (size_t i = 1; i < starts.size(); ++i) periods.push_back(starts[i] - starts[i - 1]);
    std::vector<uint32_t> sorted = periods;
    std::nth_element(sorted.begin(), sorted.begin() + sorted.size() / 2, sorted.end());
    piece.median_period = sorted[sorted.size() / 2];
    piece.is_collective = sequence_[starts[0]].is_collective;
    piece.share = share_of(piece, periods);
    if (piece.share < kMinShare) return;
    const Chance chance = chance_of(starts);
    const bool no_order = chance.difference < 0.05;  // Nearly all symbols are this piece.
    if (no_order && !(piece.is_collective && piece.length == 1)) return;
    piece.irregularity =
        no_order ? 2 * time_difference(starts) : mean_difference(periods) / chance.difference;
    if (piece.irregularity > kMaxIrregularity) return;
    if (!no_order && is_fixed_part_with_random_rest(periods)) return;
    const double log_of_chance =
        no_order
            ? log_chance_of_neighbours(periods.size(), piece.irregularity, 1e-3)
            : std::min(log_chance_of_neighbours(periods.size(), piece.irregularity, chance.density),
                       log_chance_of_equals(periods, chance.density));
    found_.push_back({std::move(piece), log_of_chance});
  }

  /// Of all symbols that lie in periods. One much longer than those around it is a gap; with a
  /// solver that converges, the first periods may be much longer than most.
  [[nodiscard]] double share_of(const Repetition& piece,
                                const std::vector<uint32_t>& periods) const {
    constexpr uint64_t kGap = 3;
    uint64_t inside = std::min<uint64_t>(periods.back(), sequence_.size() - piece.starts.back());
    for (size_t i = 0; i < periods.size(); ++i) {
      const uint32_t before = periods[i > 0 ? i - 1 : 1];
      const uint32_t after = periods[i + 1 < periods.size() ? i + 1 : i - 1];
      const uint64_t usual = std::max(piece.median_period, std::min(before, after));
      if (periods[i] <= kGap * usual) inside += periods[i];
    }
    return static_cast<double>(inside) / static_cast<double>(sequence_.size());
  }

  /// True if the periods vary as those of a random order would that have a fixed part in common (an
  /// exchange whose messages differ in size is no block). Small variation is that of a loop anyway.
  static bool is_fixed_part_with_random_rest(std::vector<uint32_t> periods) {
    constexpr double kSmall = 0.1;
    const double observed = mean_difference(periods);
    if (observed <= kSmall) return false;
    std::sort(periods.begin(), periods.end());
    const double fixed = periods[periods.size() / 10];
    double mean = 0;
    for (const uint32_t period : periods) mean += period;
    mean /= static_cast<double>(periods.size());
    const double rest = std::max(0.0, mean - fixed);
    return observed > 0.5 * random_difference(1 / (1 + rest), fixed, 1);
  }

  struct Chance {
    double density;     // Of starts among what could follow at random.
    double difference;  // Of neighbouring periods then.
  };
  /// What a random order would do: of the blocks, or of the symbols where nearly every block is the
  /// same, which is a loop without any choice.
  [[nodiscard]] Chance chance_of(const std::vector<uint32_t>& starts) const {
    constexpr double kNoChoice = 0.85;
    const auto turns = static_cast<double>(starts.size() - 1);
    const double blocks = blocks_[starts.back()] - blocks_[starts.front()];
    if (turns >= kNoChoice * blocks) {
      const double density =
          static_cast<double>(starts.size()) / static_cast<double>(sequence_.size());
      return {density, random_difference(density, 1, 1)};
    }
    const uint32_t block = blocks_[starts[0]];
    const auto [first, end] = std::equal_range(blocks_.begin(), blocks_.end(), block);
    const auto own = static_cast<double>(end - first);
    const double symbols = starts.back() - starts.front();
    const double other = std::max(1.0, (symbols - turns * own) / (blocks - turns));
    return {turns / blocks, random_difference(turns / blocks, own, other)};
  }

  static double mean_difference(const std::vector<uint32_t>& periods) {
    double sum = 0;
    for (size_t i = 1; i < periods.size(); ++i) sum += difference(periods[i], periods[i - 1]);
    return sum / static_cast<double>(periods.size() - 1);
  }
  [[nodiscard]] double time_difference(const std::vector<uint32_t>& starts) const {
    double sum = 0;
    const auto ticks = [&](size_t i) {
      return static_cast<double>(sequence_[starts[i]].begin_ticks -
                                 sequence_[starts[i - 1]].begin_ticks);
    };
    for (size_t i = 2; i < starts.size(); ++i) sum += difference(ticks(i), ticks(i - 1));
    return sum / static_cast<double>(starts.size() - 2);
  }

  std::span<const Symbol> sequence_;
  std::vector<uint32_t> blocks_;
  std::vector<Candidate> found_;
  size_t tried_ = 0;
};

/// True if nearly all periods of `outer` hold one and the same large number of `inner`.
bool is_every_so_often(const Repetition& outer, const Repetition& inner) {
  constexpr size_t kMany = 10;
  std::vector<size_t> counts;
  size_t next = 0;
  for (size_t i = 0; i + 1 < outer.starts.size(); ++i) {
    while (next < inner.starts.size() && inner.starts[next] < outer.starts[i]) ++next;
    size_t count = 0;
    for (; next < inner.starts.size() && inner.starts[next] < outer.starts[i + 1]; ++next) ++count;
    counts.push_back(count);
  }
  std::vector<size_t> sorted = counts;
  std::nth_element(sorted.begin(), sorted.begin() + sorted.size() / 2, sorted.end());
  const size_t median = sorted[sorted.size() / 2];
  const auto same = std::count(counts.begin(), counts.end(), median);
  return median >= kMany && 5 * static_cast<size_t>(same) >= 4 * counts.size();
}

/// Of two pieces of one loop: the more regular, then the one that all ranks share, then the one
/// that is there more often, then the shorter.
bool cuts_better(const Repetition& a, const Repetition& b) {
  constexpr double kAlike = 0.02;
  if (std::abs(a.irregularity - b.irregularity) > kAlike) return a.irregularity < b.irregularity;
  const size_t a_count = a.starts.size() + (a.is_collective ? 1 : 0);
  const size_t b_count = b.starts.size() + (b.is_collective ? 1 : 0);
  if (a_count != b_count) return a_count > b_count;
  if (a.is_collective != b.is_collective) return a.is_collective;
  return a.length < b.length;
}

}  // namespace

std::vector<Repetition> find_repetitions(std::span<const Symbol> sequence) {
  return Finder(sequence).run();
}

bool outer_first(const Repetition& a, const Repetition& b) {
  if (a.starts.size() != b.starts.size()) return a.starts.size() < b.starts.size();
  if (a.is_collective != b.is_collective) return a.is_collective;
  return a.irregularity < b.irregularity;
}

std::vector<uint32_t> starts_of(std::span<const Symbol> sequence, uint64_t key, uint32_t length) {
  std::vector<uint32_t> starts;
  for (size_t i = 0; i + length <= sequence.size(); ++i) {
    if (piece_key(sequence.subspan(i, length)) == key) starts.push_back(static_cast<uint32_t>(i));
  }
  if (starts.size() >= kMinCount) trim(starts);
  return starts;
}

bool same_loop(size_t count, size_t other_count) {
  const size_t low = std::min(count, other_count);
  return std::max(count, other_count) - low <= 1 + low / 20;
}

size_t main_repetition(std::span<const Repetition* const> repetitions) {
  size_t outer = 0;
  for (size_t i = 1; i < repetitions.size(); ++i) {
    if (is_every_so_often(*repetitions[outer], *repetitions[i])) outer = i;
  }
  // The same loop is cut by many pieces, some of which are missing in odd turns.
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

}  // namespace pathline::steps
