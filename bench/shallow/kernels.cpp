// SPDX-License-Identifier: BSD-3-Clause
#include "bench/shallow/kernels.hpp"

#include <algorithm>

namespace shallow {
namespace {

// One loop for each field, with pointers that the compiler may take for different arrays. West is
// k - 1, south k - stride.

void update_cu(const Grid& grid, const double* __restrict p, const double* __restrict u,
               double* __restrict cu) {
  for (int j = 0; j < grid.n; ++j) {
    const size_t end = grid.index(grid.m, j);
    for (size_t k = grid.index(0, j); k < end; ++k) cu[k] = 0.5 * (p[k - 1] + p[k]) * u[k];
  }
}

void update_cv(const Grid& grid, const double* __restrict p, const double* __restrict v,
               double* __restrict cv) {
  const size_t stride = grid.stride();
  for (int j = 0; j < grid.n; ++j) {
    const size_t end = grid.index(grid.m, j);
    for (size_t k = grid.index(0, j); k < end; ++k) cv[k] = 0.5 * (p[k - stride] + p[k]) * v[k];
  }
}

void update_z(const Grid& grid, double dx_m, double dy_m, const double* __restrict u,
              const double* __restrict v, const double* __restrict p, double* __restrict z) {
  const size_t stride = grid.stride();
  // The four depths around a corner are added up, not averaged.
  const double by_x = 4 / dx_m;
  const double by_y = 4 / dy_m;
  for (int j = 0; j < grid.n; ++j) {
    const size_t end = grid.index(grid.m, j);
    for (size_t k = grid.index(0, j); k < end; ++k) {
      z[k] = (by_x * (v[k] - v[k - 1]) - by_y * (u[k] - u[k - stride])) /
             (p[k - stride - 1] + p[k - stride] + p[k - 1] + p[k]);
    }
  }
}

void update_h(const Grid& grid, const double* __restrict u, const double* __restrict v,
              const double* __restrict p, double* __restrict h) {
  const size_t stride = grid.stride();
  for (int j = 0; j < grid.n; ++j) {
    const size_t end = grid.index(grid.m, j);
    for (size_t k = grid.index(0, j); k < end; ++k) {
      h[k] = p[k] + 0.25 * (u[k] * u[k] + u[k + 1] * u[k + 1] + v[k] * v[k] +
                            v[k + stride] * v[k + stride]);
    }
  }
}

void update_unew(const Grid& grid, double dt_s, double dx_m, const double* __restrict uold,
                 const double* __restrict z, const double* __restrict cv,
                 const double* __restrict h, double* __restrict unew) {
  const size_t stride = grid.stride();
  const double by_eight = dt_s / 8;  // the means of two z and of four cv
  const double by_x = dt_s / dx_m;
  for (int j = 0; j < grid.n; ++j) {
    const size_t end = grid.index(grid.m, j);
    for (size_t k = grid.index(0, j); k < end; ++k) {
      unew[k] = uold[k] +
                by_eight * (z[k] + z[k + stride]) *
                    (cv[k - 1] + cv[k] + cv[k + stride - 1] + cv[k + stride]) -
                by_x * (h[k] - h[k - 1]);
    }
  }
}

void update_vnew(const Grid& grid, double dt_s, double dy_m, const double* __restrict vold,
                 const double* __restrict z, const double* __restrict cu,
                 const double* __restrict h, double* __restrict vnew) {
  const size_t stride = grid.stride();
  const double by_eight = dt_s / 8;
  const double by_y = dt_s / dy_m;
  for (int j = 0; j < grid.n; ++j) {
    const size_t end = grid.index(grid.m, j);
    for (size_t k = grid.index(0, j); k < end; ++k) {
      vnew[k] =
          vold[k] -
          by_eight * (z[k] + z[k + 1]) * (cu[k - stride] + cu[k - stride + 1] + cu[k] + cu[k + 1]) -
          by_y * (h[k] - h[k - stride]);
    }
  }
}

void update_pnew(const Grid& grid, double dt_s, double dx_m, double dy_m,
                 const double* __restrict pold, const double* __restrict cu,
                 const double* __restrict cv, double* __restrict pnew) {
  const size_t stride = grid.stride();
  const double by_x = dt_s / dx_m;
  const double by_y = dt_s / dy_m;
  for (int j = 0; j < grid.n; ++j) {
    const size_t end = grid.index(grid.m, j);
    for (size_t k = grid.index(0, j); k < end; ++k) {
      pnew[k] = pold[k] - by_x * (cu[k + 1] - cu[k]) - by_y * (cv[k + stride] - cv[k]);
    }
  }
}

void update_old(const Grid& grid, double alpha, const double* __restrict now,
                const double* __restrict next, double* __restrict old) {
  for (int j = 0; j < grid.n; ++j) {
    const size_t end = grid.index(grid.m, j);
    for (size_t k = grid.index(0, j); k < end; ++k) {
      old[k] = now[k] + alpha * (next[k] - 2 * now[k] + old[k]);
    }
  }
}

}  // namespace

void phase1(double dx_m, double dy_m, Fields& fields) {
  const Fields& f = fields;
  update_cu(f.grid, f.p, f.u, f.cu);
  update_cv(f.grid, f.p, f.v, f.cv);
  update_z(f.grid, dx_m, dy_m, f.u, f.v, f.p, f.z);
  update_h(f.grid, f.u, f.v, f.p, f.h);
}

void phase2(double dt_s, double dx_m, double dy_m, Fields& fields) {
  const Fields& f = fields;
  update_unew(f.grid, dt_s, dx_m, f.uold, f.z, f.cv, f.h, f.unew);
  update_vnew(f.grid, dt_s, dy_m, f.vold, f.z, f.cu, f.h, f.vnew);
  update_pnew(f.grid, dt_s, dx_m, dy_m, f.pold, f.cu, f.cv, f.pnew);
}

void filter(double alpha, Fields& fields) {
  const Fields& f = fields;
  update_old(f.grid, alpha, f.u, f.unew, f.uold);
  update_old(f.grid, alpha, f.v, f.vnew, f.vold);
  update_old(f.grid, alpha, f.p, f.pnew, f.pold);
}

void copies(Fields& fields) {
  const Fields& f = fields;
  // All three are whole fields in one piece: the C library's copy, which is what a compiler makes
  // of a loop as well.
  std::copy_n(f.unew, f.grid.size(), f.u);
  std::copy_n(f.vnew, f.grid.size(), f.v);
  std::copy_n(f.pnew, f.grid.size(), f.p);
}

}  // namespace shallow
