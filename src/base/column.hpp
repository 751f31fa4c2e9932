// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "base/arena.hpp"
#include "base/scratch.hpp"

namespace pathline::base {

/// A growable array of plain values for columns of many million rows. Unlike std::vector it leaves
/// new rows uninitialised and grows with realloc, which for large blocks moves pages instead of
/// copying them: memory that was reserved but not written costs nothing. Large ones may lie in a
/// file (scratch.hpp). Its first memory may be
/// that of an Arena, which it must not outlive then.
///
/// errors  throws std::bad_alloc.
/// cost    push_back amortised O(1), growth by half.
template <class T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  using const_iterator = const T*;

  Column() = default;
  explicit Column(size_t size) { resize(size); }
  Column(Column&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)),
        in_arena_(std::exchange(other.in_arena_, false)) {}
  Column& operator=(Column&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(in_arena_, other.in_arena_);
    return *this;
  }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;
  ~Column() {
    if (!in_arena_) free_block(data_);
  }

  void reserve(size_t capacity) {
    if (capacity > capacity_) reallocate(capacity);
  }
  /// Takes the memory of a column without any from an arena. What outgrows it leaves the arena.
  void reserve(size_t capacity, Arena& arena) {
    if (capacity_ > 0 || capacity == 0) return reserve(capacity);
    if (capacity > SIZE_MAX / sizeof(T)) throw std::bad_alloc();
    data_ = static_cast<T*>(arena.allocate(capacity * sizeof(T)));
    capacity_ = capacity;
    in_arena_ = true;
  }
  void resize(size_t size) {  ///< New rows hold any value.
    reserve(size);
    size_ = size;
  }
  void push_back(T value) {
    if (size_ == capacity_) [[unlikely]] {
      reallocate(capacity_ + capacity_ / 2 + 16);
    }
    data_[size_++] = value;
  }
  /// Gives back what was reserved and not used.
  void shrink_to_fit() {
    if (size_ < capacity_ && !in_arena_) reallocate(size_);
  }

  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] size_t capacity() const { return capacity_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] T& operator[](size_t row) { return data_[row]; }
  [[nodiscard]] const T& operator[](size_t row) const { return data_[row]; }
  [[nodiscard]] T& back() { return data_[size_ - 1]; }
  [[nodiscard]] const T& back() const { return data_[size_ - 1]; }
  [[nodiscard]] T* begin() { return data_; }
  [[nodiscard]] T* end() { return data_ + size_; }
  [[nodiscard]] const T* begin() const { return data_; }
  [[nodiscard]] const T* end() const { return data_ + size_; }
  [[nodiscard]] std::span<const T> span() const { return {data_, size_}; }
  operator std::span<const T>() const { return span(); }  // NOLINT(google-explicit-constructor)

 private:
  void reallocate(size_t capacity) {
    if (capacity == 0) {
      free_block(std::exchange(data_, nullptr));
      capacity_ = 0;
      return;
    }
    if (capacity > SIZE_MAX / sizeof(T)) throw std::bad_alloc();
    const size_t bytes = capacity * sizeof(T);
    void* moved =
        reallocate_block(in_arena_ ? nullptr : static_cast<void*>(data_), size_ * sizeof(T), bytes);
    if (moved == nullptr) throw std::bad_alloc();
    if (in_arena_) std::memcpy(moved, data_, size_ * sizeof(T));
    in_arena_ = false;
    data_ = static_cast<T*>(moved);
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
  bool in_arena_ = false;
};

}  // namespace pathline::base
