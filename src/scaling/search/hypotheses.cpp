// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/search/hypotheses.hpp"

#include <array>
#include <cstdlib>

namespace pathline::scaling {
namespace {

constexpr std::array<Exponents, kGrowingPairCount> kGrowing = {{
    {0, 1, 1}, {0, 1, 2},              //
    {1, 4, 0}, {1, 4, 1},  {1, 4, 2},  //
    {1, 3, 0}, {1, 3, 1},  {1, 3, 2},  //
    {1, 2, 0}, {1, 2, 1},  {1, 2, 2},  //
    {2, 3, 0}, {2, 3, 1},  {2, 3, 2},  //
    {3, 4, 0}, {3, 4, 1},  {3, 4, 2},  //
    {4, 5, 0},                         //
    {1, 1, 0}, {1, 1, 1},  {1, 1, 2},  //
    {5, 4, 0}, {5, 4, 1},              //
    {4, 3, 0}, {4, 3, 1},              //
    {3, 2, 0}, {3, 2, 1},  {3, 2, 2},  //
    {5, 3, 0}, {7, 4, 0},              //
    {2, 1, 0}, {2, 1, 1},  {2, 1, 2},  //
    {9, 4, 0}, {7, 3, 0},              //
    {5, 2, 0}, {5, 2, 1},  {5, 2, 2},  //
    {8, 3, 0}, {11, 4, 0},             //
    {3, 1, 0}, {3, 1, 1},
}};

constexpr std::array<Exponents, kPairCount> with_mirror_images() {
  std::array<Exponents, kPairCount> pairs{};
  size_t count = 0;
  for (const Exponents e : kGrowing) pairs[count++] = e;
  for (const Exponents e : kGrowing) {
    if (e.numerator == 0) continue;
    pairs[count++] = {static_cast<int8_t>(-e.numerator), e.denominator, e.log};
  }
  return pairs;
}

constexpr std::array<Exponents, kPairCount> kPairs = with_mirror_images();

}  // namespace

std::span<const Exponents, kPairCount> exponent_pairs() { return kPairs; }

double pair_weight(Exponents exponents) {
  const int numerator = std::abs(exponents.numerator);
  const int denominator = exponents.denominator;
  bool is_simple = false;
  switch (exponents.log) {
    case 0:
      is_simple = denominator == 1 || numerator == 1 || (numerator == 2 && denominator == 3) ||
                  (numerator == 3 && denominator == 2);
      break;
    case 1: is_simple = numerator == 0 || (numerator == 1 && denominator <= 2); break;
    default: is_simple = numerator == 0; break;
  }
  return is_simple ? 3 : 1;
}

}  // namespace pathline::scaling
