// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "base/column.hpp"
#include "base/row_iterator.hpp"
#include "base/thread_pool.hpp"

namespace pathline::base {

/// A column of numbers that is written as it is and then packed: each block of 64 takes 16 bytes,
/// and for each number its lower bytes, as many (0 to 8) as not all have in common. The greatest of
/// the type, which stands for "none" in many columns, counts as one less than 0. Packed numbers can
/// be read only, in any order.
///
/// May be read by any number of threads.
/// errors  throws std::bad_alloc.
/// cost    a number of a packed column takes about two more reads than that of an array, both
///         likely to be in the cache; packing about 2 ns.
template <class T>
class PackedColumn {
  static_assert(std::is_unsigned_v<T>);

 public:
  using value_type = T;
  static constexpr size_t kBlock = 64;

  using const_iterator = RowIterator<PackedColumn>;
  using iterator = const_iterator;

  PackedColumn() = default;
  /// Not packed yet.
  explicit PackedColumn(Column<T>&& numbers) : size_(numbers.size()), plain_(std::move(numbers)) {}
  PackedColumn(PackedColumn&& other) noexcept
      : size_(std::exchange(other.size_, 0)),
        plain_(std::move(other.plain_)),
        blocks_(std::move(other.blocks_)),
        bytes_(std::move(other.bytes_)) {}
  PackedColumn& operator=(PackedColumn&& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(plain_, other.plain_);
    std::swap(blocks_, other.blocks_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  PackedColumn(const PackedColumn&) = delete;
  PackedColumn& operator=(const PackedColumn&) = delete;
  ~PackedColumn() = default;

  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T operator[](size_t row) const {
    if (!plain_.empty()) return plain_[row];
    const Block& block = blocks_[row / kBlock];
    uint64_t number = 0;
    const size_t width = block.place_and_width & kWidthMask;
    std::memcpy(&number,
                bytes_.data() + (block.place_and_width >> kWidthBits) + row % kBlock * width,
                sizeof(number));
    return static_cast<T>((block.common | (number & kMasks[width])) - 1);
  }
  /// The numbers of the rows `row` to `row + kCount - 1`. Less work than one by one.
  template <size_t kCount>
  [[nodiscard]] std::array<T, kCount> read(size_t row) const {
    std::array<T, kCount> numbers{};
    if (!plain_.empty()) {
      std::memcpy(numbers.data(), plain_.data() + row, sizeof(numbers));
      return numbers;
    }
    if (row % kBlock + kCount > kBlock) {
      for (size_t i = 0; i < kCount; ++i) numbers[i] = (*this)[row + i];
      return numbers;
    }
    const Block& block = blocks_[row / kBlock];
    const size_t width = block.place_and_width & kWidthMask;
    const uint64_t mask = kMasks[width];
    const std::byte* at =
        bytes_.data() + (block.place_and_width >> kWidthBits) + row % kBlock * width;
    for (T& number : numbers) {
      uint64_t bytes = 0;
      std::memcpy(&bytes, at, sizeof(bytes));
      number = static_cast<T>((block.common | (bytes & mask)) - 1);
      at += width;
    }
    return numbers;
  }
  /// Asks the processor for where a row lies, and, when that is there, for the row: to be called
  /// one after the other before it is read.
  void prefetch_block(size_t row) const {
    if (plain_.empty()) __builtin_prefetch(&blocks_[row / kBlock]);
  }
  void prefetch(size_t row) const {
    if (!plain_.empty()) return __builtin_prefetch(plain_.data() + row);
    const Block& block = blocks_[row / kBlock];
    __builtin_prefetch(bytes_.data() + (block.place_and_width >> kWidthBits) +
                       row % kBlock * (block.place_and_width & kWidthMask));
  }
  [[nodiscard]] T back() const { return (*this)[size_ - 1]; }
  [[nodiscard]] const_iterator begin() const { return {*this, 0}; }
  [[nodiscard]] const_iterator end() const { return {*this, size_}; }

  /// New rows hold any value. Of a column that is packed all of it does.
  void resize(size_t rows) {
    clear_packed();
    plain_.resize(rows);
    size_ = rows;
  }
  /// The column must not be packed.
  void set(size_t row, T number) {
    assert(!plain_.empty());
    plain_[row] = number;
  }
  /// The numbers of a column that is not packed; of another an empty span.
  [[nodiscard]] std::span<T> plain() { return {plain_.data(), plain_.size()}; }
  [[nodiscard]] std::span<const T> plain() const { return plain_.span(); }

  /// Packs what the column holds, if it does not yet.
  ///
  /// arena  where the numbers will live; without one they own their memory.
  /// pool   for columns of millions of rows.
  void pack(Arena* arena = nullptr, ThreadPool* pool = nullptr) {
    if (plain_.empty()) return;
    Column<T> numbers = std::move(plain_);
    plain_ = {};
    size_ = 0;
    append(numbers.span(), arena, pool);
    if (arena == nullptr) shrink_to_fit();
  }
  /// Packs more numbers behind those of a column that is packed, or empty. Its size must be a
  /// multiple of kBlock.
  void append(std::span<const T> numbers, Arena* arena = nullptr, ThreadPool* pool = nullptr) {
    assert(plain_.empty() && size_ % kBlock == 0);
    if (numbers.empty()) return;
    const size_t first = blocks_.size();
    const size_t count = (numbers.size() + kBlock - 1) / kBlock;
    grow(blocks_, first + count, arena);
    const auto numbers_of = [&](size_t block) {
      return numbers.subspan(block * kBlock, std::min(kBlock, numbers.size() - block * kBlock));
    };
    for_each_piece(count, pool, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) blocks_[first + i] = block_of(numbers_of(i));
    });
    size_t place = bytes_.empty() ? 0 : bytes_.size() - kOverrun;
    for (size_t i = 0; i < count; ++i) {
      Block& block = blocks_[first + i];
      const size_t width = block.place_and_width;
      block.place_and_width |= static_cast<uint64_t>(place) << kWidthBits;
      place += width * numbers_of(i).size();
    }
    grow(bytes_, place + kOverrun, arena);
    std::memset(bytes_.data() + place, 0, kOverrun);
    for_each_piece(count, pool, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) write(blocks_[first + i], numbers_of(i));
    });
    size_ += numbers.size();
  }
  /// Makes room for so many rows in a column that is packed, which are likely to be as wide as
  /// those that it has: what grows by half is copied twice.
  void reserve(size_t rows) {
    if (blocks_.empty() || rows <= size_) return;
    blocks_.reserve((rows + kBlock - 1) / kBlock);
    const double wider = 1.05 * static_cast<double>(rows) / static_cast<double>(size_);
    bytes_.reserve(static_cast<size_t>(wider * static_cast<double>(bytes_.size())) + kOverrun);
  }
  /// Gives back what was reserved and not used.
  void shrink_to_fit() {
    plain_.shrink_to_fit();
    blocks_.shrink_to_fit();
    bytes_.shrink_to_fit();
  }

  /// Memory of the numbers.
  [[nodiscard]] size_t size_bytes() const {
    return plain_.size() * sizeof(T) + blocks_.size() * sizeof(Block) + bytes_.size();
  }

 private:
  struct Block {
    uint64_t common;           // The other bytes of all, plus one as all are.
    uint64_t place_and_width;  // In bytes_; bytes of a number.
  };
  static constexpr unsigned kWidthBits = 4;
  static constexpr uint64_t kWidthMask = (1U << kWidthBits) - 1;
  static constexpr size_t kOverrun = sizeof(uint64_t);  // Any number is read as eight bytes.
  static constexpr std::array<uint64_t, 9> kMasks = {0,
                                                     0xff,
                                                     0xffff,
                                                     0xffffff,
                                                     UINT32_MAX,
                                                     UINT64_MAX >> 24U,
                                                     UINT64_MAX >> 16U,
                                                     UINT64_MAX >> 8U,
                                                     UINT64_MAX};

  template <class U>
  static void grow(Column<U>& column, size_t size, Arena* arena) {
    if (arena != nullptr) column.reserve(size, *arena);
    // By half, for what comes in parts.
    if (size > column.capacity()) column.reserve(column.empty() ? size : size + size / 2);
    column.resize(size);
  }
  template <class Visit>
  static void for_each_piece(size_t count, ThreadPool* pool, Visit visit) {
    constexpr size_t kPiece = 4096;
    if (pool == nullptr || count <= kPiece) return visit(size_t{0}, count);
    pool->for_each((count + kPiece - 1) / kPiece, [&](size_t piece) {
      visit(piece * kPiece, std::min(count, (piece + 1) * kPiece));
    });
  }
  /// Without its place.
  static Block block_of(std::span<const T> numbers) {
    const T one = static_cast<T>(numbers[0] + 1);
    T differing = 0;
    for (const T number : numbers) differing |= static_cast<T>(static_cast<T>(number + 1) ^ one);
    // The bytes that are written and read first must be the lowest.
    constexpr bool kCanCut = std::endian::native == std::endian::little;
    auto width = static_cast<size_t>((std::bit_width(differing) + 7) / 8);
    if (!kCanCut && width > 0) width = sizeof(uint64_t);
    return {one & ~kMasks[width], width};
  }
  void write(const Block& block, std::span<const T> numbers) {
    const size_t width = block.place_and_width & kWidthMask;
    std::byte* const to = bytes_.data() + (block.place_and_width >> kWidthBits);
    switch (width) {
      case 0: return;
      case 1: return write_as<uint8_t>(numbers, to);
      case 2: return write_as<uint16_t>(numbers, to);
      case 4: return write_as<uint32_t>(numbers, to);
      case 8: return write_as<uint64_t>(numbers, to);
      default: break;
    }
    std::array<std::byte, kBlock * sizeof(uint64_t) + kOverrun> packed;
    std::byte* at = packed.data();
    for (const T number : numbers) {
      const uint64_t shifted = static_cast<T>(number + 1);
      std::memcpy(at, &shifted, sizeof(shifted));
      at += width;
    }
    std::memcpy(to, packed.data(), width * numbers.size());
  }
  template <class Part>
  static void write_as(std::span<const T> numbers, std::byte* to) {
    const T* const from = numbers.data();
    for (size_t i = 0; i < numbers.size(); ++i) {
      const auto part = static_cast<Part>(static_cast<T>(from[i] + 1));
      std::memcpy(to + i * sizeof(part), &part, sizeof(part));
    }
  }
  void clear_packed() {
    blocks_ = {};
    bytes_ = {};
  }

  size_t size_ = 0;
  Column<T> plain_;  // Empty if packed.
  Column<Block> blocks_;
  Column<std::byte> bytes_;
};

}  // namespace pathline::base
