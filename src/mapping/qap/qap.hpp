// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "mapping/problem.hpp"
#include "mapping/search/search.hpp"

namespace pathline::mapping {

/// A dense quadratic assignment problem: the permutation p of 0 .. size - 1 is wanted that makes
/// the sum over all i and j, i = j included, of a[i][j] * b[p[i]][p[j]] smallest. `a` is between
/// items (bytes), `b` between places (links); neither has to be symmetric.
struct Qap {
  uint32_t size = 0;
  std::vector<int64_t> a;  ///< size * size, by rows.
  std::vector<int64_t> b;  ///< size * size, by rows.

  /// O(size^2).
  [[nodiscard]] int64_t cost(std::span<const uint32_t> place_of_item) const;
  [[nodiscard]] bool symmetric() const;
  /// errors  kInvalidArgument for matrices that do not have size * size entries; kUnsupported for
  ///         more than kMaxSize items or numbers so large that costs do not fit in 62 bits.
  [[nodiscard]] base::Status check() const;
  static constexpr uint32_t kMaxSize = 2048;
};

struct QapOptions {
  uint64_t seed = 1;
  /// Swaps that all tabu searches together carry out, each the best of size^2 / 2 looked at; 0: as
  /// many as find good solutions of problems of this size.
  uint64_t swap_count = 0;
  /// Ends the search early. Without it the result depends on seed and swap_count only.
  std::optional<double> time_limit_s = std::nullopt;
  std::stop_token stop = {};
};

struct QapResult {
  Permutation place_of_item;
  int64_t cost = 0;
  uint64_t swap_count = 0;  ///< Carried out.
  bool timed_out = false;   ///< Ended by the clock or the stop token.
};

/// Good solutions of problems of up to some hundred items: a memetic search (a small population of
/// solutions, of which pairs are crossed: what both agree on is kept, the rest dealt out anew) with
/// Taillard's robust tabu search (Parallel Computing 17, 1991) as its improvement. The same result
/// with any number of threads. Never worse than `start`.
///
/// start   place of each item; empty: none known.
/// errors  those of Qap::check(), and kInvalidArgument for a start that is no permutation.
/// cost    swap_count * O(size^2) time, 4 matrices of size^2 numbers for each thread.
base::Result<QapResult> search_qap(const Qap& qap, std::span<const uint32_t> start,
                                   const QapOptions& options, base::ThreadPool& pool);

}  // namespace pathline::mapping
