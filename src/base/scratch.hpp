// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>

#include "base/result.hpp"

// Memory for columns larger than the machine's: a file that the system moves in and out by pages.
namespace pathline::base {

/// Names the folder in which use_scratch() makes its file. A folder on a local disk.
///
/// errors  kNotFound, kIo where no file can be made there, kInvalidArgument for a folder that lies
///         in memory itself.
Status offer_scratch(const std::filesystem::path& folder);

/// From now on large blocks of columns and arenas are taken from the file that was offered. It has
/// no name and is gone with the process, however that ends.
///
/// returns  false where none was offered.
bool use_scratch();

/// std::realloc() for such blocks, from the file if it is in use; what is small or was there before
/// stays in the heap. nullptr where neither has room: the disk is full.
///
/// used_bytes  of the block, which are kept.
void* reallocate_block(void* block, size_t used_bytes, size_t bytes);
void free_block(void* block);

}  // namespace pathline::base
