// SPDX-License-Identifier: BSD-3-Clause
//
// What the programs that this is linked into take from the heap lies in pages of 2 MiB. It is part
// of no library: a library leaves the memory of a program to the program.
#include <cstdlib>
#include <new>

#include "base/heap.hpp"

// NOLINTBEGIN(misc-new-delete-overloads,readability-inconsistent-declaration-parameter-name)
// What the C++ library deletes with is free().
void* operator new(std::size_t bytes) {
  for (;;) {
    if (void* block = std::malloc(bytes == 0 ? 1 : bytes); block != nullptr) [[likely]] {
      if (bytes >= pathline::base::kTellBytes) pathline::base::took_memory(block, bytes);
      return block;
    }
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
// NOLINTEND(misc-new-delete-overloads,readability-inconsistent-declaration-parameter-name)
