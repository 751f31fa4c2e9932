// SPDX-License-Identifier: BSD-3-Clause
#include "examples/poisson/kernels.hpp"

#include <algorithm>

#include <mpi.h>

#include "pathline/pathline.h"

namespace poisson {
namespace {

// Floating point operations for each cell, counted in the loops below.
constexpr double kApplyFlops = 12;
constexpr double kResidualFlops = 13;
constexpr double kSmoothFlops = 12;
constexpr double kRestrictFlops = 1;
constexpr double kProlongateFlops = 13;
constexpr double kVectorFlops = 2;

double cells(const Array& values) {
  return static_cast<double>(values.width()) * static_cast<double>(values.height());
}

template <typename Cell>
void for_cells(const Array& values, Cell cell) {
  for (int y = 0; y < values.height(); ++y) {
    for (int x = 0; x < values.width(); ++x) cell(x, y);
  }
}

/// How much of the neighbouring coarse value a fine cell takes, by the coefficients of its faces
/// outwards and inwards: the way to the neighbour's centre is four times that of the cell to its
/// own coarse centre, if all conducts alike. 1/2 at a wall, and at what conducts far better than
/// the cell.
double weight(double outwards, double inwards) { return std::min(0.5, 0.25 * outwards / inwards); }

}  // namespace

void apply(const Operator& a, const Halo& halo, Array& u, Array& result, Work& work) {
  const pathline::Region region("apply_operator");
  halo.exchange(u);
  for_cells(result, [&](int x, int y) {
    result(x, y) = a.diagonal(x, y) * u(x, y) - a.neighbours(u, x, y);
  });
  work.add(Part::kApply, kApplyFlops * cells(u));
}

void residual(const Operator& a, const Halo& halo, const Array& b, Array& u, Array& result,
              Work& work) {
  const pathline::Region region("apply_operator");
  halo.exchange(u);
  for_cells(result, [&](int x, int y) {
    result(x, y) = b(x, y) - (a.diagonal(x, y) * u(x, y) - a.neighbours(u, x, y));
  });
  work.add(Part::kApply, kResidualFlops * cells(u));
}

void smooth(const Operator& a, const Halo& halo, bool is_odd, const Array& b, Array& u,
            Work& work) {
  const pathline::Region region("smooth");
  for (const int colour : {0, 1}) {
    halo.exchange(u);
    for (int y = 0; y < u.height(); ++y) {
      for (int x = (y + colour + (is_odd ? 1 : 0)) % 2; x < u.width(); x += 2) {
        u(x, y) = (b(x, y) + a.neighbours(u, x, y)) / a.diagonal(x, y);
      }
    }
    work.add(Part::kSmooth, kSmoothFlops * cells(u) / 2);
  }
}

void restrict_to(const Array& fine, Array& coarse, Work& work) {
  const pathline::Region region("restrict");
  for_cells(coarse, [&](int x, int y) {
    coarse(x, y) = (fine(2 * x, 2 * y) + fine(2 * x + 1, 2 * y)) +
                   (fine(2 * x, 2 * y + 1) + fine(2 * x + 1, 2 * y + 1));
  });
  work.add(Part::kRestrict, kRestrictFlops * cells(fine));
}

void prolongate(const Operator& a, const Halo& coarse_halo, Array& coarse, Array& u, Work& work) {
  const pathline::Region region("prolongate");
  coarse_halo.exchange(coarse);
  const Array& x_faces = a.x_faces();
  const Array& y_faces = a.y_faces();
  for_cells(u, [&](int x, int y) {
    // An even cell is the left, or lower, one of its coarse cell, and next to the left one.
    const int right = x % 2;
    const int above = y % 2;
    const double own = coarse(x / 2, y / 2);
    const double to_x = weight(x_faces(x + right, y), x_faces(x + 1 - right, y));
    const double to_y = weight(y_faces(x, y + above), y_faces(x, y + 1 - above));
    u(x, y) += own + to_x * (coarse(x / 2 + 2 * right - 1, y / 2) - own) +
               to_y * (coarse(x / 2, y / 2 + 2 * above - 1) - own);
  });
  work.add(Part::kProlongate, kProlongateFlops * cells(u));
}

double dot(const Array& a, const Array& b, Work& work) {
  const pathline::Region region("dot_product");
  double sum = 0;
  for_cells(a, [&](int x, int y) { sum += a(x, y) * b(x, y); });
  work.add(Part::kDot, kVectorFlops * cells(a));
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

void add_scaled(Array& y, double factor, const Array& x, Work& work) {
  const pathline::Region region("update");
  for_cells(y, [&](int i, int j) { y(i, j) += factor * x(i, j); });
  work.add(Part::kUpdate, kVectorFlops * cells(y));
}

void scale_and_add(Array& y, double factor, const Array& x, Work& work) {
  const pathline::Region region("update");
  for_cells(y, [&](int i, int j) { y(i, j) = x(i, j) + factor * y(i, j); });
  work.add(Part::kUpdate, kVectorFlops * cells(y));
}

}  // namespace poisson
