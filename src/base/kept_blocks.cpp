// SPDX-License-Identifier: BSD-3-Clause
#include "base/kept_blocks.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace pathline::base {
namespace {

// Smaller ones the C library keeps.
constexpr size_t kLeastBytes = size_t{32} << 20U;

struct Block {
  void* memory;
  size_t bytes;
};

/// Those that were kept first in front. Takes no memory itself: it is asked when there is none.
struct Kept {
  std::mutex mutex;
  unsigned users = 0;
  std::array<Block, 64> blocks{};
  size_t count = 0;
  size_t bytes = 0;
  uint64_t times_given = 0;  // How often there was something to give back.

  void* forget(size_t i) {
    void* const memory = blocks[i].memory;
    bytes -= blocks[i].bytes;
    for (--count; i < count; ++i) blocks[i] = blocks[i + 1];
    return memory;
  }
  /// returns  times_given.
  uint64_t give_back() {
    times_given += count > 0 ? 1 : 0;
    while (count > 0) std::free(forget(count - 1));
    return times_given;
  }
};

Kept kept;
std::atomic<size_t> most = 0;  // 0: none are kept.

#ifdef __GLIBC__
size_t bytes_of(void* block) { return malloc_usable_size(block); }
#else
size_t bytes_of(void*) { return 0; }
#endif

/// An eighth more at most, so that columns that grow by little from window to window find room in
/// their last ones. What is not written takes addresses, but no memory.
size_t rounded(size_t bytes) {
  const size_t step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

/// Has operator new try again if this thread or another one gave something back.
void on_no_memory() {
  thread_local uint64_t known = 0;
  const std::lock_guard lock(kept.mutex);
  const uint64_t now = kept.give_back();
  if (now == known) throw std::bad_alloc();
  known = now;
}

}  // namespace

KeptBlocks::KeptBlocks(size_t most_bytes) : most_bytes_(most_bytes) {
  const std::lock_guard lock(kept.mutex);
  if (kept.users++ == 0) std::set_new_handler(on_no_memory);
  most += most_bytes;
}

KeptBlocks::~KeptBlocks() {
  const std::lock_guard lock(kept.mutex);
  most -= most_bytes_;
  if (--kept.users > 0) return;
  std::set_new_handler(nullptr);
  kept.give_back();
}

void KeptBlocks::give_back() noexcept {
  const std::lock_guard lock(kept.mutex);
  kept.give_back();
}

void* KeptBlocks::take(size_t bytes) noexcept {
  if (bytes < kLeastBytes || bytes > PTRDIFF_MAX) return nullptr;
  if (most.load(std::memory_order_relaxed) == 0) return nullptr;
  {
    const std::lock_guard lock(kept.mutex);
    size_t best = kept.count;
    for (size_t i = 0; i < kept.count; ++i) {
      const size_t has = kept.blocks[i].bytes;
      if (has < bytes || has > bytes + bytes / 2) continue;
      if (best == kept.count || has < kept.blocks[best].bytes) best = i;
    }
    if (best < kept.count) return kept.forget(best);
  }
  return std::malloc(rounded(bytes));
}

bool KeptBlocks::keep(void* block) noexcept {
  if (most.load(std::memory_order_relaxed) == 0) return false;
  const size_t bytes = bytes_of(block);
  if (bytes < kLeastBytes) return false;
  const std::lock_guard lock(kept.mutex);
  if (bytes > most) return false;
  while (kept.count == kept.blocks.size() || kept.bytes + bytes > most) std::free(kept.forget(0));
  kept.blocks[kept.count++] = {block, bytes};
  kept.bytes += bytes;
  return true;
}

}  // namespace pathline::base
