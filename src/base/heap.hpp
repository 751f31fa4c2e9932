// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace pathline::base {

/// From now on the process keeps memory that it frees, up to some hundred megabytes, instead of
/// giving it back to the system and asking for zeroed pages again: rasters and columns of lines
/// come and go with every picture, and page faults were a fifth of their time. For main(); without
/// effect where the C library is not glibc.
void keep_freed_memory();

/// Gives what was freed back to the system now, for a program that is through with most of what it
/// had and goes on to something large.
void give_back_freed_memory();

}  // namespace pathline::base
