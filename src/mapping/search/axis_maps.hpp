// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/problem.hpp"
#include "mapping/search/random.hpp"
#include "mapping/search/search.hpp"

namespace pathline::mapping {

/// Foldings of a process grid into a torus of any sizes, for which LinearMaps needs powers of two:
/// axes of the grid and dimensions of the torus are taken apart into prime digits of a reflected
/// code (neighbours differ by one in one digit), and each digit of the grid becomes a digit of the
/// torus of the same prime.
class AxisMaps {
 public:
  /// number_of_item  in the grid, row by row; each below the number of items, once.
  /// Guesses the process grid, up to three axes, from the heaviest pairs. Cost O(pairs + ways to
  /// write the number of places as a product of three).
  AxisMaps(const Problem& problem, std::span<const uint32_t> number_of_item);

  /// Whether there is a grid: all nodes of a torus are places, and as many items exchange bytes,
  /// mostly with neighbours in the grid.
  [[nodiscard]] bool exist() const { return !grid_.empty(); }
  /// From a random choice down by exchanging digits, again and again. Returns the best place of
  /// each number. evaluations  choices tried, each O(pairs + places * digits).
  [[nodiscard]] Permutation search(uint32_t evaluations, Random& random, Deadline& deadline) const;

 private:
  friend class AxisSearch;
  struct Pair {
    uint32_t a;
    uint32_t b;
    float weight;
  };
  void keep_heavy_pairs(std::span<const uint32_t> number_of_item);
  void guess_grid();
  [[nodiscard]] double share_of_neighbours(const std::vector<uint32_t>& grid) const;

  const Problem& problem_;
  std::vector<Pair> pairs_;      // The heaviest first.
  std::vector<uint32_t> grid_;   // Sizes of the axes, the last one fastest.
  std::vector<uint32_t> torus_;  // Sizes of the dimensions.
};

}  // namespace pathline::mapping
