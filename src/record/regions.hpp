// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace pathline::record {

/// Enters the region of a name that the program uses. The first one who names it says what it is.
void enter_named_region(const char* name, uint32_t role_paradigm);

// Bits beside the number of a region.
constexpr uint32_t kHidden = 1U << 31U;    ///< To enter_region(): the filter leaves it out.
constexpr uint32_t kFunction = 1U << 29U;  ///< In Thread::open: of the compiler's instrumentation.
constexpr uint32_t kOver = 1U << 28U;      ///< In Thread::open: has ended before what is inside it.

/// Enters a region, or, with 0 or kHidden, remembers that there is one that is not recorded.
/// Nothing happens inside of MPI and of the recorder. origin  kFunction or 0.
void enter_region(uint32_t region, uint32_t origin);

/// Leaves the region entered last that is not a function. Regions and functions need not nest: one
/// that ends with another open inside (a timer class whose constructor begins a region) is left
/// together with that.
void leave_region();
/// Leaves this function, and those inside that were jumped out of.
void leave_function(uint32_t region);

}  // namespace pathline::record
