// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/problem.hpp"
#include "mapping/search/random.hpp"
#include "mapping/search/search.hpp"

namespace pathline::mapping {

/// Placements that are linear over bits: bit by bit, the number of an item's place is the exclusive
/// or of some bits of the item's number. Ranks are numbered by a process grid or by recursive
/// bisection of a domain, and these maps hold all ways to lay such a numbering into a torus whose
/// sizes are powers of two: permutations of axes, foldings and Gray codes, halves of an axis spread
/// over others. There are few enough of them to search.
///
/// With another number of places the images are ranked: the item with the smallest image gets the
/// first place.
class LinearMaps {
 public:
  /// number_of_item  each below the number of items, once: what is linear is linear in them.
  LinearMaps(const Problem& problem, std::span<const uint32_t> number_of_item);

  struct Found {
    Permutation place_of_number;
    double cost = 0;  ///< Of the heaviest pairs only.
    uint32_t start = 0;
    std::vector<uint32_t> image = {};  ///< Of each bit of a code.
  };
  /// Anneals from a random permutation of the bits by adding and exchanging rows and columns of the
  /// matrix, then goes down.
  /// start        even ones count items and places as they are, odd ones by Gray codes, in which
  ///              neighbours differ by one bit. 0 begins with the identity.
  /// evaluations  maps tried, each O(places + pairs).
  [[nodiscard]] Found search(uint32_t start, uint32_t evaluations, Random& random,
                             Deadline& deadline) const;
  /// The same from a map found, cooler. May lose it: keep the better one.
  [[nodiscard]] Found improve(const Found& found, uint32_t evaluations, Random& random,
                              Deadline& deadline) const;

 private:
  friend class LinearSearch;
  struct Pair {
    uint32_t a;
    uint32_t b;
    float weight;
  };
  /// A place by its parts, see low_count_.
  struct Halves {
    uint32_t high;
    uint32_t low;
  };
  /// How items and places are numbered.
  struct Frame {
    std::vector<uint32_t> code_of_number;  // Below 2^bit_count_.
    std::vector<Halves> place;             // By rank of the image.
  };
  [[nodiscard]] std::vector<Halves> halves(const Permutation& places) const;
  void keep_heavy_pairs(std::span<const uint32_t> number_of_item);
  void split_distances();
  [[nodiscard]] Permutation places_in_order() const;
  [[nodiscard]] Permutation places_by_gray_code(const Permutation& in_order) const;
  [[nodiscard]] uint32_t process_grid() const;

  const Problem& problem_;
  uint32_t bit_count_ = 0;
  std::vector<Pair> pairs_;  // The heaviest first.
  // The distance of two places is that of their quotients by low_count_ plus that of their rests:
  // in a torus two tables that stay in the cache instead of one that does not.
  uint32_t low_count_ = 1;
  uint32_t high_count_ = 1;
  std::vector<uint16_t> high_;
  std::vector<uint16_t> low_table_;
  const uint16_t* low_ = nullptr;
  Frame plain_;
  Frame gray_;
};

}  // namespace pathline::mapping
