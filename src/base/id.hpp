// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace pathline::base {

/// A number that counts things of one kind only. It turns into a plain number where one is wanted
/// (an index, a sum), but never by itself into the number of another kind.
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(size_t value) : value_(static_cast<uint32_t>(value)) {}
  constexpr operator uint32_t() const { return value_; }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] constexpr bool valid() const { return value_ != kNone; }
  static constexpr Id none() { return Id(kNone); }
  friend constexpr bool operator==(Id a, Id b) { return a.value_ == b.value_; }
  friend constexpr auto operator<=>(Id a, Id b) { return a.value_ <=> b.value_; }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t value_ = kNone;
};

}  // namespace pathline::base
