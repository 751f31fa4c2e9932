// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace pathline::scaling {

/// Linear least squares with columns that come and go like a stack, so that fits that share their
/// first columns share the work: a QR factorisation by modified Gram-Schmidt. Plain enough to hold
/// residuals down to rounding, which normal equations do not.
class StepwiseFit {
 public:
  static constexpr size_t kMaxColumns = 6;

  /// Starts anew, without columns.
  void begin(std::span<const double> target) {
    size_ = target.size();
    depth_ = 0;
    q_.resize(kMaxColumns * size_);
    residual_.resize((kMaxColumns + 1) * size_);
    for (size_t i = 0; i < size_; ++i) residual_[i] = target[i];
    rss_[0] = dot(residual_.data(), residual_.data());
    determinant_[0] = 1;
  }

  /// Adds `left * right` (element by element) as the next column; false, and nothing changes, if
  /// it depends linearly on those that are there.
  bool push(const double* left, const double* right) {
    assert(depth_ < kMaxColumns);
    double* q = q_.data() + depth_ * size_;
    for (size_t i = 0; i < size_; ++i) q[i] = left[i] * right[i];
    const double before = dot(q, q);
    for (size_t k = 0; k < depth_; ++k) {
      const double* other = q_.data() + k * size_;
      const double share = dot(other, q);
      r_[k][depth_] = share;
      for (size_t i = 0; i < size_; ++i) q[i] -= share * other[i];
    }
    const double after = dot(q, q);
    constexpr double kDependent = 1e-22;  // Squared: five of the sixteen digits are left.
    if (!(after > before * kDependent) || !std::isfinite(after)) return false;
    const double norm = std::sqrt(after);
    r_[depth_][depth_] = norm;
    const double inverse = 1 / norm;
    const double* residual = residual_.data() + depth_ * size_;
    double along = 0;
    for (size_t i = 0; i < size_; ++i) {
      q[i] *= inverse;
      along += q[i] * residual[i];
    }
    along_[depth_] = along;
    double* next = residual_.data() + (depth_ + 1) * size_;
    double rss = 0;
    for (size_t i = 0; i < size_; ++i) {
      next[i] = residual[i] - along * q[i];
      rss += next[i] * next[i];
    }
    ++depth_;
    rss_[depth_] = rss;
    determinant_[depth_] = determinant_[depth_ - 1] * norm;
    return true;
  }
  void pop() { --depth_; }

  [[nodiscard]] size_t depth() const { return depth_; }
  [[nodiscard]] double rss() const { return rss_[depth_]; }

  /// Of the columns, in the order in which they came.
  [[nodiscard]] std::array<double, kMaxColumns> coefficients() const {
    std::array<double, kMaxColumns> c{};
    for (size_t k = depth_; k-- > 0;) {
      double sum = along_[k];
      for (size_t l = k + 1; l < depth_; ++l) sum -= r_[k][l] * c[l];
      c[k] = sum / r_[k][k];
    }
    return c;
  }
  /// Product of the diagonal of R: the square root of the determinant of the normal equations.
  [[nodiscard]] double determinant() const { return determinant_[depth_]; }
  /// x (X'X)^-1 x' for a row x: the variance of the prediction there, in units of that of a
  /// residual.
  [[nodiscard]] double leverage(const double* row) const {
    std::array<double, kMaxColumns> u{};
    double sum = 0;
    for (size_t k = 0; k < depth_; ++k) {
      double value = row[k];
      for (size_t l = 0; l < k; ++l) value -= r_[l][k] * u[l];
      u[k] = value / r_[k][k];
      sum += u[k] * u[k];
    }
    return sum;
  }
  [[nodiscard]] std::span<const double> residuals() const {
    return std::span(residual_).subspan(depth_ * size_, size_);
  }
  /// Leverage of the i-th row of the columns themselves.
  [[nodiscard]] double leverage_of_row(size_t i) const {
    double sum = 0;
    for (size_t k = 0; k < depth_; ++k) sum += q_[k * size_ + i] * q_[k * size_ + i];
    return sum;
  }

 private:
  [[nodiscard]] double dot(const double* a, const double* b) const {
    double sum = 0;
    for (size_t i = 0; i < size_; ++i) sum += a[i] * b[i];
    return sum;
  }

  size_t size_ = 0;
  size_t depth_ = 0;
  std::vector<double> q_;         // Column x row, orthonormal.
  std::vector<double> residual_;  // Depth x row.
  double r_[kMaxColumns][kMaxColumns] = {};
  std::array<double, kMaxColumns> along_{};
  std::array<double, kMaxColumns + 1> rss_{};
  std::array<double, kMaxColumns + 1> determinant_{};
};

}  // namespace pathline::scaling
