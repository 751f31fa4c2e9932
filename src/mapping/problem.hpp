// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "graph/traffic.hpp"
#include "network/network.hpp"

namespace pathline::mapping {

/// Which item (the ranks that share a node) sits at which place: place of item, each place once.
using Permutation = std::vector<uint32_t>;

/// Items that exchange bytes and as many places in a network, to be matched so that
/// sum over pairs of weight * distance is small: a quadratic assignment problem with sparse
/// weights. Items beyond those that carry ranks exchange nothing.
///
/// Item i is the i-th place's ranks of the mapping given, so the identity is that mapping.
class Problem {
 public:
  /// What an item exchanges with another, both directions added up.
  struct Partner {
    uint32_t item;
    int64_t weight;
  };

  /// node_traffic  between the nodes of `network` under the mapping given, graph::merged().
  /// places        nodes that may be used, ascending, each once; all that exchange bytes are among
  ///               them.
  /// errors        kInvalidArgument for a node with traffic that is no place; kUnsupported when
  ///               there are more than kMaxPlaces, or so many bytes that bytes times hops do not
  ///               fit in 62 bits.
  /// cost          O(places^2) time, and as many bytes.
  static constexpr size_t kMaxPlaces = 32768;
  static base::Result<Problem> make(const network::Network& network,
                                    const graph::Traffic& node_traffic,
                                    std::vector<network::Vertex> places, base::ThreadPool& pool);

  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(places_.size()); }
  [[nodiscard]] const network::Network& network() const { return *network_; }
  [[nodiscard]] std::span<const network::Vertex> places() const { return places_; }
  /// Ascending in the item; no item is its own partner.
  [[nodiscard]] std::span<const Partner> partners(uint32_t item) const {
    return {partners_.data() + row_[item], partners_.data() + row_[item + 1]};
  }
  /// To whom an item sends and from whom it receives, how much; ascending in the other item.
  [[nodiscard]] std::span<const Partner> receivers(uint32_t item) const {
    return {receivers_.data() + receiver_row_[item], receivers_.data() + receiver_row_[item + 1]};
  }
  [[nodiscard]] std::span<const Partner> senders(uint32_t item) const {
    return {senders_.data() + sender_row_[item], senders_.data() + sender_row_[item + 1]};
  }
  /// Links between two places, the mean of both directions times 2 where they differ anywhere in
  /// the network (then distance_unit() is 2, else 1).
  [[nodiscard]] uint32_t distance(uint32_t place_a, uint32_t place_b) const {
    return distance_[size_t{place_a} * places_.size() + place_b];
  }
  /// Distances from one place to all.
  [[nodiscard]] const uint16_t* distances(uint32_t place) const {
    return distance_.data() + size_t{place} * places_.size();
  }
  [[nodiscard]] uint32_t distance_unit() const { return distance_unit_; }

  /// Sum over pairs of items of weight * distance: the hop-bytes of a placement times
  /// distance_unit(). O(pairs).
  [[nodiscard]] int64_t cost(std::span<const uint32_t> place_of_item) const;

 private:
  const network::Network* network_ = nullptr;
  std::vector<network::Vertex> places_;
  std::vector<uint64_t> row_;
  std::vector<Partner> partners_;
  std::vector<uint64_t> receiver_row_;
  std::vector<Partner> receivers_;
  std::vector<uint64_t> sender_row_;
  std::vector<Partner> senders_;
  std::vector<uint16_t> distance_;
  uint32_t distance_unit_ = 1;
};

/// 0, 1, 2 ...: the mapping given.
Permutation identity(uint32_t size);
/// True if every number below `size` stands in it once.
bool is_permutation(std::span<const uint32_t> places, uint32_t size);

}  // namespace pathline::mapping
