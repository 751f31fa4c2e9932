// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <stop_token>

#include "base/thread_pool.hpp"
#include "mapping/search/search.hpp"

namespace pathline::mapping {

/// A placement with few hop-bytes: items and places are halved together (dual recursive
/// bipartitioning, Pellegrini, HPCN 1994), the halves refined by annealing between the halvings,
/// and the best of several starts annealed further.
///
/// Further starts use that ranks are numbered by process grids or by halving a domain: foldings of
/// the numbers into the machine (see LinearMaps and AxisMaps).
///
/// given           a permutation; the answer is never worse.
/// number_of_item  per item where its ranks stand among those of the other items, 0, 1, 2 ..., each
///                 once: worth giving if the mapping given is not in rank order. Empty: the
///                 items are numbered as they are.
/// returns         the same for the same arguments, whatever the number of threads, unless it says
///                 timed_out.
SearchResult multilevel(const Problem& problem, std::span<const uint32_t> given,
                        const SearchOptions& options, base::ThreadPool& pool,
                        std::stop_token stop = {}, std::span<const uint32_t> number_of_item = {});

}  // namespace pathline::mapping
