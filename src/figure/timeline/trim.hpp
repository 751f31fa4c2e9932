// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "figure/timeline/states.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::figure {

/// Time at the ends of a run that a picture leaves out, because nothing but MPI begins or ends
/// there.
struct Trim {
  uint64_t begin_ticks = 0;
  uint64_t end_ticks = 0;
};

/// What of a run lies before the first rank comes out of MPI_Init (MPI_Init_thread) and after the
/// last one entered MPI_Finalize. An end is kept when it was asked for (--from, --until), a rank of
/// the picture has no such call there, the program does something of its own before or behind it
/// for more than 5 % of what would remain, or less than 1 % of the run would be gained.
///
/// cost  O(locations).
Trim trim_of(const trace::Trace& trace, const Rows& rows, const trace::Selection& selection);

/// "without 320 ms of MPI_Init and 80 ms of MPI_Finalize"; "" for nothing.
std::string trim_text(const trace::Trace& trace, const Trim& trim);

}  // namespace pathline::figure
