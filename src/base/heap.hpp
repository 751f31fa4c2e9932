// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace pathline::base {

/// From now on the process keeps memory that it frees, up to some hundred megabytes, instead of
/// giving it back to the system and asking for zeroed pages again: rasters and columns of lines
/// come and go with every picture, and page faults were a fifth of their time. And its heap lies in
/// pages of 2 MiB, as far as took_memory() is told of what is taken. Where addresses are limited
/// (`ulimit -v`), all threads share one heap. For main(); without effect where the C library is not
/// glibc.
void keep_freed_memory();

/// Gives what was freed back to the system now, for a program that is through with most of what it
/// had and goes on to something large.
void give_back_freed_memory();

/// Asks for pages of 2 MiB for memory that is about to be filled, where the system has them: of
/// ten thousands of small ones each is a fault, and each look at memory far away one at their
/// table. The parts of it that are whole such pages get them.
void use_huge_pages(void* memory, size_t bytes);

/// Tells of a block that was just taken from the heap: a large one gets huge pages, and so does all
/// that the heap has grown by if keep_freed_memory() was called. Some nanoseconds.
void took_memory(void* block, size_t bytes) noexcept;

/// Those of smaller blocks need not be told of.
inline constexpr size_t kTellBytes = 1U << 10U;

}  // namespace pathline::base
