// SPDX-License-Identifier: BSD-3-Clause
#include "base/arena.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <utility>

#include "base/scratch.hpp"

namespace pathline::base {

void populate([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  constexpr size_t kPageBytes = 4096;
  constexpr size_t kWorthwhileBytes = 4 * kPageBytes;
  if (bytes < kWorthwhileBytes) return;
  // The first and the last page belong to others too.
  const auto begin = (reinterpret_cast<uintptr_t>(memory) + kPageBytes - 1) & ~(kPageBytes - 1);
  const auto end = (reinterpret_cast<uintptr_t>(memory) + bytes) & ~(kPageBytes - 1);
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_WRITE);
#endif
}

Arena::~Arena() {
  for (void* block : blocks_) free_block(block);
}

void* Arena::allocate(size_t bytes) {
  if (bytes > SIZE_MAX / 2) throw std::bad_alloc();
  constexpr size_t kAlign = alignof(std::max_align_t);
  bytes = (bytes + kAlign - 1) / kAlign * kAlign;
  std::byte* memory = take(bytes);
  populate(memory, bytes);
  return memory;
}

std::byte* Arena::take(size_t bytes) {
  constexpr size_t kFirstBlockBytes = 256 << 10;
  constexpr size_t kMaxBlockBytes = 64 << 20;
  const std::lock_guard lock(mutex_);
  if (bytes > left_bytes_) {
    // Twice the last one, so that a small trace takes little and a large one few blocks.
    block_bytes_ = std::clamp(2 * block_bytes_, kFirstBlockBytes, kMaxBlockBytes);
    const size_t size = std::max(block_bytes_, bytes);
    blocks_.reserve(blocks_.size() + 1);
    void* block = reallocate_block(nullptr, 0, size);
    if (block == nullptr) throw std::bad_alloc();
    blocks_.push_back(block);
    left_bytes_ = size;
    next_ = static_cast<std::byte*>(block);
  }
  left_bytes_ -= bytes;
  return std::exchange(next_, next_ + bytes);
}

}  // namespace pathline::base
