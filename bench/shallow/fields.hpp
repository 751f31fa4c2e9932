// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace shallow {

/// The cells of one rank, m in x and n in y, and a halo of one cell around them.
struct Grid {
  int m;
  int n;

  /// From a value to that of the next cell in y; in x it is 1.
  [[nodiscard]] size_t stride() const { return static_cast<size_t>(m) + 2; }
  /// Values of a field.
  [[nodiscard]] size_t size() const { return stride() * (static_cast<size_t>(n) + 2); }
  /// Of a cell in a field; i goes from -1 to m, j from -1 to n.
  [[nodiscard]] size_t index(int i, int j) const {
    return static_cast<size_t>(j + 1) * stride() + static_cast<size_t>(i + 1);
  }
};

/// Where in its cell a value lies (Arakawa's C grid). Cell (0, 0) is the one in the south-west.
enum class Position { kCentre, kWestFace, kSouthFace, kCorner };  ///< The corner in the south-west.

/// The 13 fields of one rank, `grid.size()` values each, all 0 at first. They lie in one piece of
/// memory, each 256 bytes further into its page than the one before: what a loop reads and writes
/// never shares a set of the first cache only because the size of the grid is a power of two.
struct Fields {
  explicit Fields(const Grid& own);
  ~Fields() = default;
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  const Grid grid;

  double* u;  ///< Velocity in x, m/s, on west faces.
  double* v;  ///< Velocity in y, m/s, on south faces.
  double* p;  ///< Depth times gravity, m^2/s^2, at centres.
  double* unew;
  double* vnew;
  double* pnew;
  double* uold;
  double* vold;
  double* pold;
  double* cu;  ///< p u, on west faces.
  double* cv;  ///< p v, on south faces.
  double* z;   ///< Potential vorticity, s/m^2, at corners.
  double* h;   ///< p and half of the square of the velocity, m^2/s^2, at centres.

 private:
  std::vector<double> values_;
};

}  // namespace shallow
