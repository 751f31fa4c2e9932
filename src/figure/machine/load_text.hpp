// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "figure/figure.hpp"
#include "insitu/figures.hpp"
#include "insitu/machine.hpp"

namespace pathline::figure {

/// What a picture of a step says of it in one line: ranks and nodes, the mean of what is shown; the
/// rank with most of it, if that is a tenth over the mean, how many have nearly as much, and the
/// region in which it computes that; pairs without a byte; what is written to files, and by whom if
/// that is more than one would expect.
///
///   8 ranks on 1 node; computation: most on rank 7 and 1 more, 132 ms, mean 76.5 ms (imbalance 72
///   %), mostly in boundary: 106 ms, mean of all 49.9 ms; 49.2 kB written, 100 % of it by rank 0
///
/// values  of the ranks, what `metric` is; NaN where nothing was recorded
std::string load_text(const insitu::Machine& machine, const insitu::Figures& figures,
                      const insitu::Step& step, std::span<const double> values, Metric metric);

/// "computation", "bytes sent" or "messages sent".
const char* name_of_load(Metric metric);

}  // namespace pathline::figure
