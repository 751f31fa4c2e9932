// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stop_token>

#include "mapping/parts/parts.hpp"
#include "mapping/problem.hpp"
#include "mapping/search/search.hpp"

namespace pathline::mapping {

/// Algorithm 1 of Fujiwara et al., VAST 2017: cuts the items into parts that exchange little and
/// the places into as many parts that are compact, gives parts of items to parts of places, then,
/// inside of each, items to places. Both steps are dense assignment problems of a size that
/// search_qap() can do well. What goes between the parts does not count in the second, so a
/// refinement over all places should follow.
///
/// given       place of each item, for comparison: the better of it and the new one is returned.
/// part_count  0: parts of about 128 items.
/// options     `objective` is not looked at: hop-bytes count.
/// errors      kInvalidArgument for more parts than items; kUnsupported for parts of more than
///             Qap::kMaxSize items; those of cut_into_parts().
/// cost        with parts of s items O(size * s^2); 2,048 items in 16 parts take 1.1 s of CPU time
///             at effort 0, 3 s at effort 1.
base::Result<SearchResult> place_by_partition(const Problem& problem,
                                              std::span<const uint32_t> given, uint32_t part_count,
                                              const SearchOptions& options, std::stop_token stop,
                                              base::ThreadPool& pool);

/// Places that are joined when they are near: all that are one link apart, where that does not join
/// all of them (there are switches, or only some nodes are places) those two apart with less
/// weight, and so on.
WeightedGraph nearness_graph(const Problem& problem, base::ThreadPool& pool);

}  // namespace pathline::mapping
