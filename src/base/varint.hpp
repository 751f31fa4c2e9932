// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace pathline::base {

/// Numbers of 7 bits a byte, low ones first; the top bit says that more follow.
constexpr unsigned kMaxVarintBytes = 10;

inline uint8_t* put_varint(uint8_t* at, uint64_t value) {
  while (value >= 0x80) {
    *at++ = static_cast<uint8_t>(value | 0x80U);
    value >>= 7U;
  }
  *at++ = static_cast<uint8_t>(value);
  return at;
}

/// Small numbers of either sign become small ones without.
constexpr uint64_t zigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1U) ^ static_cast<uint64_t>(value >> 63);
}
constexpr int64_t unzigzag(uint64_t value) {
  return static_cast<int64_t>(value >> 1U) ^ -static_cast<int64_t>(value & 1U);
}

/// returns  behind the number, or nullptr if it goes on behind `end` or does not fit into 64 bits.
inline const uint8_t* get_varint(const uint8_t* at, const uint8_t* end, uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; at != end; shift += 7) {
    const uint8_t byte = *at++;
    if (shift == 63 && byte > 1) return nullptr;
    value |= static_cast<uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80) return at;
    if (shift == 63) return nullptr;
  }
  return nullptr;
}

}  // namespace pathline::base
