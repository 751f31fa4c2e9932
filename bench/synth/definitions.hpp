// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "bench/synth/simulation.hpp"

namespace pathline::synth {

/// Turns a simulation that has ended into a trace; its events move over.
///
/// program  name of the program, "wrf".
base::Result<trace::Trace> make_trace(Simulation& simulation, std::string_view program);

}  // namespace pathline::synth
