// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/scene.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pathline::insitu {
namespace {

constexpr double kFilled = 0.85;    // Of a row: the rest is the gap to the next.
constexpr double kBetween = 0.04;   // Of a unit, left free at each side of a cell.
constexpr double kRanksTop = -0.5;  // Their row is below the hardware's, which begins at 0.

template <class T>
struct Columns {
  std::vector<T> values;
  vtk::Array named(std::string name) && { return {std::move(name), std::move(values)}; }
};

int32_t or_minus_one(uint32_t number) {
  return number == UINT32_MAX ? -1 : static_cast<int32_t>(number);
}

/// Numbers of kinds of hardware, from the outermost.
int32_t type_number(const std::string& type) {
  constexpr const char* kTypes[] = {"Machine",  "Group",   "Package", "Die",
                                    "NUMANode", "L5Cache", "L4Cache", "L3Cache",
                                    "L2Cache",  "L1Cache", "Core",    "PU"};
  const auto* found = std::find(std::begin(kTypes), std::end(kTypes), type);
  return static_cast<int32_t>(found - std::begin(kTypes));
}

}  // namespace

Scene::Scene(const Machine& machine, const SceneOptions& options)
    : machine_(machine), options_(options), cell_of_rank_(machine.rank_count()) {
  for (const Node& node : machine.nodes) {
    width_ = std::max(width_, node.width);
    row_count_ = std::max(row_count_, static_cast<double>(node.row_count));
    for (const RankCell& cell : node.ranks) cell_of_rank_[cell.rank] = &cell;
  }
  if (options_.node_gap <= 0) options_.node_gap = std::max(3.0, width_ / 4);
  // On a circle nodes stand side by side.
  const double pitch =
      options_.node_gap + (options_.arrangement == Arrangement::kCircle ? width_ : 0);
  for (size_t i = 0; i < machine.nodes.size(); ++i) {
    if (i > 0) length_ += pitch + (machine.new_switch(i) ? 2 * options_.node_gap : 0);
    position_.push_back(length_);
  }
  // Around the circle, and around a periodic end, is as far as from node to node.
  length_ += pitch;
  if (options_.arrangement == Arrangement::kCircle) {
    radius_ = std::max(length_ / (2 * std::numbers::pi), width_ / 2);
  }
  const double extent =
      std::max(options_.arrangement == Arrangement::kCircle ? radius_ : length_, width_);
  descent_ = std::max(1.0, extent / 16);
}

Scene::Point Scene::at(uint32_t node, double across, double y) const {
  const double x = across - machine_.nodes[node].width / 2;
  if (options_.arrangement == Arrangement::kPlanes) return {x, y, position_[node]};
  const double angle = 2 * std::numbers::pi * position_[node] / length_;
  return {radius_ * std::sin(angle) + x * std::cos(angle), y,
          radius_ * std::cos(angle) - x * std::sin(angle)};
}

Scene::Point Scene::below(uint32_t rank) const {
  const RankCell& cell = *cell_of_rank_[rank];
  return at(machine_.node_of_rank[rank], (cell.begin + cell.end) / 2, kRanksTop - kFilled - 0.1);
}

void Scene::add_quad(vtk::Grid& grid, uint32_t node, double begin, double end,
                     double bottom) const {
  const double free = std::min(kBetween, (end - begin) * kBetween);
  int64_t corners[4];
  size_t i = 0;
  for (const auto& [across, y] :
       {std::pair(begin + free, bottom), std::pair(end - free, bottom),
        std::pair(end - free, bottom + kFilled), std::pair(begin + free, bottom + kFilled)}) {
    const Point point = at(node, across, y);
    corners[i++] = grid.add_point(point.x, point.y, point.z);
  }
  grid.add_cell(vtk::kQuad, {corners[0], corners[1], corners[2], corners[3]});
}

vtk::Grid Scene::hardware() const {
  vtk::Grid grid;
  Columns<int32_t> node_id, row, type, logical_index, os_index, rank;
  Columns<std::string> type_name, host;
  for (uint32_t i = 0; i < machine_.nodes.size(); ++i) {
    const Node& node = machine_.nodes[i];
    for (const HardwareCell& cell : node.hardware) {
      // The innermost rows of all nodes at one height.
      add_quad(grid, i, cell.begin, cell.end, static_cast<double>(node.row_count - 1 - cell.row));
      node_id.values.push_back(static_cast<int32_t>(i));
      row.values.push_back(static_cast<int32_t>(cell.row));
      type.values.push_back(type_number(cell.type));
      type_name.values.push_back(cell.type);
      logical_index.values.push_back(static_cast<int32_t>(cell.logical_index));
      os_index.values.push_back(or_minus_one(cell.os_index));
      rank.values.push_back(or_minus_one(cell.rank));
      host.values.push_back(node.host);
    }
  }
  grid.cell_arrays = {std::move(node_id).named("node_id"),
                      std::move(row).named("row"),
                      std::move(type).named("type"),
                      std::move(type_name).named("type_name"),
                      std::move(logical_index).named("logical_index"),
                      std::move(os_index).named("os_index"),
                      std::move(rank).named("rank"),
                      std::move(host).named("host")};
  return grid;
}

vtk::Grid Scene::network() const {
  vtk::Grid grid;
  Columns<int32_t> switch_id, level;
  Columns<std::string> name;
  const double half = options_.node_gap / 4;
  for (size_t i = 0; i < machine_.switches.size(); ++i) {
    const Switch& one = machine_.switches[i];
    const double bottom = row_count_ + 1.5 * (one.level - 0.5);
    const double first = position_[one.first_node] - half;
    const double last = position_[one.last_node] + half;
    const auto point = [&](double way, double y) {
      if (options_.arrangement == Arrangement::kPlanes) return Point{0, y, way};
      const double angle = 2 * std::numbers::pi * way / length_;
      return Point{radius_ * std::sin(angle), y, radius_ * std::cos(angle)};
    };
    // A straight quad, or a ring in pieces of at most 6 degrees.
    const double pieces = options_.arrangement == Arrangement::kPlanes
                              ? 1
                              : std::max(1.0, std::ceil((last - first) / length_ * 60));
    for (double piece = 0; piece < pieces; ++piece) {
      const double from = first + (last - first) * piece / pieces;
      const double to = first + (last - first) * (piece + 1) / pieces;
      int64_t corners[4];
      size_t k = 0;
      for (const Point& corner : {point(from, bottom), point(to, bottom),
                                  point(to, bottom + kFilled), point(from, bottom + kFilled)}) {
        corners[k++] = grid.add_point(corner.x, corner.y, corner.z);
      }
      grid.add_cell(vtk::kQuad, {corners[0], corners[1], corners[2], corners[3]});
      switch_id.values.push_back(static_cast<int32_t>(i));
      level.values.push_back(static_cast<int32_t>(one.level));
      name.values.push_back(one.name);
    }
  }
  grid.cell_arrays = {std::move(switch_id).named("switch_id"), std::move(level).named("level"),
                      std::move(name).named("switch_name")};
  return grid;
}

vtk::Grid Scene::ranks(const Figures& figures, const Step& step) const {
  vtk::Grid grid;
  Columns<int32_t> rank_number, node_id;
  Columns<std::string> host;
  for (uint32_t rank = 0; rank < machine_.rank_count(); ++rank) {
    const uint32_t node = machine_.node_of_rank[rank];
    add_quad(grid, node, cell_of_rank_[rank]->begin, cell_of_rank_[rank]->end, kRanksTop - kFilled);
    rank_number.values.push_back(static_cast<int32_t>(rank));
    node_id.values.push_back(static_cast<int32_t>(node));
    host.values.push_back(machine_.nodes[node].host);
  }
  grid.cell_arrays = {std::move(rank_number).named("rank"), std::move(node_id).named("node_id"),
                      std::move(host).named("host")};
  grid.field_arrays.push_back({.name = "TimeValue", .values = std::vector<double>{step.time_s}});
  grid.field_arrays.push_back(
      {.name = "step", .values = std::vector<int32_t>{static_cast<int32_t>(step.number)}});
  for (vtk::Array& array : rank_arrays(figures, step)) {
    const Statistics s = statistics_of(array);
    grid.field_arrays.push_back(
        {.name = array.name + " : statistics",
         .values = std::vector<double>{s.mean, s.deviation, s.min, s.max, s.imbalance},
         .components = 5,
         .component_names = {"mean", "deviation", "min", "max", "imbalance"}});
    grid.cell_arrays.push_back(std::move(array));
  }
  return grid;
}

void Scene::add_message(vtk::Grid& grid, uint32_t source, uint32_t destination,
                        std::vector<uint32_t>& line_pair, uint32_t pair) const {
  const auto line = [&](std::initializer_list<Point> points) {
    for (const Point& point : points) {
      grid.connectivity.push_back(grid.add_point(point.x, point.y, point.z));
    }
    grid.offsets.push_back(static_cast<int64_t>(grid.connectivity.size()));
    grid.types.push_back(points.size() == 2 ? vtk::kLine : vtk::kPolyLine);
    line_pair.push_back(pair);
  };
  const Point from = below(source);
  Point to = below(destination);
  to.y -= descent_;
  if (source == destination) {
    const double aside = (cell_of_rank_[source]->end - cell_of_rank_[source]->begin) / 3;
    const double down = descent_ / 2;
    line({from,
          {from.x - aside, from.y - down / 2, from.z},
          {from.x, from.y - down, from.z},
          {from.x + aside, from.y - down / 2, from.z},
          from});
    return;
  }
  const uint32_t node = machine_.node_of_rank[source];
  const uint32_t other = machine_.node_of_rank[destination];
  const double direct = std::abs(position_[node] - position_[other]);
  if (!options_.periodic || options_.arrangement == Arrangement::kCircle ||
      length_ - direct >= direct) {
    line({from, to});
    return;
  }
  // Nearer around the end: it leaves the picture at one side and comes back at the other.
  const double stub = options_.node_gap / 2;
  const bool forward = position_[node] > position_[other];
  const double last = position_.back() + stub;
  line({from, {from.x, from.y - descent_ / 2, forward ? last : -stub}});
  line({{to.x, from.y - descent_ / 2, forward ? -stub : last}, to});
}

vtk::Grid Scene::messages(const Figures& figures, const Step& step) const {
  vtk::Grid grid;
  struct Line {
    uint32_t source;
    uint32_t destination;
    size_t first;  // In step.pairs.
    size_t last;   // The one after.
  };
  std::vector<Line> pairs;
  for (size_t i = 0; i < step.pairs.size(); ++i) {
    const PairFigures& pair = step.pairs[i];
    if (pairs.empty() || pairs.back().source != pair.source ||
        pairs.back().destination != pair.destination) {
      pairs.push_back({pair.source, pair.destination, i, i});
    }
    pairs.back().last = i + 1;
  }
  std::vector<uint32_t> pair_of_line;
  for (uint32_t i = 0; i < pairs.size(); ++i) {
    add_message(grid, pairs[i].source, pairs[i].destination, pair_of_line, i);
  }
  Columns<int32_t> source, destination, inter_node;
  Columns<uint32_t> calls;
  Columns<uint64_t> bytes;
  std::vector<Columns<uint32_t>> calls_by(figures.functions.size());
  std::vector<Columns<uint64_t>> bytes_by(figures.functions.size());
  for (auto& column : calls_by) column.values.resize(pair_of_line.size());
  for (auto& column : bytes_by) column.values.resize(pair_of_line.size());
  for (size_t i = 0; i < pair_of_line.size(); ++i) {
    const Line& line = pairs[pair_of_line[i]];
    source.values.push_back(static_cast<int32_t>(line.source));
    destination.values.push_back(static_cast<int32_t>(line.destination));
    inter_node.values.push_back(
        machine_.node_of_rank[line.source] != machine_.node_of_rank[line.destination] ? 1 : 0);
    uint32_t all_calls = 0;
    uint64_t all_bytes = 0;
    for (size_t k = line.first; k < line.last; ++k) {
      const PairFigures& pair = step.pairs[k];
      calls_by[pair.function].values[i] = pair.calls;
      bytes_by[pair.function].values[i] = pair.bytes;
      all_calls += pair.calls;
      all_bytes += pair.bytes;
    }
    calls.values.push_back(all_calls);
    bytes.values.push_back(all_bytes);
  }
  grid.cell_arrays = {
      std::move(source).named("source"), std::move(destination).named("destination"),
      std::move(inter_node).named("inter_node"), std::move(calls).named("total : counter"),
      std::move(bytes).named("total : bytes")};
  for (size_t i = 0; i < figures.functions.size(); ++i) {
    grid.cell_arrays.push_back(std::move(calls_by[i]).named(figures.functions[i] + " : counter"));
    grid.cell_arrays.push_back(std::move(bytes_by[i]).named(figures.functions[i] + " : bytes"));
  }
  return grid;
}

}  // namespace pathline::insitu
