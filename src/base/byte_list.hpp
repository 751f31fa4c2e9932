// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "base/packing.hpp"

namespace pathline::base {

class SpillFile;

/// Bytes that are appended and read in order, for hundreds of thousands of lists that grow side by
/// side: a vector of them would be copied as it grows, and have room for half as much again.
///
/// The bytes lie in pieces, each a quarter of what was there before it up to a KiB; what is
/// appended at once lies in one. What is old can be put into a file. May be used by one thread at a
/// time.
class ByteList {
 public:
  ByteList() = default;
  ~ByteList() { clear(); }
  ByteList(ByteList&& other) noexcept
      : last_(std::exchange(other.last_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        spilled_(std::exchange(other.spilled_, 0)) {}
  ByteList& operator=(ByteList&& other) noexcept {
    std::swap(last_, other.last_);
    std::swap(size_, other.size_);
    std::swap(spilled_, other.spilled_);
    return *this;
  }
  ByteList(const ByteList&) = delete;
  ByteList& operator=(const ByteList&) = delete;

  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] size_t bytes_in_memory() const { return size_ - spilled_; }

  /// errors  throws std::bad_alloc, and has what it had.
  void append(std::span<const uint8_t> bytes) {
    if (last_ == nullptr || last_->capacity - last_->used < bytes.size()) add_piece(bytes.size());
    if (bytes.empty()) return;
    std::memcpy(last_->bytes() + last_->used, bytes.data(), bytes.size());
    last_->used += static_cast<uint32_t>(bytes.size());
    size_ += bytes.size();
  }
  void clear();
  /// Leaves one piece without room, of a list to which no more is appended and that was not
  /// spilled.
  void fit();
  /// Puts what is in memory into the file, which must outlive this and be the same each time.
  void spill(SpillFile& file);

  using Visit = std::function<void(std::span<const uint8_t>)>;
  /// Visits all its bytes in order, some at a time.
  ///
  /// errors  throws std::runtime_error where the file cannot be read.
  void for_each_piece(const Visit& visit) const;
  /// Appends all to a vector. errors  as above.
  void copy_to(std::vector<uint8_t>& bytes) const;

  /// For another process, which takes it instead of what it has. errors  as above.
  void pack(Packer& out) const;
  void take(Unpacker& in);

 private:
  /// Its bytes stand behind it; those of the first one of a list that was spilled are a Spilled.
  struct Piece {
    Piece* next;  // Of the last one the first.
    uint32_t used;
    uint32_t capacity;

    [[nodiscard]] uint8_t* bytes() { return reinterpret_cast<uint8_t*>(this + 1); }
    [[nodiscard]] const uint8_t* bytes() const {
      return reinterpret_cast<const uint8_t*>(this + 1);
    }
  };
  struct Spilled;

  static Piece* new_piece(size_t bytes);
  static void free_piece(Piece* piece);
  void add_piece(size_t least_bytes);
  [[nodiscard]] Spilled& spilled() const;
  void visit_spilled(const Visit& visit) const;

  Piece* last_ = nullptr;
  size_t size_ = 0;
  size_t spilled_ = 0;  // Of it, in a file.
};

}  // namespace pathline::base
