// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace pathline::record {

/// The region of a name that the program uses; 0 if it is filtered or cannot be defined. The first
/// one who names it says what it is. Call it inside (thread.inside > 0).
uint32_t region_named(const char* name, uint32_t role_paradigm);

/// Enters a region, or, with 0, remembers that there is one that is not recorded; leaves the one
/// entered last. Nothing happens inside of MPI and of the recorder.
void enter_region(uint32_t region);
void leave_region();

}  // namespace pathline::record
