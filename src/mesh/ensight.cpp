// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/ensight.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/text_input.hpp"
#include "mesh/ensight_file.hpp"

namespace pathline::mesh {
namespace {

using base::ErrorCode;

/// Elements of one type in one part, as geometry and fields list them.
struct Block {
  uint64_t part;
  std::string type;
  size_t first;  ///< Of its cells in the mesh.
  size_t count;
};

struct Mesh {
  vtk::Grid grid;
  std::vector<Block> blocks;
};

struct ElementType {
  std::string_view name;
  vtk::CellType type;
  unsigned corners;
};
constexpr ElementType kTypes[] = {{"point", vtk::kVertex, 1},       {"bar2", vtk::kLine, 2},
                                  {"tria3", vtk::kTriangle, 3},     {"quad4", vtk::kQuad, 4},
                                  {"tetra4", vtk::kTetrahedron, 4}, {"pyramid5", vtk::kPyramid, 5},
                                  {"penta6", vtk::kWedge, 6},       {"hexa8", vtk::kHexahedron, 8}};
/// VTK sees the base of a wedge from the other side.
constexpr unsigned kWedge[] = {0, 2, 1, 3, 5, 4};

/// Reads the parts of a geometry.
class Geometry {
 public:
  Geometry(EnsightFile& file, Mesh& mesh) : file_(file), mesh_(mesh) {}

  base::Status read() {
    for (int i = 0; i < 2; ++i) {  // Descriptions.
      if (const auto line = file_.line(); !line) return line.error();
    }
    for (bool* has_ids : {&has_node_ids_, &has_element_ids_}) {
      const auto line = file_.line();
      if (!line) return line.error();
      const bool is_one =
          line.value().starts_with("node id") || line.value().starts_with("element id");
      if (!is_one) return file_.corrupt("a line 'node id' or 'element id' was expected");
      *has_ids = line.value().ends_with("given") || line.value().ends_with("ignore");
    }
    while (!file_.at_end()) {
      const auto line = file_.line();
      if (!line) return line.error();
      if (line.value() == "extents") {
        if (const auto limits = file_.floats(6); !limits) return limits.error();
      } else if (line.value() == "part") {
        if (auto status = begin_part(); !status) return status;
      } else if (has_part_) {
        if (auto status = read_elements(line.value()); !status) return status;
      } else {
        return file_.corrupt("a line 'part' was expected");
      }
    }
    return {};
  }

 private:
  base::Status begin_part() {
    const auto number = file_.count(EnsightFile::kMostParts);
    if (!number) return number.error();
    part_ = number.value();
    has_part_ = true;
    if (const auto description = file_.line(); !description) return description.error();
    const auto line = file_.line();
    if (!line) return line.error();
    if (line.value() != "coordinates") {
      return file_.error(ErrorCode::kUnsupported,
                         fmt::format("part {} has '{}', expected coordinates", part_,
                                     base::printable(line.value())));
    }
    const auto count = file_.count(EnsightFile::kMost);
    if (!count) return count.error();
    points_ = count.value();
    if (has_node_ids_) {
      if (auto status = file_.skip(points_); !status) return status;
    }
    std::vector<double>& points = mesh_.grid.points;
    first_point_ = static_cast<int64_t>(points.size() / 3);
    for (size_t axis = 0; axis < 3; ++axis) {
      const auto values = file_.floats(points_);
      if (!values) return values.error();
      points.resize(3 * (static_cast<size_t>(first_point_) + points_));
      for (size_t i = 0; i < points_; ++i) {
        if (!std::isfinite(values.value()[i])) {
          return file_.corrupt(fmt::format("point {} of part {} is not finite", i, part_));
        }
        points[3 * (static_cast<size_t>(first_point_) + i) + axis] = values.value()[i];
      }
    }
    return {};
  }

  base::Status read_elements(std::string_view type) {
    const auto count = file_.count(EnsightFile::kMost);
    if (!count) return count.error();
    if (has_element_ids_) {
      if (auto status = file_.skip(count.value()); !status) return status;
    }
    mesh_.blocks.push_back(
        {part_, std::string(type), mesh_.grid.cell_count(), static_cast<size_t>(count.value())});
    if (type == "nsided") return read_polygons(count.value());
    if (type == "nfaced") return read_polyhedra(count.value());
    const auto known = std::find_if(std::begin(kTypes), std::end(kTypes),
                                    [&](const ElementType& t) { return t.name == type; });
    if (known == std::end(kTypes)) {
      return file_.error(ErrorCode::kUnsupported,
                         fmt::format("part {} has elements '{}', expected straight ones as hexa8",
                                     part_, base::printable(type)));
    }
    const auto corners = take_corners(count.value() * known->corners);
    if (!corners) return corners.error();
    for (size_t i = 0; i < count.value(); ++i) {
      for (unsigned c = 0; c < known->corners; ++c) {
        const unsigned from = known->type == vtk::kWedge ? kWedge[c] : c;
        mesh_.grid.connectivity.push_back(corners.value()[i * known->corners + from]);
      }
      end_cell(known->type);
    }
    return {};
  }

  base::Status read_polygons(uint64_t count) {
    const auto sizes = take_sizes(count);
    if (!sizes) return sizes.error();
    const auto corners = take_corners(total(sizes.value()));
    if (!corners) return corners.error();
    auto next = corners.value().begin();
    for (const int32_t size : sizes.value()) {
      mesh_.grid.connectivity.insert(mesh_.grid.connectivity.end(), next, next + size);
      next += size;
      end_cell(vtk::kPolygon);
    }
    return {};
  }

  base::Status read_polyhedra(uint64_t count) {
    const auto face_counts = take_sizes(count);
    if (!face_counts) return face_counts.error();
    const auto sizes = take_sizes(total(face_counts.value()));
    if (!sizes) return sizes.error();
    const auto corners = take_corners(total(sizes.value()));
    if (!corners) return corners.error();
    vtk::Grid& grid = mesh_.grid;
    auto size = sizes.value().begin();
    auto next = corners.value().begin();
    for (const int32_t faces : face_counts.value()) {
      std::vector<int64_t> of_cell;
      grid.faces.push_back(faces);
      for (int32_t f = 0; f < faces; ++f, ++size) {
        grid.faces.push_back(*size);
        grid.faces.insert(grid.faces.end(), next, next + *size);
        of_cell.insert(of_cell.end(), next, next + *size);
        next += *size;
      }
      std::sort(of_cell.begin(), of_cell.end());
      of_cell.erase(std::unique(of_cell.begin(), of_cell.end()), of_cell.end());
      grid.connectivity.insert(grid.connectivity.end(), of_cell.begin(), of_cell.end());
      end_cell(vtk::kPolyhedron);
    }
    return {};
  }

  void end_cell(vtk::CellType type) {
    vtk::Grid& grid = mesh_.grid;
    grid.offsets.push_back(static_cast<int64_t>(grid.connectivity.size()));
    grid.types.push_back(type);
    grid.face_offsets.push_back(type == vtk::kPolyhedron ? static_cast<int64_t>(grid.faces.size())
                                                         : -1);
  }

  /// How many corners or faces each has.
  base::Result<std::vector<int32_t>> take_sizes(uint64_t count) {
    auto sizes = file_.integers(count);
    if (!sizes) return sizes.error();
    for (const int32_t size : sizes.value()) {
      if (size < 1) return file_.corrupt(fmt::format("an element has {} corners or faces", size));
    }
    return sizes;
  }
  static uint64_t total(const std::vector<int32_t>& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), uint64_t{0});
  }
  /// Points of the part, counted from 1, as points of the mesh.
  base::Result<std::vector<int64_t>> take_corners(uint64_t count) {
    const auto numbers = file_.integers(count);
    if (!numbers) return numbers.error();
    std::vector<int64_t> corners;
    corners.reserve(count);
    for (const int32_t number : numbers.value()) {
      if (number < 1 || static_cast<uint64_t>(number) > points_) {
        return file_.corrupt(fmt::format("an element has the corner {}, but part {} has {} points",
                                         number, part_, points_));
      }
      corners.push_back(first_point_ + number - 1);
    }
    return corners;
  }

  EnsightFile& file_;
  Mesh& mesh_;
  bool has_node_ids_ = false;
  bool has_element_ids_ = false;
  bool has_part_ = false;
  uint64_t part_ = 0;
  uint64_t points_ = 0;
  int64_t first_point_ = 0;
};

/// Blocks of a part and type, in the order in which a field lists its values of them.
struct Queue {
  std::vector<const Block*> blocks;
  size_t next = 0;
};

/// The rank of each cell, by a field of the same parts and types.
base::Result<std::vector<uint32_t>> read_ranks(EnsightFile& file, const Mesh& mesh) {
  constexpr size_t kMostRanks = 1U << 20U;
  const size_t cells = mesh.grid.cell_count();
  const size_t most_ranks = std::min(cells, kMostRanks);
  std::map<std::pair<uint64_t, std::string>, Queue> queues;
  for (const Block& block : mesh.blocks) {
    queues[{block.part, block.type}].blocks.push_back(&block);
  }
  std::vector<uint32_t> ranks(cells);
  if (const auto description = file.line(); !description) return description.error();
  uint64_t part = 0;
  while (!file.at_end()) {
    const auto line = file.line();
    if (!line) return line.error();
    if (line.value() == "part") {
      const auto number = file.count(EnsightFile::kMostParts);
      if (!number) return number.error();
      part = number.value();
      continue;
    }
    const auto queue = queues.find({part, std::string(line.value())});
    if (queue == queues.end() || queue->second.next == queue->second.blocks.size()) {
      return file.corrupt(fmt::format("values of '{}', which the geometry has not here",
                                      base::printable(line.value())));
    }
    const Block& block = *queue->second.blocks[queue->second.next++];
    const auto values = file.floats(block.count);
    if (!values) return values.error();
    for (size_t i = 0; i < block.count; ++i) {
      const float value = values.value()[i];
      if (!(value >= 0) || value >= static_cast<double>(most_ranks) || value != std::floor(value)) {
        return file.corrupt(
            fmt::format("{} is the rank of a cell, expected 0 to {}", value, most_ranks - 1));
      }
      ranks[block.first + i] = static_cast<uint32_t>(value);
    }
  }
  for (const auto& [key, queue] : queues) {
    for (size_t i = queue.next; i < queue.blocks.size(); ++i) {
      // What is empty need not be listed.
      if (queue.blocks[i]->count == 0) continue;
      return file.corrupt(fmt::format("there are no values of '{}' of part {}",
                                      base::printable(key.second), key.first));
    }
  }
  return ranks;
}

/// Copies cells from one grid to others, with those points that they need.
class Cutter {
 public:
  explicit Cutter(const vtk::Grid& whole) : whole_(whole), local_(whole.point_count(), -1) {}

  vtk::Grid cut(std::span<const size_t> cells) {
    vtk::Grid grid;
    for (const size_t cell : cells) {
      const auto begin = static_cast<size_t>(cell == 0 ? 0 : whole_.offsets[cell - 1]);
      for (size_t i = begin; i < static_cast<size_t>(whole_.offsets[cell]); ++i) {
        grid.connectivity.push_back(local(grid, whole_.connectivity[i]));
      }
      grid.offsets.push_back(static_cast<int64_t>(grid.connectivity.size()));
      grid.types.push_back(whole_.types[cell]);
      grid.face_offsets.push_back(-1);
      if (whole_.face_offsets[cell] >= 0) copy_faces(grid, cell);
    }
    if (grid.faces.empty()) grid.face_offsets.clear();
    for (const int64_t point : used_) local_[static_cast<size_t>(point)] = -1;
    used_.clear();
    return grid;
  }

 private:
  /// faces end at face_offsets, and begin where those of the polyhedron before end.
  void copy_faces(vtk::Grid& grid, size_t cell) {
    if (begins_.empty()) {
      begins_.resize(whole_.cell_count());
      int64_t begin = 0;
      for (size_t i = 0; i < begins_.size(); ++i) {
        begins_[i] = begin;
        begin = std::max(begin, whole_.face_offsets[i]);
      }
    }
    auto at = static_cast<size_t>(begins_[cell]);
    const int64_t faces = whole_.faces[at++];
    grid.faces.push_back(faces);
    for (int64_t f = 0; f < faces; ++f) {
      const int64_t corners = whole_.faces[at++];
      grid.faces.push_back(corners);
      for (int64_t c = 0; c < corners; ++c) grid.faces.push_back(local(grid, whole_.faces[at++]));
    }
    grid.face_offsets.back() = static_cast<int64_t>(grid.faces.size());
  }
  int64_t local(vtk::Grid& grid, int64_t point) {
    int64_t& number = local_[static_cast<size_t>(point)];
    if (number < 0) {
      const double* xyz = whole_.points.data() + 3 * point;
      number = grid.add_point(xyz[0], xyz[1], xyz[2]);
      used_.push_back(point);
    }
    return number;
  }

  const vtk::Grid& whole_;
  std::vector<int64_t> local_;   // Of each point: its number in the part, -1 if it has none.
  std::vector<int64_t> used_;    // Those that have one.
  std::vector<int64_t> begins_;  // Of the faces of each cell.
};

std::vector<vtk::Grid> cut_by(const vtk::Grid& whole, const std::vector<uint32_t>& ranks) {
  const size_t rank_count =
      ranks.empty() ? 0 : *std::max_element(ranks.begin(), ranks.end()) + size_t{1};
  std::vector<std::vector<size_t>> cells_of(rank_count);
  for (size_t cell = 0; cell < ranks.size(); ++cell) cells_of[ranks[cell]].push_back(cell);
  std::vector<vtk::Grid> grids;
  grids.reserve(rank_count);
  Cutter cutter(whole);
  for (const auto& cells : cells_of) grids.push_back(cutter.cut(cells));
  return grids;
}

}  // namespace

base::Result<std::vector<vtk::Grid>> ensight_grids(const EnsightTexts& texts) {
  const bool is_binary = texts.geometry.starts_with("C Binary");
  EnsightFile geometry(texts.geometry, texts.geometry_name, is_binary);
  if (texts.geometry.starts_with("Fortran Binary")) {
    return geometry.error(ErrorCode::kUnsupported, "it is binary as Fortran writes",
                          "Write it as binary of C or as ASCII.");
  }
  if (is_binary) {
    if (const auto marker = geometry.line(); !marker) return marker.error();
  }
  Mesh mesh;
  if (auto status = Geometry(geometry, mesh).read(); !status) return status.error();
  EnsightFile field(texts.field, texts.field_name, is_binary);
  const auto ranks = read_ranks(field, mesh);
  if (!ranks) return ranks.error();
  return cut_by(mesh.grid, ranks.value());
}

base::Result<std::vector<vtk::Grid>> read_ensight_grids(const std::filesystem::path& path,
                                                        std::string_view field) {
  const auto text = base::TextInput::open(path);
  if (!text) return text.error();
  const auto found = parse_ensight_case(text.value().text(), field, path.string());
  if (!found) return found.error();
  const auto geometry_path = path.parent_path() / found.value().geometry;
  const auto field_path = path.parent_path() / found.value().field;
  const auto geometry = base::MappedFile::open(geometry_path);
  if (!geometry) return geometry.error();
  const auto values = base::MappedFile::open(field_path);
  if (!values) return values.error();
  return ensight_grids({.geometry = geometry.value().text(),
                        .field = values.value().text(),
                        .geometry_name = geometry_path.string(),
                        .field_name = field_path.string()});
}

}  // namespace pathline::mesh
