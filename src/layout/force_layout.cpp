// SPDX-License-Identifier: BSD-3-Clause
#include "layout/force_layout.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>

#include <fmt/format.h>
#include <graphviz/cgraph.h>
#include <graphviz/gvc.h>

namespace pathline::layout {
namespace {

constexpr double kPointsPerInch = 72;
constexpr double kMaxRefined = 1.6e8;  // Nodes times edges of a component: what the distances cost.
constexpr size_t kMaxRefinedNodes = 4096;  // Their matrix is dense.
constexpr const char* kRefinements = "8";
constexpr double kShortest = 0.25;  // Of the lengths asked for.
constexpr double kLongest = 4;

int ignore_message(char* /*text*/) { return 0; }

/// Graphviz can be used by one thread at a time, and reading its configuration again for every
/// picture would lose the memory of it each time. So there is one context for the process.
class Graphviz {
 public:
  Graphviz() : lock_(mutex()), context_(context()) {}
  GVC_t* get() const { return context_; }

 private:
  static std::mutex& mutex() {
    static std::mutex only;
    return only;
  }
  static GVC_t* context() {
    static GVC_t* const only = [] {
      agseterrf(ignore_message);  // Failure shows in what is returned.
      return gvContext();
    }();
    return only;
  }
  std::lock_guard<std::mutex> lock_;
  GVC_t* context_;
};

/// A graph that Graphviz can place; its nodes are numbered in the order in which they were added.
class Drawing {
 public:
  explicit Drawing(uint32_t node_count) : graph_(open()) {
    // Placed as points: without text, and without room of their own.
    node_attribute("shape", "point");
    node_attribute("label", "");
    node_attribute("width", "0.01");
    graph_attribute("splines", "none");
    graph_attribute("overlap", "true");
    for (uint32_t i = 0; i < node_count; ++i) {
      nodes_.push_back(agnode(graph_.get(), fmt::format("{}", i).data(), 1));
    }
  }

  void graph_attribute(std::string name, std::string value) {
    agattr(graph_.get(), AGRAPH, name.data(), value.data());
  }
  void node_attribute(std::string name, std::string value) {
    agattr(graph_.get(), AGNODE, name.data(), value.data());
  }
  void add_edge(uint32_t a, uint32_t b) { agedge(graph_.get(), nodes_[a], nodes_[b], nullptr, 1); }
  void add_edge(uint32_t a, uint32_t b, double length) {
    std::string name = "len";
    std::string one = "1";
    if (length_ == nullptr) length_ = agattr(graph_.get(), AGEDGE, name.data(), one.data());
    Agedge_t* edge = agedge(graph_.get(), nodes_[a], nodes_[b], nullptr, 1);
    agxset(edge, length_, fmt::format("{:.5f}", length).data());
  }
  void start_at(std::span<const Point> at) {
    std::string name = "pos";
    std::string none;
    Agsym_t* position = agattr(graph_.get(), AGNODE, name.data(), none.data());
    for (size_t i = 0; i < nodes_.size(); ++i) {
      agxset(nodes_[i], position, fmt::format("{:.5f},{:.5f}", at[i].x, at[i].y).data());
    }
  }

  /// Where the nodes are, in inches; nothing if Graphviz cannot.
  std::vector<Point> place(const Graphviz& graphviz, const char* engine) {
    // sfdp makes its coarse graphs with the numbers that follow, before it looks at its own seed.
    std::srand(1);
    srand48(1);
    std::vector<Point> at;
    if (gvLayout(graphviz.get(), graph_.get(), engine) != 0) return at;
    for (Agnode_t* node : nodes_) {
      at.push_back({ND_coord(node).x / kPointsPerInch, ND_coord(node).y / kPointsPerInch});
    }
    gvFreeLayout(graphviz.get(), graph_.get());
    return at;
  }

 private:
  struct Close {
    void operator()(Agraph_t* graph) const { agclose(graph); }
  };
  static Agraph_t* open() {
    std::string name = "routes";
    return agopen(name.data(), Agundirected, nullptr);
  }
  std::unique_ptr<Agraph_t, Close> graph_;
  std::vector<Agnode_t*> nodes_;
  Agsym_t* length_ = nullptr;
};

/// Every edge once, a < b, ascending.
std::vector<ForceEdge> merged(std::span<const ForceEdge> edges) {
  std::vector<ForceEdge> sorted(edges.begin(), edges.end());
  for (ForceEdge& edge : sorted) {
    if (edge.a > edge.b) std::swap(edge.a, edge.b);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const ForceEdge& x, const ForceEdge& y) {
    return x.a != y.a ? x.a < y.a : x.b < y.b;
  });
  std::vector<ForceEdge> result;
  for (const ForceEdge& edge : sorted) {
    if (!result.empty() && result.back().a == edge.a && result.back().b == edge.b) {
      result.back().weight += edge.weight;
    } else {
      result.push_back(edge);
    }
  }
  return result;
}

/// Nodes and edges that hang together.
struct Component {
  std::vector<uint32_t> nodes;  // Ascending.
  std::vector<ForceEdge> edges;
};

std::vector<Component> components(uint32_t node_count, std::span<const ForceEdge> edges) {
  std::vector<uint32_t> root(node_count);
  std::iota(root.begin(), root.end(), 0U);
  const auto find = [&](uint32_t node) {
    while (root[node] != node) node = root[node] = root[root[node]];
    return node;
  };
  for (const ForceEdge& edge : edges) {
    const uint32_t a = find(edge.a);
    const uint32_t b = find(edge.b);
    root[std::max(a, b)] = std::min(a, b);
  }
  std::vector<Component> found;
  std::vector<uint32_t> number(node_count);
  for (uint32_t node = 0; node < node_count; ++node) {
    if (find(node) == node) {
      number[node] = static_cast<uint32_t>(found.size());
      found.emplace_back();
    }
    found[number[find(node)]].nodes.push_back(node);
  }
  for (const ForceEdge& edge : edges) found[number[find(edge.a)]].edges.push_back(edge);
  return found;
}

/// Middle of points, and how far they are from it (root of the mean square).
struct Extent {
  Point middle;
  double radius = 0;
};

Extent extent(std::span<const Point> points) {
  Extent result;
  const auto count = static_cast<double>(points.size());
  for (const Point& point : points) {
    result.middle.x += point.x / count;
    result.middle.y += point.y / count;
  }
  for (const Point& point : points) {
    const double x = point.x - result.middle.x;
    const double y = point.y - result.middle.y;
    result.radius += (x * x + y * y) / count;
  }
  result.radius = std::sqrt(result.radius);
  return result;
}

double length_of(const ForceEdge& edge, std::span<const Point> at) {
  return std::hypot(at[edge.a].x - at[edge.b].x, at[edge.a].y - at[edge.b].y);
}

std::vector<Point> placed_by_shape(const Graphviz& graphviz, uint32_t node_count,
                                   std::span<const ForceEdge> edges) {
  Drawing drawing(node_count);
  drawing.graph_attribute("start", "1");  // The seed.
  for (const ForceEdge& edge : edges) drawing.add_edge(edge.a, edge.b);
  return drawing.place(graphviz, "sfdp");
}

/// Moves the nodes of a component so that heavy edges get shorter. Leaves them where they are if
/// Graphviz cannot.
void refine(const Graphviz& graphviz, const Component& component, std::vector<Point>& at) {
  std::vector<uint32_t> place_of(at.size());
  std::vector<Point> start;
  for (const uint32_t node : component.nodes) {
    place_of[node] = static_cast<uint32_t>(start.size());
    start.push_back(at[node]);
  }
  double mean_weight = 0;
  double mean_length = 0;
  for (const ForceEdge& edge : component.edges) {
    mean_weight += edge.weight / static_cast<double>(component.edges.size());
    mean_length += length_of(edge, at) / static_cast<double>(component.edges.size());
  }
  if (!(mean_length > 0)) return;
  Drawing drawing(static_cast<uint32_t>(start.size()));
  drawing.graph_attribute("maxiter", kRefinements);
  for (const ForceEdge& edge : component.edges) {
    drawing.add_edge(place_of[edge.a], place_of[edge.b],
                     std::clamp(std::sqrt(mean_weight / edge.weight), kShortest, kLongest));
  }
  const Extent before = extent(start);
  for (Point& point : start) point = {point.x / mean_length, point.y / mean_length};
  drawing.start_at(start);
  const std::vector<Point> refined = drawing.place(graphviz, "neato");
  const Extent after = extent(refined);
  const double scale = before.radius / after.radius;
  if (refined.size() != start.size() || !std::isfinite(scale)) return;
  for (size_t i = 0; i < refined.size(); ++i) {
    at[component.nodes[i]] = {before.middle.x + (refined[i].x - after.middle.x) * scale,
                              before.middle.y + (refined[i].y - after.middle.y) * scale};
  }
}

base::Status check(uint32_t node_count, std::span<const ForceEdge> edges) {
  for (const ForceEdge& edge : edges) {
    if (edge.a >= node_count || edge.b >= node_count || edge.a == edge.b) {
      return base::Error{base::ErrorCode::kInvalidArgument,
                         fmt::format("an edge joins nodes {} and {} of a graph of {} nodes", edge.a,
                                     edge.b, node_count)};
    }
    if (!(edge.weight > 0) || !std::isfinite(edge.weight)) {
      return base::Error{base::ErrorCode::kInvalidArgument,
                         fmt::format("the edge of nodes {} and {} has the weight {}", edge.a,
                                     edge.b, edge.weight)};
    }
  }
  return {};
}

}  // namespace

base::Result<ForceLayout> force_layout(uint32_t node_count, std::span<const ForceEdge> edges) {
  if (const base::Status status = check(node_count, edges); !status) return status.error();
  ForceLayout layout;
  if (node_count == 0) return layout;
  const std::vector<ForceEdge> once = merged(edges);
  const Graphviz graphviz;
  layout.at = placed_by_shape(graphviz, node_count, once);
  if (layout.at.size() != node_count) {
    return base::Error{
        base::ErrorCode::kUnsupported,
        "Graphviz cannot place a graph: its layout 'sfdp' is missing or failed",
        "Reinstall its library with all plugins (Debian: libgvc6), and run 'dot -c'."};
  }
  for (const Component& component : components(node_count, once)) {
    if (component.nodes.size() < 3) continue;
    const double cost =
        static_cast<double>(component.nodes.size()) * static_cast<double>(component.edges.size());
    if (cost > kMaxRefined || component.nodes.size() > kMaxRefinedNodes) {
      layout.by_weight = false;
    } else {
      refine(graphviz, component, layout.at);
    }
  }
  return layout;
}

}  // namespace pathline::layout
