// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/search/structures.hpp"

namespace pathline::scaling {
namespace {

constexpr Structure kOfOne[] = {{1, {1}}};
constexpr Structure kOfTwo[] = {
    {4, {3}}, {1.5, {3, 1}}, {1.5, {3, 2}}, {3, {1, 2}}, {1, {3, 1, 2}},
};
constexpr Structure kOfThree[] = {
    // All three multiplied, alone and beside parts of them.
    {4, {7}},
    {1, {7, 1}},
    {1, {7, 2}},
    {1, {7, 4}},
    {1, {7, 3}},
    {1, {7, 5}},
    {1, {7, 6}},
    {.5, {7, 1, 2}},
    {.5, {7, 1, 4}},
    {.5, {7, 2, 4}},
    {.5, {7, 3, 4}},
    {.5, {7, 5, 2}},
    {.5, {7, 6, 1}},
    // Two multiplied and the third added.
    {1, {3, 4}},
    {1, {5, 2}},
    {1, {6, 1}},
    {.5, {3, 5}},
    {.5, {3, 6}},
    {.5, {5, 6}},
    {2, {1, 2, 4}},
};
constexpr Structure kOfFour[] = {
    {3, {15}},    {2, {1, 2, 4, 8}}, {1, {15, 1}}, {1, {15, 2}}, {1, {15, 4}},
    {1, {15, 8}}, {1, {7, 8}},       {1, {11, 4}}, {1, {13, 2}}, {1, {14, 1}},
    {1, {3, 12}}, {1, {5, 10}},      {1, {6, 9}},
};

}  // namespace

std::span<const Structure> structures(size_t factor_count) {
  switch (factor_count) {
    case 1: return kOfOne;
    case 2: return kOfTwo;
    case 3: return kOfThree;
    default: return kOfFour;
  }
}

double total_weight(std::span<const Structure> all) {
  double sum = 0;
  for (const Structure& structure : all) sum += structure.weight;
  return sum;
}

}  // namespace pathline::scaling
