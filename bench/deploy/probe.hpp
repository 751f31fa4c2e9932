// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "bench/deploy/clock.hpp"
#include "bench/deploy/options.hpp"
#include "bench/deploy/output.hpp"

namespace deploy {

/// How a contiguous message goes from place 0 to place 1 of lane 0: what waits for whom. Writes one
/// line, which bench/deploy/README.md describes. Collective; the other ranks are idle.
void probe(const HaloOptions& options, size_t bytes, const CommonClock& clock, Output& output);

}  // namespace deploy
