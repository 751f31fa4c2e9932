// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace pathline::base {

/// From now on the process keeps memory that it frees, up to some hundred megabytes, instead of
/// giving it back to the system and asking for zeroed pages again: rasters and columns of lines
/// come and go with every picture, and page faults were a fifth of their time. For main(); without
/// effect where the C library is not glibc.
void keep_freed_memory();

/// Gives what was freed back to the system now, for a program that is through with most of what it
/// had and goes on to something large.
void give_back_freed_memory();

/// Asks for pages of 2 MiB for memory that is about to be filled from end to end, where the system
/// has them: of ten thousands of small ones each is a fault.
void use_huge_pages(void* memory, size_t bytes);

}  // namespace pathline::base
