// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <stop_token>

#include "base/thread_pool.hpp"
#include "mapping/search.hpp"

namespace pathline::mapping {

/// A placement with few hop-bytes: items and places are halved together (dual recursive
/// bipartitioning, Pellegrini, HPCN 1994), the halves refined by annealing between the halvings,
/// and the best of several starts annealed further.
///
/// given    a permutation; the answer is never worse.
/// returns  the same for the same problem, options and `given`, whatever the number of threads,
///          unless it says timed_out.
SearchResult multilevel(const Problem& problem, std::span<const uint32_t> given,
                        const SearchOptions& options, base::ThreadPool& pool,
                        std::stop_token stop = {});

}  // namespace pathline::mapping
