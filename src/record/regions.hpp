// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace pathline::record {

/// Enters the region of a name that the program uses. The first one who names it says what it is.
void enter_named_region(const char* name, uint32_t role_paradigm);

/// Enters a region, or, with 0, remembers that there is one that is not recorded; leaves the one
/// entered last. Nothing happens inside of MPI and of the recorder.
void enter_region(uint32_t region);
void leave_region();

}  // namespace pathline::record
