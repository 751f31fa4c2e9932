// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/thread_pool.hpp"
#include "findings/efficiency.hpp"
#include "findings/finding.hpp"
#include "findings/what_if.hpp"

namespace pathline::findings {

/// What takes long though nobody is late:
///
///   transfer, collective cost  calls of a function of MPI beyond their waits take 2 % of the time,
///                              and the transfer efficiency is below 0.9
///   fence cost                 MPI_Win_fence beyond its waits takes 2 % of the time
///   imbalance, serial time     of OpenMP, where their factors are below 0.9
///
/// cost  O(calls), and a replay for each such function.
std::vector<Finding> cost_findings(const Model& model, const Efficiency& efficiency,
                                   const WhatIf& what_if, base::ThreadPool& pool);

}  // namespace pathline::findings
