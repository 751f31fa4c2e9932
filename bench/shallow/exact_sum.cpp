// SPDX-License-Identifier: BSD-3-Clause
#include "bench/shallow/exact_sum.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace shallow {
namespace {

constexpr int kTop = ExactSum::kDigitCount - 2;
constexpr int kNotFinite = ExactSum::kDigitCount - 1;
constexpr int64_t kLow32 = 0xFFFFFFFF;
constexpr int kLowestExponent = -1074;  // of the smallest double above 0

/// Brings all digits but the uppermost between 0 and 2^32 - 1; that one has the sign.
void carry(ExactSum::Digits& digits) {
  for (size_t i = 0; i < kTop; ++i) {
    digits[i + 1] += digits[i] >> 32;
    digits[i] &= kLow32;
  }
}

}  // namespace

void ExactSum::add(double term) {
  if (!std::isfinite(term)) {
    ++digits_[kNotFinite];
    return;
  }
  if (room_-- == 0) {
    carry(digits_);
    room_ = int64_t{1} << 30;
  }
  const auto bits = std::bit_cast<uint64_t>(term);
  const int exponent = static_cast<int>(bits >> 52 & 0x7FF);
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  // Subnormal numbers have the exponent of the smallest normal ones and no leading 1.
  const uint64_t mantissa = exponent == 0 ? fraction : fraction | uint64_t{1} << 52;
  const int place = exponent == 0 ? 0 : exponent - 1;
  const auto digit = static_cast<size_t>(place / 32);
  const int shift = place % 32;

  const uint64_t low = (mantissa & kLow32) << shift;
  const uint64_t high = ((mantissa >> 32) << shift) + (low >> 32);
  const int64_t sign = std::signbit(term) ? -1 : 1;
  digits_[digit] += sign * static_cast<int64_t>(low & kLow32);
  digits_[digit + 1] += sign * static_cast<int64_t>(high & kLow32);
  digits_[digit + 2] += sign * static_cast<int64_t>(high >> 32);
}

ExactSum::Digits ExactSum::digits() const {
  Digits result = digits_;
  carry(result);
  return result;
}

double ExactSum::value(const Digits& digits) {
  if (digits[kNotFinite] != 0) return std::numeric_limits<double>::quiet_NaN();
  Digits rest = digits;
  carry(rest);
  const bool negative = rest[kTop] < 0;
  if (negative) {
    for (int64_t& digit : rest) digit = -digit;
    carry(rest);
  }

  int top = kTop;
  while (top > 0 && rest[static_cast<size_t>(top)] == 0) --top;
  const auto digit = [&](int i) {
    return i < 0 ? 0 : static_cast<uint64_t>(rest[static_cast<size_t>(i)]);
  };
  // The leading 64 bits, which three digits hold; the last of them is also set if anything was left
  // out. Then rounding these is rounding all.
  const auto width = static_cast<int>(std::bit_width(digit(top)));
  if (width == 0) return 0;
  uint64_t leading =
      digit(top) << (64 - width) | digit(top - 1) << (32 - width) | digit(top - 2) >> width;
  bool left_out = (digit(top - 2) & ((uint64_t{1} << width) - 1)) != 0;
  for (int i = top - 3; i >= 0; --i) left_out = left_out || digit(i) != 0;
  if (left_out) leading |= 1;
  const double magnitude =
      std::ldexp(static_cast<double>(leading), 32 * top + width - 64 + kLowestExponent);
  return negative ? -magnitude : magnitude;
}

}  // namespace shallow
