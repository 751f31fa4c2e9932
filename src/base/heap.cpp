// SPDX-License-Identifier: BSD-3-Clause
#include "base/heap.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace pathline::base {
namespace {

constexpr uintptr_t kHugePageBytes = 2U << 20U;
constexpr size_t kHugeBlockBytes = 2 * kHugePageBytes;

/// Where the heap ended when it was looked at last; 0: nobody looks.
std::atomic<uintptr_t> known_end = 0;

uintptr_t heap_end() { return reinterpret_cast<uintptr_t>(::sbrk(0)); }

}  // namespace

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kKeptBytes = 512 << 20;
  constexpr int kOwnMappingBytes = 32 << 20;  // the largest that glibc takes
  constexpr int kStepBytes = 16 << 20;        // by which the heap grows
  mallopt(M_TRIM_THRESHOLD, kKeptBytes);
  mallopt(M_MMAP_THRESHOLD, kOwnMappingBytes);
  mallopt(M_TOP_PAD, kStepBytes);
  // Each heap of a thread takes 64 MiB of addresses at once, and does not give back to the others.
  rlimit addresses{};
  if (::getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY) {
    mallopt(M_ARENA_MAX, 1);
  }
  known_end.store(heap_end(), std::memory_order_relaxed);
#endif
}

void give_back_freed_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

void use_huge_pages(void* memory, size_t bytes) {
#ifdef MADV_HUGEPAGE
  const uintptr_t begin =
      (reinterpret_cast<uintptr_t>(memory) + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  const uintptr_t end =
      (reinterpret_cast<uintptr_t>(memory) + bytes) / kHugePageBytes * kHugePageBytes;
  if (begin < end) {
    // Where it is refused the pages stay small.
    (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  }
#endif
}

void took_memory(void* block, size_t bytes) noexcept {
  if (bytes >= kHugeBlockBytes) use_huge_pages(block, bytes);
  const uintptr_t known = known_end.load(std::memory_order_relaxed);
  if (known == 0) return;
  const uintptr_t end = heap_end();
  if (end == known) return;
  known_end.store(end, std::memory_order_relaxed);
  // The page that it ended in is whole by now.
  const uintptr_t begin = known / kHugePageBytes * kHugePageBytes;
  if (begin < end) use_huge_pages(reinterpret_cast<void*>(begin), end - begin);
}

}  // namespace pathline::base
