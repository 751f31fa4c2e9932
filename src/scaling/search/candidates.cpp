// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/search/candidates.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "scaling/search/evidence.hpp"
#include "scaling/search/structures.hpp"

namespace pathline::scaling {
namespace {

// What is believed before anything was measured. Shares of all hypotheses; the constant and one
// term are what most kernels turn out to be.
constexpr double kPriorConstant = 0.3;
constexpr double kPriorTwoTerms = 0.2;
constexpr double kPriorIndependent = 0.2;  // Each of several terms over several parameters.

// A coefficient is believed to be anything between a thousandth and a thousand times the size of
// the values, no decade more likely than another: the density is 1 / (kDecades * |c|), taken as
// flat where the coefficient is too small to be told from 0.
constexpr double kLogRange = 7;
constexpr double kSmallCoefficient = 0.3;

// Costs add up: what has a negative sign is rare, unless the values fall.
constexpr double kPriorNegative = 0.02;
constexpr double kPriorNegativeTermOfFalling = 0.5;

}  // namespace

std::vector<Factor> factors_of(PackedTerm term) {
  std::vector<Factor> factors;
  for (size_t i = 0; i < term.size(); ++i) {
    factors.push_back({term[i].parameter, exponent_pairs()[term[i].pair]});
  }
  return factors;
}

void CandidateSearch::begin(const Measured& measured) {
  const size_t n = basis_.point_count();
  target_.resize(n);
  for (size_t p = 0; p < n; ++p) {
    const double unit = measured.largest > 0 ? measured.largest : 1;
    target_[p] = measured.value[p] / unit * measured.weight[p];
  }
  fit_.begin(target_);
  product_.assign(n, 1);
  fit_.push(measured.weight.data(), product_.data());
}

/// Adds the column of a term; false if it cannot be told from those that are there.
bool CandidateSearch::push(const Measured& measured, PackedTerm term) {
  const size_t factor_count = term.size();
  const PackedFactor first = term[0];
  const double* left = measured.weight.data();
  const double* right = basis_.column(first.parameter, first.pair).data();
  for (size_t i = 1; i < factor_count; ++i) {
    const PackedFactor factor = term[i];
    const auto column = basis_.column(factor.parameter, factor.pair);
    const double* before = i == 1 ? right : product_.data();
    for (size_t p = 0; p < column.size(); ++p) product_[p] = before[p] * column[p];
  }
  return fit_.push(left, factor_count > 1 ? product_.data() : right);
}

void CandidateSearch::record(const Measured& measured, std::span<const PackedTerm> terms,
                             double log_prior) {
  const auto coefficients = fit_.coefficients();
  const size_t columns = fit_.depth();
  const double smallest = measured.largest > 0 ? measured.smallest / measured.largest : 1;
  double shape = fit_.determinant();
  for (size_t k = 0; k < columns; ++k) {
    const double size = k == 0 ? smallest : 1;
    shape *= kLogRange * std::max(std::abs(coefficients[k]), kSmallCoefficient * size);
  }
  Candidate& candidate = found_.emplace_back();
  std::copy(terms.begin(), terms.end(), candidate.terms.begin());
  candidate.term_count = static_cast<uint8_t>(terms.size());
  candidate.rss = fit_.rss();
  candidate.log_shape = log_prior - std::log(shape);
  if (measured.has_negative) return;
  for (size_t k = 0; k < columns; ++k) {
    if (coefficients[k] >= 0) continue;
    const bool natural = k > 0 && falls_;
    candidate.log_shape += std::log(natural ? kPriorNegativeTermOfFalling : kPriorNegative);
  }
}

/// Whether values fall as the parameter grows, beyond their noise.
bool CandidateSearch::falls(const Measured& measured, size_t parameter) const {
  const auto lines = basis_.lines(parameter);
  if (lines.empty()) return false;
  constexpr double kGuessedNoise = 0.05;
  const double sigma = measured.freedom > 0 ? std::sqrt(measured.variance) : kGuessedNoise;
  const auto drop = [&](uint32_t from, uint32_t to) {
    const double difference = (measured.value[to] - measured.value[from]) / measured.largest;
    const double deviation =
        sigma * std::hypot(1 / measured.weight[from], 1 / measured.weight[to]) + 1e-12;
    return difference / deviation;
  };
  double sum = 0;
  double lowest = 0;
  for (const auto& line : lines) {
    sum += drop(line.front(), line.back());
    // A line may fall and rise again, and one may fall while others rise.
    for (const uint32_t p : line) lowest = std::min(lowest, drop(line.front(), p));
  }
  constexpr double kDeviations = 3;
  constexpr double kDeviationsOfOne = 6;  // Among many points one may be low by chance.
  return sum < -kDeviations * std::sqrt(double(lines.size())) ||
         lowest < (lines.size() == 1 ? -kDeviations : -kDeviationsOfOne);
}

std::vector<CandidateSearch::Choice> CandidateSearch::choices(const Measured& measured,
                                                              size_t parameter) {
  const bool falls_along = falls(measured, parameter);
  falls_ |= falls_along;
  const bool both = options_.exponents == Exponent::kBoth ||
                    (options_.exponents == Exponent::kAuto && falls_along);
  const auto pairs = exponent_pairs();
  std::vector<Choice> result;
  double total = 0;
  for (size_t k = 0; k < (both ? kPairCount : kGrowingPairCount); ++k) {
    if (!basis_.usable(parameter, k)) continue;
    const double weight = pair_weight(pairs[k]);
    result.push_back({static_cast<uint8_t>(k), std::log(weight)});
    total += weight;
  }
  for (Choice& choice : result) choice.log_prior -= std::log(total);
  return result;
}

void CandidateSearch::one_parameter(const Measured& measured) {
  const std::vector<Choice> all = choices(measured, 0);
  const bool two_terms = options_.max_terms >= 2 && max_columns_ >= 3;
  const double log_one = std::log(1 - kPriorConstant - (two_terms ? kPriorTwoTerms : 0));
  const double log_two = std::log(2 * kPriorTwoTerms);
  for (size_t a = 0; a < all.size(); ++a) {
    const PackedTerm first(PackedFactor{0, all[a].pair});
    if (!push(measured, first)) continue;
    record(measured, std::array{first}, log_one + all[a].log_prior);
    for (size_t b = a + 1; two_terms && b < all.size(); ++b) {
      const PackedTerm second(PackedFactor{0, all[b].pair});
      if (!push(measured, second)) continue;
      if (all_add_up(measured)) {
        record(measured, std::array{first, second}, log_two + all[a].log_prior + all[b].log_prior);
      }
      fit_.pop();
    }
    fit_.pop();
  }
}

/// Ranks pairs by how well c0 + c1 * pair follows each line, with coefficients of its own: for
/// whatever structure, along a line nothing else of the model varies.
CandidateSearch::AlongLines CandidateSearch::along_lines(const Measured& measured, size_t parameter,
                                                         std::span<const Choice> all) const {
  struct Scored {
    Choice choice;
    double rss;
    double score;
  };
  std::vector<Scored> scored;
  double constant_rss = 0;  // Of a constant per line.
  double freedom = 0;
  double line_count = 0;
  for (const auto& line : basis_.lines(parameter)) {
    if (line.size() < 3) continue;
    freedom += double(line.size()) - 2;
    ++line_count;
  }
  for (const Choice choice : all) {
    const auto column = basis_.column(parameter, choice.pair);
    double rss = 0;
    constant_rss = 0;
    for (const auto& line : basis_.lines(parameter)) {
      if (line.size() < 3) continue;
      // Weighted simple regression, centred on the weighted means.
      double w = 0;
      double wx = 0;
      double wy = 0;
      for (const uint32_t p : line) {
        const double square = measured.weight[p] * measured.weight[p];
        w += square;
        wx += square * column[p];
        wy += square * measured.value[p];
      }
      const double mean_x = wx / w;
      const double mean_y = wy / w;
      double xx = 0;
      double xy = 0;
      double yy = 0;
      for (const uint32_t p : line) {
        const double square = measured.weight[p] * measured.weight[p];
        const double dx = column[p] - mean_x;
        const double dy = (measured.value[p] - mean_y) / measured.largest;
        xx += square * dx * dx;
        xy += square * dx * dy;
        yy += square * dy * dy;
      }
      rss += std::max(xx > 0 ? yy - xy * xy / xx : yy, 0.0);
      constant_rss += yy;
    }
    scored.push_back({choice, rss, 0});
  }
  double least = INFINITY;
  for (const Scored& s : scored) least = std::min(least, s.rss);
  const Noise noise = noise_beside(measured, freedom > 0 ? least / freedom : 0);
  for (Scored& s : scored) {
    s.score = s.choice.log_prior + log_likelihood(noise, s.rss, freedom);
  }
  std::stable_sort(scored.begin(), scored.end(),
                   [](const Scored& a, const Scored& b) { return a.score > b.score; });
  AlongLines result;
  for (const Scored& s : scored) result.choices.push_back(s.choice);
  result.gain = log_likelihood(noise, least, freedom) -
                log_likelihood(noise, constant_rss, freedom + line_count);
  return result;
}

void CandidateSearch::try_structures(const Measured& measured,
                                     std::span<const PackedFactor> factors, double log_prior) {
  const auto all = structures(factors.size());
  const double total = total_weight(all);
  std::array<PackedTerm, Candidate::kMaxTerms> terms;
  std::array<uint8_t, Candidate::kMaxTerms> pushed{};
  size_t depth = 0;
  for (const Structure& structure : all) {
    const size_t count =
        size_t(std::ranges::find(structure.terms, uint8_t{0}) - structure.terms.begin());
    const bool too_many = count + 1 > max_columns_ || (count > 1 && options_.max_terms < 2);
    if (too_many) continue;
    // Columns that the structure before had too stay.
    size_t shared = 0;
    while (shared < depth && shared < count && pushed[shared] == structure.terms[shared]) ++shared;
    for (; depth > shared; --depth) fit_.pop();
    for (; depth < count; ++depth) {
      pushed[depth] = structure.terms[depth];
      terms[depth] = product_of(factors, structure.terms[depth]);
      if (!push(measured, terms[depth])) break;
    }
    if (depth == count) {
      record(measured, std::span(terms).first(count),
             log_prior + std::log(structure.weight / total));
    }
  }
  for (; depth > 0; --depth) fit_.pop();
}

/// All combinations of what is tried for each of these parameters.
void CandidateSearch::combine(const Measured& measured, std::span<const uint8_t> parameters,
                              const std::vector<std::vector<Choice>>& tried, double prior) {
  std::vector<PackedFactor> factors(parameters.size());
  std::vector<size_t> at(parameters.size(), 0);
  for (;;) {
    double log_prior = std::log(prior);
    for (size_t i = 0; i < parameters.size(); ++i) {
      const Choice choice = tried[parameters[i]][at[i]];
      factors[i] = {parameters[i], choice.pair};
      log_prior += choice.log_prior;
    }
    try_structures(measured, factors, log_prior);
    size_t i = 0;
    while (i < at.size() && ++at[i] == tried[parameters[i]].size()) at[i++] = 0;
    if (i == at.size()) return;
  }
}

void CandidateSearch::several_parameters(const Measured& measured) {
  const size_t parameter_count = basis_.parameter_count();
  std::vector<std::vector<Choice>> all(parameter_count);
  std::vector<std::vector<Choice>> best(parameter_count);
  std::vector<double> gain(parameter_count);
  std::vector<uint8_t> varied;
  // What a term can name; nobody varies more parameters than that.
  for (size_t d = 0; d < std::min<size_t>(parameter_count, PackedTerm::kMaxParameters); ++d) {
    all[d] = choices(measured, d);
    if (all[d].empty()) continue;
    varied.push_back(static_cast<uint8_t>(d));
    AlongLines along = along_lines(measured, d, all[d]);
    best[d] = std::move(along.choices);
    gain[d] = along.gain;
  }
  // Of many parameters those that explain most.
  if (varied.size() > PackedTerm::kMaxFactors) {
    std::ranges::stable_sort(varied, [&](uint8_t a, uint8_t b) { return gain[a] > gain[b]; });
    varied.resize(PackedTerm::kMaxFactors);
    std::ranges::sort(varied);
  }
  const size_t at_most = varied.size() <= 2 ? 16 : varied.size() == 3 ? 8 : 4;
  std::vector<std::vector<Choice>> common(parameter_count);
  for (const uint8_t d : varied) {
    // In the order of how much they explain; for independent terms the common ones, as what
    // explains most alone may be neither of two.
    const size_t most = varied.size() <= 3 ? kPairCount : 5;
    for (const Choice choice : best[d]) {
      if (common[d].size() < most && pair_weight(exponent_pairs()[choice.pair]) > 1) {
        common[d].push_back(choice);
      }
    }
    best[d].resize(std::min(best[d].size(), at_most));
  }

  // Each number of parameters has the same share, and each choice of so many.
  std::vector<double> subset_count(varied.size() + 1);
  const uint32_t subsets = uint32_t{1} << varied.size();
  for (uint32_t set = 1; set < subsets; ++set) ++subset_count[size_t(std::popcount(set))];
  for (uint32_t set = 1; set < subsets; ++set) {
    std::vector<uint8_t> parameters;
    for (size_t i = 0; i < varied.size(); ++i) {
      if ((set >> i & 1) != 0) parameters.push_back(varied[i]);
    }
    const double prior =
        (1 - kPriorConstant) / double(varied.size()) / subset_count[parameters.size()];
    combine(measured, parameters, parameters.size() == 1 ? all : best, prior);
  }
  if (max_columns_ >= 3 && options_.max_terms >= 2 && leaves_something(measured)) {
    independent_terms(measured, common);
  }
}

/// Sums of terms that have nothing in common: each is any product of one pair of each parameter.
/// Too many to try all, so that only the terms that explain most alone get a second one, and the
/// pairs of terms that explain most a third.
void CandidateSearch::independent_terms(const Measured& measured,
                                        const std::vector<std::vector<Choice>>& options) {
  struct Tried {
    PackedTerm term;
    double log_prior;
    double rss;
  };
  std::vector<Tried> terms = {{PackedTerm(), 0, 0}};
  for (size_t d = 0; d < options.size(); ++d) {
    const size_t before = terms.size();
    for (size_t t = 0; t < before; ++t) {
      for (const Choice choice : options[d]) {
        PackedTerm term = terms[t].term;
        if (term.size() == PackedTerm::kMaxFactors) continue;
        term.append({static_cast<uint8_t>(d), choice.pair});
        terms.push_back({term, terms[t].log_prior + choice.log_prior, 0});
      }
    }
  }
  terms.erase(terms.begin());
  begin(measured);
  for (Tried& tried : terms) {
    tried.rss = INFINITY;
    if (!push(measured, tried.term)) continue;
    tried.rss = fit_.rss();
    fit_.pop();
  }
  std::ranges::stable_sort(terms, [](const Tried& a, const Tried& b) { return a.rss < b.rss; });

  struct Pair {
    size_t first;
    size_t second;
    double rss;
  };
  constexpr size_t kFirst = 32;
  constexpr size_t kPairs = 8;
  const double log_share = std::log(kPriorIndependent / std::exp2(double(options.size())));
  std::vector<Pair> pairs;
  for (size_t a = 0; a < std::min(kFirst, terms.size()); ++a) {
    if (!push(measured, terms[a].term)) continue;
    for (size_t b = a + 1; b < terms.size(); ++b) {
      if (!push(measured, terms[b].term)) continue;
      if (all_add_up(measured)) {
        record(measured, std::array{terms[a].term, terms[b].term},
               2 * log_share + terms[a].log_prior + terms[b].log_prior);
        pairs.push_back({a, b, fit_.rss()});
      }
      fit_.pop();
    }
    fit_.pop();
  }
  if (max_columns_ < 4) return;
  std::ranges::stable_sort(pairs, [](const Pair& a, const Pair& b) { return a.rss < b.rss; });
  for (const Pair& pair : std::span(pairs).first(std::min(kPairs, pairs.size()))) {
    push(measured, terms[pair.first].term);
    push(measured, terms[pair.second].term);
    for (size_t c = 0; c < terms.size(); ++c) {
      if (c == pair.first || c == pair.second || !push(measured, terms[c].term)) continue;
      if (all_add_up(measured)) {
        record(measured, std::array{terms[pair.first].term, terms[pair.second].term, terms[c].term},
               3 * log_share + terms[pair.first].log_prior + terms[pair.second].log_prior +
                   terms[c].log_prior);
      }
      fit_.pop();
    }
    fit_.pop();
    fit_.pop();
  }
}

/// Whether what was found so far leaves more than noise.
bool CandidateSearch::leaves_something(const Measured& measured) const {
  double best = INFINITY;
  double best_freedom = 1;
  for (const Candidate& candidate : found_) {
    const double freedom = double(basis_.point_count()) - double(candidate.column_count());
    if (freedom > 0 && candidate.rss / freedom < best) {
      best = candidate.rss / freedom;
      best_freedom = freedom;
    }
  }
  constexpr double kRounding = 1e-18;
  constexpr double kDeviations = 4;
  if (!std::isfinite(best) || best < kRounding) return false;
  return measured.freedom == 0 ||
         best > measured.variance * (1 + kDeviations * std::sqrt(2 / best_freedom));
}

/// Terms of opposite signs bend to anything and extrapolate to nothing.
bool CandidateSearch::all_add_up(const Measured& measured) const {
  if (measured.has_negative) return true;
  const auto c = fit_.coefficients();
  if (c[0] * measured.largest < -measured.smallest) return false;
  return std::all_of(c.begin() + 1, c.begin() + ptrdiff_t(fit_.depth()),
                     [](double coefficient) { return coefficient >= 0; });
}

std::span<const Candidate> CandidateSearch::find(const Measured& measured) {
  found_.clear();
  const size_t n = basis_.point_count();
  // Two points to spare, or one where there are few; without repetitions two points tell nothing,
  // as a curve through both leaves no residual to know the noise from.
  const size_t fewest = measured.freedom > 0 ? 2 : 3;
  max_columns_ = n < fewest ? 1 : std::max<size_t>(2, n - std::min<size_t>(n, 2));
  max_columns_ = std::min(max_columns_, Candidate::kMaxTerms + 1);
  falls_ = false;
  begin(measured);
  record(measured, {}, std::log(kPriorConstant));
  if (max_columns_ < 2 || measured.is_constant) return found_;
  if (basis_.parameter_count() == 1) {
    one_parameter(measured);
  } else {
    several_parameters(measured);
  }
  return found_;
}

const StepwiseFit& CandidateSearch::refit(const Measured& measured, const Candidate& candidate) {
  begin(measured);
  for (size_t k = 0; k < candidate.term_count; ++k) push(measured, candidate.terms[k]);
  return fit_;
}

}  // namespace pathline::scaling
