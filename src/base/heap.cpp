// SPDX-License-Identifier: BSD-3-Clause
#include "base/heap.hpp"

#include <cstdlib>
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

}  // namespace pathline::base
