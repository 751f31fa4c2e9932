// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <stop_token>
#include <utility>

#include "mapping/problem.hpp"
#include "mapping/search/search.hpp"

namespace pathline::mapping {

/// What may change: a few items, and the places that they may take.
struct Selection {
  std::vector<uint32_t> items;   ///< Ascending, each once.
  std::vector<uint32_t> places;  ///< Ascending, each once; those of the items are among them.
};

/// The items at the ends of routes and the places that they have. `routes` are pairs of items.
Selection select_ends(std::span<const std::pair<uint32_t, uint32_t>> routes,
                      std::span<const uint32_t> place_of_item);

/// More places for a selection. Items that hold them and are not selected give way.
/// errors  kInvalidArgument for a place out of range, and for one that holds an item that exchanges
///         bytes and is not selected.
base::Status add_places(const Problem& problem, std::span<const uint32_t> place_of_item,
                        std::span<const uint32_t> places, Selection& selection);

constexpr size_t kMaxExactItems = 10;
constexpr uint64_t kMaxExactArrangements = 1'000'000'000;

/// The best of all ways to put the selected items on the selected places, all other items staying
/// where they are; the traffic of all counts. Branch and bound: what is not placed yet adds at
/// least the cheapest free place of each item, and the shortest distance for each pair.
///
/// given   place of each item; returned when nothing is better.
/// errors  kUnsupported beyond kMaxExactItems items or kMaxExactArrangements.
base::Result<SearchResult> place_selected_exactly(const Problem& problem,
                                                  std::span<const uint32_t> given,
                                                  const Selection& selection,
                                                  std::optional<double> time_limit_s = {},
                                                  std::stop_token stop = {});

/// Swaps inside of the selection that shorten, from the mapping given and then from random ones,
/// until `trial_limit` swaps were looked at. The same for the same seed; never worse than given.
/// cost  O(trial_limit * partners of an item).
SearchResult place_selected_at_random(const Problem& problem, std::span<const uint32_t> given,
                                      const Selection& selection, uint64_t trial_limit,
                                      uint64_t seed, std::optional<double> time_limit_s = {},
                                      std::stop_token stop = {});

}  // namespace pathline::mapping
