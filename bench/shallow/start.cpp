// SPDX-License-Identifier: BSD-3-Clause
#include "bench/shallow/start.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace shallow {
namespace {

constexpr double kMeanDepth = 50'000;   // p, m^2/s^2
constexpr double kAmplitude = 1e6;      // of the stream function, m^2/s
constexpr double kSecondVelocity = 20;  // of the second mode, m/s
constexpr int kSecondWaves[] = {2, 3};  // in x and y

class StartFields {
 public:
  StartFields(int m, int n, Start start) : m_(m), n_(n) {
    using std::numbers::pi;
    kx_ = 2 * pi / (m * kDxM);
    ky_ = 2 * pi / (n * kDyM);
    if (start == Start::kPerturbed) {
      second_ = kSecondVelocity / std::hypot(kSecondWaves[0] * kx_, kSecondWaves[1] * ky_);
    }
  }

  /// At the corner of a cell of the whole grid, which may lie beyond its ends.
  [[nodiscard]] double stream(int i, int j) const {
    const double x = phase((i + m_) % m_, m_);
    const double y = phase((j + n_) % n_, n_);
    return kAmplitude * std::sin(x) * std::sin(y) +
           second_ * std::sin(kSecondWaves[0] * x + 1) * std::cos(kSecondWaves[1] * y);
  }

  /// In the middle of a cell. Its Laplacian is minus the divergence of (u d/dx + v d/dy)(u, v), so
  /// that the flow of the first mode stays without one.
  [[nodiscard]] double depth(int i, int j) const {
    const double x = phase((i + m_) % m_ + 0.5, m_);
    const double y = phase((j + n_) % n_ + 0.5, n_);
    const double half = kAmplitude / 2;
    return kMeanDepth + half * half * (ky_ * ky_ * std::cos(2 * x) + kx_ * kx_ * std::cos(2 * y));
  }

 private:
  static double phase(double place, int cells) { return 2 * std::numbers::pi * place / cells; }

  int m_;
  int n_;
  double kx_;  // 1/m
  double ky_;
  double second_ = 0;  // m^2/s
};

}  // namespace

void set_start(const Division& division, Start start, Fields& fields) {
  const StartFields whole(division.whole_m, division.whole_n, start);
  const Grid& grid = fields.grid;
  for (int j = -1; j <= grid.n; ++j) {
    for (int i = -1; i <= grid.m; ++i) {
      const size_t k = grid.index(i, j);
      const int x = division.first_i + i;
      const int y = division.first_j + j;
      fields.u[k] = -(whole.stream(x, y + 1) - whole.stream(x, y)) / kDyM;
      fields.v[k] = (whole.stream(x + 1, y) - whole.stream(x, y)) / kDxM;
      fields.p[k] = whole.depth(x, y);
    }
  }
  std::copy_n(fields.u, grid.size(), fields.uold);
  std::copy_n(fields.v, grid.size(), fields.vold);
  std::copy_n(fields.p, grid.size(), fields.pold);
}

}  // namespace shallow
