// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "mapping/placement.hpp"
#include "network/network.hpp"
#include "predict/application.hpp"
#include "predict/cores.hpp"
#include "predict/tables.hpp"
#include "store/rows.hpp"

namespace pathline::predict {

/// What was measured of a machine, and how it is built.
struct Machine {
  host::Node node;
  const network::Network* network = nullptr;  ///< nullptr: how nodes are joined is not known.
  std::vector<store::Scenario> scenarios;
  ComputeTable compute;
  HaloTable halo;
};

/// How an application would run.
struct Deployment {
  std::vector<uint32_t> grid;   ///< Cells along each axis.
  std::vector<uint32_t> ranks;  ///< Along each axis, the first one fastest.
  mapping::Placement placement;
  Bind bind = Bind::kCompact;
};

/// What a time step is expected to take.
struct Prediction {
  Time step;
  Time compute;        ///< Of the rank that computes longest.
  Time communication;  ///< The rest: messages, and waiting for them.
  uint64_t off_node_bytes = 0;
  uint64_t hop_bytes = 0;
  uint64_t max_link_bytes = 0;
  /// The longest message of each shift, added up as in the paper by Osprey et al.: what the
  /// messages would take if every shift began together everywhere.
  double sum_of_longest_s = 0;
};

/// Lets the ranks go through some steps: each computes for its cells, and in each shift waits for
/// its partner as the measured protocol has it. A message takes what was measured between two
/// places as far apart, with as many messages on the busiest of its ways at that moment
/// (flows.hpp).
///
/// After Osprey, Riley, Manjunathaiah, Lawrence, "A Benchmark-Driven Modelling Approach for
/// Evaluating Deployment Choices on a Multicore Architecture" (PDPTA 2013), but with contention by
/// link and moment, and times handed on from rank to rank instead of added maxima.
///
/// errors  kInvalidArgument for a deployment that contradicts itself; kUnsupported is a refusal: it
///         says what was not measured.
/// cost    that of run_steps()
base::Result<Prediction> predict(const Application& application, const Deployment& deployment,
                                 const Machine& machine);

}  // namespace pathline::predict
