// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/problem.hpp"

namespace pathline::mapping {

/// The places of a problem halved again and again until each is alone: the frame in which
/// recursive bipartitioning places items. Boxes of a torus are cut along their longest side;
/// the places of any other network are cut so that far ones are apart.
///
/// Cost of make(): O(places^2) time and memory.
class PlaceTree {
 public:
  /// The parts after so many halvings.
  struct Level {
    std::vector<uint32_t> begin;        ///< Per part its first slot, and the number of slots.
    std::vector<uint32_t> first_child;  ///< Per part, and one beyond: in the next level.
    std::vector<float> distance;        ///< Mean over pairs of places, part by part.

    [[nodiscard]] uint32_t part_count() const { return static_cast<uint32_t>(begin.size() - 1); }
    [[nodiscard]] uint32_t size_of(uint32_t part) const { return begin[part + 1] - begin[part]; }
    [[nodiscard]] float between(uint32_t part_a, uint32_t part_b) const {
      return distance[size_t{part_a} * part_count() + part_b];
    }
  };

  /// variant         0 cuts the longest side, others now and then a different one.
  /// with_distances  Level::distance is filled; takes 5 bytes per pair of places.
  static PlaceTree make(const Problem& problem, uint64_t variant, bool with_distances = true);

  /// From everything in one part to one place in each part.
  [[nodiscard]] const std::vector<Level>& levels() const { return levels_; }
  /// A part's slots are consecutive.
  [[nodiscard]] uint32_t place_of_slot(uint32_t slot) const { return order_[slot]; }

 private:
  void halve(const Problem& problem, uint64_t variant);
  void add_distances(const Problem& problem);

  std::vector<uint32_t> order_;  // Places by slot.
  std::vector<Level> levels_;
};

}  // namespace pathline::mapping
