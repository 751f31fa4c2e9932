// SPDX-License-Identifier: BSD-3-Clause
#include "render/steps.hpp"

namespace pathline::render {
namespace {

using Four = uint64_t __attribute__((vector_size(32)));
using RealFour = double __attribute__((vector_size(32)));

/// Two steps at a time. The same operations whatever the machine makes of them, so the same bits.
/// No function that takes or returns four values is called: how depends on the machine.
[[gnu::always_inline]] inline void walk(const Steps& steps) {
  constexpr RealFour kShifts{kToInteger, kToInteger, kToInteger, kToInteger};
  const auto add = [](Pair* at, ptrdiff_t across, Pair first, Pair second) {
    at[0] += first;
    at[across] += second;
  };
  const Four shift_bits = __builtin_bit_cast(Four, kShifts);
  RealFour weights{steps.weight[0], steps.weight[1], steps.weight[0] + steps.weight_step[0],
                   steps.weight[1] + steps.weight_step[1]};
  const RealFour weights_step{2 * steps.weight_step[0], 2 * steps.weight_step[1],
                              2 * steps.weight_step[0], 2 * steps.weight_step[1]};
  double v0 = steps.v;
  double v1 = steps.v + steps.v_step;
  const double v_step = 2 * steps.v_step;
  Pair* cells = steps.cells;
  for (int64_t left = steps.count; left > 0; left -= 2) {
    if (left == 1) {
      constexpr Four kFirst{~uint64_t{0}, ~uint64_t{0}, 0, 0};
      weights = __builtin_bit_cast(RealFour, __builtin_bit_cast(Four, weights) & kFirst);
    }
    const auto pixel0 = static_cast<int32_t>(v0);
    const auto pixel1 = static_cast<int32_t>(v1);
    const double share0 = v0 - pixel0;
    const double share1 = v1 - pixel1;
    const RealFour shares{share0, share0, share1, share1};
    const Four shifted = __builtin_bit_cast(Four, weights * shares + kShifts);
    const Four first = __builtin_bit_cast(Four, weights + kShifts) - shifted;
    const Four second = shifted - shift_bits;
    add(cells + pixel0 * steps.across, steps.across, Pair{first[0], first[1]},
        Pair{second[0], second[1]});
    cells += steps.along;
    add(cells + pixel1 * steps.across, steps.across, Pair{first[2], first[3]},
        Pair{second[2], second[3]});
    cells += steps.along;
    weights += weights_step;
    v0 += v_step;
    v1 += v_step;
  }
}

using Walk = void (*)(const Steps&);

#if defined(__x86_64__)

[[gnu::target("avx2")]] void walk_with_avx2(const Steps& steps) { walk(steps); }

Walk best_walk() { return __builtin_cpu_supports("avx2") ? walk_with_avx2 : add_steps_anywhere; }

#else

Walk best_walk() { return add_steps_anywhere; }

#endif

const Walk walk_here = best_walk();

}  // namespace

void add_steps(const Steps& steps) { walk_here(steps); }

void add_steps_anywhere(const Steps& steps) { walk(steps); }

}  // namespace pathline::render
