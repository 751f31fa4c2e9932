// SPDX-License-Identifier: BSD-3-Clause
#include "base/byte_list.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <new>
#include <sys/mman.h>

#include "base/kept_blocks.hpp"
#include "base/spill_file.hpp"

namespace pathline::base {
namespace {

/// Memory for pieces of all lists, from slabs of their own: in the heap they would lie between what
/// comes and goes around them, and keep that from becoming whole again. What is given back is for
/// pieces of that size or smaller ones; all slabs go back to the system with the last piece.
class Pool {
 public:
  void* take(size_t bytes) {
    if (bytes > kMostBytes) return std::malloc(bytes);
    const std::lock_guard lock(mutex_);
    void* piece = take_free(bytes);
    if (piece == nullptr) {
      if (left_ < bytes && !add_slab()) return nullptr;
      left_ -= bytes;
      piece = std::exchange(next_, next_ + bytes);
    }
    ++taken_;
    return piece;
  }
  void give(void* piece, size_t bytes) {
    if (bytes > kMostBytes) return std::free(piece);
    const std::lock_guard lock(mutex_);
    if (--taken_ > 0) return put_free(piece, bytes);
    for (void* slab : slabs_) ::munmap(slab, kSlabBytes);
    slabs_.clear();
    free_ = {};
    sizes_ = 0;
    left_ = 0;
  }

  static constexpr size_t kStep = 16;
  static constexpr size_t kMostBytes = 1024;

 private:
  static constexpr size_t kSlabBytes = 256 << 10;
  struct Free {
    Free* next;
  };

  /// The bit of sizes_ for pieces of that many bytes.
  static uint64_t bit_of(size_t bytes) { return uint64_t{1} << (bytes / kStep - 1); }

  void put_free(void* piece, size_t bytes) {
    Free*& free = free_[bytes / kStep];
    free = new (piece) Free{free};
    sizes_ |= bit_of(bytes);
  }
  /// One of that size, or cut off one of the largest.
  void* take_free(size_t bytes) {
    if (sizes_ < bit_of(bytes)) return nullptr;
    const bool has_size = (sizes_ & bit_of(bytes)) != 0;
    const size_t size = has_size ? bytes : static_cast<size_t>(std::bit_width(sizes_)) * kStep;
    Free*& free = free_[size / kStep];
    void* const piece = std::exchange(free, free->next);
    if (free == nullptr) sizes_ &= ~bit_of(size);
    if (size > bytes) put_free(static_cast<std::byte*>(piece) + bytes, size - bytes);
    return piece;
  }
  bool add_slab() {
    void* const slab =
        ::mmap(nullptr, kSlabBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (slab == MAP_FAILED) return false;
    slabs_.push_back(slab);
    next_ = static_cast<std::byte*>(slab);
    left_ = kSlabBytes;
    return true;
  }

  std::mutex mutex_;
  std::vector<void*> slabs_;
  std::byte* next_ = nullptr;
  size_t left_ = 0;                                   // Of the last slab.
  size_t taken_ = 0;                                  // Pieces.
  std::array<Free*, kMostBytes / kStep + 1> free_{};  // By size.
  uint64_t sizes_ = 0;                                // Which of these there are, in steps.
  static_assert(kMostBytes / kStep == 64);
};

Pool& pool() {
  static Pool pool;
  return pool;
}

/// Where the bytes that were put into a file at once stand there, behind the place of those before.
struct Extent {
  uint64_t offset;
  uint64_t bytes;  // 0: there are none.
};

std::span<const uint8_t> bytes_of(const Extent& extent) {
  return {reinterpret_cast<const uint8_t*>(&extent), sizeof extent};
}

}  // namespace

struct ByteList::Spilled {
  SpillFile* file;
  Extent last;
};

ByteList::Piece* ByteList::new_piece(size_t bytes) {
  const size_t capacity = (bytes + Pool::kStep - 1) / Pool::kStep * Pool::kStep;
  if (capacity > UINT32_MAX) throw std::bad_alloc();
  void* memory = pool().take(sizeof(Piece) + capacity);
  if (memory == nullptr) {
    KeptBlocks::give_back();
    memory = pool().take(sizeof(Piece) + capacity);
  }
  if (memory == nullptr) throw std::bad_alloc();
  auto* const piece = new (memory) Piece{nullptr, 0, static_cast<uint32_t>(capacity)};
  piece->next = piece;
  return piece;
}

void ByteList::free_piece(Piece* piece) { pool().give(piece, sizeof(Piece) + piece->capacity); }

/// Behind the last one.
void ByteList::add_piece(size_t least_bytes) {
  constexpr size_t kPart = 4;
  constexpr size_t kFewBytes = 32;
  constexpr size_t kMostBytes = Pool::kMostBytes - sizeof(Piece);
  static_assert(sizeof(Piece) % Pool::kStep == 0);
  const size_t usual = std::clamp(bytes_in_memory() / kPart, kFewBytes, kMostBytes);
  Piece* const piece = new_piece(std::max(usual, least_bytes));
  if (last_ != nullptr) piece->next = std::exchange(last_->next, piece);
  last_ = piece;
}

void ByteList::clear() {
  if (last_ == nullptr) return;
  Piece* piece = std::exchange(last_->next, nullptr);
  while (piece != nullptr) free_piece(std::exchange(piece, piece->next));
  last_ = nullptr;
  size_ = spilled_ = 0;
}

void ByteList::fit() {
  assert(spilled_ == 0);
  if (last_ == nullptr || (last_->next == last_ && last_->capacity - last_->used < Pool::kStep)) {
    return;
  }
  ByteList one;
  one.add_piece(size_);
  for_each_piece([&](std::span<const uint8_t> bytes) { one.append(bytes); });
  *this = std::move(one);
}

ByteList::Spilled& ByteList::spilled() const {
  return *reinterpret_cast<Spilled*>(last_->next->bytes());
}

void ByteList::spill(SpillFile& file) {
  if (bytes_in_memory() == 0) return;
  if (spilled_ == 0) {
    Piece* const head = new_piece(sizeof(Spilled));
    head->used = head->capacity;
    new (head->bytes()) Spilled{&file, {0, 0}};
    head->next = std::exchange(last_->next, head);
  }
  const Extent extent{file.size(), bytes_in_memory()};
  file.append(bytes_of(std::exchange(spilled().last, extent)));
  Piece* const head = last_->next;
  while (head->next != head) {
    Piece* const piece = head->next;
    file.append({piece->bytes(), piece->used});
    head->next = piece->next;
    free_piece(piece);
  }
  last_ = head;
  spilled_ = size_;
}

void ByteList::visit_spilled(const Visit& visit) const {
  const SpillFile& file = *spilled().file;
  std::vector<Extent> extents;  // The last one first, as each knows the one before.
  for (Extent extent = spilled().last; extent.bytes > 0;) {
    extents.push_back(extent);
    file.read(extent.offset, {reinterpret_cast<uint8_t*>(&extent), sizeof extent});
  }
  std::vector<uint8_t> bytes;
  for (; !extents.empty(); extents.pop_back()) {
    bytes.resize(extents.back().bytes);
    file.read(extents.back().offset + sizeof(Extent), bytes);
    visit(bytes);
  }
}

void ByteList::for_each_piece(const Visit& visit) const {
  if (last_ == nullptr) return;
  const auto visit_piece = [&](const Piece* piece) { visit({piece->bytes(), piece->used}); };
  const Piece* const first = last_->next;
  if (spilled_ > 0) {
    visit_spilled(visit);
  } else {
    visit_piece(first);
  }
  for (const Piece* piece = first->next; piece != first; piece = piece->next) visit_piece(piece);
}

void ByteList::copy_to(std::vector<uint8_t>& bytes) const {
  bytes.reserve(bytes.size() + size_);
  for_each_piece([&](std::span<const uint8_t> piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  });
}

void ByteList::pack(Packer& out) const {
  out.put(uint64_t{size_});
  for_each_piece([&](std::span<const uint8_t> bytes) { out.put_list(bytes); });
}

void ByteList::take(Unpacker& in) {
  clear();
  for (const auto size = in.get<uint64_t>(); size_ < size;) append(in.list<uint8_t>());
}

}  // namespace pathline::base
