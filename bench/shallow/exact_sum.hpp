// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace shallow {

/// A sum of doubles without any rounding, so that it depends neither on the order of the terms nor
/// on who added them: a fixed-point number as wide as the range of double (Kulisch's long
/// accumulator). Only value() rounds.
class ExactSum {
 public:
  /// 32 bits each, the first counts 2^-1074; then what 2^62 terms may carry; then the number of
  /// terms that were not finite.
  static constexpr int kDigitCount = 69;
  using Digits = std::array<int64_t, kDigitCount>;

  void add(double term);

  /// To be added up, digit by digit, over at most 2^30 sums (MPI_SUM of MPI_INT64_T).
  [[nodiscard]] Digits digits() const;

  /// The number that digits stand for, rounded to the nearest; not a number if a term was not
  /// finite.
  static double value(const Digits& digits);

 private:
  Digits digits_ = {};
  int64_t room_ = int64_t{1} << 30;  // How many terms before a digit might overflow.
};

}  // namespace shallow
