// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "steps/repetition.hpp"

namespace pathline::steps {

/// The loop of a sequence that looks most like that of the time steps.
struct MainLoop {
  size_t index = 0;         ///< Of the repetition that cuts it best.
  bool holds_loop = false;  ///< A smaller loop turns several times in each of its turns.
  size_t outer_count = 0;   ///< Turns of the largest loop around it that was passed over, or 0.
  size_t outer_holds = 0;   ///< Turns of the main loop in each of those.
};

/// Of the repetitions in one sequence the outermost loop. A larger one is passed over when all it
/// adds is something done every so often (output, rebuilding lists): it holds one and the same
/// number, 10 or more, of turns of the smaller one, and what comes between two groups of them is no
/// longer than half of one of these turns, or shorter than a thirtieth of the group. Turns that
/// differ from one to the next in their details and come again in the same order (exchanges with
/// one partner after the other) are no loop of their own.
///
/// repetitions  in the order of find_repetitions; not empty.
/// details      per symbol, more exactly than its key what it is; empty if nothing more is known.
/// cost         O(n) for each number of turns of which none is less than 1.5 times another, O(log
/// n).
MainLoop main_loop(std::span<const Repetition* const> repetitions,
                   std::span<const uint64_t> details = {});

}  // namespace pathline::steps
