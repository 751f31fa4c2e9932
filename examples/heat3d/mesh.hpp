// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "examples/heat3d/grid.hpp"
#include "examples/heat3d/parameters.hpp"

namespace heat3d {

/// The points of one rank as cells, for who watches the run: a hexahedron around each point, half a
/// spacing in all directions. Handed over to the recorder as long as this lives.
class Mesh {
 public:
  Mesh(const Parameters& parameters, const Grid& grid);
  ~Mesh();
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;

 private:
  std::vector<double> corners_;        ///< x, y, z of each, x varying fastest.
  std::vector<int64_t> connectivity_;  ///< Eight corners of each cell.
  std::vector<int64_t> ends_;
  std::vector<uint8_t> types_;
};

}  // namespace heat3d
