// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "insitu/figures.hpp"

// What a picture of a step shows of it.
namespace pathline::figure {

/// What one rank sent another, whatever function it called.
struct RankPair {
  uint32_t source;
  uint32_t destination;
  uint64_t calls = 0;
  uint64_t bytes = 0;
};

/// The fewest bytes first.
std::vector<RankPair> pairs_of(const insitu::Step& step);

/// Messages of one class.
struct PairTotal {
  size_t pairs = 0;
  uint64_t calls = 0;
  uint64_t bytes = 0;
  void add(const RankPair& pair) {
    ++pairs;
    calls += pair.calls;
    bytes += pair.bytes;
  }
};

}  // namespace pathline::figure
