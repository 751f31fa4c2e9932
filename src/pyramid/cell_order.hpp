// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <tuple>

#include "pyramid/cells.hpp"

namespace pathline::pyramid {

/// Small numbers of either sign become small numbers: 0, -1, 1, -2 are 0, 1, 2, 3.
inline uint64_t zigzag(uint64_t value) { return (value << 1) ^ (0 - (value >> 63)); }
inline uint64_t unzigzag(uint64_t value) { return (value >> 1) ^ (0 - (value & 1)); }
inline Uint128 zigzag(Int128 value) {
  return (static_cast<Uint128>(value) << 1) ^ static_cast<Uint128>(value >> 127);
}
inline Int128 unzigzag(Uint128 value) {
  return static_cast<Int128>((value >> 1) ^ (0 - (value & 1)));
}

/// Cells are sorted by this.
inline auto order_of(const MessageCell& cell) {
  return std::tuple(cell.send_bin, zigzag(cell.recv_bin - cell.send_bin), cell.sender,
                    cell.receiver);
}

}  // namespace pathline::pyramid
