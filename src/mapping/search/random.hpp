// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

namespace pathline::mapping {

/// Seeded random numbers that are the same everywhere (std's distributions are not): SplitMix64 of
/// Steele, Lea and Flood, OOPSLA 2014. Streams of different numbers of one seed are independent.
class Random {
 public:
  explicit Random(uint64_t seed, uint64_t stream = 0) : state_(mixed(seed + mixed(stream))) {}

  uint64_t next() {
    state_ += kStep;
    return mixed(state_);
  }
  /// 0 .. count - 1, count > 0.
  uint32_t below(uint32_t count) {
    return static_cast<uint32_t>(((next() >> 32) * uint64_t{count}) >> 32);
  }
  /// In (0, 1].
  double unit() { return (static_cast<double>(next() >> 11) + 1) * 0x1p-53; }
  /// Exponentially distributed with mean 1.
  double exponential() { return -std::log(unit()); }

  template <class Container>
  void shuffle(Container& values) {
    for (auto i = static_cast<uint32_t>(values.size()); i > 1; --i) {
      std::swap(values[i - 1], values[below(i)]);
    }
  }

 private:
  static constexpr uint64_t kStep = 0x9E3779B97F4A7C15;
  static uint64_t mixed(uint64_t value) {
    value += kStep;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
    return value ^ (value >> 31);
  }
  uint64_t state_;
};

}  // namespace pathline::mapping
