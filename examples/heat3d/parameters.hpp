// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace heat3d {

/// One value per direction: x, y, z.
template <typename T>
using Triple = std::array<T, 3>;

/// What a parameter file says. Temperatures have whatever unit the file means.
struct Parameters {
  Triple<int> ranks;         ///< Processes; their product is the number of MPI ranks.
  Triple<int> points;        ///< Points whose temperature is computed; a multiple of `ranks`.
  Triple<double> spacing_m;  ///< From point to point, and from the outermost point to its wall.
  double dt_s;               ///< Within the stability limit of the explicit scheme.
  double diffusivity_m2_per_s;
  double initial;
  std::array<double, 6> walls;  ///< -x +x -y +y -z +z
  int64_t steps;
  double tolerance = 0;  ///< > 0: stop when no point changes by this much in a step.
  std::string exchange = "isend";
  bool mesh = false;  ///< Hand the points over as a mesh.
};

/// what() is one line that names the file, the line if there is one, what was found and expected.
class BadParameters : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// text     TOML: a key for each member of Parameters; those with a default may be left out.
/// file     its name, for errors.
/// instead  TOML, too: keys that count in the place of the file's.
/// processes  how many the program was started with.
/// throws   BadParameters for text that is not TOML, unknown or missing keys, values out of range,
///          and values that do not fit together.
Parameters parse_parameters(const std::string& text, const std::string& file,
                            const std::string& instead, int processes);

}  // namespace heat3d
