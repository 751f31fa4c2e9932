// SPDX-License-Identifier: BSD-3-Clause
#include "base/heap.hpp"

#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace pathline::base {

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kKeptBytes = 512 << 20;
  constexpr int kOwnMappingBytes = 32 << 20;  // the largest that glibc takes
  mallopt(M_TRIM_THRESHOLD, kKeptBytes);
  mallopt(M_MMAP_THRESHOLD, kOwnMappingBytes);
#endif
}

void give_back_freed_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

void use_huge_pages(void* memory, size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr uintptr_t kHuge = 2U << 20U;
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(memory) + kHuge - 1) / kHuge * kHuge;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(memory) + bytes) / kHuge * kHuge;
  if (begin < end) {
    // Where it is refused the pages stay small.
    (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  }
#endif
}

}  // namespace pathline::base
