// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace pathline::synth {

/// Random numbers without state: the same seed and counters give the same number in whatever order
/// they are asked for (SplitMix64; Steele, Lea, Flood, OOPSLA 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : seed_(mix(seed)) {}

  [[nodiscard]] uint64_t bits(uint64_t a, uint64_t b = 0, uint64_t c = 0) const {
    return mix(mix(mix(seed_ ^ a) ^ b) ^ c);
  }
  /// In [0, 1).
  [[nodiscard]] double unit(uint64_t a, uint64_t b = 0, uint64_t c = 0) const {
    return static_cast<double>(bits(a, b, c) >> 11U) * 0x1p-53;
  }

 private:
  static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ x >> 30U) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ x >> 27U) * 0x94d049bb133111ebULL;
    return x ^ x >> 31U;
  }
  uint64_t seed_;
};

}  // namespace pathline::synth
