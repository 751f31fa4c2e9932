// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/problem.hpp"

namespace pathline::mapping {

/// Bytes on every link of the network under a placement, kept while items are exchanged. Only the
/// network's deterministic routes count. Belongs to one thread.
class LinkLoads {
 public:
  /// What an exchange would change on a link.
  struct Change {
    uint32_t link;
    int64_t bytes;
  };

  /// least_bytes  messages of fewer bytes are left out: exact loads with 0.
  /// cost         one route for every pair that exchanges bytes.
  LinkLoads(const Problem& problem, std::span<const uint32_t> place_of_item,
            int64_t least_bytes = 0);

  /// What changes when two items change places; valid until the next call. Links may be listed with
  /// a change of 0. Cost: four routes for every message of the two.
  std::span<const Change> preview(uint32_t item_a, uint32_t item_b);
  /// Does what was previewed last.
  void apply();

  [[nodiscard]] int64_t load(uint32_t link) const { return load_[link]; }
  /// By link number; 0 where there is no link.
  [[nodiscard]] std::span<const int64_t> loads() const { return load_; }
  [[nodiscard]] int64_t max() const { return max_; }
  [[nodiscard]] std::span<const uint32_t> place_of_item() const { return place_; }
  [[nodiscard]] uint32_t item_of_place(uint32_t place) const { return item_of_place_[place]; }

 private:
  void add_route(uint32_t from_place, uint32_t to_place, int64_t bytes);
  void change_routes(uint32_t item, int64_t sign, uint32_t skip);
  void find_max();

  const Problem& problem_;
  int64_t least_bytes_;
  std::vector<uint32_t> place_;
  std::vector<uint32_t> item_of_place_;
  std::vector<int64_t> load_;
  int64_t max_ = 0;
  uint32_t item_a_ = 0;
  uint32_t item_b_ = 0;
  std::vector<network::Link> route_;
  std::vector<Change> changes_;
  std::vector<uint32_t> change_of_link_;  // Where a link is in changes_, kNone if it is not.
};

/// The bytes over the most loaded link; 0 if nothing is sent.
int64_t max_link_load(const Problem& problem, std::span<const uint32_t> place_of_item);

}  // namespace pathline::mapping
