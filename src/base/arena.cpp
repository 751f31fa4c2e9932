// SPDX-License-Identifier: BSD-3-Clause
#include "base/arena.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <utility>

#include "base/scratch.hpp"

namespace pathline::base {
namespace {

// Of blocks and pieces, which double: many arenas hold next to nothing.
constexpr size_t kFirstBytes = 16 << 10;
constexpr size_t kMostPieceBytes = 256 << 10;  // Its pages are asked for at once.
constexpr size_t kSmallBytes = kFirstBytes;    // No more than that is left over of a piece.

/// What a thread has of an arena for small columns: thousands of locations with some ten of them
/// each would have the threads wait for each other all the time.
struct Piece {
  const void* arena = nullptr;
  uint64_t era = 0;
  std::byte* next = nullptr;
  size_t left_bytes = 0;
  size_t bytes = 0;  // With those in use.
};

/// A thread fills few arenas in turn.
struct Pieces {
  std::array<Piece, 4> of;
  size_t oldest = 0;
};

thread_local Pieces pieces;
/// Another one when an arena is cleared or ends: nobody uses a piece of before.
std::atomic<uint64_t> era = 1;

/// The calling thread's of this arena, or an empty one.
Piece& piece_of(const void* arena, uint64_t now) {
  for (Piece& piece : pieces.of) {
    if (piece.arena == arena && piece.era == now) return piece;
  }
  Piece& piece = pieces.of[pieces.oldest++ % pieces.of.size()];
  piece = {.arena = arena, .era = now};
  return piece;
}

}  // namespace

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
  ++era;
  for (const Block& block : blocks_) free_block(block.memory);
}

void* Arena::allocate(size_t bytes) {
  if (bytes > SIZE_MAX / 2) throw std::bad_alloc();
  constexpr size_t kAlign = alignof(std::max_align_t);
  bytes = (bytes + kAlign - 1) / kAlign * kAlign;
  const auto take_some = [this](size_t some) {
    bool is_new = true;
    std::byte* const memory = take(some, is_new);
    if (is_new) populate(memory, some);
    return memory;
  };
  if (bytes > kSmallBytes) return take_some(bytes);
  Piece& piece = piece_of(this, era.load(std::memory_order_acquire));
  if (bytes > piece.left_bytes) {
    piece.bytes = std::clamp(2 * piece.bytes, kFirstBytes, kMostPieceBytes);
    piece.next = take_some(piece.bytes);
    piece.left_bytes = piece.bytes;
  }
  piece.left_bytes -= bytes;
  return std::exchange(piece.next, piece.next + bytes);
}

void Arena::clear() {
  ++era;
  old_blocks_ = static_cast<uint32_t>(blocks_.size());
  used_blocks_ = 0;
  left_bytes_ = 0;
  next_ = nullptr;
}

std::byte* Arena::take(size_t bytes, bool& is_new) {
  constexpr size_t kMaxBlockBytes = 64 << 20;
  const std::lock_guard lock(mutex_);
  while (bytes > left_bytes_) {
    if (used_blocks_ == blocks_.size()) {
      // Twice the last one, so that a small trace takes little and a large one few blocks.
      const size_t doubled = blocks_.empty() ? 0 : 2 * blocks_.back().bytes;
      const size_t size = std::max(std::clamp(doubled, kFirstBytes, kMaxBlockBytes), bytes);
      blocks_.reserve(blocks_.size() + 1);
      void* block = reallocate_block(nullptr, 0, size);
      if (block == nullptr) throw std::bad_alloc();
      blocks_.push_back({static_cast<std::byte*>(block), size});
    }
    next_ = blocks_[used_blocks_].memory;
    left_bytes_ = blocks_[used_blocks_].bytes;
    ++used_blocks_;
  }
  is_new = used_blocks_ > old_blocks_;
  left_bytes_ -= bytes;
  return std::exchange(next_, next_ + bytes);
}

}  // namespace pathline::base
