// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <unordered_map>

#include "base/result.hpp"
#include "network/network.hpp"

namespace pathline::network {

/// Any graph, given by its links. A route is a way of least weight, counted in millionths; where
/// several are, it goes to the first neighbour, by number, that is on one. Its distance is the
/// number of links of that route.
///
/// Vertices are numbered in numeric order when all are called by numbers, else as the file names
/// them; those declared switches come behind the others. Links are numbered by the vertex they
/// leave and the one they lead to.
class EdgeGraph : public Network {
 public:
  static constexpr size_t kMaxVertices = 8192;

  struct Edge {
    std::string from;
    std::string to;
    double weight = 1;
    bool one_way = false;
    size_t line = 0;  ///< Of the file, for messages.
  };
  /// switches  names of vertices on which no rank can run.
  /// errors    kInvalidArgument naming file and line: an edge from a vertex to itself, twice the
  ///           same with other weights, a weight not from 1e-6 to 1e9, two nodes without a way
  ///           between them, more than kMaxVertices.
  /// cost      O(vertices * (links log vertices)) time, O(vertices^2) memory.
  static base::Result<std::unique_ptr<EdgeGraph>> make(const std::vector<Edge>& edges,
                                                       const std::vector<std::string>& switches,
                                                       std::string spec, const std::string& file);

  [[nodiscard]] std::string spec() const override { return spec_; }
  [[nodiscard]] uint32_t distance(Vertex from, Vertex to) const override {
    return hops_to_[size_t{to} * vertex_count() + from];
  }
  [[nodiscard]] uint32_t fewest_hops(Vertex from, Vertex to) const override;
  void route(Vertex from, Vertex to, std::vector<Link>& links) const override;
  [[nodiscard]] uint32_t diameter() const override { return diameter_; }
  void coordinates(Vertex node, std::span<uint32_t> address) const override;
  [[nodiscard]] Vertex node(std::span<const uint32_t> address) const override;
  [[nodiscard]] std::string name(Vertex vertex) const override { return names_[vertex]; }
  [[nodiscard]] Vertex find(std::string_view name) const override;

 private:
  EdgeGraph() = default;
  void find_routes(const std::vector<int64_t>& weight_of_link);

  std::string spec_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, uint32_t> vertex_of_name_;
  // Per destination (node) and vertex: links of the route, and which of the vertex's hops is first.
  std::vector<uint16_t> hops_to_;
  std::vector<uint16_t> next_hop_;
  std::vector<uint16_t> fewest_to_;  // Empty where all weights are the same.
  uint32_t diameter_ = 0;
};

/// A graph from a text of lines `A B [WEIGHT]` (both ways), `A -> B [WEIGHT]` (one way) and
/// `switch NAME...`; # begins a comment.
base::Result<std::unique_ptr<EdgeGraph>> read_edges(std::string_view text, const std::string& file);

}  // namespace pathline::network
