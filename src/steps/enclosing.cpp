// SPDX-License-Identifier: BSD-3-Clause
#include "steps/enclosing.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_set>

#include "base/log_gamma.hpp"

namespace pathline::steps {
namespace {

constexpr size_t kFewGroups = 3;
constexpr size_t kManyGroups = 5;
constexpr uint32_t kLeastMedian = 3;  // Turns of a group.
constexpr double kMinCover = 0.75;

double difference(double x, double y) { return x + y > 0 ? std::abs(x - y) / (x + y) : 0; }

/// Logarithm of the probability that the sizes of groups in random order have a geometric mean as
/// near to the arithmetic one. A bound (Markov, by moments of the product of the parts into which
/// random cuts divide a line).
double log_chance_of_sizes(const std::vector<uint32_t>& sizes) {
  const auto count = static_cast<double>(sizes.size());
  double sum = 0;
  double sum_of_logs = 0;
  for (const uint32_t size : sizes) {
    sum += size + 0.5;  // A group stands for the sizes around its own: they are whole numbers.
    sum_of_logs += std::log(size + 0.5);
  }
  const double apart = std::log(sum / count) - sum_of_logs / count;
  double least = 0;
  for (double power = 0.25; power < 2000; power *= 1.5) {
    least =
        std::min(least, count * (power * (apart + std::log(count)) + base::log_gamma(1 + power)) +
                            base::log_gamma(count) - base::log_gamma(count * (1 + power)));
  }
  return least;
}

class Encloser {
 public:
  Encloser(const Repetition& loop, size_t symbol_count)
      : symbol_count_(symbol_count),
        end_(std::min<uint64_t>(symbol_count, uint64_t{loop.starts.back()} + loop.median_period)),
        turns_before_(symbol_count + 1) {
    for (const uint32_t start : loop.starts) ++turns_before_[start + 1];
    for (size_t i = 1; i <= symbol_count; ++i) turns_before_[i] += turns_before_[i - 1];
  }

  struct Judged {
    Repetition piece;
    double log_chance;
  };
  /// A piece whose groups are alike.
  std::optional<Judged> judged(Repetition piece) const {
    std::vector<uint32_t>& starts = piece.starts;
    while (!starts.empty() && starts.back() >= end_) starts.pop_back();
    if (starts.size() < kFewGroups || !covers(starts.front())) return std::nullopt;
    std::vector<uint32_t> sizes;
    std::vector<uint32_t> periods;
    for (size_t i = 0; i < starts.size(); ++i) {
      const uint32_t next = i + 1 < starts.size() ? starts[i + 1] : static_cast<uint32_t>(end_);
      sizes.push_back(turns_before_[next] - turns_before_[starts[i]]);
      periods.push_back(next - starts[i]);
    }
    const uint32_t median = median_of(sizes);
    if (median < kLeastMedian) return std::nullopt;
    const auto odd = [&](uint32_t size) { return 3 * size < median || size > 3 * median; };
    size_t begin = 0;
    while (begin < sizes.size() && odd(sizes[begin])) ++begin;
    size_t end = sizes.size();
    while (end > begin && odd(sizes[end - 1])) --end;
    for (auto* list : {&starts, &sizes, &periods}) {
      list->resize(end);
      list->erase(list->begin(), list->begin() + static_cast<std::ptrdiff_t>(begin));
    }
    if (sizes.size() < kFewGroups || !covers(starts.front())) return std::nullopt;
    piece.median_period = median_of(periods);
    piece.share = static_cast<double>(starts.back() + periods.back() - starts.front()) /
                  static_cast<double>(symbol_count_);
    if (piece.share < kMinCover) return std::nullopt;
    double sum = 0;
    double most = 1 / static_cast<double>(median);
    for (size_t i = 1; i < periods.size(); ++i) {
      sum += difference(periods[i], periods[i - 1]);
      most = std::max(most, difference(periods[i], periods[i - 1]));
    }
    const auto pairs = static_cast<double>(periods.size() - 1);
    piece.irregularity = 2 * sum / pairs;
    piece.by_inner = true;
    if (sizes.size() >= kManyGroups) {
      if (!varies_little(sizes)) return std::nullopt;
      return Judged{std::move(piece), log_chance_of_sizes(sizes)};
    }
    constexpr double kAlike = 0.1;
    if (most > std::max(kAlike, 1 / static_cast<double>(median))) return std::nullopt;
    return Judged{std::move(piece), pairs * std::log(most)};
  }

 private:
  [[nodiscard]] bool covers(uint32_t start) const {
    return static_cast<double>(end_ - std::min<uint64_t>(end_, start)) >=
           kMinCover * static_cast<double>(symbol_count_);
  }
  static uint32_t median_of(std::vector<uint32_t> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }
  static bool varies_little(const std::vector<uint32_t>& sizes) {
    constexpr double kLittle = 0.5;
    double sum = 0;
    double sum_of_squares = 0;
    for (const double size : sizes) {
      sum += size;
      sum_of_squares += size * size;
    }
    const auto count = static_cast<double>(sizes.size());
    return count * sum_of_squares <= (1 + kLittle * kLittle) * sum * sum;
  }

  size_t symbol_count_;
  uint64_t end_;                        // Of the last turn.
  std::vector<uint32_t> turns_before_;  // Per position.
};

}  // namespace

std::vector<Repetition> enclosing(std::vector<Repetition> pieces, const Repetition& loop,
                                  size_t symbol_count) {
  constexpr double kMaxChance = 1e-4;
  constexpr double kMaxChanceOfFew = 1e-2;
  const Encloser encloser(loop, symbol_count);
  std::vector<Encloser::Judged> alike;
  std::unordered_set<uint64_t> tried;  // What always stands together was tried once.
  for (Repetition& piece : pieces) {
    uint64_t distances = piece.starts.size();
    for (size_t i = 1; i < piece.starts.size(); ++i) {
      distances = (distances ^ (piece.starts[i] - piece.starts[i - 1])) * 0x9e3779b97f4a7c15ULL;
      distances ^= distances >> 29U;
    }
    tried.insert(distances);
    if (auto judged = encloser.judged(std::move(piece))) alike.push_back(std::move(*judged));
  }
  std::vector<Repetition> kept;
  const double log_tried = std::log(static_cast<double>(std::max<size_t>(1, tried.size())));
  for (auto& [piece, log_chance] : alike) {
    const bool are_few = piece.starts.size() < kManyGroups;
    if (log_chance + log_tried <= std::log(are_few ? kMaxChanceOfFew : kMaxChance)) {
      kept.push_back(std::move(piece));
    }
  }
  return kept;
}

}  // namespace pathline::steps
