// SPDX-License-Identifier: BSD-3-Clause
#include "examples/heat3d/mesh.hpp"

#include "pathline/pathline.h"

namespace heat3d {

Mesh::Mesh(const Parameters& parameters, const Grid& grid) {
  constexpr uint8_t kHexahedron = 12;  // VTK's number
  const auto& [nx, ny, nz] = grid.size();
  // The first point of the whole grid lies one spacing from its wall.
  const auto corner = [&](size_t direction, int i) {
    return (grid.first()[direction] + i + 0.5) * parameters.spacing_m[direction];
  };
  for (int z = 0; z <= nz; ++z) {
    for (int y = 0; y <= ny; ++y) {
      for (int x = 0; x <= nx; ++x) {
        corners_.insert(corners_.end(), {corner(0, x), corner(1, y), corner(2, z)});
      }
    }
  }
  const int64_t row = nx + 1;
  const int64_t layer = row * (ny + 1);
  for (int z = 0; z < nz; ++z) {
    for (int y = 0; y < ny; ++y) {
      for (int x = 0; x < nx; ++x) {
        // Around the lower side, then around the upper one.
        const int64_t first = z * layer + y * row + x;
        for (const int64_t side : {first, first + layer}) {
          connectivity_.insert(connectivity_.end(), {side, side + 1, side + 1 + row, side + row});
        }
        ends_.push_back(static_cast<int64_t>(connectivity_.size()));
        types_.push_back(kHexahedron);
      }
    }
  }
  pathline_insitu_grid(corners_.data(), static_cast<int64_t>(corners_.size() / 3),
                       connectivity_.data(), ends_.data(), types_.data(),
                       static_cast<int64_t>(types_.size()));
}

Mesh::~Mesh() { pathline_insitu_grid(nullptr, 0, nullptr, nullptr, nullptr, 0); }

}  // namespace heat3d
