// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "bench/synth/simulation.hpp"

namespace pathline::synth {

/// How many times the program runs in the trace.
struct Enlarge {
  uint32_t repeat = 1;  ///< One after the other.
  uint32_t copies = 1;  ///< Beside each other, each on ranks and with a communicator of its own.
};

/// Turns a simulation that has ended into a trace; its events move over.
///
/// program  name of the program, "wrf".
/// enlarge  what the definitions say. The events are those of one run.
base::Result<trace::Trace> make_trace(Simulation& simulation, std::string_view program,
                                      const Enlarge& enlarge);

}  // namespace pathline::synth
