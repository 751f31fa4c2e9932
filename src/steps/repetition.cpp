// SPDX-License-Identifier: BSD-3-Clause
#include "steps/repetition.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <set>

#include "base/log_gamma.hpp"
#include "steps/enclosing.hpp"

namespace pathline::steps {
namespace {

constexpr size_t kMinCount = 5;
constexpr size_t kFewCount = 3;  // In which a piece may enclose what is found.
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
/// `share` the probability that the next piece begins a period.
double random_difference(double share, double own, double other) {
  if (share >= 1) return 0;
  // |x - y| / (x + y) is the integral of |x - y| exp(-s (x + y)) over s, and the mean of that over
  // geometric numbers of pieces is a formula. By the trapezoidal rule in log s, good to 10^-7.
  constexpr double kStep = 0.5;
  constexpr double kNothing = 16;  // exp(-16) of either scale, and exp(-exp(3.5)) of the decay.
  const double rest = 1 - share;
  const double decay = 2 * own / other + 1;
  const double begin = std::log(std::min(share, 1 / decay)) - kNothing;
  const double end = 3.5 - std::log(decay);
  double sum = 0;
  for (double log_s = begin; log_s < end; log_s += kStep) {
    const double s = std::exp(log_s);
    const double less = std::expm1(-s);
    const double apart = share - rest * less;
    sum += s * std::exp(-s * decay) / ((1 + rest + rest * less) * apart * apart * apart);
  }
  return 2 * share * share * rest * kStep * sum;
}

/// Gives keys the numbers 0, 1, 2 ... in the order in which they first come.
class Numbers {
 public:
  explicit Numbers(size_t most_keys)
      : shift_(64U - static_cast<unsigned>(std::bit_width(2 * most_keys + 1))),
        slots_(size_t{1} << (64U - shift_)) {}

  uint32_t number_of(uint64_t key) {
    size_t slot = (key * 0x9e3779b97f4a7c15ULL) >> shift_;
    for (; slots_[slot] != 0; slot = slot + 1 < slots_.size() ? slot + 1 : 0) {
      if (keys_[slots_[slot] - 1] == key) return slots_[slot] - 1;
    }
    keys_.push_back(key);
    slots_[slot] = static_cast<uint32_t>(keys_.size());
    return slots_[slot] - 1;
  }
  [[nodiscard]] const std::vector<uint64_t>& keys() const { return keys_; }

 private:
  unsigned shift_;
  std::vector<uint32_t> slots_;  // Number + 1, or 0; at least twice as many as keys.
  std::vector<uint64_t> keys_;
};

/// Where symbols are joined that always follow one another (MPI_Irecv, MPI_Isend, MPI_Waitall): the
/// order inside such a block says nothing about the order of blocks. Per position the number of
/// block beginnings up to it.
std::vector<uint32_t> number_blocks(std::span<const Symbol> sequence) {
  constexpr uint32_t kNone = UINT32_MAX;
  constexpr uint32_t kSeveral = UINT32_MAX - 1;
  Numbers numbers(sequence.size());
  std::vector<uint32_t> symbols;
  symbols.reserve(sequence.size());
  for (const Symbol& symbol : sequence) symbols.push_back(numbers.number_of(symbol.key));
  std::vector<uint32_t> before(numbers.keys().size(), kNone);
  std::vector<uint32_t> after(numbers.keys().size(), kNone);
  const auto meets = [](uint32_t& known, uint32_t neighbour) {
    if (known != neighbour) known = known == kNone ? neighbour : kSeveral;
  };
  for (size_t i = 1; i < symbols.size(); ++i) {
    meets(after[symbols[i - 1]], symbols[i]);
    meets(before[symbols[i]], symbols[i - 1]);
  }
  std::vector<uint32_t> blocks;
  blocks.reserve(symbols.size());
  uint32_t first = 0;  // Of the block.
  for (size_t i = 0; i < symbols.size(); ++i) {
    const bool joined = i > 0 && symbols[i] != first && before[symbols[i]] != kSeveral &&
                        after[symbols[i - 1]] != kSeveral;
    if (!joined) first = symbols[i];
    blocks.push_back((i > 0 ? blocks.back() : 0) + (joined ? 0 : 1));
  }
  return blocks;
}

/// Logarithm of the probability that random periods are as alike, by the difference of neighbours:
/// that of two exponential numbers is uniform in [0,1], the sum of such by Irwin and Hall. A pair
/// of whole numbers is equal with some probability however regular it looks.
double log_chance_of_neighbours(size_t period_count, double irregularity, double density) {
  const size_t pair_count = period_count / 2;
  const auto pairs = static_cast<double>(pair_count);
  const double equal = pairs * std::log(density / (2 - density));
  if (irregularity <= 0) return equal;
  const double close = pairs * std::log(pairs * irregularity / 2) - base::log_gamma(pairs + 1);
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
size_t odd_beginning(size_t period_count, Period period, uint64_t& work) {
  constexpr double kUnlike = 0.5;
  constexpr size_t kFollowing = 8;
  const size_t most = std::min(std::max<size_t>(3, period_count / 10),
                               period_count - std::min(period_count, kMinCount));
  size_t beginning = 0;
  std::set<uint32_t> before;  // Only the nearest of them can be like a following one.
  for (size_t odd = 1; odd <= most; ++odd) {
    before.insert(period(odd - 1));
    std::array<uint32_t, kFollowing> following{};
    const size_t count = std::min(period_count - odd, kFollowing);
    for (size_t i = 0; i < count; ++i) following[i] = period(odd + i);
    work += count;
    const auto middle = following.begin() + static_cast<std::ptrdiff_t>(count / 2);
    std::nth_element(following.begin(), middle,
                     following.begin() + static_cast<std::ptrdiff_t>(count));
    const auto above = before.lower_bound(*middle);
    if (above != before.end() && difference(*above, *middle) <= kUnlike) continue;
    if (above != before.begin() && difference(*std::prev(above), *middle) <= kUnlike) continue;
    beginning = odd;
  }
  return beginning;
}

/// Occurrences without those in start-up and shut-down, whose periods are unlike the ones inside.
std::span<const uint32_t> trimmed(std::span<const uint32_t> starts, uint64_t& work) {
  constexpr double kUnlike = 0.25;
  const auto unlike = [&](size_t a, size_t b, size_t c) {
    return difference(starts[b] - starts[a], starts[c] - starts[b]) > kUnlike;
  };
  const auto from_end = [&](size_t i) {
    return starts[starts.size() - 1 - i] - starts[starts.size() - 2 - i];
  };
  size_t end = starts.size() - odd_beginning(starts.size() - 1, from_end, work);
  while (end > kMinCount && unlike(end - 3, end - 2, end - 1)) --end;
  const auto from_begin = [&](size_t i) { return starts[i + 1] - starts[i]; };
  size_t begin = odd_beginning(end - 1, from_begin, work);
  while (end - begin > kMinCount && unlike(begin, begin + 1, begin + 2)) ++begin;
  return starts.subspan(begin, end - begin);
}

class Finder {
 public:
  explicit Finder(std::span<const Symbol> sequence)
      : sequence_(sequence), blocks_(number_blocks(sequence)) {}

  std::vector<Repetition> run() {
    for (uint32_t length = 1; length <= kMaxLength; ++length) try_pieces(length);
    const double log_tried = std::log(static_cast<double>(std::max<size_t>(1, tried_)));
    std::vector<Repetition> repetitions;
    for (Candidate& candidate : found_) {
      const bool is_chance = candidate.log_chance + log_tried > std::log(kMaxChance);
      (is_chance ? rejected_ : repetitions).push_back(std::move(candidate.repetition));
    }
    const auto before = [](const Repetition& a, const Repetition& b) {
      if (outer_first(a, b)) return true;
      if (outer_first(b, a)) return false;
      return a.length != b.length ? a.length < b.length : a.key < b.key;
    };
    std::sort(repetitions.begin(), repetitions.end(), before);
    // What is too rare or too irregular alone may enclose the outermost loop found. Where the
    // number of turns varies much nothing may have been found; then that is what comes most often.
    Repetition often;
    if (repetitions.empty()) often = most_frequent();
    const Repetition& loop = repetitions.empty() ? often : repetitions.front();
    if (loop.starts.empty()) return repetitions;
    const size_t most = loop.starts.size() / 2;
    std::erase_if(rejected_, [&](const Repetition& piece) {
      return piece.starts.size() > most ||
             2 * size_t{piece.starts.back() - piece.starts.front()} < sequence_.size();
    });
    work_ += sequence_.size();
    for (const Repetition& piece : rejected_) work_ += piece.starts.size();
    auto around = enclosing(std::move(rejected_), loop, sequence_.size());
    repetitions.insert(repetitions.end(), std::make_move_iterator(around.begin()),
                       std::make_move_iterator(around.end()));
    std::sort(repetitions.begin(), repetitions.end(), before);
    return repetitions;
  }

  [[nodiscard]] uint64_t work() const { return work_; }

 private:
  static constexpr uint64_t kWorkOfChance = 50;  // Points at which random_difference() looks.

  struct Candidate {
    Repetition repetition;
    double log_chance;
  };
  /// The single symbol that comes most often, if most of its turns are equally long.
  [[nodiscard]] Repetition most_frequent() const {
    const Repetition* most = nullptr;
    for (const Repetition& piece : rejected_) {
      if (piece.length > 1) continue;
      if (most == nullptr || piece.starts.size() > most->starts.size()) most = &piece;
    }
    if (most == nullptr || most->starts.size() < kMinCount) return {};
    Repetition loop = *most;
    std::vector<uint32_t> periods;
    for (size_t i = 1; i < loop.starts.size(); ++i) {
      periods.push_back(loop.starts[i] - loop.starts[i - 1]);
    }
    const auto middle = periods.begin() + static_cast<std::ptrdiff_t>(periods.size() / 2);
    std::nth_element(periods.begin(), middle, periods.end());
    loop.median_period = *middle;
    const auto equal = static_cast<size_t>(std::count(periods.begin(), periods.end(), *middle));
    return 2 * equal > periods.size() ? loop : Repetition{};
  }

  /// All pieces of a length, each with all its places.
  void try_pieces(uint32_t length) {
    if (sequence_.size() < length) return;
    work_ += sequence_.size();
    const size_t place_count = sequence_.size() - length + 1;
    Numbers numbers(place_count);
    std::vector<uint32_t> pieces;
    pieces.reserve(place_count);
    for (size_t i = 0; i < place_count; ++i) {
      pieces.push_back(numbers.number_of(piece_key(sequence_.subspan(i, length))));
    }
    std::vector<uint32_t> ends(numbers.keys().size() + 1);  // Of the places, piece by piece.
    for (const uint32_t piece : pieces) ++ends[piece + 1];
    for (size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
    std::vector<uint32_t> places(place_count);
    for (size_t i = 0; i < place_count; ++i) places[ends[pieces[i]]++] = static_cast<uint32_t>(i);
    for (size_t i = 0; i < numbers.keys().size(); ++i) {
      const size_t begin = i > 0 ? ends[i - 1] : 0;
      if (ends[i] - begin < kFewCount) continue;
      Repetition piece{.key = numbers.keys()[i], .length = length, .starts = {}};
      piece.starts.assign(places.begin() + static_cast<std::ptrdiff_t>(begin),
                          places.begin() + static_cast<std::ptrdiff_t>(ends[i]));
      piece.is_collective = sequence_[piece.starts[0]].is_collective;
      if (piece.starts.size() < kMinCount || !try_piece(piece)) {
        rejected_.push_back(std::move(piece));
      }
    }
  }

  /// returns false, and changes no starts, for a piece that is no repetition.
  bool try_piece(Repetition& piece) {
    const std::span<const uint32_t> starts = trimmed(piece.starts, work_);
    // Each choice of ends is another try.
    tried_ += 1 + piece.starts.size() - starts.size();
    work_ += piece.starts.size();
    std::vector<uint32_t> periods;
    periods.reserve(starts.size());
    for (size_t i = 1; i < starts.size(); ++i) periods.push_back(starts[i] - starts[i - 1]);
    const double observed = mean_difference(periods);
    if (observed > kMaxIrregularity) return false;  // No random order has more than 1.
    std::vector<uint32_t> sorted = periods;
    std::nth_element(sorted.begin(), sorted.begin() + sorted.size() / 2, sorted.end());
    piece.median_period = sorted[sorted.size() / 2];
    piece.share = share_of(starts, piece.median_period, periods);
    if (piece.share < kMinShare) return false;
    const Chance chance = chance_of(starts);
    work_ += kWorkOfChance;
    const bool no_order = chance.difference < 0.05;  // Nearly all symbols are this piece.
    if (no_order && !(piece.is_collective && piece.length == 1)) return false;
    piece.irregularity = no_order ? 2 * time_difference(starts) : observed / chance.difference;
    if (piece.irregularity > kMaxIrregularity) return false;
    if (!no_order && is_fixed_part_with_random_rest(periods)) return false;
    double log_of_chance = log_chance_of_neighbours(periods.size(), piece.irregularity,
                                                    no_order ? 1e-3 : chance.density);
    if (!no_order) {
      log_of_chance =
          std::min(log_of_chance, log_chance_of_equals(std::move(periods), chance.density));
    }
    piece.starts = std::vector<uint32_t>(starts.begin(), starts.end());
    found_.push_back({std::move(piece), log_of_chance});
    return true;
  }

  /// Of all symbols that lie in periods. One much longer than those around it is a gap; with a
  /// solver that converges, the first periods may be much longer than most.
  [[nodiscard]] double share_of(std::span<const uint32_t> starts, uint32_t median_period,
                                const std::vector<uint32_t>& periods) const {
    constexpr uint64_t kGap = 3;
    uint64_t inside = std::min<uint64_t>(periods.back(), sequence_.size() - starts.back());
    for (size_t i = 0; i < periods.size(); ++i) {
      const uint32_t before = periods[i > 0 ? i - 1 : 1];
      const uint32_t after = periods[i + 1 < periods.size() ? i + 1 : i - 1];
      const uint64_t usual = std::max(median_period, std::min(before, after));
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
  [[nodiscard]] Chance chance_of(std::span<const uint32_t> starts) const {
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
  [[nodiscard]] double time_difference(std::span<const uint32_t> starts) const {
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
  std::vector<Repetition> rejected_;  // With all their places.
  size_t tried_ = 0;
  uint64_t work_ = 0;  // Symbols, places and periods looked at.
};

}  // namespace

std::vector<Repetition> find_repetitions(std::span<const Symbol> sequence, uint64_t* work) {
  Finder finder(sequence);
  auto repetitions = finder.run();
  if (work != nullptr) *work = finder.work();
  return repetitions;
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
  return starts;
}

bool same_loop(size_t count, size_t other_count) {
  const size_t low = std::min(count, other_count);
  return std::max(count, other_count) - low <= 1 + low / 20;
}

}  // namespace pathline::steps
