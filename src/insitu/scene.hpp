// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "insitu/figures.hpp"
#include "insitu/machine.hpp"
#include "vtk/grid.hpp"

// The machine in space, after the dissertation "In Situ Visualization of Performance Data in
// Parallel CFD Applications" (TU Dresden): each node is an upright plane with its hardware in rows,
// the machine on top, and its ranks below; switches lie across the nodes; a message is a line below
// them that descends from its sender to its receiver, so that A to B and B to A are two.

namespace pathline::insitu {

enum class Arrangement : uint8_t { kPlanes, kCircle };

struct SceneOptions {
  Arrangement arrangement = Arrangement::kPlanes;
  double node_gap = 0;    ///< Between planes; 0: a quarter of their width, at least 3.
  bool periodic = false;  ///< What is nearer around the end leaves the picture there.
};

/// x runs along a plane, y upwards, z from plane to plane; the unit is what a PU takes, or a rank
/// where several share one.
class Scene {
 public:
  Scene(const Machine& machine, const SceneOptions& options);

  /// A quad for each cell: "node_id", "row", "type", "type_name", "logical_index", "os_index",
  /// "rank" (-1: none or several), "host".
  [[nodiscard]] vtk::Grid hardware() const;
  /// A quad, bent in a circle, for each switch: "switch_id", "switch_name", "level".
  [[nodiscard]] vtk::Grid network() const;
  /// A quad for each rank, in their order, with all that `step` says of it; -1 and NaN where
  /// nothing was recorded. Field data: for each array of figures "NAME : statistics".
  [[nodiscard]] vtk::Grid ranks(const Figures& figures, const Step& step) const;
  /// A line for each pair: "source", "destination", "inter_node", "total : counter" and "total :
  /// bytes" of all functions, and both for each of Figures::functions. A rank that sends to itself
  /// has a loop. A pair without a single byte is there as well.
  [[nodiscard]] vtk::Grid messages(const Figures& figures, const Step& step) const;

  struct Point {
    double x = 0;
    double y = 0;
    double z = 0;
  };

 private:
  /// A point of a node's plane in space. across  from its left edge, as HardwareCell::begin
  [[nodiscard]] Point at(uint32_t node, double across, double y) const;
  [[nodiscard]] Point below(uint32_t rank) const;
  void add_quad(vtk::Grid& grid, uint32_t node, double begin, double end, double bottom) const;
  void add_message(vtk::Grid& grid, uint32_t source, uint32_t destination,
                   std::vector<uint32_t>& line_pair, uint32_t pair) const;

  const Machine& machine_;
  SceneOptions options_;
  std::vector<double> position_;  // Of nodes: z, or the way along the circle.
  double length_ = 0;             // Of all of it.
  double radius_ = 0;
  double width_ = 0;  // Of the widest node.
  double row_count_ = 0;
  double descent_ = 1;  // Of a message from end to end.
  std::vector<const RankCell*> cell_of_rank_;
};

/// Arrays of the figures of a step, as they stand on ranks and on the cells of a mesh: names, and
/// one value for each rank. "REGION : tick", "REGION : time", "MPI : time" ...
std::vector<vtk::Array> rank_arrays(const Figures& figures, const Step& step);

/// Mean, standard deviation, least, most, and imbalance (the most over the mean, minus 1) of values
/// that are numbers; zeros without any.
struct Statistics {
  double mean = 0;
  double deviation = 0;
  double min = 0;
  double max = 0;
  double imbalance = 0;
};
Statistics statistics_of(const vtk::Array& array);

}  // namespace pathline::insitu
