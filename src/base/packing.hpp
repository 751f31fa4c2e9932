// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cassert>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace pathline::base {

template <class T>
concept Packable = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>;

/// Values one behind the other, for another process of the same program and the same job: as they
/// are in memory, without types. Nothing for files.
class Packer {
 public:
  template <Packable T>
  void put(const T& value) {
    append(&value, sizeof value);
  }
  /// A number of values, and these.
  template <Packable T>
  void put_list(std::span<const T> values) {
    put(uint64_t{values.size()});
    append(values.data(), values.size_bytes());
  }
  template <Packable T>
  void put_list(const std::vector<T>& values) {
    put_list(std::span<const T>(values));
  }
  void put_text(std::string_view text) { put_list(std::span<const char>(text)); }

  [[nodiscard]] std::vector<uint8_t> take() { return std::move(bytes_); }

 private:
  void append(const void* from, size_t bytes) {
    if (bytes == 0) return;
    const size_t at = bytes_.size();
    bytes_.resize(at + bytes);
    std::memcpy(bytes_.data() + at, from, bytes);
  }
  std::vector<uint8_t> bytes_;
};

/// Takes out what a Packer was given, in its order.
class Unpacker {
 public:
  explicit Unpacker(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  template <Packable T>
  T get() {
    T value;
    copy(&value, sizeof value);
    return value;
  }
  template <Packable T>
  std::vector<T> list() {
    std::vector<T> values(get<uint64_t>());
    copy(values.data(), values.size() * sizeof(T));
    return values;
  }
  std::string text() {
    std::string text(get<uint64_t>(), '\0');
    copy(text.data(), text.size());
    return text;
  }
  [[nodiscard]] bool ended() const { return bytes_.empty(); }

 private:
  void copy(void* to, size_t count) {
    assert(count <= bytes_.size());
    if (count == 0) return;
    std::memcpy(to, bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
  }
  std::span<const uint8_t> bytes_;
};

}  // namespace pathline::base
