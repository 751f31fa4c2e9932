// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace pathline::app {

/// CPU time of the machine, and how much of it we and what we started had.
struct CpuUse {
  double busy_s = 0;
  double stolen_s = 0;
  double own_s = 0;
  double load = 0;
};

/// Of this moment, in seconds since the machine and we were started. Children count once they have
/// ended and were waited for. What the system does not tell is 0.
CpuUse cpu_use();

}  // namespace pathline::app
