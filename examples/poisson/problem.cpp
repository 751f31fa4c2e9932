// SPDX-License-Identifier: BSD-3-Clause
#include "examples/poisson/problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace poisson {
namespace {

constexpr double kDiscRadius = 0.25;

double solution(double x, double y) { return x * (1 - x) * y * (1 - y) * std::exp(x + y); }

/// -div grad of it. Nowhere negative, so that what flows out does not cancel.
double source(double x, double y) { return 2 * x * y * std::exp(x + y) * (3 - x - y - x * y); }

}  // namespace

Problem::Problem(const RankGrid& ranks, int nx, int ny, double coefficient)
    : ranks_(ranks),
      nx_(nx),
      ny_(ny),
      coefficient_(coefficient),
      hx_(1.0 / (static_cast<double>(nx) * ranks.px)),
      hy_(1.0 / (static_cast<double>(ny) * ranks.py)),
      a_(make_operator()),
      b_(cell_values(nx, ny)) {
  for (int y = 0; y < ny; ++y) {
    for (int x = 0; x < nx; ++x) b_(x, y) = source(x_of(x), y_of(y)) * hx_ * hy_;
  }
}

double Problem::x_of(int x) const { return (static_cast<double>(ranks_.x) * nx_ + x + 0.5) * hx_; }
double Problem::y_of(int y) const { return (static_cast<double>(ranks_.y) * ny_ + y + 0.5) * hy_; }

double Problem::k_of(int x, int y) const {
  return std::hypot(x_of(x) - 0.5, y_of(y) - 0.5) < kDiscRadius ? coefficient_ : 1;
}

/// Between two cells half of the way is in each of them: the harmonic mean. To a wall it is half a
/// cell.
double Problem::face(int x, int y, int other_x, int other_y) const {
  const auto is_outside = [](double at) { return at < 0 || at > 1; };
  if (is_outside(x_of(x)) || is_outside(y_of(y))) return 2 * k_of(other_x, other_y);
  if (is_outside(x_of(other_x)) || is_outside(y_of(other_y))) return 2 * k_of(x, y);
  const double k = k_of(x, y);
  const double other = k_of(other_x, other_y);
  return 2 * k * other / (k + other);
}

Operator Problem::make_operator() const {
  Array x_faces(nx_ + 1, ny_);
  for (int y = 0; y < ny_; ++y) {
    for (int x = 0; x <= nx_; ++x) x_faces(x, y) = face(x - 1, y, x, y) * hy_ / hx_;
  }
  Array y_faces(nx_, ny_ + 1);
  for (int y = 0; y <= ny_; ++y) {
    for (int x = 0; x < nx_; ++x) y_faces(x, y) = face(x, y - 1, x, y) * hx_ / hy_;
  }
  return {std::move(x_faces), std::move(y_faces)};
}

double Problem::flux_right(const Array& u) const {
  double flux = 0;
  for (int y = 0; y < ny_ && ranks_.x == ranks_.px - 1; ++y) {
    flux += a_.x_faces()(nx_, y) * u(nx_ - 1, y);
  }
  return flux;
}

double Problem::flux_out(const Array& u) const {
  double flux = flux_right(u);
  for (int y = 0; y < ny_ && ranks_.x == 0; ++y) flux += a_.x_faces()(0, y) * u(0, y);
  for (int x = 0; x < nx_ && ranks_.y == 0; ++x) flux += a_.y_faces()(x, 0) * u(x, 0);
  for (int x = 0; x < nx_ && ranks_.y == ranks_.py - 1; ++x) {
    flux += a_.y_faces()(x, ny_) * u(x, ny_ - 1);
  }
  return flux;
}

double Problem::largest_error(const Array& u) const {
  double largest = 0;
  for (int y = 0; y < ny_; ++y) {
    for (int x = 0; x < nx_; ++x) {
      largest = std::max(largest, std::abs(u(x, y) - solution(x_of(x), y_of(y))));
    }
  }
  return largest;
}

}  // namespace poisson
