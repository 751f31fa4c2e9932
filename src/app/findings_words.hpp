// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "app/findings.hpp"

// What is said of findings wherever people read them: on a terminal, in a report, behind a
// recording.
namespace pathline::app {

/// "main->solve, 98 % of the excess before MPI_Send in main (a.c:7)"; "" where it is no single
/// place.
std::string place_text(const FindingRow& row);

/// "8 ranks, 30 steps, 1.06 s in its time steps; before the steps 120 ms"
std::string focus_text(const FindingsReport& report);

/// "221 ms (20.8 %)"
std::string gain_text(const FindingRow& row);

/// "grows as p * log2(p): 2.1 % here, 31 % (12 to 40 %) at p = 4096 by the models of its campaign"
std::string growth_text(const FindingsReport& report, const FindingGrowth& growth);

/// "nothing else wrong above 2 % of the time; not looked at: ..."
std::string nothing_text(const FindingsReport& report);

}  // namespace pathline::app
