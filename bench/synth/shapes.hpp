// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/synth/options.hpp"
#include "bench/synth/simulation.hpp"

namespace pathline::synth {

/// The programs. Each one runs on `simulation` from its first event to its last.

/// Weather model: halo exchange on a nearly square grid of processes, slow radiation steps, a storm
/// that moves through the domain, history output by rank 0.
void run_wrf(Simulation& simulation, const Options& options);

/// Ray tracer: rank 0 collects the tiles of an image in the order in which they get ready.
void run_tachyon(Simulation& simulation, const Options& options);

/// Cloud model with the load balance of FD4 (Lieber et al., PARA 2010): blocks lie on a Hilbert
/// curve, which is cut again every few steps so that all ranks get the same work.
void run_fd4(Simulation& simulation, const Options& options);

}  // namespace pathline::synth
