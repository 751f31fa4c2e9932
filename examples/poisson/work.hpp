// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>

namespace poisson {

/// Whether this program was compiled for SimGrid's SMPI (smpicxx -DPATHLINE_SMPI), where the
/// machine is simulated.
#ifdef PATHLINE_SMPI
inline constexpr bool kIsSimulated = true;
#else
inline constexpr bool kIsSimulated = false;
#endif

/// Parts of the program that compute.
enum class Part { kApply, kSmooth, kRestrict, kProlongate, kDot, kUpdate, kDirect, kCensus };
inline constexpr size_t kPartCount = 8;

/// What a rank has computed. Everything is computed on simulated machines, too, as nobody knows
/// otherwise how many iterations there are; but how long it takes there is what is said here, so
/// that simulated times repeat to the last digit.
class Work {
 public:
  using Flops = std::array<double, kPartCount>;  ///< Of each part.

  /// Counts, and lets the simulated core of this rank be busy for as long.
  void add(Part part, double flops);

  [[nodiscard]] const Flops& flops() const { return flops_; }

 private:
  Flops flops_{};
};

}  // namespace poisson
