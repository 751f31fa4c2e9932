// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "graph/traffic.hpp"
#include "mapping/placement.hpp"
#include "predict/model.hpp"

namespace pathline::predict {

/// How long it takes until all of `traffic` has arrived when each rank posts a message to each of
/// its partners at once, and the next ones when these have come (MPI_Isend, MPI_Irecv,
/// MPI_Waitall); messages of a pair are all of their mean size. Nothing is known of what ranks
/// compute in between: what a placement gains is gained at most.
///
/// All at once may be more on a link than any benchmark had: such messages take longer in
/// proportion to their number.
///
/// Pairs with many messages get theirs in at most 16 rounds, of which each stands for as many.
///
/// errors  kInvalidArgument for a placement of fewer ranks; kUnsupported is a refusal: it says what
///         was not measured.
/// cost    that of run_steps() with the rounds' messages
base::Result<Time> predict_traffic(const graph::Traffic& traffic,
                                   const mapping::Placement& placement, Bind bind,
                                   const Machine& machine);

}  // namespace pathline::predict
