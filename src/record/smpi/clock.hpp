// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace pathline::record {

/// The simulation is over: from now on now() is what it was last.
void stop_clock();

}  // namespace pathline::record
