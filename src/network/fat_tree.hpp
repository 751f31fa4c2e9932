// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "network/network.hpp"

namespace pathline::network {

/// The k-ary n-tree (Petrini & Vanneschi, IPPS 1997): k^n nodes with digits p(n-1) .. p0, and n
/// levels of k^(n-1) switches, each named by its level and a word of n - 1 digits. A node hangs on
/// switch (0, its number without p0); switches (l, w) and (l + 1, w') are joined if their words
/// differ in digit l at most.
///
/// A route goes up to the level of the highest digit in which source and destination differ and
/// down again; the port it takes upwards at level l is digit l of the destination
/// (destination-mod-k), which spreads destinations and always is the same.
///
/// Vertices: nodes, then switches by level and word. Links by tier (0: between nodes and level 0),
/// the lower switch or node, its port, up before down.
class FatTree : public Network {
 public:
  /// errors  kInvalidArgument for k < 1, n < 1, and more than 2^20 nodes.
  static base::Result<std::unique_ptr<FatTree>> make(uint32_t arity, uint32_t levels);

  [[nodiscard]] std::string spec() const override;
  [[nodiscard]] uint32_t distance(Vertex from, Vertex to) const override;
  [[nodiscard]] uint32_t fewest_hops(Vertex from, Vertex to) const override;
  void route(Vertex from, Vertex to, std::vector<Link>& links) const override;
  [[nodiscard]] uint32_t diameter() const override;
  void coordinates(Vertex node, std::span<uint32_t> address) const override;
  [[nodiscard]] Vertex node(std::span<const uint32_t> address) const override;
  [[nodiscard]] std::string name(Vertex vertex) const override;

 private:
  FatTree(uint32_t arity, uint32_t levels);
  /// Levels that a route climbs: 0 between a node and itself.
  [[nodiscard]] uint32_t climb(uint32_t from, uint32_t to) const;
  [[nodiscard]] uint32_t digit(uint32_t word, uint32_t d) const {
    return word / power_[d] % arity_;
  }
  uint32_t arity_;
  uint32_t levels_;
  std::vector<uint32_t> power_;  // Of the arity, 0 to levels.
};

}  // namespace pathline::network
